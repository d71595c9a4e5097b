/* Compares each manifest with its object, and makes a report of it. */
#include "daemon/compare/manifests.h"

#include "config/part.h"
#include "daemon/compare/klog.h"
#include "manifest/manifest_applied.h"
#include "text/unified_diff.h"
#include "topology/crd_table.h"
#include "value/json.h"
#include "value/kube_names.h"
#include "value/yaml.h"

#include <errno.h>

#define VALUE_MAX (1u << 20) /* bytes of one value in a list of changes */

struct comparison {
	const struct compare_manifests *m;
	const struct compare_input *in;
	const struct compare_report_options *o;
	struct arena arena;
	struct report report;
	struct strmap by_name; /* identity_text -> 1 + the index of an object */
	/* identity_text with the group in place of the version -> 1 + the index of an object */
	struct strmap by_group;
	struct strmap claims; /* identity_text -> the manifest that was compared with the object */
	struct report_diff *diffs;
	struct report_failure *failures;
	struct component_verdict *issues; /* one issue for each file */
	struct ref_part part;
	bool *inspected; /* by object */
	size_t n_manifests;
	VEC(struct compare_events *) events;
	struct err *err;
};

/* ---- the objects ---- */

static struct identity without_version(struct identity id)
{
	id.api_version = group_version_of(id.api_version).group;
	return id;
}

static int index_object(struct comparison *h, struct strmap *to, const struct identity *id, size_t i)
{
	CLEANUP(buf_done) struct buf name = BUF_INIT(SIZE_MAX / 2);

	identity_text(id, &name);
	if (name.error)
		return err_nomem(h->err);
	return strmap_put(to, buf_str(&name), (void *)(uintptr_t)(i + 1), NULL) ? 0 : err_nomem(h->err);
}

static int index_objects(struct comparison *h)
{
	int r = 0;

	for (size_t i = 0; i < h->in->objects.n && r == 0; i++) {
		struct identity id = identity_of(h->in->objects.p[i]), any = without_version(id);

		r = index_object(h, &h->by_name, &id, i);
		if (r == 0)
			r = index_object(h, &h->by_group, &any, i);
	}
	return r;
}

/* Find the object of @id: 1 + its index. In files an object may lack the namespace that it is in. A cluster has objects
 * without a namespace only of kinds that have none, so that a manifest with one finds its object too. 0: there is
 * none. */
static size_t find(const struct strmap *in, struct identity id)
{
	size_t i = (size_t)(uintptr_t)identity_get(in, &id);

	id.namespace = STR("");
	return i ? i : (size_t)(uintptr_t)identity_get(in, &id);
}

/* ---- what was found ---- */

static bool fail(struct comparison *h, const struct manifest *m, str name, str why)
{
	h->failures[h->report.n_failures++] = (struct report_failure){ name, m->document->file, why };
	return why.p;
}

static str as_json(struct comparison *h, val v)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(VALUE_MAX);
	struct err err;

	if (!val_exists(v) || json_encode(v, JSON_GO, NULL, &text, &err) < 0)
		return (str){ NULL, 0 };
	return arena_str(&h->arena, buf_str(&text));
}

static bool shows_all(const struct comparison *h, const struct verdict *v)
{
	return h->m->unmasked && !mask_is_secret(v->actual);
}

static int list_changes(struct comparison *h, const struct verdict *v, struct report_diff *d)
{
	size_t n = v->state == VERDICT_DRIFTED ? v->changes.n : 0;
	struct report_change *list = arena_array(&h->arena, n + 1, sizeof(*list));

	for (size_t i = 0; list && i < n; i++) {
		const struct change *c = &v->changes.p[i];

		list[i] = (struct report_change){ .path = arena_str(&h->arena, c->path_text),
						  .change = change_kind_name(c->kind),
						  .why = c->why,
						  .hidden = c->sensitive && !shows_all(h, v) };
		if (!list[i].path.p)
			return err_nomem(h->err);
		if (list[i].hidden)
			continue;
		list[i].expected = as_json(h, c->expected);
		list[i].found = as_json(h, c->actual);
	}
	d->changes = list;
	d->n_changes = n;
	d->n_unlisted = v->state == VERDICT_DRIFTED ? v->changes.total - n : 0;
	return list ? 0 : err_nomem(h->err);
}

/* Print the difference with its values, when nothing is to be masked. */
static int plain_diff(struct comparison *h, const struct verdict *v, struct buf *out)
{
	CLEANUP(buf_done) struct buf expected = BUF_INIT(h->m->limits->diff_bytes);
	CLEANUP(buf_done) struct buf actual = BUF_INIT(h->m->limits->diff_bytes);
	int r = yaml_encode_both(v->expected, v->actual, &expected, &actual, h->err);

	buf_add_cstr(out, "--- manifest\n+++ cluster\n");
	return r < 0 ? r : unified_diff(buf_str(&expected), buf_str(&actual), h->m->limits, out, h->err);
}

