/* What a watch does, and what is known of its objects.
 *
 *   WAITING --its turn--> LISTING --complete--> WATCHING --listed anew--> LISTING
 *
 *   each --fails--> FAILING, or, where the account may not, FORBIDDEN: while it is tried again too
 *                               --works--> WATCHING
 *   each --the server does not have the kind, or it is dropped--> WAITING
 *
 * What is known is another matter: a list that has been seen stays so while the watch fails. */
#include "daemon/watch/cluster/cluster_internal.h"

#include "base/assert.h"
#include "daemon/findings/clock.h"

/* ORDER enum watch_state */
static const char *const names[] = { "waiting", "listing", "watching", "failing", "forbidden" };
_Static_assert(ARRAY_LEN(names) == WATCH_STATES, "a name for each state");

bool cluster_watch_fails(const struct cluster_watch *w)
{
	return w->state == WATCH_FAILING || w->state == WATCH_FORBIDDEN;
}

/* Enter a state. A failure lasts from its beginning, even if it changes between failing and forbidden. */
static void enter(struct cluster_watch *w, enum watch_state s)
{
	bool failed = cluster_watch_fails(w);

	w->state = s;
	if (!failed || !cluster_watch_fails(w))
		w->since_ns = clock_ns();
}

void cluster_watch_lists(struct cluster_watch *w)
{
	cluster_watch_list_begins(w);
	if (!cluster_watch_fails(w))
		enter(w, WATCH_LISTING);
	if (w->known == WATCH_ABSENT)
		w->known = WATCH_UNKNOWN; /* the server has the kind after all */
}

void cluster_watch_listed(struct cluster_watch *w)
{
	enter(w, WATCH_WATCHING);
	w->known = WATCH_LISTED;
	w->last_sync = clock_seconds();
	cluster_watch_list_ends(w);
	cluster_watch_end_gap(w);
}

void cluster_watch_works(struct cluster_watch *w)
{
	if (cluster_watch_fails(w))
		enter(w, w->known == WATCH_LISTED ? WATCH_WATCHING : WATCH_WAITING);
	cluster_watch_end_gap(w);
}

void cluster_watch_failed(struct cluster_watch *w, bool forbidden, const struct err *why)
{
	ASSERT(why && *why->msg);
	enter(w, forbidden ? WATCH_FORBIDDEN : WATCH_FAILING);
	w->why = *why;
}

void cluster_watch_absent(struct cluster_watch *w)
{
	cluster_watch_caught_up(w); /* no event can have been missed */
	w->known = WATCH_ABSENT;
	enter(w, WATCH_WAITING);
	cluster_watch_end_gap(w);
}

void cluster_watch_ends(struct cluster_watch *w)
{
	w->denied = 0;
	enter(w, WATCH_WAITING);
	cluster_watch_end_gap(w);
}

/* The time of a list that is under way when the process runs again begins again. */
void cluster_watch_woke(struct cluster_watch *w, const struct err *why)
{
	if (w->state == WATCH_LISTING)
		enter(w, WATCH_LISTING);
	if (w->state != WATCH_WATCHING)
		return;
	cluster_watch_failed(w, false, why);
	w->woke_ns = w->since_ns;
}

/* ---- for people ---- */

const char *cluster_watch_state_name(const struct cluster_watch *w)
{
	if (w->denied)
		return names[WATCH_FORBIDDEN];
	ASSERT(w->state < WATCH_STATES);
	return w->known == WATCH_ABSENT ? "absent" : names[w->state];
}

const char *cluster_watch_resource(const struct cluster_watch *w)
{
	const struct watch_source *s = w->of->cluster->source;

	return s->does->watch_resource(s, w->watch);
}

const struct kc_watch_counters *cluster_watch_counters(const struct cluster_watch *w)
{
	static const struct kc_watch_counters none;
	const struct watch_source *s = w->of->cluster->source;

	return w->watch ? s->does->watch_counters(s, w->watch) : &none;
}
