/* Looks up in the journal which records were written. */
#include "daemon/store/writer_internal.h"

#include "base/strmap.h"
#include "daemon/store/journal/journal_lookup.h"

#include <errno.h>

struct lookup {
	struct writer *w;
	struct items found;
	VEC(int64_t) unsent;        /* rows that are in memory because they will be sent; sorted */
	struct sd_journal *journal; /* the journal in which the barrier was found; NULL: it cannot be read */
	struct strmap tail;         /* ids of the last records in the journal */
	bool tail_read;             /* @tail was read */
	int64_t reach_usec;         /* what journal_reach returned */
	/* the lowest line of the history among all records that were read in the journal; INT64_MAX: none */
	int64_t lowest_line;
	int64_t below_line; /* a record with a lower line than this is looked for */
	bool lines_read;    /* the whole journal was read to find such a record */
	bool reached;       /* the journal has a record that was sent before the one that is looked up */
	VEC(int64_t) again; /* rows that are sent again after a boot */
	VEC(int64_t) kept;  /* rows that are in the journal, which may lose them in a power cut */
};

/* A record was sent at most this long before it was known to be written. */
#define SENT_BEFORE_USEC (60 * INT64_C(1000000))

static int by_number(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static int list_unsent(struct lookup *l, struct err *err)
{
	const struct item *i;

	STAILQ_FOREACH(i, &l->w->sender.unsent, link)
	{
		if (!vec_push(&l->unsent, i->seq))
			return err_nomem(err);
	}
	if (l->unsent.n)
		qsort(l->unsent.p, l->unsent.n, sizeof(*l->unsent.p), by_number);
	return 0;
}

/* Whether the row will be sent in any case, now or in its turn. After a boot, or damage, the journal may have a record
 * that this database still defers, because it lost the note that it was sent. */
static bool is_unsent(const struct lookup *l, const struct outbox_row *row)
{
	return (row->deferred && !(l->w->recovery.looks_up >= LOOK_UP_DEFERRED && l->journal)) ||
	       (l->unsent.n && bsearch(&row->seq, l->unsent.p, l->unsent.n, sizeof(*l->unsent.p), by_number));
}

/* Whether the record is among the last entries. Entries that cannot be read count as missing. */
static int is_among_last(struct lookup *l, const char *id)
{
	if (!l->tail_read && journal_read_tail(l->journal, &l->tail) == -ENOMEM)
		return -ENOMEM;
	l->tail_read = true;
	return strmap_has(&l->tail, str_from(id));
}

/* Whether the journal has the record: 1 yes, 0 no; negative: unknown. */
static int is_in_journal(struct lookup *l, str record, struct err *err)
{
	struct record r;
	int status = record_decode(record, &r, err);

	if (status == -EBADMSG)
		status = 1; /* a record of another version, which can never be sent */
	else if (status == 0)
		status = journal_has(l->journal, r.id);
	if (status == 0)
		status = is_among_last(l, r.id);
	record_done(&r);
	return status < 0 ? err_set(err, -status, "look into the journal: %s", strerror(-status)) : status;
}

static int64_t history_line(const struct lookup *l, const struct record *r, struct err *err)
{
	return database_history_line(l->w->database, record_get(r, "DRIFTD_DRIFT_ID"), str_from(r->id), err);
}

static int see_line(void *ctx, struct record *r, int64_t usec, struct err *err)
{
	struct lookup *l = ctx;
	int64_t line = history_line(l, r, err);

	(void)usec;
	if (line > 0 && line < l->lowest_line)
		l->lowest_line = line;
	return line < 0 ? (int)line : l->lowest_line < l->below_line;
}

/* Whether the journal has a record whose line of the history is lower than @line. Mostly the first record in the
 * journal is such a one. Lines that were learned from the journal after damage are higher than all that were known
 * before, the latest record first. */
static bool has_line_below(struct lookup *l, int64_t line)
{
	struct err err;

	l->below_line = line;
	if (line > 0 && l->lowest_line >= line && !l->lines_read) {
		(void)!journal_each(l->journal, JOURNAL_EARLIEST_FIRST, see_line, l, &err);
		l->lines_read = l->lowest_line >= line;
	}
	return l->lowest_line < line;
}

/* Whether the journal has a record that was sent before the one of @row. */
static bool is_in_reach(struct lookup *l, const struct outbox_row *row)
{
	struct record r;
	struct err err;

	if (record_decode(row->record, &r, &err) < 0)
		return false;
	l->reached |= has_line_below(l, history_line(l, &r, &err));
	record_done(&r);
	return l->reached;
}

/* Whether the record is missing because the journal is only in memory, or does not keep records for so long: then
 * the record is not sent again. The clock may have been set since it was sent, so older records in the journal count
 * more than the times. */
static bool is_lost_by_design(struct lookup *l, const struct outbox_row *row)
{
	if (l->w->recovery.looks_up != LOOK_UP_ALL || !l->w->recovery.rebooted || !l->journal || l->reached ||
	    is_in_reach(l, row))
		return false;
	return l->reach_usec == INT64_MAX ||
	       (row->written_usec && l->reach_usec > row->written_usec - SENT_BEFORE_USEC);
}

/* Whether the journal's content has outlasted a boot. That is so at the first look after a boot; what a later look
 * finds may be lost at the next boot. */
static bool outlasted_a_boot(const struct writer *w)
{
	return w->recovery.rebooted && w->recovery.looks_up == LOOK_UP_ALL;
}

static int look_up(void *ctx, const struct outbox_row *row, struct err *err)
{
	struct lookup *l = ctx;
	struct writer *w = l->w;
	bool sent = row->sent || row->written_usec;
	/* only the journal may lose what it was given */
	int written = sent && !output_is_the_journal(w->sender.output);
	struct item *i;

	if (is_unsent(l, row) || (row->written_usec && w->recovery.looks_up != LOOK_UP_ALL))
		return 0;
	if (l->journal)
		written = is_in_journal(l, row->record, err);
	if (written < 0)
		return written;
	l->reached |= written && l->journal;
	if (written && l->journal && !outlasted_a_boot(w) && !row->deferred)
		return vec_push(&l->kept, row->seq) ? 0 : err_nomem(err);
	if (written || (sent && is_lost_by_design(l, row)))
		return marks_add_written(&w->marks, row->seq) ? 0 : err_nomem(err);
	if (row->deferred)
		return 0;
	i = item_of_row(row);
	if (!i || (sent && w->recovery.looks_up == LOOK_UP_ALL && !vec_push(&l->again, row->seq))) {
		item_free(i);
		return err_nomem(err);
	}
	i->resent = !l->journal || w->recovery.looks_up == LOOK_UP_ALL;
	work_queue_waits(&w->queue, &l->found, i);
	return 0;
}

/* Look up records that were sent before they could be committed; those that are missing are sent again. */
static int look_up_uncommitted(struct lookup *l, struct err *err)
{
	struct item *i;

	STAILQ_FOREACH(i, &l->w->commits.waiting, link)
	{
		int written = 0;

		if (i->state != ITEM_SENT)
			continue;
		if (l->journal)
			written = is_in_journal(l, buf_str(&i->record), err);
		if (written < 0)
			return written;
		if (!written)
			item_becomes(i, ITEM_PENDING);
		i->resent = !l->journal;
	}
	return 0;
}

static void report_resent(struct writer *w, bool readable)
{
	struct record r;

	if (readable || STAILQ_EMPTY(&w->sender.unsent) || !STAILQ_FIRST(&w->sender.unsent)->resent)
		return;
	record_init(&r, MESSAGE_NOTICE, SEVERITY_WARNING);
	r.text = arena_printf(&r.arena,
			      "records that may have been written before are written again, with "
			      "DRIFTD_RESENT=1: %s",
			      output_is_the_journal(w->sender.output) ? "the journal cannot be read"
								      : "this output cannot be read back");
	record_add(&r, "DRIFTD_EVENT", STR("notice"));
	(void)!output_write(w->sender.output, &r);
	record_done(&r);
}

/* After a boot everything is looked up once: what happens from now on happens in this boot. Rows that wait although
 * they are written are removed, or a later process would send them again. */
static int end_boot(struct writer *w, const struct lookup *l, struct err *err)
{
	const struct reconciled_rows rows = { .again = l->again.p,
					      .n_again = l->again.n,
					      .written = w->marks.written.p,
					      .n_written = w->marks.written.n };
	char id[BOOT_ID_SIZE];
	int r;

	journal_boot_id(id);
	r = database_mark_reconciled(w->database, id, &rows, err);
	if (r < 0)
		return r;
	marks_clear_written(&w->marks);
	w->recovery.looks_up = LOOK_UP_UNMARKED;
	return 0;
}

/* Reconcile the rows that an earlier process left: those that the journal has are done, and the others are sent.
 * Without memory, try again later. */
static void recover(struct writer *w, struct sd_journal *journal)
{
	struct lookup l = { .w = w, .journal = journal, .lowest_line = INT64_MAX };
	struct err err;
	int r;

	STAILQ_INIT(&l.found);
	if (journal && w->recovery.looks_up == LOOK_UP_ALL)
		l.reach_usec = journal_reach(journal, w->recovery.barrier);
	r = list_unsent(&l, &err);
	if (r == 0)
		r = database_outbox(w->database, look_up, &l, &err);
	if (r == 0)
		r = look_up_uncommitted(&l, &err);
	if (r == 0 && w->recovery.looks_up == LOOK_UP_ALL)
		r = end_boot(w, &l, &err);
	/* records that are in the journal count as sent just now */
	if (r == 0 && !marks_set_sent(&w->marks, l.kept.p, l.kept.n))
		r = err_nomem(&err);
	vec_done(&l.unsent);
	vec_done(&l.kept);
	vec_done(&l.again);
	strmap_done(&l.tail);
	if (r < 0) {
		work_queue_free_items(&w->queue, &l.found);
		marks_clear_written(&w->marks);
		work_queue_fails(&w->queue, STEP_RECOVERY, &err);
		return;
	}
	recovery_becomes(&w->recovery, RECOVERED);
	w->recovery.looks_up = LOOK_UP_UNMARKED;
	work_queue_goes_on(&w->queue, STEP_RECOVERY, false);
	STAILQ_CONCAT(&l.found, &w->sender.unsent);
	STAILQ_CONCAT(&w->sender.unsent, &l.found);
	acks_sent(&w->acks, &w->queue, w->sender.output, NULL);
	report_resent(w, journal != NULL);
}

/* Whether the barrier is lost because its journal is gone: the next journal gets another barrier. */
static bool is_lost(struct writer *w)
{
	int r = output_await(w->sender.output);

	if (r == 0 || r == -EAGAIN)
		return false;
	writer_note_output(w, r);
	recovery_becomes(&w->recovery, SEND_BARRIER);
	return true;
}

/* One step of the recovery. A barrier that is written now stands behind the records that are looked for: once it can
 * be read, a record that cannot be found is not there. */
static void recover_from_journal(struct writer *w)
{
	struct sd_journal *j;
	int r;

	if (w->recovery.state == SEND_BARRIER) {
		r = journal_send_barrier(w->sender.output,
					 STR("records that may not have been written are looked up in the journal"),
					 w->recovery.barrier);
		writer_note_output(w, r);
		if (r < 0)
			return;
		recovery_becomes(&w->recovery, READ_BARRIER_BACK);
		w->recovery.barrier_ms = steady_ms();
	}
	j = journal_open_with(w->recovery.barrier);
	if (!j && is_lost(w))
		return;
	if (j || steady_ms() - w->recovery.barrier_ms > WRITER_READ_BACK_MS)
		recover(w, j);
	journal_close(j);
	if (w->recovery.state != RECOVERED)
		w->sender.again_ms = steady_ms() + WRITER_SHORT_MS;
}

void writer_recover_some(struct writer *w)
{
	bool marks = w->marks.sent.n || w->marks.written.n; /* the marks come first, unless they cannot be committed */

	if (w->recovery.state == RECOVERED || w->recovery.state == READ_OUTBOX || writer_is_closed(w)) {
		work_queue_rests(&w->queue, STEP_RECOVERY);
		return;
	}
	work_queue_begins(&w->queue, STEP_RECOVERY);
	if (steady_ms() < w->sender.again_ms || (marks && !writer_cannot_commit(w)))
		return;
	if (output_is_the_journal(w->sender.output))
		recover_from_journal(w);
	else
		recover(w, NULL);
}

/* Read what an earlier process left. */
struct inherited {
	bool sent, deferred;
	enum look_up looks_up;
};

static bool has_sent(const struct items *items)
{
	const struct item *i;

	STAILQ_FOREACH(i, items, link)
	{
		if (i->state == ITEM_SENT)
			return true;
	}
	return false;
}

static int inherit(void *ctx, const struct outbox_row *row, struct err *err)
{
	struct inherited *all = ctx;

	(void)err;
	all->deferred |= row->deferred;
	all->sent |= all->looks_up == LOOK_UP_ALL ||
		     (row->deferred ? all->looks_up == LOOK_UP_DEFERRED : !row->written_usec);
	return 0;
}

void writer_read_outbox(struct writer *w)
{
	struct inherited all = { .looks_up = w->recovery.looks_up };
	struct err err;

	if (w->recovery.state != READ_OUTBOX || steady_ms() < w->recovery.outbox_again_ms)
		return;
	work_queue_begins(&w->queue, STEP_OUTBOX);
	if (database_outbox(w->database, inherit, &all, &err) < 0) {
		w->recovery.outbox_again_ms = steady_ms() + WRITER_LONG_MS;
		work_queue_fails(&w->queue, STEP_OUTBOX, &err);
		return;
	}
	work_queue_goes_on(&w->queue, STEP_OUTBOX, false);
	if (all.deferred)
		deferral_clock_inherit(&w->clock);
	recovery_becomes(&w->recovery, all.sent || has_sent(&w->commits.waiting) ? SEND_BARRIER : RECOVERED);
	if (w->recovery.state == RECOVERED && w->recovery.looks_up == LOOK_UP_ALL)
		(void)!end_boot(w, &(struct lookup){ 0 }, &err); /* if it fails, the next start does it */
	deferral_inherit(&w->deferral, w->database, &w->clock);
}
