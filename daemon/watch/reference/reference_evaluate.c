/* Comparing an object with the templates that are for it. */
#include "daemon/watch/reference/reference_judge_internal.h"

#include "base/utf8.h"
#include "daemon/findings/clock.h"
#include "daemon/watch/rules/rule_judge.h"
#include "daemon/watch/verdict/drift_review.h"
#include "go/zoneinfo.h"
#include "manifest/manifest_reference.h"

#include <errno.h>
#include <uv.h>

struct evaluation {
	const struct reference_judge *rj;
	struct object *o;
	val object; /* the object as it is compared */
	const struct judge_context *c;
	bool asked_writers;  /* event rules asked who wrote a field */
	VEC(void *) results; /* arrays that were given to the template; they are freed when it ends */
	/* the kind of a look-up is unknown, or the writers that event rules ask for are unknown */
	bool waits;
};

/* Look at the kind of a look-up. If the kind is unknown, nothing can be said of a missing object; if it is not
 * watched, nothing ever can. */
static int look_at_kind(struct evaluation *e, const struct tmpl_lookup *request, struct err *err)
{
	const struct kind *k = snapshot_find_kind(e->c->snapshot, request->api_version, request->kind);

	if (k && k->known)
		return 0;
	e->waits |= k != NULL;
	return err_set(err, EAGAIN, "objects of kind %.*s of %.*s are not %s", STR_ARG(utf8_cut(request->kind, 64)),
		       STR_ARG(utf8_cut(request->api_version, 64)), k ? "known yet" : "watched");
}

static int lookup(void *ctx, const struct tmpl_lookup *request, const val **ret, size_t *n, struct err *err)
{
	struct evaluation *e = ctx;
	struct found found = { 0 };
	int r = look_at_kind(e, request, err);

	if (r == 0)
		r = snapshot_lookup(e->c->snapshot, request, &found, err);
	if (r == 0 && !vec_push(&e->results, found.values.p))
		r = err_nomem(err);
	if (r < 0) {
		vec_done(&found.values);
		return r;
	}
	*ret = found.values.p;
	*n = found.values.n;
	return 0;
}

int64_t reference_now(void *ctx, int32_t *nanoseconds)
{
	int64_t usec = clock_usec();

	(void)ctx;
	*nanoseconds = (int32_t)(usec % 1000000 * 1000);
	return usec / 1000000;
}

bool reference_excludes(const struct reference_judge *rj, const struct object *o)
{
	struct identity id = object_identity(o);

	return cfg_excluded_by(rj->reference, &id) != NULL;
}

static int review(void *ctx, struct verdict *v, const struct mask_fields *mask, uint64_t *steps, struct err *err)
{
	struct evaluation *e = ctx;
	struct doc_cache *doc_cache = e->o->kind->doc_cache;
	struct finding_subject s = reference_subject(e->rj, e->o);
	struct drift_review review = {
		.rules = e->rj->review,
		.reference = e->rj->reference,
		.object = e->object,
		.schema = rule_judge_schema(e->c->rules, e->o->kind),
		.writers_unknown = e->c->writers_unknown,
		.removal = {
			.findings = e->c->findings,
			.open = findings_get(e->c->findings, FINDING_DRIFT, &s),
			.writers_before = doc_cache_writers(doc_cache, e->o),
			.several = e->o->several,
			.managed_fields = doc_cache_managed_fields(doc_cache, e->o),
			.span = findings_span(e->c->findings),
		},
	};
	int r = drift_review_apply(&review, v, mask, steps, err);

	e->asked_writers = review.asked;
	e->waits |= review.unknown;
	return r;
}

static val managers(void *ctx)
{
	struct evaluation *e = ctx;

	return doc_cache_managed_fields(e->o->kind->doc_cache, e->o);
}

/* True when the object's release is being changed: then the object has changed, or will, with its release. Also true
 * when it is not known which releases there are. */
static bool is_suspended(const struct reference_judge *rj, const struct object *o)
{
	const struct ref_template *const *candidates;

	return rj->in_force->changes && reference_candidates(rj, o, &candidates) > 0 &&
	       (rj->awaits || candidates[0]->suspended);
}

bool templates_decide_by_identity(const struct ref_template *const *candidates, size_t n)
{
	return n == 0 || (n == 1 && !candidates[0]->text->footprint.n_lookups && !ref_may_exclude(candidates[0]));
}

/* The verdict on an object that another shard reports on: only what the object matches counts. False: the identity does
 * not decide that, so the object must be evaluated. */
static bool foreign_verdict(const struct reference_judge *rj, const struct object *o, struct verdict *v)
{
	const struct ref_template *const *candidates;
	size_t n = reference_candidates(rj, o, &candidates);

	if (!object_is_foreign(o) || !templates_decide_by_identity(candidates, n))
		return false;
	*v = (struct verdict){ .state = VERDICT_UNMATCHED };
	if (n && !reference_excludes(rj, o))
		*v = (struct verdict){ .state = VERDICT_COMPLIANT, .template = candidates[0] };
	return true;
}