static int print_diff(struct comparison *h, const struct verdict *v, struct report_diff *d)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(h->m->limits->diff_bytes);
	int r = shows_all(h, v) ? plain_diff(h, v, &text)
				: verdict_diff(v, "manifest", NULL, h->m->limits, &text, h->err);

	if (r == -E2BIG)
		buf_add_cstr(&text, h->err->msg);
	else if (r < 0)
		return r;
	d->output = arena_str(&h->arena, buf_str(&text));
	if (!d->output.p)
		return err_nomem(h->err);
	return h->o->colour ? compare_report_colour(d, &h->arena, h->err) : 0;
}

static int review(struct comparison *h, val live, val compared, val schema, struct verdict *v, struct report_diff *d)
{
	uint64_t steps = h->m->limits->evaluation_steps - v->steps;
	struct compare_events *e;
	int r;

	if (!h->m->review || v->state != VERDICT_DRIFTED)
		return 0;
	e = arena_zalloc(&h->arena, sizeof(*e));
	if (!e || !vec_push(&h->events, e))
		return err_nomem(h->err);
	r = compare_review(h->m->review, live, compared, schema, v, NULL, &steps, e, h->err);
	v->steps = h->m->limits->evaluation_steps - steps;
	d->severity = e->severity;
	d->events = e->p;
	d->n_events = e->n;
	return r;
}

static int add_compared(struct comparison *h, const struct manifest *m, str name, val live, val compared,
			struct verdict *v, val schema)
{
	struct report_diff *d = &h->diffs[h->report.n_diffs++];
	int r;

	*d = (struct report_diff){ .template = m->document->file, .cr = name, .output = STR("") };
	d->deleting = val_exists(val_dig(live, "metadata", "deletionTimestamp", NULL));
	h->report.n_total++;
	r = review(h, live, compared, schema, v, d);
	if (r == 0)
		r = list_changes(h, v, d);
	if (r < 0 || v->state != VERDICT_DRIFTED)
		return r;
	h->report.n_differing++;
	return print_diff(h, v, d);
}

static int conclude(struct comparison *h, const struct manifest *m, str name, val live, val compared, struct verdict *v,
		    val schema)
{
	if (v->state != VERDICT_ERROR)
		return add_compared(h, m, name, live, compared, v, schema);
	return fail(h, m, name, arena_printf(&h->arena, "%.*s: %.*s", STR_ARG(name), STR_ARG(v->error)))
		       ? 0
		       : err_nomem(h->err);
}

static int begin_inspection(struct comparison *h, const struct compare_candidates *c, size_t i, str name, val *compared)
{
	h->inspected[i] = true;
	*compared = h->in->objects.p[i];
	if (!HAS_INSPECTION || !h->m->inspection)
		return 0;
	return compare_inspect(h->m->inspection, *compared, name, c, compared, h->err);
}

static int end_inspection(struct comparison *h, const struct verdict *v)
{
	if (!HAS_INSPECTION || !h->m->inspection)
		return 0;
	return compare_inspected(h->m->inspection, v, h->err);
}

/* Compare @m with the object @i. */
static int compare_with(struct comparison *h, const struct manifest *m, str name, size_t i)
{
	val live = h->in->objects.p[i], compared;
	struct manifest_env env = { .limits = h->m->limits,
				    .schema = crd_table_schema(&h->in->schemas, m->id.api_version, m->id.kind),
				    .managers = manifest_managers_of,
				    .ctx = &live,
				    .additions = h->m->additions };
	const struct ref_template template = { .path = m->document->file };
	const struct compare_candidates c = { .n = 1, .only = &template };
	CLEANUP(verdict_done) struct verdict v = { 0 };
	int r = begin_inspection(h, &c, i, name, &compared);

	if (r == 0)
		r = manifest_judge(m->object, compared, &env, &v, h->err);
	if (r == 0)
		r = conclude(h, m, name, live, compared, &v, env.schema);
	return r < 0 ? r : end_inspection(h, &v);
}

/* ---- what was not ---- */

