/* What must wait, and its release. */
#include "daemon/store/writer_internal.h"

#include "daemon/findings/finding_record.h"
#include "daemon/findings/notice.h"

#include <errno.h>

#define RELEASE_MAX (DEFERRED_PER_SECOND * WRITER_RELEASE_MS / 1000)
#define LAST_BYTES_MAX ((size_t)8 << 20)

/* ---- whether it must ---- */

/* What waits of one place: of a finding, and of those before it that had the same key. */
struct deferred_of {
	const struct item *item;
	size_t n;
	VEC(int64_t) seqs;           /* of the item's own finding */
	bool begins;                 /* its begin is one of them: nobody has heard of it */
	int64_t due_usec, hold_usec; /* the latest, and the longest, of all */
	struct buf last;
};

static int see_deferred(void *ctx, const struct outbox_row *row, struct err *err)
{
	struct deferred_of *d = ctx;
	enum transition t;
	struct record r;
	int status = record_decode(row->record, &r, err);
	bool own = status == 0 && str_eq(record_get(&r, "DRIFTD_DRIFT_ID"), str_from(d->item->finding));

	d->n++;
	d->due_usec = row->due_usec > d->due_usec ? row->due_usec : d->due_usec;
	d->hold_usec = row->hold_usec > d->hold_usec ? row->hold_usec : d->hold_usec;
	if (own) {
		d->begins |= record_transition(&r, &t) && t == TRANSITION_BEGIN;
		buf_clear(&d->last);
		buf_add_str(&d->last, row->record);
		if (!vec_push(&d->seqs, row->seq))
			status = err_nomem(err);
	}
	record_done(&r);
	if (status == -EBADMSG) /* of another version of driftd: not this finding's */
		return 0;
	return status < 0 ? status : buf_error(&d->last, "a record", err);
}

static int remove_own(struct writer *w, const struct deferred_of *d, struct err *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < d->seqs.n; i++)
		r = database_remove_from_outbox(w->database, d->seqs.p[i], err);
	return r;
}

/* One record for the whole life of a finding of which nobody has heard, in its turn. */
static int merge(struct writer *w, struct item *i, struct record *end, const struct deferred_of *before,
		 struct err *err)
{
	struct record begin;
	int r = record_decode(buf_str(&before->last), &begin, err);

	if (r == 0) {
		record_merge(end, &begin);
		buf_clear(&i->merged);
		record_encode(end, &i->merged);
		r = buf_error(&i->merged, "a record", err);
	}
	record_done(&begin);
	if (r == 0)
		r = remove_own(w, before, err);
	w->counts.merged += r == 0 ? before->seqs.n : 0;
	return r;
}

/* What ended before it had lasted long enough to be told is not. */
static int end_unheard(struct writer *w, struct item *i, struct record *end, const struct deferred_of *before,
		       int64_t now, struct err *err)
{
	i->untold = before->due_usec > now;
	return i->untold ? remove_own(w, before, err) : merge(w, i, end, before, err);
}

/* Whether the record must wait: for its turn, behind an earlier one of its place, or until the finding has lasted. */
int writer_defer(struct writer *w, struct item *i, struct record *r, int64_t now, struct err *err)
{
	struct deferred_of before = { .item = i, .last = BUF_INIT(LAST_BYTES_MAX) };
	int status = 0;

	if (w->deferred || w->held)
		status = database_deferred_of(w->database, buf_str(&i->key), see_deferred, &before, err);
	buf_clear(&i->merged); /* of an earlier try */
	i->untold = false;
	i->due_usec = i->hold_usec ? now + i->hold_usec : 0;
	i->due_usec = i->due_usec > before.due_usec ? i->due_usec : before.due_usec;
	i->due_hold_usec = i->hold_usec > before.hold_usec ? i->hold_usec : before.hold_usec;
	i->deferred = before.n > 0 || i->due_usec > now || !flood_allows(&w->flood, r, writer_now_ms());
	w->held += i->due_usec > now;
	w->deferred += i->deferred && i->due_usec <= now;
	if (status == 0 && i->over && before.begins)
		status = end_unheard(w, i, r, &before, now, err);
	buf_done(&before.last);
	vec_done(&before.seqs);
	return status;
}

