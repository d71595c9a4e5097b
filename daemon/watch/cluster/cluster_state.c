/* How well a cluster is watched: one word, and the reason. */
#include "daemon/watch/cluster/cluster_internal.h"

#include "base/assert.h"
#include "daemon/findings/clock.h"

#include <inttypes.h>

/* ORDER enum cluster_state */
static const char *const names[] = { "unreachable", "syncing", "degraded", "synced" };
_Static_assert(ARRAY_LEN(names) == CLUSTER_STATES, "a name for each state");

const char *cluster_state_name(enum cluster_state s)
{
	ASSERT(s < CLUSTER_STATES);
	return names[s];
}

static size_t open_gaps(const struct cluster *c)
{
	const struct finding_counters *counters = findings_counters(c->context.findings, c->config->name);

	return counters ? findings_open(counters, FINDING_GAP) : 0;
}

/* The number of watches for which @is holds, and the first of them in *first. */
static size_t count_watches(const struct cluster *c, bool (*is)(const struct cluster_watch *w),
			    const struct cluster_watch **first)
{
	size_t n = 0;

	*first = NULL;
	for (size_t i = 0; i < c->kinds.n; i++) {
		for (size_t k = 0; k < c->kinds.p[i]->n_watches; k++) {
			const struct cluster_watch *w = &c->kinds.p[i]->watches[k];

			if (is(w) && n++ == 0)
				*first = w;
		}
	}
	return n;
}

bool cluster_watch_stale(const struct cluster_watch *w)
{
	uint64_t stale = w->known == WATCH_LISTED ? cluster_watch_counters(w)->stale_ns : 0;

	return stale && clock_ns() >= stale;
}

const struct cluster_watch *cluster_stale(const struct cluster *c)
{
	const struct cluster_watch *first;

	(void)count_watches(c, cluster_watch_stale, &first);
	return first;
}

static bool is_listing(const struct cluster_watch *w)
{
	return w->state == WATCH_LISTING;
}

enum cluster_state cluster_state(const struct cluster *c)
{
	const struct cluster_watch *first;

	if (!cluster_up(c))
		return CLUSTER_UNREACHABLE;
	if (c->phase != CLUSTER_LIVE)
		return CLUSTER_SYNCING;
	if (!cluster_all_known(c) || open_gaps(c) || cluster_stale(c) ||
	    count_watches(c, cluster_watch_fails, &first) || count_watches(c, is_listing, &first))
		return CLUSTER_DEGRADED;
	return CLUSTER_SYNCED;
}

static uint64_t state_since_ns(const struct cluster *c)
{
	return c->seen.since_ns && cluster_state(c) == c->seen.state ? c->seen.since_ns : clock_ns();
}

void cluster_note_state(struct cluster *c)
{
	c->seen.since_ns = state_since_ns(c);
	c->seen.state = cluster_state(c);
}

/* The oldest gap that explains the state; NULL: none does. */
static const struct finding *gap_of_state(const struct cluster *c)
{
	const struct finding_counters *counters = findings_counters(c->context.findings, c->config->name);
	enum cluster_state state = cluster_state(c);
	const struct finding *x;

	if (!counters || (state != CLUSTER_UNREACHABLE && state != CLUSTER_DEGRADED))
		return NULL;
	TAILQ_FOREACH(x, &counters->gaps, by_age)
	{
		bool of_all = !x->subject.kind.n && !x->subject.resource.n;

		if (state == CLUSTER_DEGRADED || of_all)
			return x;
	}
	return NULL;
}

int64_t cluster_state_since(const struct cluster *c)
{
	const struct finding *gap = gap_of_state(c);

	return gap ? gap->first_seen_usec : clock_usec_of(state_since_ns(c));
}

int64_t cluster_evidence_usec(const struct cluster *c)
{
	uint64_t oldest = UINT64_MAX;

	for (size_t i = 0; i < c->kinds.n; i++) {
		for (size_t k = 0; k < c->kinds.p[i]->n_watches; k++) {
			const struct cluster_watch *w = &c->kinds.p[i]->watches[k];
			uint64_t proved = cluster_watch_counters(w)->proved_ns;

			if (w->known != WATCH_ABSENT && proved < oldest)
				oldest = proved;
		}
	}
	return oldest == UINT64_MAX ? 0 : clock_usec_of(oldest);
}

