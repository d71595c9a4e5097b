/* Finds out whether records that were sent have been written. */
#include "daemon/store/acks.h"

#include "daemon/store/deferral_clock.h"
#include "daemon/store/journal/journal_lookup.h"

#include <errno.h>
#include <unistd.h>

#define LOOK_MS WRITER_READ_BACK_MS /* between two looks into the journal */
#define FORGET_MAX 1000             /* at the end, in one transaction */
#define FORGET_WRITTEN_MS 10000
#define END_TRIES 10
#define END_TRY_USEC 100000

static void set_state(struct acks *a, enum acks_state state, int64_t forget_usec)
{
	a->state = state;
	a->forget_usec = forget_usec;
}

void acks_sent(struct acks *a, struct work_queue *q, const struct output *o, const char *id)
{
	if (id)
		memcpy(a->last_sent, id, sizeof(a->last_sent));
	if (a->state == ACKS_ALL)
		set_state(a, ACKS_OPEN, 0);
	if (output_is_the_journal(o))
		work_queue_begins(q, STEP_READ_BACK);
	a->sent_usec = steady_usec();
}

void acks_hold(struct acks *a)
{
	if (a->state == ACKS_FORGET)
		set_state(a, ACKS_OPEN, 0);
}

/* Choose the record that was sent last as the next witness: once it can be read, all rows that are marked as sent by
 * now are written. */
static void choose_witness(struct acks *a)
{
	memcpy(a->witness, a->last_sent, sizeof(a->witness));
	a->witness_usec = steady_usec();
}

/* Report that the witness record is not in the journal. The step stays failed until something can be read, even when
 * what was sent counts as written because enough time has passed. */
static void note_unread(const struct acks *a, struct work_queue *q)
{
	struct err err;

	(void)err_set(&err, ENOENT, "the journal does not have the record %s, which it was given", a->witness);
	work_queue_fails(q, STEP_READ_BACK, &err);
}

/* The time up to which everything sent is known to be written; 0: nothing new is known. */
static int64_t look_into_journal(struct acks *a, struct work_queue *q)
{
	int64_t before = 0;

	if (steady_ms() < a->look_ms)
		return 0;
	a->look_ms = steady_ms() + LOOK_MS;
	if (*a->witness && journal_can_read(a->witness)) {
		a->read_back = true;
		before = a->witness_usec;
		work_queue_goes_on(q, STEP_READ_BACK, true);
	} else if (!a->read_back) {
		before = steady_usec() - WRITER_UNSYNCED_USEC;
	}
	if (*a->witness && before != a->witness_usec)
		note_unread(a, q);
	choose_witness(a);
	return before;
}

int acks_look(struct acks *a, struct work_queue *q, struct output *o, int64_t *before_usec)
{
	int64_t before;
	int r;

	*before_usec = 0;
	if (a->state == ACKS_ALL || steady_ms() < a->forget_ms)
		return 0;
	if (a->state == ACKS_OPEN) {
		a->forget_ms = steady_ms() + WRITER_PRESENCE_MS;
		r = output_await(o);
		if (r < 0)
			return r == -EAGAIN ? 0 : r;
		before = output_is_the_journal(o) ? look_into_journal(a, q) : steady_usec() - WRITER_UNSYNCED_USEC;
		if (before)
			set_state(a, ACKS_FORGET, before);
	}
	*before_usec = a->forget_usec;
	return 0;
}

int acks_forget(const struct output *o, struct database *d, int64_t before_usec, int64_t max, int64_t wall_usec,
		struct err *err)
{
	return output_is_the_journal(o) ? database_note_written(d, before_usec, max, wall_usec, err)
					: database_forget_sent(d, before_usec, max, err);
}

void acks_forgot_some(struct acks *a, struct work_queue *q, bool more)
{
	if (more) {
		a->forget_ms = steady_ms() + WRITER_SOON_MS;
	} else if (a->forget_usec > a->sent_usec) {
		set_state(a, ACKS_ALL, 0);
		work_queue_rests(q, STEP_READ_BACK);
	} else {
		set_state(a, ACKS_OPEN, 0);
	}
}

void acks_forget_written(struct acks *a, struct database *d)
{
	struct err err;
	int r;

	if (steady_ms() < a->forget_written_ms)
		return;
	a->forget_written_ms = steady_ms() + FORGET_WRITTEN_MS;
	if (database_begin(d, &err) < 0)
		return;
	r = database_forget_written(d, steady_usec() - DATABASE_LOST_USEC, FORGET_MAX, &err);
	(void)!database_end(d, r < 0 ? r : 0, &err);
}

/* A record that can be read was written, and so was everything sent before it. */
static bool last_is_written(const struct acks *a, const struct output *o)
{
	bool written = !output_is_the_journal(o) || !*a->last_sent;

	for (int i = 0; !written && i < END_TRIES; i++) {
		written = journal_can_read(a->last_sent);
		if (!written)
			(void)usleep(END_TRY_USEC);
	}
	return written;
}

void acks_end(const struct acks *a, const struct output *o, struct database *d, int64_t wall_usec)
{
	struct err err;

	if (last_is_written(a, o))
		while (acks_forget(o, d, INT64_MAX, FORGET_MAX, wall_usec, &err) > 0) {
		}
}
