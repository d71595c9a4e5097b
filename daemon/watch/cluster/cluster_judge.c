/* The order in which objects are judged: the way through the work queue, and out of the cluster. Tombstones are handled
 * before pending objects, so that an object made again under the same name begins again. */
#include "daemon/watch/cluster/cluster_internal.h"

#include "base/assert.h"
#include "daemon/findings/clock.h"
#include "daemon/findings/notice.h"
#include "daemon/watch/process/crash_marker.h"
#include "daemon/watch/snapshot/object_subject.h"
#include "daemon/watch/verdict/shown.h"

#include <stdio.h>

/* Some judges may have judged the object before it changes again. Then all of them judge it once more, beginning
 * with the judge that was next, so that an object which changes all the time reaches every judge. It waits behind
 * the other objects, so that it does not hold them up. */
void cluster_enqueue(struct cluster *c, struct object *o)
{
	if (o->state == OBJECT_GONE || o->state == OBJECT_PENDING || o->state == OBJECT_SPECULATED ||
	    o->role == OBJECT_FOREIGN)
		return;
	if (o->state == OBJECT_IN_PART)
		work_queue_remove(&c->judging.queue, o);
	object_set_state(o, OBJECT_PENDING);
	o->n_stages = 0;
	work_queue_add(&c->judging.queue, o);
	c->context.wake(c->context.ctx);
}

/* ---- objects that are gone ---- */

void cluster_release_object(void *ctx, struct object *o)
{
	struct cluster *c = ctx;

	judges_release(c, o);
}

/* Take the object out of the work queue: it leaves the snapshot and is not judged again. Objects that looked it up
 * are judged again, and the owners that looked at it are inspected again. */
static void leave(void *ctx, struct object *o, enum end_reason why)
{
	struct cluster *c = ctx;

	judges_changed(c, o);
	cluster_inspect_before(c, o);
	if (object_is_queued(o))
		work_queue_remove(&c->judging.queue, o);
	object_set_state(o, OBJECT_GONE);
	o->gone_why = why;
}

void cluster_add_tombstone(struct cluster *c, struct object *o, enum end_reason why, uint64_t received_ns)
{
	leave(c, o, why);
	snapshot_take(&c->snapshot, o);
	o->received_ns = received_ns;
	tombstones_add(&c->judging.gone, o);
	c->context.wake(c->context.ctx);
}

/* If there is no memory for this, the objects are removed one by one, which is slow. */
void cluster_add_tombstones(struct cluster *c, struct kind *k, enum end_reason why)
{
	struct object *o;

	lent_kind_end(k);
	if (k->objects.n && tombstones_add_all(&c->judging.gone, &c->snapshot, k, why))
		c->context.wake(c->context.ctx);
	for (size_t at = 0; (o = index_each(&k->objects, &at)); at = 0)
		cluster_add_tombstone(c, o, why, 0);
}

struct object *cluster_take_gone(struct cluster *c)
{
	return tombstones_take(&c->judging.gone, leave, c);
}

static struct finding_subject whole_subject(const struct cluster *c, const struct object *o)
{
	struct finding_subject s = { .cluster = c->config->name };

	object_subject(o, &s);
	return s;
}

/* End the finding which says that judging the object ended the process. */
static void forget_condemned(struct cluster *c, const struct object *o, enum end_reason why)
{
	struct finding_subject s;

	if (!crash_marker_any_condemned(c->context.crash_marker))
		return;
	s = whole_subject(c, o);
	findings_clear(c->context.findings, FINDING_ERROR, &s, why);
}

static void end_own_findings(struct cluster *c, struct object *o)
{
	judges_forget(c, o);
	forget_condemned(c, o, o->gone_why);
}

static void end_findings(struct cluster *c, struct object *o)
{
	cluster_report_because(c, o);
	if (object_is_foreign(o))
		cluster_release_object(c, o);
	else
		end_own_findings(c, o);
	cluster_report_because(c, NULL);
	c->judging.progress++;
	if (o->received_ns)
		c->judging.component_cause_ns = o->received_ns;
	object_free(o);
}

/* Let the object be judged again even if it looks unchanged: the schema of its kind also decides how it is compared
 * with a manifest. */
static void forget_seen(struct cluster *c, struct object *o)
{
	for (size_t i = 0; i < c->n_references; i++) {
		if (c->references[i].in_force->manifests)
			reference_judge_forget_seen(&c->references[i], o);
	}
}

