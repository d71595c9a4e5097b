/* Transactions of the writer: each commits what the loop reported, and the marks of what was sent. */
#include "daemon/store/writer_internal.h"

#include "daemon/findings/clock.h"

#include <errno.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#define COMMIT_MAX 1000 /* items of one transaction */
#define FORGET_MAX 500  /* records that one transaction forgets, which takes some milliseconds */
#define GIVE_BACK_MS 4000
#define MANY_WRITTEN 5000 /* records since memory was given back */
#define PRUNE_MS (3600 * UINT64_C(1000))

/* Commit the record of a transition of a finding. The record of a flapping finding may contain its state only: then
 * its values are no longer known. */
static int commit_record(struct writer *w, struct item *i, int64_t now, struct err *err)
{
	struct record r;
	int status = record_decode(buf_str(&i->record), &r, err);

	if (status == 0)
		status = database_add_history(w->database, &r, now, err);
	if (status == 0 && !i->over)
		status = database_put_last_record(w->database, i->finding, buf_str(&i->record), err);
	if (status == 0 && i->state != ITEM_SENT)
		status = deferral_judge(&w->deferral, w->database, i, &r, w->recovery.looks_up >= LOOK_UP_DEFERRED, now,
					err);
	record_done(&r);
	return status;
}

/* The record of @i for the outbox, as the item's state says. */
static struct outbox_new outbox_row(const struct item *i)
{
	struct outbox_new row = { .about = buf_str(&i->key), .record = buf_str(&i->record) };

	if (i->state != ITEM_SENT) { /* what an earlier try decided does not count any more */
		row.record = buf_str(i->merged.n ? &i->merged : &i->record);
		row.deferred = i->state == ITEM_DEFERRED;
		row.urgent = i->urgent;
		row.due_usec = i->due_usec;
		row.hold_usec = i->due_hold_usec;
	}
	return row;
}

static int commit_item(struct writer *w, struct item *i, int64_t now, struct err *err)
{
	struct database *d = w->database;
	struct outbox_new row;
	int status = 0;

	if (i->kind == ITEM_SEEN)
		return database_put_seen(d, buf_str(&i->key), i->seen_usec, err);
	if (i->kind == ITEM_UNWATCHED)
		return database_put_unwatched(d, buf_str(&i->key), &(struct time_span){ i->seen_usec, i->until_usec },
					      err);
	if (i->kind == ITEM_INSPECTED)
		return database_put_inspected(d, buf_str(&i->key), buf_str(&i->json), err);
	if (i->kind == ITEM_FINDING) {
		status = i->over ? database_remove_finding(d, i->finding, err)
				 : database_put_finding(d, i->finding, buf_str(&i->json), err);
		if (status == 0 && i->record.n)
			status = commit_record(w, i, now, err);
		else if (status == 0 && w->agreed.with)
			status = deferral_judge_state(&w->deferral, d, i, err);
	}
	if (status < 0 || !i->record.n || i->state == ITEM_WITHDRAWN)
		return status;
	row = outbox_row(i);
	status = database_add_to_outbox(d, &row, &i->seq, err);
	if (status == 0 && i->state == ITEM_SENT) /* a journal that ends may lose the record */
		status = database_mark_sent(d, i->seq, steady_usec(), err);
	return status;
}

/* Commit one transaction: what the loop reported, and the marks of what was sent. @n: the number of its items.
 * @more: some of what may be forgotten is left. */
static int transaction(struct writer *w, int64_t forget_usec, size_t *n, bool *more, struct err *err)
{
	int64_t now = deferral_clock_wall_usec(&w->clock);
	struct item *i;
	int r = database_begin(w->database, err);

	*n = 0;
	if (r < 0)
		return r;
	r = marks_store(&w->marks, w->database, err);
	if (r == 0 && forget_usec)
		r = acks_forget(w->sender.output, w->database, forget_usec, FORGET_MAX, now, err);
	*more = r > 0;
	STAILQ_FOREACH(i, &w->commits.waiting, link)
	{
		if (r < 0 || *n == COMMIT_MAX)
			break;
		r = commit_item(w, i, now, err);
		++*n;
	}
	return database_end(w->database, r < 0 ? r : 0, err);
}

/* Whether the other hosts have to know of the change, even if it has no record. */
static bool is_agreed_on(const struct writer *w, const struct item *i)
{
	return w->agreed.with && i->kind == ITEM_FINDING;
}

