/* Writes a verdict with its trials, in words. */
#include "daemon/api/api_internal.h"

#include "base/assert.h"
#include "value/json_out.h"

#include <stdio.h>

#define NEAREST_MAX 10
#define PATHS_SHOWN_MAX 100
#define MASK_STEPS 1000000 /* take some ten milliseconds */

struct explaining {
	const struct reference_judge *judge;
	const struct cluster *cluster;
	const struct object *object;
	const struct verdict *v;
	bool waits;
	struct arena arena;
	struct buf *out;
	struct err *err;
};

/* ---- places ---- */

/* Add the places where @from and @to differ, as "name": […]. */
static int add_places(struct explaining *x, const char *name, val from, val to, const struct mask_fields *mask)
{
	val schema = rule_judge_schema(cluster_rule_judge(x->cluster), x->object->kind);
	struct changes changes;
	char total[64];

	if (changes_find(from, to, schema, mask, &x->arena, &changes, x->err) < 0)
		return -x->err->code;
	if (!changes.total)
		return 0;
	json_open(x->out, name, '[');
	for (size_t i = 0; i < changes.n && i < PATHS_SHOWN_MAX; i++)
		json_item(x->out, changes.p[i].path_text);
	buf_add_byte(x->out, ']');
	(void)snprintf(total, sizeof(total), "%sCount", name);
	json_number(x->out, total, changes.total);
	return 0;
}

/* Add what the template's omit list removes from the object, and which of the remaining values are hidden. */
static int add_compared(struct explaining *x)
{
	const struct verdict *v = x->v;
	struct mask_fields mask = v->mask ? *v->mask : (struct mask_fields){ 0 };
	uint64_t steps = MASK_STEPS;
	val left, expected, actual;

	if (!v->template || !val_exists(v->actual))
		return 0;
	mask.steps = &steps; /* beyond the limit all values count as hidden */
	left = omit_fields(x->object->doc->root, v->template->text->omit, &x->arena);
	if (!val_exists(left) ||
	    !mask_sides(&mask, v->expected, v->actual, v->sensitive, &x->arena, &expected, &actual))
		return err_nomem(x->err);
	if (add_places(x, "omitted", x->object->doc->root, left, &mask) < 0 ||
	    add_places(x, "masked", v->actual, actual, &mask) < 0)
		return -x->err->code;
	json_number(x->out, "differing", v->changes.total);
	json_bool(x->out, "ignoreUnspecified", v->template->text->ignore_unspecified);
	return 0;
}

/* ---- templates ---- */

static const struct {
	const char *name;
	size_t offset;
} fields[] = {
	{ "apiVersion", offsetof(struct identity, api_version) },
	{ "kind", offsetof(struct identity, kind) },
	{ "metadata.namespace", offsetof(struct identity, namespace) },
	{ "metadata.name", offsetof(struct identity, name) },
};

static str field_of(const struct identity *id, size_t i)
{
	return *(const str *)((const char *)id + fields[i].offset);
}

static void add_template(struct buf *out, const struct ref_template *t)
{
	json_text(out, "template", t->path);
	json_text(out, "component", t->component->name);
}

/* Add the fixed fields of the template, by which it was found. */
static void add_fixed(struct buf *out, const struct identity *id)
{
	json_open(out, "fixes", '[');
	for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
		if (field_of(id, i).n)
			json_item(out, str_from(fields[i].name));
	}
	buf_add_byte(out, ']');
}

static void add_trial(const struct explaining *x, const struct verdict_trial *t)
{
	static const char *const outcomes[] = {
		[TRIAL_MATCHED] = "matched", [TRIAL_EXCLUDED] = "excluded", [TRIAL_FAILED] = "failed"
	};
	struct buf *out = x->out;

	_Static_assert(ARRAY_LEN(outcomes) == TRIAL_FAILED + 1, "ORDER enum trial_outcome");
	ASSERT(t->template);
	ASSERT(t->outcome < ARRAY_LEN(outcomes));
	json_open(out, NULL, '{');
	add_template(out, t->template);
	add_fixed(out, &t->template->identity);
	json_text(out, "outcome", str_from(outcomes[t->outcome]));
	if (t->outcome == TRIAL_MATCHED) {
		json_bool(out, "differs", t->differs);
		json_number(out, "score", t->score);
	}
	json_text(out, "says", t->why);
	if (t->template == x->v->template)
		json_bool(out, "chosen", true);
	buf_add_byte(out, '}');
}

