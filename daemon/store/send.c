/* Records on their way out. */
#include "daemon/store/writer_internal.h"

#include "base/strmap.h"

#include <errno.h>
#include <uv.h>

#define SEND_MAX 100 /* records between two looks at the queue */

void writer_note_output(struct writer *w, int r)
{
	struct err err;

	if (r == 0) {
		writer_step_goes_on(w, STEP_SEND, !STAILQ_EMPTY(&w->unsent));
		w->send_again_ms = 0;
		return;
	}
	(void)err_set(&err, -r, "%s: %s", output_is_the_journal(w->output) ? "the journal" : "standard output",
		      r == -EAGAIN ? "it does not read" : strerror(-r));
	writer_step_fails(w, STEP_SEND, &err);
	w->counts.write_failures++;
	w->send_again_ms = writer_now_ms() + WRITER_SHORT_MS;
	/* What the journal was given lately it may not have stored. */
	if (r != -EAGAIN && r != -ENOMEM && output_is_the_journal(w->output) && w->recovery == RECOVERED && w->doubts)
		w->recovery = SEND_BARRIER;
}

bool writer_send_item(struct writer *w, struct item *i, bool durable)
{
	struct record record;
	struct err err;
	int r = record_decode(buf_str(&i->record), &record, &err), priority = record.priority;

	if (r == 0 && i->resent && !record_get(&record, "DRIFTD_RESENT").n)
		record_add(&record, "DRIFTD_RESENT", STR("1"));
	if (r == 0 && !durable)
		record_add(&record, "DRIFTD_NOT_DURABLE", STR("1"));
	if (r == 0)
		r = output_write(w->output, &record);
	if (r == 0)
		memcpy(w->last_sent, record.id, sizeof(w->last_sent));
	record_done(&record);
	if (r == -EBADMSG || r == -E2BIG) { /* it never can be: an older life stored it */
		w->counts.write_failures++;
		return true;
	}
	writer_note_output(w, r);
	if (r < 0)
		return false;
	writer_doubt(w);
	w->counts.records[priority & 7]++;
	w->counts.resent += i->resent;
	w->counts.not_durable += !durable;
	if (i->received_ns)
		histogram_observe(&w->counts.latency, uv_hrtime() - i->received_ns);
	return true;
}

bool writer_send_first(struct writer *w)
{
	struct item *i = STAILQ_FIRST(&w->unsent);

	if (!w->sent.n)
		w->mark_ms = writer_now_ms() + WRITER_SOON_MS;
	/* Room for the mark first: what was sent is never sent twice for a lack of memory. */
	if (!vec_push(&w->sent, i->seq)) {
		writer_note_output(w, -ENOMEM);
		return false;
	}
	if (!writer_send_item(w, i, !writer_step_failed(w, STEP_FILES))) {
		w->sent.n--;
		return false;
	}
	writer_item_written(w, items_take(&w->unsent));
	return true;
}

static bool send_unsent(struct writer *w)
{
	if (w->o.agreement)
		return writer_send_agreed(w, SEND_MAX);
	for (size_t n = 0; n < SEND_MAX; n++) {
		if (STAILQ_EMPTY(&w->unsent))
			return true;
		if (!writer_send_first(w))
			return false;
	}
	return false;
}

static int count_one(void *ctx, const struct outbox_row *row, struct err *err)
{
	(void)row;
	(void)err;
	++*(size_t *)ctx;
	return 0;
}

/* What is held, and what comes behind something that waits in the outbox or here, is told in its turn only. */
static bool waits_its_turn(struct writer *w, const struct item *i, struct strmap *waiting)
{
	str key = buf_str(&i->key);
	size_t before = 0;
	struct err err;
	bool waits = i->hold_usec || strmap_has(waiting, key);

	if (!*i->finding)
		return false;
	if (!waits && (w->deferred || w->held))
		waits = database_deferred_of(w->database, key, count_one, &before, &err) < 0 || before > 0;
	if (waits)
		(void)!strmap_put(waiting, key, NULL, NULL);
	return waits;
}

/* What cannot be committed is told all the same. */
static void send_uncommitted(struct writer *w)
{
	CLEANUP(strmap_done) struct strmap waiting = { 0 };
	struct item *i;

	STAILQ_FOREACH(i, &w->uncommitted, link)
	{
		if (i->sent || !i->record.n || waits_its_turn(w, i, &waiting))
			continue;
		if (!writer_agree_on(w, i) || !writer_send_item(w, i, false))
			return;
		i->sent = true;
	}
}

void writer_send_some(struct writer *w)
{
	bool unread = w->recovery == READ_OUTBOX && writer_cannot_commit(w);

	if ((w->recovery != RECOVERED && !unread && !writer_is_closed(w)) || writer_now_ms() < w->send_again_ms)
		return;
	if (!STAILQ_EMPTY(&w->unsent) && !writer_is_closed(w))
		writer_step_begins(w, STEP_SEND);
	if (send_unsent(w) && writer_cannot_commit(w))
		send_uncommitted(w);
	if (STAILQ_EMPTY(&w->unsent))
		writer_step_rests(w, STEP_SEND);
}