/* The rules of a kind have changed: judge its objects again. */
void cluster_validate_again(void *ctx, struct kind *k)
{
	struct object *o;
	size_t at = 0;

	while ((o = index_each(&k->objects, &at))) {
		forget_seen(ctx, o);
		cluster_enqueue(ctx, o);
	}
}

struct looker {
	struct cluster *cluster;
	struct reference_judge *judge; /* the judge whose verdict looked up what has changed */
};

/* Enqueue a dependent. If an event of its own arrives before its turn, that must not finish it as unseen. */
static void enqueue_again(void *ctx, struct object *o)
{
	const struct looker *l = ctx;

	reference_judge_forget_seen(l->judge, o);
	cluster_enqueue(l->cluster, o);
}

bool cluster_accepts_of(const struct cluster *c, const struct acceptance *a, const struct finding_subject *s)
{
	struct accepted_object is = { .cluster = c->config->name,
				      .api_version = s->api_version,
				      .kind = s->kind,
				      .resource = s->resource,
				      .namespace = s->namespace,
				      .name = s->name,
				      /* the rule of the acceptance, whichever rule the object violates */
				      .rule = a->rule };

	if (a->rule.n)
		return acceptance_for_object(a, &is);
	for (size_t i = 0; i < c->n_references; i++) {
		is.reference = c->references[i].reference->name;
		if (acceptance_for_object(a, &is))
			return true;
	}
	return false;
}

static void judge_anew(struct cluster *c, struct object *o)
{
	judges_forget_seen(c, o);
	cluster_enqueue(c, o);
}

static void judge_components_anew(struct cluster *c)
{
	for (size_t i = 0; i < c->n_references; i++)
		c->references[i].components_due = true;
	c->context.wake(c->context.ctx);
}

static void judge_concerned(struct cluster *c, struct object *o, cluster_concerns *concerns, void *ctx)
{
	struct finding_subject s;

	if (object_is_foreign(o))
		return;
	object_subject(o, &s);
	if (concerns(ctx, c, &s))
		judge_anew(c, o);
}

#define CONCERNED_AT_ONCE 128 /* how many objects are looked at before the clock is looked at */

bool cluster_judge_accepted(struct cluster *c, struct cluster_walk *w, cluster_concerns *concerns, void *ctx,
			    uint64_t until_ns)
{
	size_t n = 0;

	if (!w->begun)
		*w = (struct cluster_walk){ .begun = true, .left = SIZE_MAX };
	for (; w->kind < c->kinds.n; w->kind++, w->left = SIZE_MAX) {
		struct object *o;

		while ((o = index_each_slowly(&c->kinds.p[w->kind]->kind->objects, &w->left))) {
			judge_concerned(c, o, concerns, ctx);
			if (++n % CONCERNED_AT_ONCE == 0 && uv_hrtime() >= until_ns)
				return false;
		}
	}
	judge_components_anew(c);
	return true;
}

void cluster_judge_accepted_of(struct cluster *c, str namespace, str name, cluster_concerns *concerns, void *ctx)
{
	for (size_t i = 0; i < c->kinds.n; i++) {
		struct object *o = identity_local_get(&c->kinds.p[i]->kind->objects, namespace, name);

		if (o)
			judge_concerned(c, o, concerns, ctx);
	}
	judge_components_anew(c);
}

void cluster_recall(struct cluster *c, const struct finding *x)
{
	if (finding_is_violation(x->kind, &x->subject))
		rule_judge_restore(c->rules, x);
}

void cluster_judge_reported(struct cluster *c, const struct finding *x)
{
	const struct finding_subject *s = &x->subject;
	const struct kind *k = snapshot_find_kind(&c->snapshot, s->api_version, s->kind);
	struct object *o = k ? identity_local_get(&k->objects, s->namespace, s->name) : NULL;

	if (!x->confirmed)
		cluster_recall(c, x);
	if (o)
		judge_anew(c, o);
	judge_components_anew(c);
}

/* ---- judging ---- */

#define RETRY_NS (10 * UINT64_C(1000000000))

void cluster_judge_later(struct cluster *c, struct object *o)
{
	o->retry = true;
	if (!c->judging.retry_ns)
		c->judging.retry_ns = clock_ns() + RETRY_NS;
}