/* Add a missing object to the issue of its file. The manifests of one file follow each other. */
static int add_missing(struct comparison *h, const struct manifest *m, str name)
{
	struct component_verdict *issue = h->report.n_issues ? &h->issues[h->report.n_issues - 1] : NULL;
	struct ref_template *t = arena_zalloc(&h->arena, sizeof(*t));
	struct ref_component *c;

	if (!t)
		return err_nomem(h->err);
	t->path = name;
	h->report.n_missing++;
	if (!issue || !str_eq(issue->component->name, m->document->file)) {
		issue = &h->issues[h->report.n_issues++];
		c = arena_zalloc(&h->arena, sizeof(*c));
		*issue = (struct component_verdict){ .part = &h->part, .component = c, .problem = COMPONENT_MISSING };
		issue->templates = arena_array(&h->arena, h->n_manifests, sizeof(*issue->templates));
		if (!c || !issue->templates)
			return err_nomem(h->err);
		c->name = m->document->file;
	}
	issue->templates[issue->n_templates++] = t;
	issue->n_missing++;
	return 0;
}

/* The versions of the kind that a definition serves, such as "v1, v1beta1". */
static str served_versions(struct comparison *h, val crd)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(4096);
	val versions = val_dig(crd, "spec", "versions", NULL);

	for (uint32_t i = 0; i < val_count(versions); i++) {
		if (val_is_true(VAL_GET(val_at(versions, i), "served")))
			buf_printf(&text, "%s%.*s", text.n ? ", " : "",
				   STR_ARG(val_str(VAL_GET(val_at(versions, i), "name"))));
	}
	return arena_str(&h->arena, buf_str(&text));
}

/* Why it is unknown whether the object of @m exists; p NULL: it does not exist. */
static str why_unknown(struct comparison *h, const struct manifest *m, str name)
{
	const struct crd_version *v = crd_table_get(&h->in->schemas, m->id.api_version, m->id.kind);
	size_t other = find(&h->by_group, without_version(m->id));
	const char *unknown;

	if (v && !v->served)
		return arena_printf(&h->arena, "%.*s: its version is not served; served are %.*s", STR_ARG(name),
				    STR_ARG(served_versions(h, v->crd)));
	unknown = h->in->known ? compare_known_why(h->in->known, m->id.api_version, m->id.kind) : NULL;
	if (unknown)
		return arena_printf(&h->arena, "%.*s: %s", STR_ARG(name), unknown);
	if (other)
		return arena_printf(&h->arena, "%.*s is there in version %.*s, and not in that of the manifest",
				    STR_ARG(name),
				    STR_ARG(val_str(VAL_GET(h->in->objects.p[other - 1], "apiVersion"))));
	return (str){ NULL, 0 };
}

/* Claim the object for @m. 0: another group that came first has it as well. */
static int claim(struct comparison *h, const struct manifest *m, str name)
{
	const struct manifest *first = strmap_get(&h->claims, name);

	if (!first)
		return strmap_put(&h->claims, name, (void *)(uintptr_t)m, NULL) ? 1 : err_nomem(h->err);
	klog_warning("%.*s is in %.*s and in %.*s: it is compared with that of the first", STR_ARG(name),
		     STR_ARG(first->document->file), STR_ARG(m->document->file));
	return 0;
}

static str name_of(struct comparison *h, const struct identity *id)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(SIZE_MAX / 2);

	identity_text(id, &text);
	return text.error ? (str){ NULL, 0 } : arena_str(&h->arena, buf_str(&text));
}

static int judge(struct comparison *h, const struct manifest *m)
{
	size_t i = find(&h->by_name, m->id);
	str name = name_of(h, &m->id), why;
	int r = name.p ? claim(h, m, name) : err_nomem(h->err);

	if (r <= 0)
		return r;
	if (i)
		return compare_with(h, m, name, i - 1);
	why = why_unknown(h, m, name);
	if (why.p)
		return fail(h, m, name, why) ? 0 : err_nomem(h->err);
	return m->optional ? 0 : add_missing(h, m, name);
}

/* ---- the whole ---- */

static void count(struct comparison *h)
{
	for (size_t i = 0; i < h->m->groups.n; i++) {
		const struct manifest_set *set = &h->m->groups.p[i]->set;

		h->n_manifests += set->list.n;
		h->report.n_hooks += set->n_hooks;
		h->report.n_unnamed += set->n_unnamed;
	}
}

static bool allocate(struct comparison *h)
{
	size_t n = (h->m->applied ? h->in->objects.n : h->n_manifests) + 1;

	h->diffs = arena_array(&h->arena, n, sizeof(*h->diffs));
	h->failures = arena_array(&h->arena, n, sizeof(*h->failures));
	h->issues = arena_array(&h->arena, n, sizeof(*h->issues));
	h->part = (struct ref_part){ .name = str_from(h->m->part) };
	h->report.diffs = h->diffs;
	h->report.failures = h->failures;
	h->report.issues = h->issues;
	h->report.hash = "";
	h->inspected = arena_zalloc(&h->arena, (h->in->objects.n + 1) * sizeof(*h->inspected));
	return h->diffs && h->failures && h->issues && h->inspected;
}

