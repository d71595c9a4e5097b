/* Verdicts on objects that the loop does not know yet, reached in other threads. */
#include "daemon/watch/reference/reference_judge_internal.h"

#include "base/assert.h"
#include "base/hash.h"
#include "go/zoneinfo.h"
#include "manifest/manifest_reference.h"
#include "topology/crd.h"

#include <uv.h>

/* Whether the verdict depends on the object alone, and on what is lent. Other objects that a template looks up, and the
 * schema of a custom resource, may not be listed yet; and what depends on the clock has to be evaluated when it is
 * reported. */
static bool depends_on_object_only(const struct ref_template *t, const struct lent_kinds *lent)
{
	const struct tmpl_footprint *print = &t->text->footprint;

	if (t->use == REF_RELEASED) /* no release is known yet */
		return false;
	if (ref_holds_manifest(t) && crd_may_define(t->identity.api_version))
		return false;
	return lent_kinds_cover(lent, t) && !print->uses_time && !print->uses_random;
}

static bool depend_on_object_only(const struct ref_template *const *candidates, size_t n, const struct lent_kinds *lent)
{
	for (size_t i = 0; i < n; i++) {
		if (!depends_on_object_only(candidates[i], lent))
			return false;
	}
	return true;
}

/* Compare without event rules: they need everything that is known of the object, so that what they say of a
 * difference is never speculated. */
static int speculate(const struct reference_judge *rj, const struct speculate *f, struct verdict *v)
{
	struct lent_lookup looks_up = { .kinds = f->lent, .arena = ARENA_INIT(f->limits->arena_bytes) };
	struct compare_env env = {
		.limits = f->limits,
		.keys = f->keys,
		.lookup = f->lent ? lent_lookup_find : NULL,
		.now = reference_now,
		.ctx = &looks_up,
		.zones = &go_zoneinfo,
		.mask = &rj->cfg->mask,
		.correlated = f->object,
		.read_set = true,
	};
	struct err err;
	int r;

	if (cfg_excluded_by(rj->reference, &f->id)) {
		*v = (struct verdict){ .state = VERDICT_EXCLUDED };
		return 0;
	}
	r = verdict_reach_of(rj->in_force)(rj->matcher, f->object, &env, v, &err);
	arena_done(&looks_up.arena);
	return r;
}

static char *put(char *at, str s, str *ret)
{
	if (s.n)
		memcpy(at, s.p, s.n);
	*ret = (str){ at, s.n };
	return at + s.n;
}

static size_t text_bytes(const struct verdict_lookup *l)
{
	return l->api_version.n + l->kind.n + l->namespace.n + l->name.n;
}

/* Keep what the verdict looked up, in one piece of memory. False without memory. */
static bool keep_lookups(const struct verdict *v, struct speculated *ret)
{
	size_t n = v->n_lookups * sizeof(*v->lookups);
	char *at;

	if (!v->n_lookups)
		return true;
	for (size_t i = 0; i < v->n_lookups; i++)
		n += text_bytes(&v->lookups[i]);
	ret->lookups = malloc(n);
	if (!ret->lookups)
		return false;
	ret->n_lookups = v->n_lookups;
	at = (char *)&ret->lookups[v->n_lookups];
	for (size_t i = 0; i < v->n_lookups; i++) {
		const struct verdict_lookup *l = &v->lookups[i];
		struct verdict_lookup *copy = &ret->lookups[i];

		at = put(put(at, l->api_version, &copy->api_version), l->kind, &copy->kind);
		at = put(put(at, l->namespace, &copy->namespace), l->name, &copy->name);
	}
	return true;
}

static bool speculate_hash(const struct reference_judge *rj, const struct speculate *f,
			   const struct ref_template *const *candidates, size_t n, const struct named *named,
			   struct speculated *ret)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(f->limits->arena_bytes);

	ASSERT(!ret->read_set || ret->read_set->n == n);
	if (!templates_seen_hash(candidates, n, ret->read_set ? ret->read_set->parts : NULL, f->object, named, &a,
				 &ret->seen))
		return false;
	if (rj->review)
		ret->seen = hash_mix(ret->seen, rules_seen_hash(rj->review, f->object, (val){ 0 }));
	reference_add_inspected(f->inspects, f->object, &ret->seen);
	return true;
}