static void add_trials(const struct explaining *x)
{
	json_open(x->out, "candidates", '[');
	for (size_t i = 0; i < x->v->n_trials; i++)
		add_trial(x, &x->v->trials[i]);
	buf_add_byte(x->out, ']');
}

/* Add the most similar templates when no template fits the object: those for its kind, with what they require
 * instead. */
static void add_nearest(const struct explaining *x)
{
	const struct reference *r = x->judge->in_force;
	struct identity id = identity_of(x->object->doc->root);
	struct buf *out = x->out;
	size_t n = 0;

	json_open(out, "nearest", '[');
	for (size_t i = 0; i < r->n_templates && n < NEAREST_MAX; i++) {
		const struct ref_template *t = r->templates[i];

		if (!str_eq(t->identity.kind, id.kind))
			continue;
		n++;
		json_open(out, NULL, '{');
		add_template(out, t);
		json_open(out, "wants", '{');
		for (size_t k = 0; k < ARRAY_LEN(fields); k++) {
			str wanted = field_of(&t->identity, k);

			if (wanted.n && !str_eq(wanted, field_of(&id, k)))
				json_text(out, fields[k].name, wanted);
		}
		buf_add_cstr(out, "}}");
	}
	buf_add_byte(out, ']');
}

/* ---- in words ---- */

/* A trial that is as good as the chosen one; NULL: there is none. *matched gets how many were compared. */
static const struct verdict_trial *tie(const struct verdict *v, const struct verdict_trial **chosen, size_t *matched)
{
	const struct verdict_trial *equal = NULL;

	*chosen = NULL;
	*matched = 0;
	for (size_t i = 0; i < v->n_trials; i++) {
		const struct verdict_trial *t = &v->trials[i];

		if (t->outcome != TRIAL_MATCHED)
			continue;
		++*matched;
		if (t->template == v->template && !*chosen)
			*chosen = t;
		else if (*chosen && t->differs == (*chosen)->differs && t->score == (*chosen)->score && !equal)
			equal = t;
	}
	return equal;
}

static str choice_text(struct explaining *x)
{
	const struct verdict_trial *chosen, *equal;
	size_t matched;

	switch (x->v->template ? x->v->template->use : REF_TEMPLATE) {
	case REF_ORPHANS:
		return STR("no manifest is for it, and it has the labels by which orphans are found");
	case REF_MANIFEST:
		if (x->judge->in_force->changes)
			return arena_printf(&x->arena, "it is the manifest of this object in release %.*s",
					    STR_ARG(x->v->template->component->name));
		return STR("it is the manifest of this object");
	case REF_APPLIED:
		return STR("it is what was applied to this object last, as its annotation says");
	default:
		break;
	}
	equal = tie(x->v, &chosen, &matched);
	if (!chosen || matched == 1)
		return x->v->n_trials == 1 ? STR("it is the only candidate")
					   : STR("it is the only candidate that did not exclude itself");
	if (equal)
		return arena_printf(&x->arena, "a tie: %.*s is as near (score %zu), and is listed later",
				    STR_ARG(equal->template->path), equal->score);
	if (!chosen->differs)
		return STR("it is the only candidate that does not differ");
	return arena_printf(&x->arena, "it differs least of %zu candidates (score %zu)", matched, chosen->score);
}

static str why_excluded(struct explaining *x)
{
	struct identity id = identity_of(x->object->doc->root);
	const char *setting = cfg_excluded_by(x->judge->reference, &id);

	if (!setting)
		return STR("every candidate excluded itself (doNotMatch)");
	return arena_printf(&x->arena, "the configuration excludes it from the reference (%s)", setting);
}

static bool is_of_applied(const struct explaining *x)
{
	return x->judge->reference->applied.kinds.texts.n > 0;
}

