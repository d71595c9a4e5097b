/* Gaps: what cannot be watched is reported when it lasts. */
#include "base/assert.h"
#include "daemon/findings/clock.h"
#include "daemon/watch/cluster/cluster_internal.h"

#include <errno.h>

/* A watch that fails for a shorter time is no gap: watching resumes where it stopped. */
#define GAP_GRACE_NS (10 * UINT64_C(1000000000))
#define LIST_GRACE_NS (30 * UINT64_C(1000000000))

/* The subject of a gap of the watch @w; @w NULL: of the cluster as a whole. Where several processes share the
 * cluster, each reports its own gaps. */
static struct finding_subject gap_subject(const struct cluster *c, const struct cluster_watch *w)
{
	return (struct finding_subject){
		.cluster = c->config->name,
		.shard = str_from(c->gaps.shard),
		.api_version = w ? w->of->kind->api_version : STR(""),
		.kind = w ? w->of->kind->name : STR(""),
		.namespace = w ? w->scope.namespace : STR(""),
		.name = w ? w->scope.name : STR(""),
	};
}

str cluster_gap_shard(const struct cluster *c)
{
	return str_from(c->gaps.shard);
}

static void say(struct finding_report *r, struct arena *a, const struct cluster *c, str summary)
{
	finding_report_say(r, a, finding_cluster_place(a, c->config->name, c->gaps.shard), summary);
}

/* What the watch is limited to: " prod/web", " of namespace prod"; "" if it is for the whole kind. */
static str scope_text(const struct cluster_watch *w, struct arena *a)
{
	str namespace = w->scope.namespace, name = w->scope.name;

	if (!namespace.n && !name.n)
		return STR("");
	if (!name.n)
		return arena_printf(a, " of namespace %.*s", STR_ARG(namespace));
	return arena_printf(a, " %.*s%s%.*s", STR_ARG(namespace), namespace.n ? "/" : "", STR_ARG(name));
}

/* What a gap is about, besides its subject: a change of it is reported. The message of a watch may contain times and
 * ports, which are no news; its code says what kind of failure it is, and of a refusal the verb counts, since it is
 * what the account has to be granted. A refusal to list is the first that is met, before it is known what else is
 * refused. */
static str gap_state(const struct cluster *c, const struct cluster_watch *w, const struct err *why, struct arena *a)
{
	bool only_watch = w && why->code == EACCES && w->denied == 1u << KC_WATCH;

	if (why == cluster_discovery_problem(c) || why == cluster_connect_problem(c))
		return str_from(why->msg);
	return arena_printf(a, "%d%s", why->code, only_watch ? " watch" : "");
}

static bool report_gap(struct cluster *c, const struct cluster_watch *w, const struct err *why)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	struct finding_report r = { .kind = FINDING_GAP, .severity = SEVERITY_ERROR, .subject = gap_subject(c, w) };
	struct err err;
	str summary;

	ASSERT(*why->msg); /* a gap is not reported before its reason is known */
	if (w) {
		str scope = scope_text(w, &a);

		r.severity = SEVERITY_WARNING;
		r.subject.resource = str_from(cluster_watch_resource(w));
		summary = arena_printf(&a, "%.*s%.*s cannot be watched: %s", STR_ARG(r.subject.resource),
				       STR_ARG(scope), why->msg);
	} else if (c->source) {
		summary = arena_printf(&a, "the API server %s cannot be watched: %s",
				       c->source->does->server(c->source), why->msg);
	} else {
		summary = arena_printf(&a, "the cluster cannot be watched: %s", why->msg);
	}
	say(&r, &a, c, summary);
	r.state = gap_state(c, w, why, &a);
	/* without memory the gap is reported at the next tick */
	return findings_report(c->context.findings, &r, &err) == 0;
}

static void clear_gap(struct cluster *c, const struct cluster_watch *w)
{
	struct finding_subject s = gap_subject(c, w);

	findings_clear(c->context.findings, FINDING_GAP, &s, END_REPAIRED);
}

/* When the watch was last proved to work. If it never was, the time of the last list counts. */
static uint64_t known_ns(const struct cluster_watch *w)
{
	const struct kc_watch_counters *k = cluster_watch_counters(w);

	return k->proved_ns ? k->proved_ns : k->last_sync_ns;
}

/* Put into *ret why a watch with too old evidence is a gap: its failure, if it has one, and how long nothing has
 * proved that it works. */
static void why_stale(const struct cluster_watch *w, uint64_t now, struct err *ret)
{
	int seconds = (int)((now - known_ns(w)) / 1000000000);

	if (cluster_watch_fails(w) && w->why.code)
		(void)err_set(ret, w->why.code, "%.400s (nothing has proved for %d s that it works)", w->why.msg,
			      seconds);
	else
		(void)err_set(ret, ETIMEDOUT, "nothing has proved for %d s that its watch works", seconds);
}