static int judge_group(struct comparison *h, const struct compare_group *g)
{
	int r = 0;

	for (size_t i = 0; i < g->set.list.n && r == 0 && !g->left_out; i++)
		r = judge(h, &g->set.list.p[i]);
	return r;
}

static int judge_groups(struct comparison *h)
{
	int r = index_objects(h);

	for (size_t i = 0; i < h->m->groups.n && r == 0; i++)
		r = judge_group(h, h->m->groups.p[i]);
	return r;
}

/* ---- what was applied to each ---- */

static int judge_applied(struct comparison *h, size_t i)
{
	val object = h->in->objects.p[i];
	CLEANUP(doc_unrefp) struct doc *applied = NULL;
	struct identity id = identity_of(object);
	const struct manifest_document document = { .file = id.kind };
	struct manifest m = { .id = id, .document = &document };
	struct err why;
	str name;
	int r;

	if (h->m->only.n && !str_eq(h->m->only, id.namespace))
		return 0;
	r = manifest_applied_read(object, h->m->limits, NULL, &applied, &why);
	h->report.n_unapplied += r == 0 && !applied;
	if (r == 0 && !applied)
		return 0;
	name = name_of(h, &id);
	if (r == -ENOMEM || !name.p)
		return err_nomem(h->err);
	if (r < 0)
		return fail(h, &m, name, arena_printf(&h->arena, "%.*s: %s", STR_ARG(name), why.msg))
			       ? 0
			       : err_nomem(h->err);
	m.object = applied->root;
	return compare_with(h, &m, name, i);
}

static int judge_all_applied(struct comparison *h)
{
	int r = 0;

	for (size_t i = 0; i < h->in->objects.n && r == 0; i++)
		r = judge_applied(h, i);
	if (r == 0 && !h->report.n_total && !h->report.n_failures && !problems_any(&h->in->problems))
		return err_set(h->err, ENOENT,
			       "no object has the annotation " KUBE_LAST_APPLIED ": nothing was compared");
	return r;
}

/* What no manifest is for is inspected, too. */
static int inspect_rest(struct comparison *h)
{
	static const struct compare_candidates nothing;
	static const struct verdict none;
	bool apart = h->m->applied && h->m->only.n;
	int r = 0;

	for (size_t i = 0; i < h->in->objects.n && r == 0; i++) {
		val compared;

		if (h->inspected[i] || (apart && !str_eq(h->m->only, identity_of(h->in->objects.p[i]).namespace)))
			continue;
		r = begin_inspection(h, &nothing, i, h->in->names.p[i], &compared);
		if (r == 0)
			r = end_inspection(h, &none);
	}
	return r;
}

static int judge_all(struct comparison *h)
{
	return h->m->applied ? judge_all_applied(h) : judge_groups(h);
}

static int inspect_and_judge(struct comparison *h)
{
	struct compare_inspection *x = h->m->inspection;
	int r;

	if (!HAS_INSPECTION || !x)
		return judge_all(h);
	r = compare_inspection_add(x, h->in, h->err);
	if (r == 0)
		r = judge_all(h);
	if (r == 0)
		r = inspect_rest(h);
	compare_inspection_report(x, &h->report);
	return r;
}

static int collect(struct comparison *h)
{
	int r;

	count(h);
	if (!allocate(h))
		return err_nomem(h->err);
	r = inspect_and_judge(h);
	return r < 0 ? r : compare_report_unread(h->in, &h->arena, &h->report, h->err);
}

static void holding_done(struct comparison *h)
{
	for (size_t i = 0; i < h->events.n; i++)
		compare_events_done(h->events.p[i]);
	vec_done(&h->events);
	strmap_done(&h->by_name);
	strmap_done(&h->by_group);
	strmap_done(&h->claims);
	arena_done(&h->arena);
}

int compare_manifests_report(const struct compare_manifests *m, const struct compare_input *in,
			     const struct compare_report_options *o, struct buf *out, struct buf *errors,
			     struct err *err)
{
	struct comparison h = { .m = m, .in = in, .o = o, .err = err };
	int r;

	arena_init(&h.arena, 0, 0);
	r = collect(&h);
	if (r == 0)
		r = compare_report_write(&h.report, o, out, err);
	if (r == 0) {
		compare_report_errors(&h.report, in, errors);
		r = errors->error == -ENOMEM ? err_nomem(err) : compare_report_differs(&h.report);
	}
	holding_done(&h);
	return r;
}