static struct compare_env env_of(struct evaluation *e, bool explain)
{
	const struct judge_context *c = e->c;

	return (struct compare_env){
		.limits = c->limits,
		.keys = c->keys,
		.lookup = lookup,
		.now = reference_now,
		.ctx = e,
		.zones = &go_zoneinfo,
		.mask = &e->rj->cfg->mask,
		.correlated = e->o->doc->root,
		.explain = explain,
		.read_set = !explain,
		.managers = managers,
		.schema = rule_judge_schema(c->rules, e->o->kind),
		.review = e->rj->review && !object_is_foreign(e->o) ? review : NULL,
	};
}

/* Put into @outcome what the evaluation has found out besides the verdict. */
static void end_evaluation(struct evaluation *e, struct judged *outcome)
{
	for (size_t i = 0; i < e->results.n; i++)
		free(e->results.p[i]);
	vec_done(&e->results);
	outcome->waits = e->waits;
	outcome->asks_writers = e->asked_writers;
}

/* Decide without a comparison where one is impossible or needless. False: the object has to be compared. */
static bool decides_early(struct evaluation *e, struct verdict *v)
{
	if (reference_excludes(e->rj, e->o)) {
		*v = (struct verdict){ .state = VERDICT_EXCLUDED };
		return true;
	}
	e->waits = is_suspended(e->rj, e->o);
	*v = (struct verdict){ .state = VERDICT_UNMATCHED };
	return e->waits;
}

int reference_evaluate(struct reference_judge *rj, struct object *o, val object, const struct judge_context *c,
		       struct verdict *v, struct judged *outcome, struct err *err)
{
	struct evaluation e = { .rj = rj, .o = o, .object = object, .c = c };
	uint64_t from = uv_hrtime();
	struct compare_env env;
	int r = 0;

	if (foreign_verdict(rj, o, v))
		return 0;
	env = env_of(&e, false);
	if (!decides_early(&e, v))
		r = verdict_reach_of(rj->in_force)(rj->matcher, object, &env, v, err);
	end_evaluation(&e, outcome);
	rj->counters.evaluations++;
	histogram_observe(&rj->counters.duration, uv_hrtime() - from);
	return r;
}

int reference_begin_inspection(const struct reference_judge *rj, struct object *o, const struct judge_context *c,
			       bool silent, struct watch_inspection **x, struct err *err)
{
	const struct ref_template *const *candidates;
	size_t n = reference_candidates(rj, o, &candidates);
	const struct inspection_subject of = {
		.object = o,
		.reference = rj->reference,
		.template = n == 1 ? candidates[0] : NULL,
		.event = (enum object_event)o->event,
		.due = silent || object_is_foreign(o) ? EFFECTS_NONE
						      : (enum effects_due)o->judged[rj->index].effects_due,
	};

	if (object_is_foreign(o) && templates_decide_by_identity(candidates, n))
		return 0;
	if (n > 0 && !reference_excludes(rj, o) && watch_inspector_active(c->inspector))
		return c->inspector->ops->begin(c->inspector, &of, x, err);
	if (!silent)
		o->judged[rj->index].effects_due = EFFECTS_NONE;
	return 0;
}

/* ---- explaining ---- */

/* The object as it is compared. If inspection rules have edited it, it is kept by *edited. Fails: ENOMEM. */
static int explained_object(const struct reference_judge *rj, struct object *o, const struct judge_context *c,
			    struct doc **edited, val *ret, struct err *err)
{
	CLEANUP(watch_inspection_freep) struct watch_inspection *x = NULL;
	int r = reference_begin_inspection(rj, o, c, true, &x, err);

	*edited = NULL;
	*ret = r == 0 && x ? x->ops->object(x) : o->doc->root;
	if (r == 0 && x && !val_equal(*ret, o->doc->root)) {
		*edited = doc_new(4096, c->limits->arena_bytes);
		if (*edited)
			(*edited)->root = val_copy(&(*edited)->arena, c->keys, *ret);
		if (!*edited || !val_exists((*edited)->root))
			r = err_nomem(err);
		else
			*ret = (*edited)->root;
	}
	return r;
}

int reference_judge_explain(const struct reference_judge *rj, struct object *o, const struct judge_context *c,
			    struct verdict *ret, struct doc **edited, bool *waits, struct err *err)
{
	struct evaluation e = { .rj = rj, .o = o, .c = c };
	struct compare_env env = env_of(&e, true);
	struct judged outcome = { 0 };
	int r = explained_object(rj, o, c, edited, &e.object, err);

	if (r == 0 && !decides_early(&e, ret))
		r = verdict_reach_of(rj->in_force)(rj->matcher, e.object, &env, ret, err);
	end_evaluation(&e, &outcome);
	if (r < 0)
		doc_unref(TAKE(*edited));
	*waits = outcome.waits;
	return r;
}