/* True when a watch has failed for long enough, and more than once, since its next try may still wait for its turn.
 * After an outage of the whole cluster each watch gets this time again. A watch that was never listed and is
 * forbidden is reported at once, because it has nothing to resume. */
static bool is_gap(const struct cluster *c, const struct cluster_watch *w, uint64_t now)
{
	uint64_t failing = now - w->since_ns;

	if (!cluster_watch_fails(w))
		return false;
	if (w->state == WATCH_FORBIDDEN && w->known != WATCH_LISTED)
		return true;
	if (failing < GAP_GRACE_NS || now - c->gaps.up_since_ns < GAP_GRACE_NS)
		return false;
	return cluster_watch_counters(w)->failures > 1 || failing >= LIST_GRACE_NS;
}

/* Whether a list does not come to an end. Until it does, nothing watches what was listed before. */
static bool hangs(const struct cluster_watch *w, uint64_t now)
{
	uint64_t grace = w->known == WATCH_LISTED ? LIST_GRACE_NS : 2 * LIST_GRACE_NS;

	return w->state == WATCH_LISTING && now - w->since_ns >= grace;
}

/* The first failing watch, with this code if @code is not 0; NULL: none fails. */
static const struct cluster_watch *first_failing(const struct cluster *c, int code)
{
	for (size_t i = 0; i < c->kinds.n; i++) {
		for (size_t k = 0; k < c->kinds.p[i]->n_watches; k++) {
			const struct cluster_watch *w = &c->kinds.p[i]->watches[k];

			if (cluster_watch_fails(w) && (!code || w->why.code == code))
				return w;
		}
	}
	return NULL;
}

static void report_down(struct cluster *c, const struct err *why)
{
	if (report_gap(c, NULL, why))
		c->gaps.down_reported = true;
}

/* Why the server counts as down: the last failure of a watch, or of discovery, without which no watch begins. If
 * there is none, the server just does not answer. */
static const struct err *why_down(const struct cluster *c, const struct cluster_watch *w, uint64_t now,
				  struct err *silent)
{
	const struct cluster_watch *stale = cluster_stale(c);
	uint64_t since = c->gaps.down_since_ns;

	if (w && w->why.code)
		return &w->why;
	if (cluster_discovery_problem(c))
		return cluster_discovery_problem(c);
	if (stale)
		since = known_ns(stale);
	(void)err_set(silent, ETIMEDOUT, "it has not answered for %d s", (int)((now - since) / 1000000000));
	return silent;
}

/* Report that the server does not answer, or does not say which kinds it has. */
static void tick_down(struct cluster *c, uint64_t now)
{
	const struct cluster_watch *w = first_failing(c, 0);
	struct err silent;

	c->gaps.up_since_ns = 0;
	if (!c->gaps.down_since_ns)
		c->gaps.down_since_ns = now;
	if (now - c->gaps.down_since_ns >= GAP_GRACE_NS || cluster_stale(c))
		report_down(c, why_down(c, w, now, &silent));
}

static void why_hanging(const struct cluster_watch *w, uint64_t now, struct err *ret)
{
	(void)err_set(ret, EINPROGRESS, "its list has taken %d s and is not complete",
		      (int)((now - w->since_ns) / 1000000000));
}

static void why_denied(const struct cluster_watch *w, struct err *ret)
{
	bool list = w->denied & 1u << KC_LIST, watch = w->denied & 1u << KC_WATCH;

	(void)err_set(ret, EACCES, "the account may not %s%s%s (driftd rbac prints what to grant)", list ? "list" : "",
		      list && watch ? " and " : "", watch ? "watch" : "");
}

void cluster_watch_end_gap(struct cluster_watch *w)
{
	if (cluster_watch_fails(w) || w->state == WATCH_LISTING || w->denied || cluster_watch_stale(w))
		return;
	w->reported = false;
	clear_gap(w->of->cluster, w);
}

static void tick_watch(struct cluster *c, struct cluster_watch *w, uint64_t now)
{
	bool reported = w->reported;
	struct err why;

	cluster_watch_heard(w);
	/* a refused credential is one problem, which is reported for the cluster */
	if (is_gap(c, w, now)) {
		w->reported = w->why.code == ENOKEY || report_gap(c, w, &w->why) || reported;
	} else if (cluster_watch_stale(w)) {
		/* This is reported once: between two tests the watch seems to work, and then its reason differs. */
		why_stale(w, now, &why);
		w->reported = reported || report_gap(c, w, &why);
	} else if (hangs(w, now)) {
		why_hanging(w, now, &why);
		w->reported = report_gap(c, w, &why) || reported;
	} else if (w->denied && !cluster_watch_fails(w)) {
		why_denied(w, &why);
		w->reported = report_gap(c, w, &why) || reported;
	} else if (reported) {
		cluster_watch_end_gap(w); /* the watch has proved to work again */
	}
	if (w->reported && !reported)
		cluster_kind_changed(w->of);
}

