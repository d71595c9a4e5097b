/* What the files of the writer share: its state, and the steps from one to the other.
 *
 *   writer.c      the loop's side of the queue, the thread, its life
 *   commit.c      one transaction after the other: what was told, what became of what was sent
 *   defer.c       what must wait: what exceeds its place's share, what must last, what comes behind such; its release
 *   doubt.c       whether what was sent was written
 *   held_clock.c  when what must last has lasted, whatever the clock is set to
 *   send.c        to the output, once committed, or when that fails
 *   agree.c       what other hosts must know before it is sent
 *   takeover.c    this host tells in another's place
 *   files.c       whether the files are whole and in their place
 *   recover.c     what nobody knows to be written, after a crash or an absent journal
 */
#ifndef DAEMON_STORE_WRITER_INTERNAL_H
#define DAEMON_STORE_WRITER_INTERNAL_H

#include "daemon/findings/output.h"
#include "daemon/store/agreement.h"
#include "daemon/store/flood.h"
#include "daemon/store/item.h"
#include "daemon/store/writer.h"

#include <pthread.h>
#include <stdatomic.h>

#define WRITER_SHORT_MS 100 /* until what failed or is pending is tried again */
#define WRITER_LONG_MS 1000
#define WRITER_RELEASE_MS 100 /* between two lots of what was deferred */
#define WRITER_SOON_MS 50     /* that a mark may wait for a transaction with more to do, and between two that forget */
#define WRITER_FILES_MS 4000  /* between two looks whether the files are in their place */
#define WRITER_DOUBT_MS 3000  /* between two looks whether the journal is still there */

STAILQ_HEAD(writer_tasks, writer_task);

/* Of what an earlier life left, what is looked up in the journal besides what was sent and is not marked as written.
 * Each has what is before it. */
enum look_up {
	LOOK_UP_UNMARKED, /* nothing */
	LOOK_UP_HELD,     /* after earlier damage: what is held back */
	LOOK_UP_ALL,      /* after a boot, or damage: what was written, too */
};

/* What an earlier life, or a journal that was away, may have left unwritten. */
enum recovery { RECOVERED, READ_OUTBOX, SEND_BARRIER, READ_BARRIER_BACK };

struct writer {
	pthread_t thread;
	bool started;
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t wake, end;
	struct items queue;
	struct writer_tasks tasks;
	bool stopping, ended, woken;
	enum cfg_output next_output;
	struct writer_status status;
	_Atomic size_t n_waiting, bytes_waiting; /* in the queue and behind it */

	/* of the thread alone */
	struct writer_options o;
	struct database *database;
	struct output *output;
	enum cfg_output form;
	struct items uncommitted, unsent;
	VEC(int64_t) sent, written;   /* rows of the outbox that were sent, or need not be, since the last commit */
	bool doubts;                  /* there are rows that were sent not long ago */
	int64_t doubted_usec;         /* when the last of them was (writer_steady_usec) */
	char witness[RECORD_ID_SIZE]; /* once it can be read, all that was sent before is written; "": none */
	int64_t witness_usec;
	bool read_back;      /* some witness could be read: the journal can be */
	int64_t forget_usec; /* what was sent before that is being forgotten, bit by bit; 0: nothing is */
	int64_t ahead_usec;  /* of the steady clock: the wall clock, when it was last looked at */
	enum look_up looks_up;
	bool inherits; /* what an earlier life held, by whatever clock it had */
	uint64_t commit_again_ms, send_again_ms, prune_ms, release_ms, forget_ms, look_ms, mark_ms;
	struct flood flood;
	size_t deferred;   /* rows of the outbox that are due */
	size_t held;       /* and that are not */
	bool ending;       /* what is deferred waits for the next life */
	uint64_t released; /* of this storm */
	bool storm_told;
	bool unsettled; /* something was agreed on, and all of it is told */
	enum recovery recovery;
	char barrier[RECORD_ID_SIZE], last_sent[RECORD_ID_SIZE];
	uint64_t barrier_ms;
	struct step_health steps[STORE_STEPS]; /* shared whenever one changes: the thread may hang in the next call */
	uint64_t forget_written_ms, outbox_again_ms, files_again_ms, renew_again_ms;
	struct writer_status counts; /* added to the shared status now and then */
};

