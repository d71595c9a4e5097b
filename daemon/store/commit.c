/* One transaction: what the loop told, and what became of what was sent. */
#include "daemon/store/writer_internal.h"

#include "daemon/findings/clock.h"

#include <errno.h>

#define COMMIT_MAX 1000 /* items of one transaction */
#define FORGET_MAX 500  /* records that it forgets: some milliseconds */
#define PRUNE_MS (3600 * UINT64_C(1000))

/* Of a step in the life of a finding. A record of one that flaps may say its state only: then its values are not known
 * any more. */
static int commit_record(struct writer *w, struct item *i, int64_t now, struct err *err)
{
	struct record r;
	int status = record_decode(buf_str(&i->record), &r, err);

	if (status == 0)
		status = database_add_history(w->database, &r, now, err);
	if (status == 0 && !i->over)
		status = database_put_told(w->database, i->finding, buf_str(&i->record), err);
	if (status == 0 && !i->sent)
		status = writer_defer(w, i, &r, now, err);
	record_done(&r);
	return status;
}

static int commit_item(struct writer *w, struct item *i, int64_t now, struct err *err)
{
	struct outbox_new row = { .about = buf_str(&i->key) };
	int status = 0;

	if (i->seen_usec)
		return database_put_seen(w->database, row.about, i->seen_usec, err);
	if (i->inspected)
		return database_put_inspected(w->database, row.about, buf_str(&i->json), err);
	if (*i->finding)
		status = i->over ? database_remove_finding(w->database, i->finding, err)
				 : database_put_finding(w->database, i->finding, buf_str(&i->json), err);
	if (status == 0 && *i->finding && i->record.n)
		status = commit_record(w, i, now, err);
	else if (status == 0 && *i->finding && w->o.agreement)
		status = writer_defer_state(w, i, err);
	row.record = buf_str(&i->record);
	if (!i->sent) { /* what an earlier try found counts no more */
		row.record = buf_str(i->merged.n ? &i->merged : &i->record);
		row.deferred = i->deferred;
		row.due_usec = i->due_usec;
		row.hold_usec = i->due_hold_usec;
	}
	if (status == 0 && i->record.n && (i->sent || !i->untold))
		status = database_add_to_outbox(w->database, &row, &i->seq, err);
	if (status == 0 && i->record.n && i->sent) /* a journal that ends may lose it all the same */
		status = database_mark_sent(w->database, i->seq, writer_steady_usec(), err);
	return status;
}

/* @more: not all could be forgotten that may be. */
static int commit_marks(struct writer *w, int64_t forget_usec, bool *more, struct err *err)
{
	int64_t now = writer_steady_usec();
	int r = 0;

	for (size_t i = 0; r == 0 && i < w->sent.n; i++)
		r = database_mark_sent(w->database, w->sent.p[i], now, err);
	for (size_t i = 0; r == 0 && i < w->written.n; i++)
		r = database_remove_from_outbox(w->database, w->written.p[i], err);
	if (r == 0 && forget_usec)
		r = output_is_the_journal(w->output)
			    ? database_note_written(w->database, forget_usec, FORGET_MAX, writer_wall_usec(w), err)
			    : database_forget_sent(w->database, forget_usec, FORGET_MAX, err);
	*more = r > 0;
	return r < 0 ? r : 0;
}

/* One transaction: what the loop told, and what became of what was sent. @n: the items in it. @more: as above. */
static int transaction(struct writer *w, int64_t forget_usec, size_t *n, bool *more, struct err *err)
{
	int64_t now = writer_wall_usec(w);
	struct item *i;
	int r = database_begin(w->database, err);

	*n = 0;
	if (r < 0)
		return r;
	r = commit_marks(w, forget_usec, more, err);
	STAILQ_FOREACH(i, &w->uncommitted, link)
	{
		if (r < 0 || *n == COMMIT_MAX)
			break;
		r = commit_item(w, i, now, err);
		++*n;
	}
	return database_end(w->database, r, err);
}

/* Nothing is said of it, and other hosts must know it all the same. */
static bool is_agreed_on(const struct writer *w, const struct item *i)
{
	return w->o.agreement && *i->finding;
}

static void move_committed(struct writer *w, size_t n)
{
	while (n-- > 0) {
		struct item *i = items_take(&w->uncommitted);

		if (i->sent)
			writer_doubt(w);
		if (i->sent || i->deferred || i->untold || (!i->record.n && !is_agreed_on(w, i)))
			writer_item_written(w, i);
		else
			STAILQ_INSERT_TAIL(&w->unsent, i, link);
	}
	if (w->sent.n)
		writer_doubt(w);
	w->sent.n = w->written.n = 0;
}

/* The journal is asked for all that it was given lately, marked or not. What another output was given and is not marked
 * is given once more after a crash. */
bool writer_marks_are_due(const struct writer *w)
{
	return w->sent.n && (writer_now_ms() >= w->mark_ms || !output_is_the_journal(w->output) || w->ending ||
			     w->recovery != RECOVERED);
}

bool writer_cannot_commit(const struct writer *w)
{
	return writer_step_failed(w, STEP_COMMIT) || (w->recovery == READ_OUTBOX && writer_step_failed(w, STEP_OUTBOX));
}

bool writer_commit(struct writer *w)
{
	int64_t forget_usec = writer_forget_before(w);
	bool more = false;
	struct err err;
	size_t n;
	int r;

	if (STAILQ_EMPTY(&w->uncommitted) && !w->written.n && !forget_usec && !writer_marks_are_due(w))
		return false;
	writer_step_begins(w, STEP_COMMIT);
	if (writer_now_ms() < w->commit_again_ms || w->recovery == READ_OUTBOX)
		return false;
	r = transaction(w, forget_usec, &n, &more, &err);
	if (r == -ENOSPC) /* what was in the log is at its place now, and the log has room */
		r = transaction(w, forget_usec, &n, &more, &err);
	if (r < 0) {
		writer_count_deferred(w);
		writer_step_fails(w, STEP_COMMIT, &err);
		w->commit_again_ms = writer_now_ms() + WRITER_LONG_MS;
		return false;
	}
	if (forget_usec)
		writer_forgot_some(w, more);
	move_committed(w, n);
	writer_step_goes_on(w, STEP_COMMIT, !STAILQ_EMPTY(&w->uncommitted));
	return !STAILQ_EMPTY(&w->uncommitted);
}

void writer_prune(struct writer *w)
{
	struct err err;

	if (writer_now_ms() < w->prune_ms)
		return;
	w->prune_ms = writer_now_ms() + PRUNE_MS;
	(void)!database_prune(w->database, clock_usec() - w->o.history_usec, w->o.history_bytes, &err);
}
