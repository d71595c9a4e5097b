/* Decides which records must wait, and releases them. */
#include "daemon/store/deferral.h"

#include "daemon/findings/finding_record.h"

#include <errno.h>

#define LAST_BYTES_MAX ((size_t)8 << 20)

static void set_due(struct deferral *d, size_t due)
{
	if (!d->due)
		d->since_ms = steady_ms();
	d->due = due;
}

/* ---- whether a record must wait ---- */

/* The deferred records of one finding, and of earlier findings with the same key. */
struct deferred_of {
	const struct item *item;
	size_t n;
	VEC(int64_t) seqs; /* the rows of records about the item's own finding */
	/* the begin of the item's own finding is deferred, so that nobody has heard of the finding */
	bool begins;
	int64_t due_usec, hold_usec; /* the latest due time, and the longest hold time, of all of them */
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
	if (status == -EBADMSG) /* the record is of another version of driftd, and counts as another finding's */
		return 0;
	return status < 0 ? status : buf_error(&d->last, "a record", err);
}

static int remove_own(struct database *database, const struct deferred_of *before, struct err *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < before->seqs.n; i++)
		r = database_remove_from_outbox(database, before->seqs.p[i], err);
	return r;
}

/* A finding that ended before any record of it was sent gets one record for its whole life, in its turn. */
static int merge(struct deferral *d, struct database *database, struct item *i, struct record *end,
		 const struct deferred_of *before, struct err *err)
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
		r = remove_own(database, before, err);
	d->merged += r == 0 ? before->seqs.n : 0;
	return r;
}

/* Handle the end of a finding whose begin is still deferred. If the finding has not lasted long enough, nothing of
 * it is reported. Otherwise its records are merged into one, unless the journal may already have one of them
 * (@looks_up): then the end is sent behind them. */
static int end_unheard(struct deferral *d, struct database *database, struct item *i, struct record *end,
		       const struct deferred_of *before, bool looks_up, int64_t now, struct err *err)
{
	if (before->due_usec <= now)
		return looks_up ? 0 : merge(d, database, i, end, before, err);
	item_becomes(i, ITEM_WITHDRAWN);
	return remove_own(database, before, err);
}

/* Decide whether the record must wait: for its turn, for an earlier record of the same place, or until the finding
 * has lasted long enough. */
int deferral_judge(struct deferral *d, struct database *database, struct item *i, struct record *r, bool looks_up,
		   int64_t now, struct err *err)
{
	struct deferred_of before = { .item = i, .last = BUF_INIT(LAST_BYTES_MAX) };
	bool waits;
	int status = 0;

	if (d->due || d->not_due)
		status = database_deferred_of(database, buf_str(&i->key), see_deferred, &before, err);
	buf_clear(&i->merged); /* an earlier try may have merged records */
	i->due_usec = i->hold_usec ? now + i->hold_usec : 0;
	i->due_usec = i->due_usec > before.due_usec ? i->due_usec : before.due_usec;
	i->due_hold_usec = i->hold_usec > before.hold_usec ? i->hold_usec : before.hold_usec;
	waits = before.n > 0 || i->due_usec > now || !flood_allows(&d->flood, r, steady_ms());
	item_becomes(i, waits ? ITEM_DEFERRED : ITEM_PENDING);
	d->not_due += i->due_usec > now;
	set_due(d, d->due + (waits && i->due_usec <= now));
	i->urgent = str_eq(record_get(r, "DRIFTD_SEVERITY"), str_from(severity_name(SEVERITY_CRITICAL)));
	if (status == 0 && i->urgent && before.n)
		status = database_hurry(database, buf_str(&i->key), err);
	if (status == 0 && i->over && before.begins)
		status = end_unheard(d, database, i, r, &before, looks_up, now, err);
	buf_done(&before.last);
	vec_done(&before.seqs);
	return status;
}

static int count_one(void *ctx, const struct outbox_row *row, struct err *err)
{
	(void)row;
	(void)err;
	++*(int *)ctx;
	return 0;
}

int deferral_has(const struct deferral *d, struct database *database, str key, struct err *err)
{
	int n = 0, r = 0;

	if (d->due || d->not_due)
		r = database_deferred_of(database, key, count_one, &n, err);
	return r < 0 ? r : n > 0;
}

int deferral_judge_state(const struct deferral *d, struct database *database, struct item *i, struct err *err)
{
	int r = deferral_has(d, database, buf_str(&i->key), err);

	item_becomes(i, r > 0 ? ITEM_WITHDRAWN : ITEM_PENDING);
	return r < 0 ? r : 0;
}

/* ---- the release of deferred records ---- */

void deferral_count(struct deferral *d, struct database *database, const struct deferral_clock *clock)
{
	int64_t now = deferral_clock_wall_usec(clock), due, not_due;
	struct err err;

	due = database_count_deferred(database, false, now, &err);
	not_due = database_count_deferred(database, true, now, &err);
	if (due >= 0 && not_due >= 0) {
		set_due(d, (size_t)due);
		d->not_due = (size_t)not_due;
	}
}

