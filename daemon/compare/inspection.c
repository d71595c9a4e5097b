/* Inspects the objects of a comparison with the daemon's inspector, over a snapshot of them. */
#include "daemon/compare/inspection.h"

#include "base/key.h"
#include "base/printable.h"
#include "base/utf8.h"
#include "daemon/compare/klog.h"
#include "daemon/watch/inspect/inspecting.h"
#include "daemon/watch/snapshot/snapshot.h"

#include <errno.h>
#include <syslog.h>

#define NAME_SHOWN_MAX 200

struct compare_inspection {
	struct limits limits; /* the limits of the daemon: what a rule may cost is part of its outcome */
	struct cfg cfg;       /* all by default */
	struct cfg_reference reference;
	const struct cfg_reference *references[1];
	struct cfg_cluster cluster;
	struct key_table *keys;
	struct inspection_context context;
	struct sink *sink;
	struct findings *findings;
	struct snapshot snapshot;
	struct watch_inspector *inspector;
	struct watch_inspection *current;
	str name; /* the name of the object that is inspected */
	struct arena found_texts;
	VEC(struct report_failed_inspection) found;
	bool no_memory;
};

/* ---- what is found ---- */

static void note_failure(struct compare_inspection *x, const struct emission *e)
{
	struct arena *a = &x->found_texts;
	struct report_failed_inspection f = {
		.cr = x->name,
		.rule = arena_str(a, record_get(e->record, "DRIFTD_RULE")),
		.phase = arena_str(a, record_get(e->record, "DRIFTD_PHASE")),
		.message = arena_str(a, record_get(e->record, "DRIFTD_MESSAGE_TEXT")),
		.severity = severity_name(e->finding->severity),
	};

	x->no_memory |= !f.rule.p || !f.phase.p || !f.message.p || !vec_push(&x->found, f);
}

static void say(const struct compare_inspection *x, const struct record *r)
{
	CLEANUP(buf_done) struct buf line = BUF_INIT(RECORD_VALUE_MAX * 8);
	str text = record_get(r, "DRIFTD_MESSAGE_TEXT");

	printable_add(&line, x->name, " ");
	buf_add_cstr(&line, ": ");
	printable_add(&line, text.p ? text : r->text, " ");
	if (r->priority <= LOG_WARNING)
		klog_warning("%.*s", STR_ARG(buf_str(&line)));
	else
		klog_info("%.*s", STR_ARG(buf_str(&line)));
}

static void take(void *ctx, const struct emission *e)
{
	struct compare_inspection *x = ctx;

	if (!e->record)
		return;
	if (e->finding)
		note_failure(x, e);
	else
		say(x, e->record);
}

void compare_inspection_report(const struct compare_inspection *x, struct report *rep)
{
	rep->inspects = true;
	rep->failed_inspections = x->found.p;
	rep->n_failed_inspections = x->found.n;
}

/* ---- begin and end ---- */

void compare_inspection_free(struct compare_inspection *x)
{
	if (!x)
		return;
	watch_inspection_free(x->current);
	if (x->inspector)
		x->inspector->ops->free(x->inspector);
	findings_free(x->findings);
	sink_free(x->sink);
	inspection_rules_free(x->context.rules);
	snapshot_done(&x->snapshot);
	vec_done(&x->found);
	arena_done(&x->found_texts);
	free(x);
}

static void freep_inspection(struct compare_inspection **x)
{
	compare_inspection_free(*x);
}

static struct compare_inspection *make(const struct compare_options *o, struct key_table *keys)
{
	struct compare_inspection *x = calloc(1, sizeof(*x));

	if (!x)
		return NULL;
	x->limits = limits_of_a_loop();
	x->keys = keys;
	x->cfg.inspection = (struct cfg_inspection){ .leaves_calls_out = true,
						     .severity = SEVERITY_ERROR,
						     .effects_per_minute = CFG_EFFECTS_PER_MINUTE_DEFAULT };
	if (o->inspection_scope)
		x->reference.inspection_scope = str_from(o->inspection_scope);
	x->references[0] = &x->reference;
	x->cluster = (struct cfg_cluster){ .name = STR(""), .references = x->references, .n_references = 1 };
	snapshot_init(&x->snapshot, &x->limits, keys);
	arena_init(&x->found_texts, 0, 0);
	return x;
}

static int open_inspector(struct compare_inspection *x, struct err *err)
{
	const struct sink_taker taker = { .take = take, .ctx = x };
	struct watch_inspector_maker maker = inspecting_by(&x->context);
	struct watch_inspector_options o = {
		.cfg = &x->cfg,
		.cluster = &x->cluster,
		.keys = x->keys,
		.limits = &x->limits,
		.snapshot = &x->snapshot,
	};
	int r;

	x->sink = sink_new(&taker);
	if (!x->sink)
		return err_nomem(err);
	x->context.sink = x->sink;
	r = findings_new(x->sink, &x->findings, err);
	if (r < 0)
		return r;
	o.findings = x->findings;
	return maker.make(maker.ctx, &o, &x->inspector, err);
}