static str why_unmatched(const struct explaining *x)
{
	if (is_of_applied(x))
		return STR("it has no annotation of what was applied to it, or the reference is for other objects");
	if (x->judge->in_force->changes)
		return STR("no release that is deployed has a manifest of it, or may speak for it");
	return x->judge->in_force->manifests ? STR("no manifest of the reference is for it")
					     : STR("no template of the reference is for it");
}

static str why(struct explaining *x)
{
	const struct verdict *v = x->v;

	if (x->waits && x->judge->in_force->changes)
		return STR("its release is being changed: the verdict stays as it was");
	if (x->waits)
		return STR("it looks up objects of a kind that is not known yet: the verdict stays as it was");
	switch (v->state) {
	case VERDICT_UNMATCHED:
		return why_unmatched(x);
	case VERDICT_EXCLUDED:
		return why_excluded(x);
	case VERDICT_ERROR:
		return v->error;
	default:
		return choice_text(x);
	}
}

static void add_lookups(const struct explaining *x)
{
	struct buf *out = x->out;

	json_open(out, "lookups", '[');
	for (size_t i = 0; i < x->v->n_lookups && i < PATHS_SHOWN_MAX; i++) {
		const struct verdict_lookup *l = &x->v->lookups[i];

		json_open(out, NULL, '{');
		json_text(out, "apiVersion", l->api_version);
		json_text(out, "kind", l->kind);
		json_text(out, "namespace", l->namespace);
		json_text(out, "name", l->name);
		buf_add_byte(out, '}');
	}
	buf_add_byte(out, ']');
}

/* Add the differences that are accepted, and why. */
static void add_accepted(const struct explaining *x)
{
	const struct changes *changes = &x->v->changes;
	struct buf *out = x->out;

	json_open(out, "accepted", '[');
	for (size_t i = 0; i < changes->n && i < PATHS_SHOWN_MAX; i++) {
		const struct accepted *by = cluster_accepted_by(x->cluster, x->judge->index, x->object, &changes->p[i]);

		if (!by)
			continue;
		json_open(out, NULL, '{');
		json_text(out, "path", changes->p[i].path_text);
		json_text(out, "id", str_from(by->is.id));
		json_text(out, "reason", by->is.says.reason);
		buf_add_byte(out, '}');
	}
	buf_add_byte(out, ']');
}

/* Add the outcome of the object's last update. */
static void add_arrival(const struct explaining *x)
{
	enum arrival_outcome o = (enum arrival_outcome)x->object->arrival;

	json_open(x->out, "arrived", '{');
	json_text(x->out, "outcome", str_from(arrival_outcome_name(o)));
	json_text(x->out, "reason", str_from(arrival_outcome_reason(o)));
	buf_add_byte(x->out, '}');
}

static int add_all(struct explaining *x)
{
	const struct verdict *v = x->v;
	struct buf *out = x->out;

	buf_add_cstr(out, "{\"apiVersion\":\"driftd/v1\",\"kind\":\"Explanation\"");
	json_text(out, "reference", x->judge->reference->name);
	json_text(out, "state", str_from(x->waits ? "waiting" : verdict_state_name(v->state)));
	json_text(out, "why", why(x));
	if (v->template)
		add_template(out, v->template);
	add_arrival(x);
	add_trials(x);
	if (v->state == VERDICT_UNMATCHED && !is_of_applied(x))
		add_nearest(x);
	if (add_compared(x) < 0)
		return -x->err->code;
	add_accepted(x);
	if (v->n_lookups)
		add_lookups(x);
	json_number(out, "steps", v->steps);
	buf_add_cstr(out, "}\n");
	return 0;
}

int explain_doc(struct cluster *c, size_t judge, const struct object *o, struct buf *out, struct err *err)
{
	CLEANUP(doc_unrefp) struct doc *edited = NULL;
	struct verdict v;
	size_t n;
	struct explaining x = {
		.judge = &cluster_judges(c, &n)[judge],
		.cluster = c,
		.object = o,
		.v = &v,
		.out = out,
		.err = err,
	};
	int r = cluster_explain(c, judge, o, &v, &edited, &x.waits, err);

	if (r < 0)
		return r;
	arena_init(&x.arena, 0, 0);
	r = add_all(&x);
	arena_done(&x.arena);
	verdict_done(&v);
	return r;
}
