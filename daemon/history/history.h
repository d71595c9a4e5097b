/* Questions about what was: what began and ended, and how many were open when. Answered in a thread, from a connection
 * of its own that only reads: neither the loop nor the writer waits for one, however large the history is. */
#ifndef DAEMON_HISTORY_HISTORY_H
#define DAEMON_HISTORY_HISTORY_H

#include "daemon/history/timeline.h"
#include "daemon/view/finding_filter.h"

#include <uv.h>

#define HISTORY_ITEMS_MAX 1000 /* items of one answer */

struct history_question {
	int64_t since_usec, until_usec;
	/* Only these members of the filter count: cluster, namespace, reference, name, manager, kind, types, worst,
	 * severities, cause. */
	struct finding_filter filter;
	/* the story of one object, which the filter names exactly: each record that was reported, instead of
	 * findings with begin and end */
	bool story;
	size_t buckets; /* 0: no timeline */
	size_t limit;   /* the most items; 0: none */
	/* only items behind this place (history_answer.next_usec); 0: from the newest on */
	int64_t before_usec, before_seq;
};

/* An item of an answer, which owns the texts; they may be empty. Messages and reasons are as they were reported. */
struct history_item {
	str finding, event, type, cluster, kind, resource, namespace, name, reference;
	str manager;  /* who wrote the change with which it began */
	str ended_by; /* who wrote the change that ended it */
	str cause, reason, message;
	enum severity severity;         /* 0: unknown */
	int64_t at_usec;                /* the time of the report */
	int64_t began_usec, ended_usec; /* 0: unknown, or outside of the range */
	int64_t lasted_usec;            /* for a finding that has ended; -1: unknown */
};

struct history_answer {
	struct arena arena;
	struct history_item *items; /* the newest first */
	size_t n_items;
	bool more; /* there are more items, which begin behind this place: */
	int64_t next_usec, next_seq;
	struct timeline timeline; /* has no buckets if none were asked for */
	int64_t oldest_usec;      /* the time of the oldest row of the whole history; 0: there are no rows */
};

void history_answer_free(struct history_answer *a);
DEFINE_CLEANUP(struct history_answer *, history_answer_free)

struct history;
struct history_ticket;
/* @answer belongs to the callee. NULL: there is no answer, for the reason *err: ENOENT (no history is stored),
 * ETIMEDOUT, E2BIG and what reading fails with. */
typedef void history_done_fn(void *ctx, struct history_answer *answer, const struct err *err);

/* NULL without memory. */
struct history *history_new(uv_loop_t *loop);
/* Set the folder of the database; "": there is none. Fails: ENOMEM. */
CHECKED int history_set_folder(struct history *h, str dir, struct err *err);
/* Give no more answers. */
void history_close(struct history *h);
/* Call this when the loop has ended; NULL is fine. */
void history_free(struct history *h);

/* Ask a question; @q is copied. done(ctx, ...) is called once on another turn of the loop. Fails: EBUSY (too many
 * wait already), ENOMEM. */
CHECKED int history_ask(struct history *h, const struct history_question *q, history_done_fn *done, void *ctx,
			struct history_ticket **ret, struct err *err);
/* Withdraw a question: done is not called, and reading stops. */
void history_forget(struct history_ticket *t);

/* Read the database in @dir until *stop is set, or for a limited time. This is what the thread does. */
CHECKED int history_read(const char *dir, const struct history_question *q, const _Atomic bool *stop,
			 struct history_answer **ret, struct err *err);

#endif
