/* Whether this host may report: in which term it leads, and whether it knows everything that was reported before.
 *
 *         all that was loaded is known here (reporting_open)
 *   SHUT ---------------------------------------------------> OPEN <--.
 *    ^                                                         |      | the next term goes on where this
 *    |                                    the term is over     |      | one was (reporting_resume)
 *    |                                                         v      |
 *    '---- the next term has to load, or etcd was ---------- WAITS ---'
 *          restored (reporting_shut)
 *
 * An etcd that was restored shuts an open host, too. What is being loaded when it is shut is out of date, and opens
 * nothing: each state has the number of the shutting that it was loaded after. */
#ifndef DAEMON_LEADER_ETCD_REPORTING_H
#define DAEMON_LEADER_ETCD_REPORTING_H

#include "daemon/leader/etcd/election.h"

#include <pthread.h>

struct reporting {
	const struct election *election;
	_Atomic int64_t term;       /* the term that was claimed; 0: this host does not lead */
	_Atomic int64_t open_term;  /* the term in which this host may report, if it is @term; 0: SHUT */
	atomic_bool batch_is_there; /* etcd may have a batch */
	pthread_mutex_t lock;       /* protects the member below, and what it decides about @open_term */
	uint64_t generation;        /* how often it was shut */
};

/* @election outlives @r. */
void reporting_init(struct reporting *r, const struct election *election);
void reporting_done(struct reporting *r);

/* The functions up to reporting_resume are for the election's thread. @term 0: this host does not lead. */
void reporting_set_term(struct reporting *r, int64_t term);
/* Stop sending until what was reported is read from etcd. Returns the generation of what is loaded from now on. */
uint64_t reporting_shut(struct reporting *r);
bool reporting_is_shut(const struct reporting *r);
/* Go on in the term @term, where another host has not led since this one did. */
void reporting_resume(struct reporting *r, int64_t term);

/* In any thread: this host knows everything that was loaded, @x, unless @x is out of date. */
void reporting_open(struct reporting *r, const struct leader_loaded *x);
/* In any thread: whether this host may report now. The answer may change at any moment. */
bool reporting_may(const struct reporting *r);

#endif
