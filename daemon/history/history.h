/* Questions about what was: what began and ended, and how many were open when. Answered in a thread, from a connection
 * of its own that only reads: neither the loop nor the writer waits for one, however large the history is. */
#ifndef DAEMON_HISTORY_HISTORY_H
#define DAEMON_HISTORY_HISTORY_H

#include "daemon/history/timeline.h"
#include "daemon/view/finding_filter.h"

#include <uv.h>

#define HISTORY_ITEMS_MAX 1000 /* of one answer */

struct history_question {
	int64_t since_usec, until_usec;
	/* Only these members of the filter count: cluster, namespace, reference, name, manager, kind, types, worst,
	 * severities, cause. */
	struct finding_filter filter;
	bool story;     /* of one object, which the filter names exactly: each record that was reported, not pairs */
	size_t buckets; /* 0: no timeline */
	size_t limit;   /* of items; 0: none */
	int64_t before_usec, before_seq; /* those behind this place (history_answer.next_usec); 0: from the newest on */
};

/* Texts may be empty; they are the answer's. Messages and reasons are as they were reported. */
struct history_item {
	str finding, event, type, cluster, kind, resource, namespace, name, reference;
	str manager;  /* who wrote what began it */
	str ended_by; /* and what ended it */
	str cause, reason, message;
	enum severity severity;         /* 0: unknown */
	int64_t at_usec;                /* of what was reported */
	int64_t began_usec, ended_usec; /* 0: not known, not within the range */
	int64_t lasted_usec;            /* of what has ended; -1: nobody knows */
};

struct history_answer {
	struct arena arena;
	struct history_item *items; /* the newest first */
	size_t n_items;
	bool more; /* there are more behind these: */
	int64_t next_usec, next_seq;
	struct timeline timeline; /* without buckets: none was asked for */
	int64_t oldest_usec;      /* of all that is kept; 0: nothing is */
};

void history_answer_free(struct history_answer *a);
DEFINE_CLEANUP(struct history_answer *, history_answer_free)

struct history;
struct history_ticket;
/* @answer is the callee's; NULL: there is none, for the reason *err: ENOENT (nothing is kept), ETIMEDOUT, E2BIG and
 * what reading fails with. */
typedef void history_done_fn(void *ctx, struct history_answer *answer, const struct err *err);

/* NULL without memory. */
struct history *history_new(uv_loop_t *loop);
/* Where the database is; "": nowhere. Fails: ENOMEM. */
CHECKED int history_set_folder(struct history *h, str dir, struct err *err);
/* Nothing is answered any more. */
void history_close(struct history *h);
/* When the loop has ended; NULL is fine. */
void history_free(struct history *h);

/* @q is copied. done(ctx, ...) is called once on another turn of the loop. Fails: EBUSY (too many wait already),
 * ENOMEM.
 */
CHECKED int history_ask(struct history *h, const struct history_question *q, history_done_fn *done, void *ctx,
			struct history_ticket **ret, struct err *err);
/* Nobody waits any more: done is not called, and reading stops. */
void history_forget(struct history_ticket *t);

/* What the thread does: read @dir's database until *stop is set, or for so long. */
CHECKED int history_read(const char *dir, const struct history_question *q, const _Atomic bool *stop,
			 struct history_answer **ret, struct err *err);

#endif
