/* What the files of the writer share: its parts, each with the file that changes its fields, and the steps over several
 * of them.
 *
 *   work_queue.c      between the loop and the thread        commit.c    one transaction after the other
 *   marks.c           what became of rows since the last     sender.c    what may go now, one record after the other
 *   acks.c            what was sent and may be lost          agree.c     what other hosts must know before
 *   deferral_clock.c  when a deferred record becomes due     recover.c   looking up what may not be in the journal
 *   deferral.c        what must wait, and its release        takeover.c  this host takes over from another
 *   recovery.h        how far that is known                  files.c     whether the files are whole, in their place
 *   made.c            what users make at run time             writer.c    the thread, and its life
 */
#ifndef DAEMON_STORE_WRITER_INTERNAL_H
#define DAEMON_STORE_WRITER_INTERNAL_H

#include "daemon/findings/output.h"
#include "daemon/store/acks.h"
#include "daemon/store/agreement.h"
#include "daemon/store/deferral.h"
#include "daemon/store/made.h"
#include "daemon/store/marks.h"
#include "daemon/store/recovery.h"
#include "daemon/store/work_queue.h"

#define WRITER_SHORT_MS 100 /* the time after which something that failed or is pending is tried again */
#define WRITER_LONG_MS 1000
#define WRITER_FILES_MS 4000 /* between two looks at the files */

struct commits {
	struct items waiting;
	int64_t history_usec, history_bytes; /* how much history is kept */
	uint64_t again_ms, prune_ms, give_back_ms;
	uint64_t written; /* number of records written when memory was last given back */
};

struct sender {
	struct output *output;
	enum cfg_output form;
	struct items unsent; /* items that are committed and wait to be sent */
	uint64_t again_ms;
	/* Numbers of records, as in writer_status: */
	uint64_t by_priority[8], failures, not_durable, resent;
	struct histogram latency;
};

/*                  something is agreed on              all of it is sent
 *   AGREED_NONE -----------------------> AGREED_OPEN ------------------> AGREED_NONE
 */
enum agreed_state { AGREED_NONE, AGREED_OPEN };

struct agreed {
	const struct writer_agreement *with; /* NULL: no other host reports */
	enum agreed_state state;
	struct err error; /* the error of the last try to agree, while this host leads */
};

struct watched_files {
	bool has_key; /* writer_set_key was called */
	unsigned char key[FINDINGS_KEY_SIZE];
	uint64_t look_ms, renew_ms;
	uint64_t renewals;
};

struct writer {
	struct work_queue queue;
	struct database *database;
	struct commits commits;
	struct marks marks;
	struct sender sender;
	struct acks acks;
	struct deferral_clock clock;
	struct deferral deferral;
	struct recovery recovery;
	struct agreed agreed;
	struct watched_files files;
	STAILQ_HEAD(, made_order) orders; /* the orders that wait */
};

/* ---- files.c ---- */

/* Look at the files: now and then, or when something could not be read. */
void writer_look_at_files(struct writer *w);

/* ---- commit.c ---- */

/* Nothing can be committed now. */
bool writer_cannot_commit(const struct writer *w);
/* Commit what there is. Whether there is more to commit at once. */
bool writer_commit(struct writer *w);
/* Whether the marks of what was sent should be committed now, whatever else there is. */
bool writer_marks_are_due(const struct writer *w);
/* Forget history, now and then. */
void writer_prune(struct writer *w);
/* Shorten the files while there is nothing else to do. */
void writer_give_back(struct writer *w);

/* ---- sender.c ---- */

/* Note the result of the last try to write to the output. */
void writer_note_output(struct writer *w, int r);
/* Send an item, which the caller then takes out of its list. @durable: the item is committed. False: it is to be tried
 * again. */
bool writer_send_item(struct writer *w, struct item *i, bool durable);
/* Send the first unsent item; false as for writer_send_item. */
bool writer_send_first(struct writer *w);
void writer_send_some(struct writer *w);

/* ---- agree.c ---- */

/* Whether this host may not send, because others report or may do so: records about findings wait here. */
bool writer_is_closed(const struct writer *w);
/* Send at most @max unsent items on which the hosts agree. True: all are sent. */
bool writer_send_agreed(struct writer *w, size_t max);
/* Publish @i, which is not committed, to other hosts if they need to know. True: they know. */
bool writer_agree_on(struct writer *w, const struct item *i);
/* Publish @change to other hosts. Fails: as writer_agreement.agree_made. */
CHECKED int writer_agree_on_made(struct writer *w, const struct made_item *change, struct err *err);
void writer_agreed_becomes(struct writer *w, enum agreed_state state);
/* Let other hosts know, now and then, that every record is sent. */
void writer_reconcile(struct writer *w);

/* ---- made.c ---- */

/* Carry out the orders that wait, as far as that is possible now. */
void writer_keep_orders(struct writer *w);
/* Answer all waiting orders with an unknown outcome. */
void writer_give_orders_up(struct writer *w);
/* Publish what the database has to other hosts. Fails: as writer_agreement.publish_made; EIO, ENOMEM. */
CHECKED int writer_publish_made(struct writer *w, struct err *err);

/* ---- recover.c ---- */

/* Read what an earlier process left in the outbox, before this one adds to it. A failed read is tried again; until it
 * succeeds nothing is committed, and new records are sent all the same. */
void writer_read_outbox(struct writer *w);
void writer_recover_some(struct writer *w);

/* ---- writer.c ---- */

/* How long the thread has nothing to do, unless the loop hands it something. */
uint64_t writer_wait_ms(const struct writer *w);
/* One turn of the thread, which waits up to @ms for the loop. False: it is time to end, and nothing was done; tasks
 * that came last are not run. */
bool writer_turn(struct writer *w, uint64_t ms);
/* The last that the thread does. */
void writer_end(struct writer *w);

#endif