void cluster_retry(struct cluster *c, uint64_t now_ns)
{
	if (!c->judging.retry_ns || now_ns < c->judging.retry_ns)
		return;
	c->judging.retry_ns = 0;
	for (size_t i = 0; i < c->kinds.n; i++) {
		struct object *o;
		size_t at = 0;

		while ((o = index_each(&c->kinds.p[i]->kind->objects, &at))) {
			if (o->retry)
				cluster_enqueue(c, o);
		}
	}
}

static void report_failure(struct cluster *c, const struct kind *k, const struct err *err)
{
	CLEANUP(freep) char *resource = str_dup(k->resource);

	record_notice(c->context.sink, c->config->name, SEVERITY_ERROR, resource, err->msg);
}

/* Do not judge an object of which only the identity is known. False: no reference reports the object. */
static bool refuse(struct cluster *c, struct object *o, const char *reason)
{
	bool reported;

	o->retry = false;
	if (judges_refuse(c, o, reason, &reported) < 0)
		cluster_judge_later(c, o);
	if (o->received_ns)
		c->judging.component_cause_ns = o->received_ns;
	o->received_ns = 0;
	return reported;
}

/* Whether the object's managedFields have to be kept, because who wrote a field is asked again when the object is
 * judged again: rules ask for it, or the object drifts or violates a rule and an acceptance may begin or end. */
static bool asks_writers(const struct cluster *c, const struct object *o)
{
	for (size_t i = 0; i < c->n_references; i++) {
		if (o->judged[i].asks_writers || o->judged[i].waits || o->judged[i].state == VERDICT_DRIFTED)
			return true;
	}
	return o->open_rules;
}

/* All references and the rules have judged it. */
static void judged_by_all(struct cluster *c, struct object *o)
{
	o->stage = o->n_stages = 0;
	o->ruled = false;
	doc_cache_reduce(&c->snapshot.doc_cache, o, asks_writers(c, o));
	if (o->received_ns)
		c->judging.component_cause_ns = o->received_ns;
	o->received_ns = 0;
}

/* ---- condemned objects ---- */

/* Report a condemned object under its own name, if no reference reports it. */
static void report_condemned(struct cluster *c, const struct object *o, const struct finding_subject *s, str why)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	struct finding_report r = { .kind = FINDING_ERROR,
				    .severity = SEVERITY_ERROR,
				    .subject = *s,
				    .state = why,
				    .received_ns = o->received_ns };
	struct err err;

	finding_report_say(&r, &a, shown_object(&a, s), arena_printf(&a, "cannot be judged: %.*s", STR_ARG(why)));
	/* without memory the object is reported with its next change */
	(void)!findings_report(c->context.findings, &r, &err);
}

static void judge_condemned(struct cluster *c, struct object *o, const struct finding_subject *s,
			    const struct crash_marker_end *end)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	str why = arena_printf(&a, "%.*s; it is tried again when it changes, or driftd is restarted",
			       STR_ARG(crash_marker_end_text(&a, end)));

	if (!why.p)
		why = STR("judging it ended driftd");
	if (!refuse(c, o, why.p) && !object_is_foreign(o))
		report_condemned(c, o, s, why);
}

/* False without memory: the object is judged later, and its findings stay. */
static bool open_for_judging(struct cluster *c, struct object *o)
{
	struct err err;

	if (doc_cache_open(&c->snapshot.doc_cache, o, &err) == 0)
		return true;
	report_failure(c, o->kind, &err);
	cluster_judge_later(c, o);
	return false;
}

/* Set the crash marker of the object, and open it. False: no judge has to look at the object, or none can, and
 * nothing is left to do. */
static bool begins_judging(struct cluster *c, struct object *o, bool speculated)
{
	struct crash_marker_end end;
	struct finding_subject s;

	if (speculated && cluster_speculated(c, o)) {
		cluster_effects_done(c, o);
		judged_by_all(c, o);
		return false;
	}
	if (o->unreadable) {
		(void)refuse(c, o, o->unreadable);
		return false;
	}
	s = whole_subject(c, o);
	if (crash_marker_condemned(c->context.crash_marker, &s, &end)) {
		judge_condemned(c, o, &s, &end);
		return false;
	}
	if (!open_for_judging(c, o))
		return false;
	if (!o->n_stages)
		o->retry = false;
	crash_marker_set(c->context.crash_marker, &s);
	return true;
}

/* End the turn of the object. @over: all judges have judged it. */
static void end_judging(struct cluster *c, struct object *o, bool over)
{
	if (!over) {
		crash_marker_unset(c->context.crash_marker);
		return;
	}
	judged_by_all(c, o);
	crash_marker_clear(c->context.crash_marker);
	/* if a finding says that the object was condemned, that was another version */
	forget_condemned(c, o, END_REPAIRED);
}

