/* One record to the output. */
#include "daemon/store/writer_internal.h"

#include <errno.h>
#include <uv.h>

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
	/* What the journal was given lately it may not have stored. */
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
	if (r == -EBADMSG || r == -E2BIG) { /* it never can be: an older life stored it */
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

	/* Room for the mark first: what was sent is never sent twice for a lack of memory. */
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
