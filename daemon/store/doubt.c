/* Whether what was sent was written. A journal reads what it is given in order: when a record can be read in it, all
 * that was sent before was read too. Where it cannot be read, and with other outputs, time must do. */
#include "daemon/store/writer_internal.h"

#include "daemon/store/journal/journal_lookup.h"

#include <errno.h>
#include <unistd.h>

#define LOOK_MS WRITER_READ_BACK_MS /* between two looks into the journal */
#define FORGET_MAX 1000             /* at the end, in one transaction */
#define FORGET_WRITTEN_MS 10000
#define END_READ_BACK_MS 1000

void writer_doubt(struct writer *w)
{
	w->doubts = true;
	if (output_is_the_journal(w->output))
		writer_step_begins(w, STEP_READ_BACK);
	w->doubted_usec = writer_steady_usec();
}

static bool can_be_read(const char *id)
{
	struct sd_journal *j = journal_open();
	bool found = j && journal_has(j, id) > 0;

	journal_close(j);
	return found;
}

/* The journal that it was sent to must still be there. */
static bool is_there(struct writer *w)
{
	int r = output_await(w->output);

	if (r < 0 && r != -EAGAIN)
		writer_note_output(w, r);
	return r == 0;
}

/* The last one that was sent is the next witness, for all that is marked by now. */
static void choose_witness(struct writer *w)
{
	memcpy(w->witness, w->last_sent, sizeof(w->witness));
	w->witness_usec = writer_steady_usec();
}

/* It stays so until something can be read, also when time does for what was sent. */
static void note_unread(struct writer *w)
{
	struct err err;

	(void)err_set(&err, ENOENT, "the journal does not have the record %s, which it was given", w->witness);
	writer_step_fails(w, STEP_READ_BACK, &err);
}

/* What is known to be written by now; 0: nothing new is. */
static int64_t look_what_is_written(struct writer *w)
{
	int64_t before = 0;

	if (!is_there(w))
		return 0;
	if (!output_is_the_journal(w->output))
		return writer_steady_usec() - WRITER_DOUBT_USEC;
	if (writer_now_ms() < w->look_ms)
		return 0;
	w->look_ms = writer_now_ms() + LOOK_MS;
	if (*w->witness && can_be_read(w->witness)) {
		w->read_back = true;
		before = w->witness_usec;
		writer_step_goes_on(w, STEP_READ_BACK, true);
	} else if (!w->read_back) {
		before = writer_steady_usec() - WRITER_DOUBT_USEC;
	}
	if (*w->witness && before != w->witness_usec)
		note_unread(w);
	choose_witness(w);
	return before;
}

/* What waits to be sent again has an old mark; what was just sent gets its own first, in the same transaction. */
int64_t writer_forget_before(struct writer *w)
{
	if (w->recovery != RECOVERED)
		w->forget_usec = 0;
	if (!w->doubts || w->recovery != RECOVERED || !STAILQ_EMPTY(&w->unsent) || writer_now_ms() < w->forget_ms)
		return 0;
	if (!w->forget_usec) {
		w->forget_ms = writer_now_ms() + WRITER_DOUBT_MS;
		w->forget_usec = look_what_is_written(w);
	}
	return w->forget_usec;
}

void writer_forgot_some(struct writer *w, bool more)
{
	bool certain = w->forget_usec > w->doubted_usec;

	if (more) {
		w->forget_ms = writer_now_ms() + WRITER_SOON_MS;
		return;
	}
	w->forget_usec = 0;
	w->doubts &= !certain;
	if (!w->doubts)
		writer_step_rests(w, STEP_READ_BACK);
}

/* What can be read was written, and so was all before it. */
static bool last_is_written(const struct writer *w)
{
	bool written = !output_is_the_journal(w->output) || !*w->last_sent;

	for (int i = 0; !written && i < END_READ_BACK_MS / WRITER_SHORT_MS; i++) {
		written = can_be_read(w->last_sent);
		if (!written)
			(void)usleep(WRITER_SHORT_MS * 1000);
	}
	return written;
}

void writer_forget_written(struct writer *w)
{
	struct err err;

	if (writer_now_ms() < w->forget_written_ms)
		return;
	w->forget_written_ms = writer_now_ms() + FORGET_WRITTEN_MS;
	if (database_begin(w->database, &err) < 0)
		return;
	(void)!database_end(
		w->database,
		database_forget_written(w->database, writer_steady_usec() - DATABASE_LOST_USEC, FORGET_MAX, &err) < 0
			? -err.code
			: 0,
		&err);
}

/* What the journal may lose with the power is forgotten in the next life. */
static int forget_some(struct writer *w, struct err *err)
{
	if (!output_is_the_journal(w->output))
		return database_forget_sent(w->database, INT64_MAX, FORGET_MAX, err);
	return database_note_written(w->database, INT64_MAX, FORGET_MAX, writer_wall_usec(w), err);
}

void writer_forget_doubts(struct writer *w)
{
	struct err err;

	if (!writer_step_failed(w, STEP_SEND) && w->recovery == RECOVERED && last_is_written(w))
		while (forget_some(w, &err) > 0) {
		}
}