void deferral_inherit(struct deferral *d, struct database *database, const struct deferral_clock *clock)
{
	deferral_count(d, database, clock);
	d->storm = d->due > FLOOD_BURST ? STORM_REPORTED : STORM_NONE;
}

static const struct {
	const char *name, *text;
} storms[] = {
	[STORM_NONE] = { "end", "storm over: %llu records were deferred, all are written" },
	[STORM_REPORTED] = { "begin", "storm: more changes than a journal can usefully take; %llu records are deferred "
				      "so far and follow gradually" },
};

/* Report the new state of the storm. @n: the number of deferred records. */
static void report_storm(struct deferral *d, struct work_queue *q, enum storm storm, uint64_t n)
{
	struct record r;

	d->storm = storm;
	record_init(&r, MESSAGE_STORM, SEVERITY_ERROR);
	r.text = arena_printf(&r.arena, storms[storm].text, (unsigned long long)n);
	record_add(&r, "DRIFTD_EVENT", STR("storm"));
	record_add(&r, "DRIFTD_STORM", str_from(storms[storm].name));
	record_addf(&r, "DRIFTD_DEFERRED_COUNT", "%llu", (unsigned long long)n);
	work_queue_emit(q, &(struct emission){ .record = &r });
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

/* The size of the next lot. It is chosen so that all records are sent within DEFERRAL_WITHIN_MS after the first
 * began to wait: at a steady rate, which grows when more records came meanwhile or lots were late. */
static int64_t lot_of(struct deferral *d, uint64_t now_ms, uint64_t late_ms)
{
	uint64_t took = now_ms - d->since_ms, lot, hurried, max;
	uint64_t left = took + DEFERRAL_LEFT_MS < DEFERRAL_WITHIN_MS ? DEFERRAL_WITHIN_MS - took : DEFERRAL_LEFT_MS;

	d->most = d->due > d->most ? d->due : d->most;
	late_ms = late_ms < DEFERRAL_LATE_MS ? late_ms : DEFERRAL_LATE_MS;
	lot = d->most * late_ms / DEFERRAL_WITHIN_MS + 1;
	hurried = d->due * late_ms / left + 1;
	lot = hurried > lot ? hurried : lot;
	max = DEFERRAL_LOT_MAX * late_ms / DEFERRAL_RELEASE_MS;
	return (int64_t)(lot < DEFERRAL_LOT_MIN ? DEFERRAL_LOT_MIN : lot > max ? max : lot);
}

static int release(struct database *database, int64_t now_usec, int64_t lot, struct items *released, struct err *err)
{
	struct item *i;
	int r = database_begin(database, err);

	if (r < 0)
		return r;
	r = database_deferred(database, now_usec, lot, release_one, released, err);
	STAILQ_FOREACH(i, released, link)
	{
		if (r == 0)
			r = database_release(database, i->seq, err);
	}
	return database_end(database, r, err);
}

void deferral_release_some(struct deferral *d, struct database *database, struct work_queue *q,
			   const struct deferral_clock *clock, struct items *unsent)
{
	struct items released = STAILQ_HEAD_INITIALIZER(released);
	uint64_t now_ms = steady_ms(), since = now_ms - d->release_ms + DEFERRAL_RELEASE_MS;
	struct item *i;
	struct err err;
	int64_t lot;

	if (now_ms < d->release_ms)
		return;
	if (d->not_due && !d->due) { /* perhaps a record is due by now */
		d->release_ms = now_ms + DEFERRAL_NOT_DUE_MS;
		deferral_count(d, database, clock);
	}
	if (!d->due)
		return;
	lot = lot_of(d, now_ms, since);
	d->release_ms = now_ms + DEFERRAL_RELEASE_MS;
	work_queue_begins(q, STEP_OUTBOX);
	if (release(database, deferral_clock_wall_usec(clock), lot, &released, &err) < 0) {
		work_queue_fails(q, STEP_OUTBOX, &err);
		while ((i = items_take(&released)))
			item_free(i);
		return;
	}
	work_queue_goes_on(q, STEP_OUTBOX, false);
	while ((i = items_take(&released))) {
		work_queue_waits(q, unsent, i);
		d->released++;
	}
	deferral_count(d, database, clock);
	if (d->due == 0)
		d->most = 0;
	if (d->due == 0 && d->storm == STORM_REPORTED) {
		report_storm(d, q, STORM_NONE, d->released);
		d->released = 0;
	}
}

void deferral_note_storm(struct deferral *d, struct work_queue *q)
{
	if (d->due > DEFERRAL_LOT_MIN &&
	    d->storm == STORM_NONE) /* a few deferred records that are due are not a storm */
		report_storm(d, q, STORM_REPORTED, d->due);
}

void deferral_done(struct deferral *d)
{
	flood_done(&d->flood);
}