int64_t cluster_last_seen(const struct cluster *c)
{
	return c->context.last_seen_usec ? c->context.last_seen_usec(c->context.ctx, c->config->name) : 0;
}

/* ---- whether everything is judged ---- */

static bool all_judged(const struct cluster *c)
{
	for (size_t i = 0; i < c->n_references; i++) {
		if (dependents_due(&c->references[i].dependents))
			return false;
	}
	return c->phase == CLUSTER_LIVE && cluster_is_idle(c);
}

bool cluster_synced(const struct cluster *c)
{
	return all_judged(c) && cluster_all_known(c) && !cluster_stale(c);
}

bool cluster_seen(const struct cluster *c)
{
	const struct cluster_watch *first;

	return c->phase == CLUSTER_LIVE && cluster_up(c) && cluster_is_idle(c) && !cluster_stale(c) &&
	       !count_watches(c, cluster_watch_fails, &first) && !count_watches(c, is_listing, &first);
}

bool cluster_lacks_references(const struct cluster *c)
{
	return c->config->n_absent && !c->kinds.n;
}

const char *cluster_waits_for(const struct cluster *c)
{
	const struct cluster_watch *w = c->phase != CLUSTER_LIVE ? cluster_unresolved(c) : NULL;

	if (cluster_down_is_reported(c))
		return "";
	if (cluster_connect_problem(c))
		return c->source ? "memory" : "its kubeconfig";
	if (cluster_lacks_references(c))
		return "its references";
	if (w)
		return cluster_watch_resource(w);
	if (!cluster_patterns_resolved(c))
		return "discovery";
	return all_judged(c) ? "" : "judging";
}

/* ---- the reason for the state ---- */

static void why_unreachable(const struct cluster *c, struct buf *out)
{
	const struct cluster_watch *w;

	(void)count_watches(c, cluster_watch_fails, &w);
	if (cluster_connect_problem(c))
		buf_add_cstr(out, cluster_connect_problem(c)->msg);
	else if (w && w->why.code)
		buf_add_cstr(out, w->why.msg);
	else if (cluster_discovery_problem(c))
		buf_add_cstr(out, cluster_discovery_problem(c)->msg);
	else
		buf_add_cstr(out, "waits for the first answer of the API server");
}

static void why_blind(const struct cluster *c, struct buf *out)
{
	const struct cluster_watch *failing, *listing;
	size_t n = count_watches(c, cluster_watch_fails, &failing);

	if (n) {
		buf_printf(out, "%.*s cannot be watched: %s", STR_ARG(failing->of->kind->resource),
			   failing->why.code ? failing->why.msg : "it is tried again");
		if (n > 1)
			buf_printf(out, " (and %zu more)", n - 1);
	} else if ((n = open_gaps(c))) {
		buf_printf(out, n > 1 ? "%zu gaps are open" : "%zu gap is open", n);
	} else if ((failing = cluster_stale(c))) {
		buf_printf(out, "nothing proves any more that %.*s is watched", STR_ARG(failing->of->kind->resource));
	} else if (count_watches(c, is_listing, &listing)) {
		buf_printf(out, "%.*s is listed again", STR_ARG(listing->of->kind->resource));
	} else {
		buf_add_cstr(out, "not every kind is known");
	}
}

void cluster_state_why(const struct cluster *c, struct buf *out)
{
	const char *waits_for = cluster_waits_for(c);

	switch (cluster_state(c)) {
	case CLUSTER_UNREACHABLE:
		why_unreachable(c, out);
		break;
	case CLUSTER_SYNCING:
		buf_printf(out, "waits for %s", *waits_for ? waits_for : "what a gap reports");
		break;
	case CLUSTER_DEGRADED:
		why_blind(c, out);
		break;
	default:
		buf_add_cstr(out, "all that is needed is watched");
	}
}