static int count_waiting(void *ctx, const struct outbox_row *row, struct err *err)
{
	(void)row;
	(void)err;
	++*(size_t *)ctx;
	return 0;
}

int writer_defer_state(struct writer *w, struct item *i, struct err *err)
{
	size_t before = 0;
	int r = 0;

	if (w->deferred || w->held)
		r = database_deferred_of(w->database, buf_str(&i->key), count_waiting, &before, err);
	i->untold = before > 0;
	return r;
}

/* ---- its release ---- */

void writer_count_deferred(struct writer *w)
{
	int64_t now = writer_wall_usec(w), due, held;
	struct err err;

	due = database_count_deferred(w->database, false, now, &err);
	held = database_count_deferred(w->database, true, now, &err);
	if (due >= 0 && held >= 0) {
		w->deferred = (size_t)due;
		w->held = (size_t)held;
	}
}

/* @which: "begin", "end" */
static void tell_storm(struct writer *w, const char *which, const char *text, uint64_t n)
{
	struct telling t;
	struct record r;

	record_init(&r, MESSAGE_STORM, SEVERITY_ERROR);
	r.text = arena_printf(&r.arena, text, (unsigned long long)n);
	record_add(&r, "DRIFTD_EVENT", STR("storm"));
	record_add(&r, "DRIFTD_STORM", str_from(which));
	record_addf(&r, "DRIFTD_DEFERRED_COUNT", "%llu", (unsigned long long)n);
	t = (struct telling){ .record = &r };
	writer_take(w, &t);
	record_done(&r);
}

static int release_one(void *ctx, const struct outbox_row *row, struct err *err)
{
	struct items *released = ctx;
	struct item *i = item_of_row(row);

	if (!i)
		return err_nomem(err);
	STAILQ_INSERT_TAIL(released, i, link);
	return 0;
}

static int release(struct writer *w, struct items *released, struct err *err)
{
	struct item *i;
	int r = database_begin(w->database, err);

	if (r < 0)
		return r;
	r = database_deferred(w->database, writer_wall_usec(w), RELEASE_MAX, release_one, released, err);
	STAILQ_FOREACH(i, released, link)
	{
		if (r == 0)
			r = database_release(w->database, i->seq, err);
	}
	return database_end(w->database, r, err);
}

void writer_release_some(struct writer *w)
{
	struct items released = STAILQ_HEAD_INITIALIZER(released);
	struct item *i;
	struct err err;
	bool ok;

	if (w->ending || writer_is_closed(w) || writer_cannot_commit(w) || w->recovery != RECOVERED ||
	    writer_now_ms() < w->release_ms || !STAILQ_EMPTY(&w->unsent))
		return;
	if (w->held && !w->deferred) { /* perhaps something is due by now */
		w->release_ms = writer_now_ms() + WRITER_LONG_MS;
		writer_count_deferred(w);
	}
	if (!w->deferred)
		return;
	w->release_ms = writer_now_ms() + WRITER_RELEASE_MS;
	writer_step_begins(w, STEP_OUTBOX);
	ok = release(w, &released, &err) == 0;
	if (ok)
		writer_step_goes_on(w, STEP_OUTBOX, false);
	else
		writer_step_fails(w, STEP_OUTBOX, &err);
	while ((i = items_take(&released))) {
		if (!ok) {
			item_free(i);
			continue;
		}
		writer_item_waits(w, &w->unsent, i);
		w->released++;
	}
	if (!ok)
		return;
	writer_count_deferred(w);
	if (w->deferred == 0 && w->storm_told) {
		tell_storm(w, "end", "storm over: %llu records were deferred, all are written", w->released);
		w->released = 0;
		w->storm_told = false;
	}
}

void writer_note_storm(struct writer *w)
{
	if (w->deferred <= RELEASE_MAX || w->storm_told) /* a few that were held and are due now are none */
		return;
	w->storm_told = true;
	tell_storm(w, "begin",
		   "storm: more changes than a journal can usefully hold; %llu records are deferred so far and follow "
		   "bit by bit",
		   w->deferred);
}