uint64_t writer_now_ms(void);
/* Of the thread: @i is one more, or one less, that waits to be written. */
void writer_item_waits(struct writer *w, struct items *items, struct item *i);
void writer_item_written(struct writer *w, struct item *i);
void writer_free_items(struct writer *w, struct items *items);

/* What becomes of a step (steps.h); whoever asks for the status sees it at once. */
void writer_step_begins(struct writer *w, enum store_step step);
void writer_step_goes_on(struct writer *w, enum store_step step, bool more);
void writer_step_fails(struct writer *w, enum store_step step, const struct err *why);
void writer_step_rests(struct writer *w, enum store_step step);
/* Its last try failed. */
bool writer_step_failed(const struct writer *w, enum store_step step);

/* ---- files.c ---- */

/* Now and then, or when something could not be read. */
void writer_look_at_files(struct writer *w);

/* ---- commit.c ---- */

/* Nothing can be committed now. */
bool writer_cannot_commit(const struct writer *w);
/* Whether there is more to commit at once. */
bool writer_commit(struct writer *w);
/* Whether the marks of what was sent should be committed now, whatever else there is. */
bool writer_marks_are_due(const struct writer *w);
/* Forget history, now and then. */
void writer_prune(struct writer *w);

/* ---- defer.c ---- */

/* Within a transaction: whether @i, with the record @r, must wait (i->deferred), or is never told (i->untold). Fails as
 * database.h does. */
CHECKED int writer_defer(struct writer *w, struct item *i, struct record *r, int64_t now_usec, struct err *err);
/* The same of what is not said: it gives way to what waits (i->untold), and shows with that. */
CHECKED int writer_defer_state(struct writer *w, struct item *i, struct err *err);
void writer_count_deferred(struct writer *w);
/* A few of those that wait, at a steady rate; committed as such before they are sent. */
void writer_release_some(struct writer *w);
/* Tell that there are many. */
void writer_note_storm(struct writer *w);

/* ---- doubt.c ---- */

/* Something was sent just now, and may be lost. */
void writer_doubt(struct writer *w);
/* What was sent before that (writer_steady_usec) need not be looked up any more, and is to be forgotten now; 0: nothing
 * is. */
int64_t writer_forget_before(struct writer *w);
/* Some of that was forgotten; @more: not all. */
void writer_forgot_some(struct writer *w, bool more);
/* What has been written for long enough goes, now and then. */
void writer_forget_written(struct writer *w);
/* At a clean end all is written: nothing need be looked up at the next start. */
void writer_forget_doubts(struct writer *w);

/* ---- held_clock.c ---- */

int64_t writer_steady_usec(void); /* of this life only */
int64_t writer_wall_usec(const struct writer *w);
/* Before all others. */
void writer_look_at_clock(struct writer *w);
void writer_follow_clock(struct writer *w);

/* ---- send.c ---- */

/* What the output said of the last try. */
void writer_note_output(struct writer *w, int r);
void writer_send_some(struct writer *w);

/* Of one that is taken out of its list then; with @durable: it is committed. False: it is to be tried again. */
bool writer_send_item(struct writer *w, struct item *i, bool durable);
/* Send @i, which is the first of those that are unsent; false as above. */
bool writer_send_first(struct writer *w);

/* ---- agree.c ---- */

/* Other hosts tell, or perhaps do: what is about findings waits. */
bool writer_is_closed(const struct writer *w);
/* Of those that are unsent some. True: all are sent. */
bool writer_send_agreed(struct writer *w, size_t max);
/* Other hosts know of @i now, which is not committed, if they need to. */
bool writer_agree_on(struct writer *w, const struct item *i);
/* They know that all is told, now and then. */
void writer_settle(struct writer *w);

/* ---- recover.c ---- */

/* Before anything of this life is in the outbox. What cannot be read is tried again; until then nothing is committed,
 * and what is new is told all the same. */
void writer_read_outbox(struct writer *w);
void writer_recover_some(struct writer *w);

#endif
