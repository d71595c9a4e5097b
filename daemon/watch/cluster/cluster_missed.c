/* Events that were missed while a watch did not run: they are reported with the time in which they happened. */
#include "daemon/watch/cluster/cluster_internal.h"

#include "daemon/findings/clock.h"
#include "daemon/findings/finding_record.h"

#include <errno.h>

/*   watching --cluster_watch_stops--> stopped --cluster_watch_resumes--> catching up --caught_up_ns--> watching
 *      |  ^                             |   ^
 *      |  '-- cluster_watch_list_ends --'   |  (of a list during which the process did not run: to "catching up")
 *      '------------ cluster_woke ----------'  (the process did not run: whether it watches is not known)
 *
 * unseen_since_usec is set in all but "watching". Its source knows when a watch has caught up (kc_catch_up.h). */

/* clock_ns at which the watch last proved to work. If its source has no evidence: when the watch last reported
 * anything. */
static uint64_t heard_ns(const struct cluster_watch *w)
{
	const struct kc_watch_counters *k = cluster_watch_counters(w);

	return k->proved_ns ? k->proved_ns : k->last_heard_ns;
}

static int64_t last_heard_usec(const struct cluster_watch *w)
{
	uint64_t heard = heard_ns(w);

	return heard && heard < clock_ns() ? clock_usec_of(heard) : clock_usec();
}

/* After a nap its source goes on with what it read before, until it is tested. */
static void look_whether_caught_up(struct cluster_watch *w)
{
	if (!w->of->cluster->missed.to_test && w->resumed_ns && cluster_watch_counters(w)->caught_up_ns > w->resumed_ns)
		cluster_watch_caught_up(w);
}

void cluster_watch_stops(struct cluster_watch *w)
{
	look_whether_caught_up(w);
	w->resumed_ns = 0;
	w->woke_ns = 0; /* what the watch reported last was the present state */
	if (w->known == WATCH_LISTED && !w->unseen_since_usec)
		w->unseen_since_usec = last_heard_usec(w);
}

/* What the watch caught up with before @since_ns is another matter. */
static void resume(struct cluster_watch *w, uint64_t since_ns)
{
	w->woke_ns = 0;
	if (w->unseen_since_usec && !w->resumed_ns)
		w->resumed_ns = since_ns;
}

void cluster_watch_resumes(struct cluster_watch *w)
{
	resume(w, clock_ns());
}

void cluster_watch_caught_up(struct cluster_watch *w)
{
	w->unseen_since_usec = 0;
	w->resumed_ns = 0;
	w->woke_ns = 0;
}

void cluster_watch_list_begins(struct cluster_watch *w)
{
	w->listing_since_usec = clock_usec();
	w->napped = false;
}

/* The server may have set up a list before a nap of the process, and what follows it then happened in the nap. */
void cluster_watch_list_ends(struct cluster_watch *w)
{
	cluster_watch_caught_up(w);
	if (!w->napped)
		return;
	w->unseen_since_usec = w->listing_since_usec;
	w->resumed_ns = clock_ns();
}

static void watch_woke(struct cluster_watch *w, const struct nap *n, const struct err *why)
{
	w->napped = true;
	if (w->known == WATCH_LISTED) {
		if (!w->unseen_since_usec)
			w->unseen_since_usec = nap_usec_of(n, heard_ns(w));
		w->resumed_ns = 0;
	}
	cluster_watch_woke(w, why);
}

void cluster_woke(struct cluster *c, const struct nap *n)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	struct err why;

	(void)err_set(&why, ENODATA, "nothing was heard since driftd did not run between %.*s and %.*s: %s",
		      STR_ARG(time_text(&a, n->from.usec)), STR_ARG(time_text(&a, n->to.usec)), nap_cause(n));
	c->missed.to_test = true;
	for (size_t i = 0; i < c->kinds.n; i++) {
		for (size_t k = 0; k < c->kinds.p[i]->n_watches; k++)
			watch_woke(&c->kinds.p[i]->watches[k], n, &why);
	}
}

void cluster_watch_heard(struct cluster_watch *w)
{
	if (!w->woke_ns || heard_ns(w) <= w->woke_ns)
		return;
	resume(w, w->woke_ns);
	cluster_watch_works(w);
}

bool cluster_watch_missed(struct cluster_watch *w)
{
	struct time_span *span = &w->of->cluster->missed.span;

	cluster_watch_heard(w);
	look_whether_caught_up(w);
	if (!w->unseen_since_usec)
		return false;
	if (!span->not_before_usec || w->unseen_since_usec < span->not_before_usec)
		span->not_before_usec = w->unseen_since_usec;
	span->not_after_usec = clock_usec();
	return true;
}

void cluster_report_because(struct cluster *c, const struct object *o)
{
	if (o && o->missed)
		c->missed.by_components = true;
	findings_set_span(c->context.findings, o && o->missed ? &c->missed.span : NULL);
}

void cluster_report_because_of_components(struct cluster *c)
{
	const struct time_span life = { c->missed.last_life_usec, clock_usec() };

	/* everything that is new may have existed since the last process ended */
	if (c->phase != CLUSTER_LIVE && c->missed.last_life_usec)
		findings_set_span(c->context.findings, &life);
	else if (c->missed.by_components)
		findings_set_span(c->context.findings, &c->missed.span);
}

void cluster_forget_missed(struct cluster *c)
{
	c->missed.span = (struct time_span){ 0 };
	c->missed.by_components = false;
}

int64_t cluster_last_life(const struct cluster *c)
{
	return c->missed.last_life_usec;
}

void cluster_init_missed(struct cluster *c)
{
	c->missed.last_life_usec = cluster_last_seen(c);
}

/* What counts is what comes after the test. */
static void test_watch(struct cluster_watch *w)
{
	if (w->resumed_ns)
		w->resumed_ns = clock_ns();
	if (w->woke_ns)
		w->woke_ns = clock_ns();
}

void cluster_test_again(struct cluster *c)
{
	if (!c->missed.to_test || !c->source)
		return;
	c->missed.to_test = false;
	for (size_t i = 0; i < c->kinds.n; i++) {
		for (size_t k = 0; k < c->kinds.p[i]->n_watches; k++)
			test_watch(&c->kinds.p[i]->watches[k]);
	}
	if (c->source->does->test)
		c->source->does->test(c->source);
	c->source->does->rediscover(c->source);
}
