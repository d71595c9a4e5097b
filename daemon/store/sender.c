/* Sends records to the output. */
#include "daemon/store/writer_internal.h"

#include "base/strmap.h"

#include <errno.h>
#include <uv.h>

#define SEND_MAX 100 /* records between two looks at the queue */

/* ---- one record ---- */

void writer_note_output(struct writer *w, int r)
{
	bool journal = output_is_the_journal(w->sender.output);
	struct err err;

	if (r == 0) {
		work_queue_goes_on(&w->queue, STEP_SEND, !STAILQ_EMPTY(&w->sender.unsent));
		w->sender.again_ms = 0;
		return;
	}
	(void)err_set(&err, -r, "%s: %s", journal ? "the journal" : "standard output",
		      r == -EAGAIN ? "it does not read" : strerror(-r));
	work_queue_fails(&w->queue, STEP_SEND, &err);
	w->sender.failures++;
	w->sender.again_ms = steady_ms() + WRITER_SHORT_MS;
	/* the journal may not have stored what it was given lately */
	if (r != -EAGAIN && r != -ENOMEM && journal && w->recovery.state == RECOVERED && w->acks.state != ACKS_ALL)
		recovery_becomes(&w->recovery, SEND_BARRIER);
}

bool writer_send_item(struct writer *w, struct item *i, bool durable)
{
	struct sender *s = &w->sender;
	struct record record;
	struct err err;
	int r = record_decode(buf_str(&i->record), &record, &err), priority = record.priority;

	if (r == 0 && i->resent && !record_get(&record, "DRIFTD_RESENT").n)
		record_add(&record, "DRIFTD_RESENT", STR("1"));
	if (r == 0 && !durable)
		record_add(&record, "DRIFTD_NOT_DURABLE", STR("1"));
	if (r == 0)
		r = output_write(s->output, &record);
	if (r == 0)
		acks_sent(&w->acks, &w->queue, s->output, record.id);
	record_done(&record);
	if (r == -EBADMSG || r == -E2BIG) { /* an earlier process stored a record that can never be sent */
		s->failures++;
		return true;
	}
	writer_note_output(w, r);
	if (r < 0)
		return false;
	s->by_priority[priority & 7]++;
	s->resent += i->resent;
	s->not_durable += !durable;
	if (i->received_ns)
		histogram_observe(&s->latency, uv_hrtime() - i->received_ns);
	return true;
}

bool writer_send_first(struct writer *w)
{
	struct item *i = STAILQ_FIRST(&w->sender.unsent);

	/* room for the mark comes first: no record is sent twice for lack of memory */
	if (!marks_add_sent(&w->marks, i->seq)) {
		writer_note_output(w, -ENOMEM);
		return false;
	}
	if (!writer_send_item(w, i, !work_queue_is_failing(&w->queue, STEP_FILES))) {
		marks_take_back(&w->marks);
		return false;
	}
	work_queue_written(&w->queue, items_take(&w->sender.unsent));
	return true;
}

/* ---- records whose turn it is ---- */

/* Whether the record must wait for its turn, because it is deferred, or because a record of the same place waits in
 * the outbox or here. */
static bool waits_its_turn(struct writer *w, const struct item *i, struct strmap *waiting)
{
	str key = buf_str(&i->key);
	struct err err;
	bool waits;

	if (i->kind != ITEM_FINDING)
		return false;
	waits = i->hold_usec || strmap_has(waiting, key) ||
		/* the record waits, too, if nobody can say */
		deferral_has(&w->deferral, w->database, key, &err) != 0;
	if (waits)
		(void)!strmap_put(waiting, key, NULL, NULL);
	return waits;
}

/* Send a record that cannot be committed. */
static void send_uncommitted(struct writer *w)
{
	CLEANUP(strmap_done) struct strmap waiting = { 0 };
	struct item *i;

	STAILQ_FOREACH(i, &w->commits.waiting, link)
	{
		if (i->state == ITEM_SENT || !i->record.n || waits_its_turn(w, i, &waiting))
			continue;
		if (!writer_agree_on(w, i) || !writer_send_item(w, i, false))
			return;
		item_becomes(i, ITEM_SENT);
	}
}

void writer_send_some(struct writer *w)
{
	bool unread = w->recovery.state == READ_OUTBOX && writer_cannot_commit(w), closed = writer_is_closed(w);
	bool goes_on = true;

	if ((w->recovery.state != RECOVERED && !unread && !closed) || steady_ms() < w->sender.again_ms)
		return;
	if (!STAILQ_EMPTY(&w->sender.unsent) && !closed)
		work_queue_begins(&w->queue, STEP_SEND);
	if (w->agreed.with)
		goes_on = writer_send_agreed(w, SEND_MAX);
	for (size_t n = 0; !w->agreed.with && n < SEND_MAX && goes_on && !STAILQ_EMPTY(&w->sender.unsent); n++)
		goes_on = writer_send_first(w);
	if (goes_on && STAILQ_EMPTY(&w->sender.unsent) && writer_cannot_commit(w))
		send_uncommitted(w);
	if (STAILQ_EMPTY(&w->sender.unsent))
		work_queue_rests(&w->queue, STEP_SEND);
}
