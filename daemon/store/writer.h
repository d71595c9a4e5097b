/* The thread that owns the database and the output. How each of its steps goes on stands in steps.h. The loop hands it
 * what happens and never waits for it.
 *
 *     loop                         writer thread
 *   sink_emit --> queue ----> committed with its record ----> sent ----> marked as sent ----> forgotten
 *                               |                              |  ^
 *                               | cannot be committed:         |  '-- looked up in the journal, after a crash or when
 *                               v sent with DRIFTD_NOT_DURABLE v      the journal was away
 *                              tried again                    tried again
 *
 * A transition is sent to the journal exactly once, whatever ends: it is sent only when it is committed, and what was
 * not known to be in the journal when the process or the journal ended is looked up before it is sent again, or sent
 * again with DRIFTD_RESENT where the journal cannot be read. Other outputs get it at least once. The queue is bounded:
 * when it is full the loop stops judging (writer_is_full). */
#ifndef DAEMON_STORE_WRITER_H
#define DAEMON_STORE_WRITER_H

#include "base/shard.h"
#include "base/vec.h"
#include "daemon/findings/findings.h"
#include "daemon/findings/histogram.h"
#include "daemon/findings/sink.h"
#include "daemon/store/steps.h"

#include <stdatomic.h>
#include <sys/queue.h>

struct database;
struct writer;
struct writer_agreement; /* agreement.h */
struct made_item;        /* made.h */

/* How long a record is kept after it was sent: a journal that ends may lose what it was given but has not stored. */
#define WRITER_UNSYNCED_USEC (30 * INT64_C(1000000))
/* How long a record may take to be readable (systemd-journald(8)). */
#define WRITER_READ_BACK_MS 10000

struct writer_options {
	struct database *database;                /* the writer closes it */
	const struct writer_agreement *agreement; /* the agreement outlives the writer; NULL: no other host reports */
	enum cfg_output output;
	struct shard shard;                  /* the shard whose records are written */
	int64_t history_usec, history_bytes; /* how much history is kept */
	bool rebooted;                       /* there may have been a power cut since something was last sent */
	bool doubtful;                       /* the database may be older than it says */
	/* an earlier process found the database damaged, which matters for deferred records only */
	bool was_damaged;
};

struct writer_status {
	uint64_t records[8];     /* written, by priority */
	uint64_t write_failures; /* tries that did not get a record out */
	uint64_t not_durable;    /* records sent before they could be committed */
	uint64_t resent;         /* records sent again because nobody knows whether they were written */
	uint64_t merged;         /* records that were merged into a later record of their finding */
	/* how often the database was replaced by a new one, with everything that is known */
	uint64_t renewals;
	size_t waiting;             /* records to be sent at once that are not written yet */
	size_t deferred;            /* deferred records (flood.h) */
	struct err agreement_error; /* the error of the last try to agree with other hosts, while this host leads */
	struct step_health steps[STORE_STEPS];
	struct histogram latency; /* the time from the cause to the written record */
};

/* On failure the database stays the caller's. Fails: ENOMEM. */
CHECKED int writer_new(const struct writer_options *o, struct writer **ret, struct err *err);
/* Start the thread, which first reconciles what an earlier process left in the outbox. The thread owns the database
 * from now on. Fails: EAGAIN. */
CHECKED int writer_start(struct writer *w, struct err *err);
/* Commit the queue, send as much as possible, and end within @ms, whatever hangs. False: the thread hangs, and goes
 * on to use @w. */
bool writer_stop(struct writer *w, unsigned ms);

/* A task that the thread runs on the database between two transactions. */
struct writer_task {
	STAILQ_ENTRY(writer_task) link;
	/* Called on the thread, after which the task is its owner's again; not at all when the thread ends before. */
	void (*run)(struct writer_task *task, struct database *d);
};
void writer_run(struct writer *w, struct writer_task *task);

/* A takeover: this host is about to report in place of another one. What this host knew and had to send is replaced
 * by what the hosts agreed on. */
struct writer_takeover {
	struct writer_task task; /* the first member, so that a pointer to it is one to the takeover */
	struct writer *writer;
	const str *states; /* the open findings, each as finding_to_json; borrowed until @done */
	size_t n_states;
	const str *records; /* the records that may not have been sent and are sent again; borrowed too */
	size_t n_records;
	/* True: this is no takeover, but another host reports from now on. Records that wait are dropped. Those that
	 * were sent are kept, in case no other host knows of them some day. */
	bool drops;
	/* True: this is no takeover, but the content of the database is published (writer_agreement.publish) and put
	 * into @found; nothing else changes. */
	bool publishes;
	/* What users made (made.h): it replaces what this host has of that, unless @drops is set; borrowed until
	 * @done. With @publishes_made this host publishes what it has instead. */
	const struct made_item *made;
	size_t n_made;
	bool publishes_made;
	struct arena arena; /* the texts of @found; the caller releases it */
	VEC(str) found;
	/* Called on the thread, after which the takeover belongs to its owner again; never when the thread ends
	 * before. */
	void (*done)(struct writer_takeover *t, int r, const struct err *err);
};
void writer_take_over(struct writer *w, struct writer_takeover *t);

/* For sink_new. @ctx: the writer. */
void writer_take(void *ctx, const struct emission *t);
/* Set the key of state_dir, which is written again when its file is gone. Call this before writer_start. */
void writer_set_key(struct writer *w, const unsigned char key[FINDINGS_KEY_SIZE]);
/* A task that makes another key the key of state_dir. */
struct writer_key {
	struct writer_task task; /* the first member, so that a pointer to it is one to the whole */
	struct writer *writer;
	unsigned char key[FINDINGS_KEY_SIZE];
	/* why the key is not stored; code 0: it is, and the former key is an old key now (state_key_keep) */
	struct err err;
	atomic_bool over; /* set by the thread at the end: from then on this belongs to its owner again */
};
void writer_change_key(struct writer *w, struct writer_key *k);
/* Store that @cluster was synced at @usec (Unix time). Without memory nothing is stored. */
void writer_seen(struct writer *w, str cluster, int64_t usec);
/* Store that @cluster was not watched within @span. Without memory nothing is stored. */
void writer_unwatched(struct writer *w, str cluster, const struct time_span *span);
/* Store what was inspected of @cluster when driftd stops, for database_take_inspected in the next process. Copies
 * both. Without memory, or beyond 8 MiB, nothing is stored. */
void writer_keep_inspected(struct writer *w, str cluster, str versions);
/* Whether the queue is full: the loop should report no more until some of it is written. */
bool writer_is_full(const struct writer *w);
/* Wake the thread, because other hosts may have agreed to what waits. */
void writer_wake(struct writer *w);
void writer_set_output(struct writer *w, enum cfg_output output);
void writer_status(struct writer *w, struct writer_status *ret);

#endif
