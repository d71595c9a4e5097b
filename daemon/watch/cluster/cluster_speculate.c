/* Judging objects while they are listed.
 *
 * Before everything is listed nothing is reported, and what a verdict looks up is not known. But most objects are as
 * they should be, look nothing up, and nothing is open of them: the verdict on such a one reports nothing. It is
 * reached before the object is reported, in a thread where the source offers that (speculation.h), or when it comes. */
#include "daemon/watch/cluster/cluster_internal.h"

#include "base/assert.h"
#include "daemon/watch/cluster/speculation.h"
#include "daemon/watch/snapshot/object_subject.h"

/* how many objects are tried before it counts how many of them were speculated: it must be half */
#define TRIED_FIRST 64
/* how many objects threads may meet of which nobody knows what an inspection finds; of others half may be such */
#define UNKNOWN_FIRST 1000
#define SLOW_NS (5 * UINT64_C(1000000)) /* a verdict that takes longer is better reached in the object's turn */
/* After so many slow verdicts, if one in SLOW_SHARE was slow, no verdict is speculated any more. On a busy machine
 * quick ones are slow now and then. */
#define SLOW_MOST 16
#define SLOW_SHARE 8

/* Whether the judges alone decide about an object: no object is condemned, and no accepted finding is open. */
static bool only_judges_count(const struct cluster *c)
{
	const struct finding_counters *open = findings_counters(c->context.findings, c->config->name);

	return !crash_marker_any_condemned(c->context.crash_marker) &&
	       !(open && findings_open(open, FINDING_ACCEPTED) > 0);
}

static bool is_worth_it(const struct cluster *c)
{
	return c->phase == CLUSTER_LISTING && !c->context.rehearsed && only_judges_count(c) &&
	       (c->speculate.slow < SLOW_MOST || c->speculate.slow < c->speculate.tried / SLOW_SHARE) &&
	       (c->speculate.tried < TRIED_FIRST || c->speculate.good >= c->speculate.tried / 2);
}

/* Whether objects may be inspected before their turn: all must be inspected by one edition of the rules, and no
 * failure of a rule may be open, since it might have to end. */
static bool may_inspect(struct cluster *c)
{
	const struct finding_counters *open = findings_counters(c->context.findings, c->config->name);
	uint64_t by = cluster_inspects_ahead_by(c);

	if (!cluster_inspects(c))
		return true;
	if (!by || (open && findings_open(open, FINDING_INSPECTION) > 0))
		return false;
	if (!c->speculate.inspected_by)
		c->speculate.inspected_by = by;
	return c->speculate.inspected_by == by;
}

/* Whether the result of an inspection before the object's turn still counts. */
static bool is_inspected(const struct cluster *c, const struct object *o)
{
	uint64_t by = cluster_inspects_ahead_by(c);

	return !cluster_inspects(c) || object_is_foreign(o) ||
	       (by && by == c->speculate.inspected_by && cluster_found_nothing(c, o));
}

static bool may_be_speculated(const struct cluster *c, const struct object *o)
{
	return !o->before && !o->unreadable && rule_judge_may_pass(c->rules, o);
}

static void count(struct cluster *c, bool good, uint64_t took_ns)
{
	c->speculate.slow += took_ns > SLOW_NS;
	c->speculate.tried++;
	c->speculate.good += good;
}

/* ---- what templates look up ---- */

/* Whether what the templates for objects of the kind look up can be lent to threads. */
static enum lending lending_of(const struct cluster *c, const struct kind *k)
{
	enum lending ret = LENDING_NEEDLESS;

	for (size_t i = 0; i < c->n_references; i++) {
		enum lending one = lent_kinds_possible(c->references[i].in_force, k, &c->snapshot);

		ret = one > ret ? one : ret;
	}
	return ret;
}

/* Lend what can be: threads leave to the loop what looks up anything else. */
static void lend(const struct cluster *c, const struct kind *k, struct lent_kinds *lent)
{
	for (size_t i = 0; i < c->n_references; i++)
		lent_kinds_add(lent, c->references[i].in_force, k, &c->snapshot);
}