/* Report that discovery is incomplete: what is missing may have kinds that rules name by pattern. */
static void tick_patterns(struct cluster *c, uint64_t now)
{
	struct finding_report r = {
		.kind = FINDING_GAP,
		.severity = SEVERITY_WARNING,
		.subject = gap_subject(c, NULL),
	};
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	const struct err *why = cluster_patterns_problem(c);
	bool reported = c->gaps.patterns_reported;
	struct err err;

	r.subject.kind = STR("*");
	r.subject.resource = STR("kinds named by pattern");
	if (!why) {
		findings_clear(c->context.findings, FINDING_GAP, &r.subject, END_REPAIRED);
		c->gaps.patterns_reported = false;
		c->gaps.patterns_since_ns = 0;
		return;
	}
	if (!c->gaps.patterns_since_ns)
		c->gaps.patterns_since_ns = now;
	if (now - c->gaps.patterns_since_ns < GAP_GRACE_NS)
		return;
	say(&r, &a, c, arena_printf(&a, "kinds that rules name by pattern may be missing: %s", why->msg));
	r.state = str_from(why->msg);
	c->gaps.patterns_reported |= findings_report(c->context.findings, &r, &err) == 0;
	if (c->gaps.patterns_reported && !reported)
		cluster_kinds_changed(c);
}

/* Report published references that are not there yet. Nothing is compared with such a reference until it is there
 * and the cluster is made again. */
static void tick_absent(struct cluster *c)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	struct err err;

	for (size_t i = 0; i < c->config->n_absent; i++) {
		const struct cfg_reference *x = c->config->absent[i];
		struct finding_report r = {
			.kind = FINDING_GAP,
			.severity = SEVERITY_ERROR,
			.subject = gap_subject(c, NULL),
			.state = x->published.why_absent,
		};

		r.subject.reference = x->name;
		say(&r, &a, c,
		    arena_printf(&a, "no object is compared with reference %.*s, which is not there: %.*s",
				 STR_ARG(x->name), STR_ARG(x->published.why_absent)));
		if (findings_report(c->context.findings, &r, &err) < 0)
			return; /* without memory it is reported at the next tick */
	}
}

static void tick_up(struct cluster *c, uint64_t now)
{
	const struct cluster_watch *refused = first_failing(c, ENOKEY);

	c->gaps.down_since_ns = 0;
	if (!c->gaps.up_since_ns) {
		c->gaps.up_since_ns = now;
		c->source->does->retry(c->source);
	}
	for (size_t i = 0; i < c->kinds.n; i++) {
		for (size_t k = 0; k < c->kinds.p[i]->n_watches; k++)
			tick_watch(c, &c->kinds.p[i]->watches[k], now);
	}
	tick_patterns(c, now);
	if (refused && is_gap(c, refused, now)) {
		report_down(c, &refused->why);
	} else if (!refused) {
		clear_gap(c, NULL);
		c->gaps.down_reported = false;
	}
}

static void tick_unconnected(struct cluster *c, uint64_t now)
{
	report_down(c, cluster_connect_problem(c));
	cluster_connect_again(c, now);
}

void cluster_init_gaps(struct cluster *c)
{
	(void)shard_text(c->context.shard, c->gaps.shard);
}

bool cluster_down_is_reported(const struct cluster *c)
{
	return c->gaps.down_reported;
}

bool cluster_patterns_are_reported(const struct cluster *c)
{
	return c->gaps.patterns_reported;
}

void cluster_tick(struct cluster *c)
{
	if (c->phase != CLUSTER_LISTING)
		cluster_inspect_tick(c);
	cluster_retry(c, clock_ns());
	cluster_tick_releases(c);
	cluster_test_again(c);
	tick_absent(c);
	if (cluster_connect_problem(c))
		tick_unconnected(c, clock_ns());
	else if (c->source->does->up(c->source) && c->source->does->discovered(c->source))
		tick_up(c, clock_ns());
	else
		tick_down(c, clock_ns());
	cluster_note_state(c);
}

void cluster_watch_denied(struct cluster_watch *w, unsigned denied)
{
	w->denied = denied;
	cluster_watch_end_gap(w);
}

int cluster_report_unwatchable(struct cluster *c, const struct ref_template *t, struct err *err)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	struct finding_report r = {
		.kind = FINDING_GAP,
		.severity = SEVERITY_WARNING,
		.subject = gap_subject(c, NULL),
	};

	r.subject.kind = t->identity.kind;
	r.subject.template_path = t->path;
	say(&r, &a, c,
	    arena_printf(&a, "objects of template %.*s are not watched: it does not fix their apiVersion",
			 STR_ARG(t->path)));
	r.state = r.what;
	return findings_report(c->context.findings, &r, err);
}