/* Judge the first object of the queue, with its crash marker set: if judging ends the process, the next process knows
 * the object. False: the time is up, and the object stays first. */
static bool judge_next(struct cluster *c, uint64_t until_ns)
{
	struct object *o = c->judging.queue.first;
	bool speculated = o->state == OBJECT_SPECULATED, over = true;

	work_queue_remove(&c->judging.queue, o);
	object_set_state(o, OBJECT_JUDGED);
	cluster_report_because(c, o);
	if (begins_judging(c, o, speculated)) {
		over = judges_judge(c, o, until_ns);
		end_judging(c, o, over);
	}
	cluster_report_because(c, NULL);
	c->judging.progress++;
	if (over) {
		o->missed &= o->retry;
		object_set_state(o, OBJECT_CURRENT);
	} else {
		object_set_state(o, OBJECT_IN_PART);
		work_queue_return(&c->judging.queue, o);
	}
	doc_cache_trim(&c->snapshot.doc_cache);
	return over;
}

/* ---- components ---- */

/* Judge the components of all references. False: the time is up. */
static bool judge_components(struct cluster *c, uint64_t until_ns)
{
	struct judge_context j = cluster_judge_context(c);
	bool swept;

	cluster_report_because_of_components(c);
	for (size_t i = 0; i < c->n_references; i++)
		reference_judge_components(&c->references[i], c->judging.component_cause_ns, &j);
	c->judging.component_cause_ns = 0;
	swept = !cluster_all_resolved(c) || cluster_sweep(c, until_ns);
	cluster_report_because(c, NULL);
	if (!swept)
		return false;
	/* which objects of some kinds exist is not known yet */
	if (c->phase == CLUSTER_JUDGING && !cluster_all_resolved(c))
		return true;
	cluster_forget_missed(c);
	if (c->phase != CLUSTER_LIVE)
		cluster_report_missing(c);
	c->phase = CLUSTER_LIVE;
	if (c->inspector)
		c->inspector->ops->all_seen(c->inspector);
	return true;
}

#define DEPENDENTS_AT_ONCE 256 /* the number of dependents after which the clock is looked at */

/* Put the objects into the work queue whose verdict looked up something that has changed. False: the time is up. */
static bool enqueue_dependents(struct cluster *c, uint64_t until_ns)
{
	for (size_t i = 0; i < c->n_references; i++) {
		struct looker l = { c, &c->references[i] };

		while (dependents_take(&l.judge->dependents, DEPENDENTS_AT_ONCE, enqueue_again, &l)) {
			if (uv_hrtime() >= until_ns)
				return false;
		}
	}
	return true;
}

bool cluster_has_gone(const struct cluster *c)
{
	return tombstones_any(&c->judging.gone);
}

bool cluster_is_idle(const struct cluster *c)
{
	return !c->judging.queue.n && !cluster_has_gone(c);
}

uint64_t cluster_progress(const struct cluster *c)
{
	return c->judging.progress;
}

size_t cluster_queue_length(const struct cluster *c)
{
	return c->judging.queue.n;
}

bool cluster_work(struct cluster *c, uint64_t until_ns)
{
	if (c->phase == CLUSTER_LISTING || !cluster_keeps_enough(c))
		return false;
	while (tombstones_any(&c->judging.gone)) {
		struct object *o;

		if (uv_hrtime() >= until_ns)
			return true;
		o = cluster_take_gone(c);
		if (o)
			end_findings(c, o);
	}
	/* after the tombstones: what an object counts for is looked up in the reference in force */
	cluster_releases_work(c);
	if (!enqueue_dependents(c, until_ns))
		return true;
	while (c->judging.queue.first) {
		if (uv_hrtime() >= until_ns || !judge_next(c, until_ns))
			return true;
	}
	return !judge_components(c, until_ns);
}

bool clusters_work(struct cluster *const *clusters, size_t n, size_t *next, uint64_t until_ns)
{
	size_t first = n ? *next % n : 0;
	bool more = false;

	for (size_t i = 0; i < n; i++) {
		*next = (first + i + 1) % n;
		more |= cluster_work(clusters[(first + i) % n], until_ns);
		if (uv_hrtime() >= until_ns)
			return more || i + 1 < n;
	}
	return more;
}