/* ---- on the loop, when an object arrives ---- */

static bool speculate_by_rules(struct cluster *c, struct object *o)
{
	struct rules_in_force *rules = rule_judge_lend(c->rules, o->kind);
	CLEANUP(arena_done) struct arena a = ARENA_INIT(c->context.limits->arena_bytes);
	struct rules_passed passed = { 0 };
	bool ret;

	ret = (!rules || rules_in_force_pass(rules, o->doc->root, c->context.limits, &a, &passed)) &&
	      rule_judge_take_passed(c->rules, o, rules, &passed);
	rules_in_force_unref(rules);
	return ret;
}

static bool speculate(struct cluster *c, struct object *o)
{
	struct speculate what = { .id = object_identity(o),
				  .object = o->doc->root,
				  .n_text = o->stored->n_object,
				  .limits = c->context.limits,
				  .keys = c->context.keys };
	struct judge_context j = cluster_judge_context(c);
	bool all = true;

	for (size_t i = 0; all && i < c->n_references; i++)
		all = reference_judge_look_ahead(&c->references[i], o, &what, &j);
	return all && cluster_inspect_ahead(c, o) && speculate_by_rules(c, o);
}

/* Whether only threads look up what the templates for objects of the kind ask for, as soon as it is known. */
static bool is_for_threads(const struct cluster *c, const struct kind *k)
{
	enum lending l = lending_of(c, k);

	return l == LENDING_POSSIBLE || l == LENDING_WAITS;
}

bool cluster_speculate(struct cluster *c, struct object *o, const struct kc_object *e)
{
	struct finding_subject s = { .cluster = c->config->name };
	uint64_t from_ns;
	bool good;

	ASSERT(o->doc && o->state != OBJECT_SPECULATED);
	if (e->looked_at && !cluster_inspects(c)) {
		count(c, false, 0);
		return false;
	}
	c->speculate.unknown += e->looked_at;
	if (!is_worth_it(c) || !may_be_speculated(c, o) || !may_inspect(c) || is_for_threads(c, o->kind))
		return false;
	object_subject(o, &s);
	from_ns = uv_hrtime();
	crash_marker_set(c->context.crash_marker, &s);
	good = speculate(c, o);
	crash_marker_unset(c->context.crash_marker);
	count(c, good, uv_hrtime() - from_ns);
	if (good)
		doc_cache_reduce(&c->snapshot.doc_cache, o, false);
	return good;
}

bool cluster_speculated(const struct cluster *c, const struct object *o)
{
	if (!only_judges_count(c) || !judges_may_look_ahead(c, o) || !is_inspected(c, o))
		return false;
	for (size_t i = 0; i < c->n_references; i++) {
		if (!o->judged[i].seen_known)
			return false;
	}
	return true;
}

/* ---- objects that a thread speculates on ---- */

/* Whether threads may look at objects: inspections are left out for objects of which is known what they find. */
static bool may_lend_inspections(struct cluster *c)
{
	const struct watch_inspector_reads *reads = watch_inspector_reads(c->inspector);

	return !cluster_inspects(c) ||
	       (reads && reads->alike && may_inspect(c) && c->speculate.unknown <= UNKNOWN_FIRST + c->speculate.known);
}

/* Whether a thread's knowledge of what an inspection finds still holds. */
static bool inspection_holds(struct cluster *c, const struct watch_inspector_reads *by)
{
	if (!cluster_inspects(c))
		return !by;
	return by && may_inspect(c) && by->edition == c->speculate.inspected_by;
}

