/* Deferred records: those beyond the share of their place (flood.h), those of findings that must last first, and those
 * that come behind such. They are released in lots, critical ones first. The more records wait, the larger the lots
 * are: all are sent within DEFERRAL_WITHIN_MS from when the first began to wait, up to 125,000 records; beyond that the
 * journal and its disk set the pace. */
#ifndef DAEMON_STORE_DEFERRAL_H
#define DAEMON_STORE_DEFERRAL_H

#include "daemon/store/deferral_clock.h"
#include "daemon/store/flood.h"
#include "daemon/store/work_queue.h"

#define DEFERRAL_RELEASE_MS 100  /* between two lots, of which each has */
#define DEFERRAL_LOT_MIN 20      /* records at least, */
#define DEFERRAL_LOT_MAX 500     /* and at most, where none comes late */
#define DEFERRAL_LATE_MS 500     /* that count of a lot that comes late */
#define DEFERRAL_WITHIN_MS 25000 /* after which nothing of a storm waits any more */
#define DEFERRAL_LEFT_MS 1000    /* that what came last is spread over at least */
#define DEFERRAL_NOT_DUE_MS 1000 /* between two looks whether something is due */

/*                  more are due than go at once: reported
 *   STORM_NONE ----------------------------------------------> STORM_REPORTED
 *        ^---------------- the last is released: reported -----------------'
 */
enum storm { STORM_NONE, STORM_REPORTED };

struct deferral {
	struct flood flood;
	size_t due;        /* rows of the outbox that wait, and are due, */
	size_t not_due;    /* or not yet */
	size_t most;       /* that were due at once, since last none was */
	uint64_t since_ms; /* when the first of what is due began to wait */
	enum storm storm;
	uint64_t released; /* of this storm */
	uint64_t merged;   /* records that became part of a later one of their finding */
	uint64_t release_ms;
};

void deferral_done(struct deferral *d);
/* Within a transaction: decide whether @i, with the record @r, is deferred or never sent (item_becomes). @looks_up:
 * deferred records may be in the journal all the same, which is not known yet. Fails as database.h does. */
CHECKED int deferral_judge(struct deferral *d, struct database *database, struct item *i, struct record *r,
			   bool looks_up, int64_t now_usec, struct err *err);
/* As deferral_judge, for a change of state without a record: it becomes a part of what waits, and shows with that. */
CHECKED int deferral_judge_state(const struct deferral *d, struct database *database, struct item *i, struct err *err);
/* 1: something is deferred under this key, or that cannot be found out; 0: nothing is. Negative: EIO, ENOMEM. */
CHECKED int deferral_has(const struct deferral *d, struct database *database, str key, struct err *err);
/* Count again what is deferred, after rows or their times may have changed. */
void deferral_count(struct deferral *d, struct database *database, const struct deferral_clock *clock);
/* As deferral_count, for what an earlier process left. That process has reported its storm. */
void deferral_inherit(struct deferral *d, struct database *database, const struct deferral_clock *clock);
/* Move a few of the deferred records to @unsent; that is committed before they are sent. */
void deferral_release_some(struct deferral *d, struct database *database, struct work_queue *q,
			   const struct deferral_clock *clock, struct items *unsent);
/* Report that there are many deferred records. */
void deferral_note_storm(struct deferral *d, struct work_queue *q);

#endif