bool reference_judge_speculate(const struct reference_judge *rj, const struct speculate *f, struct speculated *ret)
{
	CLEANUP(named_done) struct named named = { 0 };
	const struct ref_template *const *candidates;
	size_t n = matcher_candidates(rj->matcher, &f->id, &candidates);
	uint64_t from = uv_hrtime();
	struct verdict v;
	bool silent;

	*ret = (struct speculated){ 0 };
	if (!depend_on_object_only(candidates, n, f->lent))
		return false;
	matcher_references(rj->matcher, f->object, named_add, &named);
	if (named.no_memory || speculate(rj, f, &v) < 0)
		return false;
	silent = v.state != VERDICT_DRIFTED && v.state != VERDICT_ERROR &&
		 (!f->inspection || f->inspection->ops->finds_nothing(f->inspection, &v));
	ret->state = v.state;
	ret->template = v.template;
	if (silent && f->n_text <= READ_SET_BYTES_MAX)
		(void)read_sets_take(f->read_sets, v.read_set, v.n_read_parts, f->keys, &ret->read_set);
	silent = silent && keep_lookups(&v, ret);
	verdict_done(&v);
	if (!silent || !speculate_hash(rj, f, candidates, n, &named, ret)) {
		speculated_done(ret, f->read_sets);
		return false;
	}
	ret->named = named.templates.p;
	ret->n_named = named.templates.n;
	named = (struct named){ 0 };
	ret->took_ns = uv_hrtime() - from;
	return true;
}

void speculated_done(struct speculated *f, struct read_sets *read_sets)
{
	free(TAKE(f->named));
	free(TAKE(f->lookups));
	read_sets_drop(read_sets, &f->read_set);
}

/* ---- on the loop ---- */

static bool anything_open(const struct reference_judge *rj, const struct object *o, const struct judge_context *c)
{
	struct finding_subject s = reference_subject(rj, o);

	return findings_get(c->findings, FINDING_DRIFT, &s) || findings_get(c->findings, FINDING_ERROR, &s);
}

bool reference_judge_take_speculated(struct reference_judge *rj, struct object *o, struct speculated *f,
				     const struct judge_context *c)
{
	const struct verdict v = {
		.state = f->state, .template = f->template, .lookups = f->lookups, .n_lookups = f->n_lookups
	};
	struct judged *j = &o->judged[rj->index];
	CLEANUP(named_done) struct named named = { 0 };
	struct err err;

	if (anything_open(rj, o, c))
		return false;
	if (f->read_set)
		(void)read_sets_take(&rj->read_sets, f->read_set->parts, f->read_set->n, c->keys, &j->read_set);
	if (f->read_set && !j->read_set) /* there are READ_SETS_MAX read sets already, or there is no memory */
		return false;
	named.templates.p = TAKE(f->named);
	named.templates.n = f->n_named;
	if (reference_account(rj, o, &v, &named, c, &err) < 0)
		return false;
	if (!object_is_foreign(o)) { /* an object of another shard is counted in that shard */
		rj->counters.evaluations++;
		histogram_observe(&rj->counters.duration, f->took_ns);
	}
	j->seen = f->seen;
	return j->seen_known = true;
}

/* Whether inspection rules have edited the object: such an object is compared when its turn comes. */
static bool is_edited(const struct object *o, const struct watch_inspection *x)
{
	return x && x->ops->object(x).members != o->doc->root.members;
}

bool reference_judge_look_ahead(struct reference_judge *rj, struct object *o, const struct speculate *f,
				const struct judge_context *c)
{
	CLEANUP(watch_inspection_freep) struct watch_inspection *x = NULL;
	static const struct verdict none;
	struct speculate of = *f;
	struct speculated verdict;
	struct err err;
	bool ret;

	if (reference_begin_inspection(rj, o, c, false, &x, &err) < 0 || is_edited(o, x))
		return false;
	of.inspection = x;
	of.inspects = watch_inspector_reads(c->inspector);
	of.read_sets = &rj->read_sets;
	ret = reference_judge_speculate(rj, &of, &verdict) && reference_judge_take_speculated(rj, o, &verdict, c) &&
	      (!x || reference_end_inspection(rj, o, x, &none, c, &err) == 0);
	speculated_done(&verdict, of.read_sets);
	return ret;
}
