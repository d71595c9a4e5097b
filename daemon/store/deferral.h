/* Deferred records: those beyond the share of their place (flood.h), those of findings that must last first, and those
 * that come behind such. They are released in lots, critical ones first. The more records wait, the larger the lots
 * are: all are sent within DEFERRAL_WITHIN_MS from when the first began to wait, up to 125,000 records; beyond that the
 * journal and its disk set the pace. */
#ifndef DAEMON_STORE_DEFERRAL_H
#define DAEMON_STORE_DEFERRAL_H

#include "daemon/store/deferral_clock.h"
#include "daemon/store/flood.h"
#include "daemon/store/work_queue.h"

#define DEFERRAL_RELEASE_MS 100  /* time between two lots */
#define DEFERRAL_LOT_MIN 20      /* the least size of a lot, in records */
#define DEFERRAL_LOT_MAX 500     /* the largest size of a lot that is not late, in records */
#define DEFERRAL_LATE_MS 500     /* a lot is larger the later it is, but a longer delay does not count */
#define DEFERRAL_WITHIN_MS 25000 /* within this time everything that a storm deferred is sent */
#define DEFERRAL_LEFT_MS 1000    /* the records that came last are spread over at least this time */
#define DEFERRAL_NOT_DUE_MS 1000 /* time between two checks whether a record is due */

/*                  more are due than go at once: reported
 *   STORM_NONE ----------------------------------------------> STORM_REPORTED
 *        ^---------------- the last is released: reported -----------------'
 */
enum storm { STORM_NONE, STORM_REPORTED };

struct deferral {
	struct flood flood;
	size_t due;        /* deferred rows of the outbox that are due */
	size_t not_due;    /* deferred rows that are not due yet */
	size_t most;       /* the largest number of rows that were due at once since the last time that none was due */
	uint64_t since_ms; /* when the first of the due rows began to wait */
	enum storm storm;
	uint64_t released; /* the number of records of this storm that were released */
	uint64_t merged;   /* records that were merged into a later record of their finding */
	uint64_t release_ms;
};

void deferral_done(struct deferral *d);
/* Within a transaction: decide whether @i, with the record @r, is sent, deferred or never sent (item_becomes).
 * @looks_up: deferred records may already be in the journal, which is not known yet. Fails as database.h. */
CHECKED int deferral_judge(struct deferral *d, struct database *database, struct item *i, struct record *r,
			   bool looks_up, int64_t now_usec, struct err *err);
/* As deferral_judge, for a change of state without a record, which is merged into a deferred record of the finding. */
CHECKED int deferral_judge_state(const struct deferral *d, struct database *database, struct item *i, struct err *err);
/* 1: a record of this key is deferred, or that cannot be found out; 0: none is. Negative: EIO, ENOMEM. */
CHECKED int deferral_has(const struct deferral *d, struct database *database, str key, struct err *err);
/* Count again what is deferred, because rows or their times may have changed. */
void deferral_count(struct deferral *d, struct database *database, const struct deferral_clock *clock);
/* Count what an earlier process has deferred; that process has reported its storm. */
void deferral_inherit(struct deferral *d, struct database *database, const struct deferral_clock *clock);
/* Move some of the deferred records to @unsent. The move has to be committed before they are sent. */
void deferral_release_some(struct deferral *d, struct database *database, struct work_queue *q,
			   const struct deferral_clock *clock, struct items *unsent);
/* Report that there are many deferred records. */
void deferral_note_storm(struct deferral *d, struct work_queue *q);

#endif