bool cluster_take_speculation(struct cluster *c, struct object *o, const struct kc_object *e)
{
	struct speculation *f = (struct speculation *)e->prepared;
	struct judge_context j = cluster_judge_context(c);
	struct keeping now;
	struct err err;
	int r;

	ASSERT(!object_exists(o) && f->n == c->n_references);
	if (c->phase != CLUSTER_LISTING || !inspection_holds(c, f->speculator->inspects) || !only_judges_count(c) ||
	    !may_be_speculated(c, o))
		return false;
	for (size_t i = 0; i < c->n_references; i++) {
		if (f->verdicts[i].n_lookups && !lent_kinds_are_current(&f->speculator->lent))
			return false;
		if (!reference_judge_take_speculated(&c->references[i], o, &f->verdicts[i], &j))
			return false;
	}
	if (!rule_judge_take_passed(c->rules, o, f->speculator->rules, &f->passed))
		return false;
	r = f->packed.packed.n ? doc_cache_make_packed(e, &f->packed, &now, &err) : doc_cache_make(e, &now, &err);
	if (r < 0)
		return false;
	doc_cache_put(&c->snapshot.doc_cache, o, &now);
	doc_cache_reduce(&c->snapshot.doc_cache, o, false);
	if (f->speculator->inspects) {
		cluster_inspected_ahead(c, o);
		c->speculate.known++;
	}
	count(c, true, 0);
	return true;
}

static struct speculator *need_speculator(struct cluster *c)
{
	struct speculator *h = SLIST_FIRST(&c->speculate.idle);

	if (!h)
		return speculator_new(c->context.limits);
	SLIST_REMOVE_HEAD(&c->speculate.idle, link);
	return h;
}

/* Called on the thread of the loop: only there a place of the crash marker is taken, and the state of the cluster is
 * read. */
static void *begin(void *ctx)
{
	const struct cluster_watch *w = ctx;
	struct cluster *c = w->of->cluster;
	struct crash_marker_place *place;
	struct speculator *h;

	if (!w->of->kept || w->of->defines || cluster_has_releases(c) || w->known == WATCH_LISTED ||
	    rule_judge_awaits(c->rules, w->of->kind) || !may_lend_inspections(c) || !is_worth_it(c) ||
	    lending_of(c, w->of->kind) == LENDING_WAITS)
		return NULL;
	place = crash_marker_join(c->context.crash_marker);
	if (c->context.crash_marker && !place)
		return NULL;
	h = need_speculator(c);
	if (!h) {
		crash_marker_leave(place);
		return NULL;
	}
	speculator_begin(h);
	h->owner = c;
	h->judges = c->references;
	h->n_judges = c->n_references;
	h->cluster = c->config->name;
	h->shard = c->context.shard;
	h->type = (struct object_type){ w->of->kind->api_version, w->of->kind->name };
	h->rules = rule_judge_lend(c->rules, w->of->kind);
	h->inspects = cluster_inspects(c) ? watch_inspector_reads_ref(watch_inspector_reads(c->inspector)) : NULL;
	lend(c, w->of->kind, &h->lent);
	h->dict = pack_dict_ref(w->of->kind->dict);
	h->place = place;
	return h;
}

static void end(void *speculator)
{
	struct speculator *h = speculator;
	struct cluster *c = h->owner;

	lent_kinds_drop(&h->lent);
	pack_dict_unref(TAKE(h->dict));
	rules_in_force_unref(TAKE(h->rules));
	watch_inspector_reads_unref(TAKE(h->inspects));
	crash_marker_leave(TAKE(h->place));
	SLIST_INSERT_HEAD(&c->speculate.idle, h, link);
	if (c->phase != CLUSTER_LISTING)
		cluster_forget_hands(c);
}

void cluster_forget_hands(struct cluster *c)
{
	struct speculator *h;

	for (size_t i = 0; i < c->kinds.n; i++)
		lent_kind_end(c->kinds.p[i]->kind);
	while ((h = SLIST_FIRST(&c->speculate.idle))) {
		SLIST_REMOVE_HEAD(&c->speculate.idle, link);
		speculator_free(h);
	}
}

static struct kc_prepared *look(void *speculator, str text)
{
	struct speculation *f = speculation_look(speculator, text);

	return f ? &f->prepared : NULL;
}

static void forget(struct kc_prepared *p)
{
	speculation_done((struct speculation *)p);
}

const struct kc_prepare cluster_prepare = { .begin = begin, .look = look, .forget = forget, .end = end };