static void move_committed(struct writer *w, size_t n)
{
	bool sent = w->marks.sent.n > 0;

	while (n-- > 0) {
		struct item *i = items_take(&w->commits.waiting);

		sent |= i->state == ITEM_SENT;
		if (i->state != ITEM_PENDING || (!i->record.n && !is_agreed_on(w, i)))
			work_queue_written(&w->queue, i);
		else
			STAILQ_INSERT_TAIL(&w->sender.unsent, i, link);
	}
	if (sent)
		acks_sent(&w->acks, &w->queue, w->sender.output, NULL);
	marks_clear(&w->marks);
}

/* The journal can be asked for everything that it was given lately, marked or not. With another output, what was
 * sent and not marked is sent once more after a crash. */
bool writer_marks_are_due(const struct writer *w)
{
	return w->marks.sent.n && (marks_are_due(&w->marks) || !output_is_the_journal(w->sender.output) ||
				   work_queue_ends(&w->queue) || w->recovery.state != RECOVERED);
}

bool writer_cannot_commit(const struct writer *w)
{
	return work_queue_is_failing(&w->queue, STEP_COMMIT) ||
	       (w->recovery.state == READ_OUTBOX && work_queue_is_failing(&w->queue, STEP_OUTBOX));
}

/* The time before which sent records may be forgotten; 0: none may be. While records wait to be sent again none is
 * forgotten, because those have an old mark. Records that were just sent get their own mark first, in the same
 * transaction. */
static int64_t forget_before(struct writer *w)
{
	int64_t before = 0;
	int r;

	if (w->recovery.state != RECOVERED) {
		acks_hold(&w->acks);
		return 0;
	}
	if (!STAILQ_EMPTY(&w->sender.unsent))
		return 0;
	r = acks_look(&w->acks, &w->queue, w->sender.output, &before);
	if (r < 0)
		writer_note_output(w, r);
	return before;
}

bool writer_commit(struct writer *w)
{
	int64_t forget_usec = forget_before(w);
	bool more = false;
	struct err err;
	size_t n;
	int r;

	if (STAILQ_EMPTY(&w->commits.waiting) && !w->marks.written.n && !forget_usec && !writer_marks_are_due(w))
		return false;
	work_queue_begins(&w->queue, STEP_COMMIT);
	if (steady_ms() < w->commits.again_ms || w->recovery.state == READ_OUTBOX)
		return false;
	r = transaction(w, forget_usec, &n, &more, &err);
	if (r == -ENOSPC) /* the log is copied into the database now and has room again */
		r = transaction(w, forget_usec, &n, &more, &err);
	if (r < 0) {
		deferral_count(&w->deferral, w->database, &w->clock);
		work_queue_fails(&w->queue, STEP_COMMIT, &err);
		w->commits.again_ms = steady_ms() + WRITER_LONG_MS;
		return false;
	}
	if (forget_usec)
		acks_forgot_some(&w->acks, &w->queue, more);
	move_committed(w, n);
	work_queue_goes_on(&w->queue, STEP_COMMIT, !STAILQ_EMPTY(&w->commits.waiting));
	return !STAILQ_EMPTY(&w->commits.waiting);
}

void writer_prune(struct writer *w)
{
	struct err err;

	if (steady_ms() < w->commits.prune_ms)
		return;
	w->commits.prune_ms = steady_ms() + PRUNE_MS;
	(void)!database_prune(w->database, clock_usec() - w->commits.history_usec, w->commits.history_bytes, &err);
}

/* Give memory back: after a storm most of what was allocated is free, and would stay allocated. */
static void give_back_memory(struct writer *w)
{
	uint64_t written = 0;

	for (size_t i = 0; i < ARRAY_LEN(w->sender.by_priority); i++)
		written += w->sender.by_priority[i];
	if (written - w->commits.written < MANY_WRITTEN || w->acks.state != ACKS_ALL)
		return;
	w->commits.written = written;
	database_give_back_memory(w->database);
#ifdef __GLIBC__
	(void)malloc_trim(0);
#endif
}

void writer_give_back(struct writer *w)
{
	if (steady_ms() < w->commits.give_back_ms || w->deferral.due || writer_cannot_commit(w))
		return;
	w->commits.give_back_ms = steady_ms() + GIVE_BACK_MS;
	database_give_back(w->database);
	give_back_memory(w);
}