/* Rules for another scope find nothing, which is not to be taken for an answer. */
static int warn_of_scopes(const struct compare_inspection *x, struct err *err)
{
	str scope = x->reference.inspection_scope;
	const struct insp_set *set;
	size_t n = 0;
	int r = inspection_rules_set(x->context.rules, &set, err);

	for (int phase = 0; r == 0 && phase < INSP_PHASES; phase++) {
		for (size_t i = 0; i < set->n[phase]; i++) {
			str of = set->rules[phase][i]->scope;

			n += of.p && !(scope.p && str_eq(of, scope));
		}
	}
	if (n)
		klog_warning("%zu inspection rules are of other scopes than that of --inspection-scope, and do not run",
			     n);
	return r;
}

int compare_inspection_load(const struct compare_options *o, const struct limits *limits, struct key_table *keys,
			    struct compare_inspection **ret, char **mistakes, struct err *err)
{
	CLEANUP(freep_inspection) struct compare_inspection *x = make(o, keys);
	struct problems problems = { 0 };
	int r = x ? inspecting_by_files(&x->cfg, (const char *const *)o->inspection_rules.v.p, o->inspection_rules.v.n,
					limits, &x->context, &problems, err)
		  : err_nomem(err);

	*mistakes = problems_any(&problems) ? problems_text(&problems) : NULL;
	problems_done(&problems);
	if (r == 0)
		r = open_inspector(x, err);
	if (r == 0)
		r = warn_of_scopes(x, err);
	if (r == 0)
		*ret = TAKE(x);
	return r;
}

/* ---- objects ---- */

static str text_at(val object, const char *name)
{
	return val_str(val_dig(object, "metadata", name, NULL));
}

/* The object as the daemon keeps it: without managedFields. It shares the values of @object. */
static struct doc *kept(struct compare_inspection *x, val object)
{
	CLEANUP(doc_unrefp) struct doc *doc = doc_new(0, x->limits.arena_bytes);
	const struct key *metadata = doc ? key_make(x->keys, &doc->arena, STR("metadata")) : NULL;
	val rest;

	if (!metadata)
		return NULL;
	rest = val_map_without(&doc->arena, VAL_GET(object, "metadata"), STR("managedFields"));
	doc->root = val_exists(rest) ? val_map_with(&doc->arena, object, metadata, rest) : rest;
	return val_exists(doc->root) ? TAKE(doc) : NULL;
}

static int add(struct compare_inspection *x, val object, str name, struct err *err)
{
	CLEANUP(doc_unrefp) struct doc *doc = kept(x, object);
	const struct identity id = identity_of(object);
	CLEANUP(buf_done) struct buf key = BUF_INIT(IDENTITY_BYTES_MAX);
	struct kc_object e = { .uid = text_at(object, "uid"), .doc = doc };
	struct keeping now;
	struct kind *kind;
	struct object *o;

	e.resource_version = text_at(object, "resourceVersion");
	identity_local_key(id.namespace, id.name, &key);
	if (key.error == -E2BIG || id.api_version.n + id.kind.n >= IDENTITY_BYTES_MAX) {
		klog_warning("%.*s…: its name is too long to be inspected", STR_ARG(utf8_cut(name, NAME_SHOWN_MAX)));
		return 0;
	}
	kind = doc ? snapshot_kind(&x->snapshot, id.api_version, id.kind) : NULL;
	o = kind && !key.error ? snapshot_add(&x->snapshot, kind, buf_str(&key)) : NULL;
	if (!o || doc_cache_make(&e, &now, err) < 0)
		return err_nomem(err);
	doc_cache_put(&x->snapshot.doc_cache, o, &now);
	doc_cache_trim(&x->snapshot.doc_cache);
	return 0;
}

int compare_inspection_add(struct compare_inspection *x, const struct compare_input *in, struct err *err)
{
	int r = 0;

	for (size_t i = 0; i < in->objects.n && r == 0; i++)
		r = add(x, in->objects.p[i], in->names.p[i], err);
	doc_cache_close_all(&x->snapshot.doc_cache); /* from here on all are read with one table of keys */
	return r;
}

/* NULL: it is too long to be inspected. */
static struct object *find(const struct compare_inspection *x, val object)
{
	const struct identity id = identity_of(object);
	const struct kind *kind = snapshot_find_kind(&x->snapshot, id.api_version, id.kind);

	return kind ? identity_local_get(&kind->objects, id.namespace, id.name) : NULL;
}

int compare_inspect(struct compare_inspection *x, val object, str name, const struct compare_candidates *c, val *ret,
		    struct err *err)
{
	static const struct reference nothing;
	struct inspection_subject of = { .object = find(x, object), .due = EFFECTS_ALL };
	val compared;
	int r;

	*ret = object;
	watch_inspection_free(TAKE(x->current));
	if (!of.object)
		return 0;
	x->name = name;
	x->reference.reference = (struct reference *)(uintptr_t)(c->of ? c->of : &nothing);
	of.reference = c->n ? &x->reference : NULL;
	of.template = c->only;
	r = doc_cache_open(&x->snapshot.doc_cache, of.object, err);
	if (r == 0)
		r = x->inspector->ops->begin(x->inspector, &of, &x->current, err);
	if (r < 0)
		return r;
	compared = x->current->ops->object(x->current);
	if (compared.members != of.object->doc->root.members)
		*ret = compared;
	return 0;
}

int compare_inspected(struct compare_inspection *x, const struct verdict *v, struct err *err)
{
	int r = x->current && v ? x->current->ops->end(x->current, v, err) : 0;

	watch_inspection_free(TAKE(x->current));
	doc_cache_trim(&x->snapshot.doc_cache);
	if (r == 0 && x->no_memory)
		return err_nomem(err);
	return r;
}
