/* Records on their way out. */
#include "daemon/store/writer_internal.h"

#include "base/strmap.h"

#define SEND_MAX 100 /* records between two looks at the queue */

static bool send_unsent(struct writer *w)
{
	if (w->agreed.with)
		return writer_send_agreed(w, SEND_MAX);
	for (size_t n = 0; n < SEND_MAX; n++) {
		if (STAILQ_EMPTY(&w->sender.unsent))
			return true;
		if (!writer_send_first(w))
			return false;
	}
	return false;
}

/* What is held, and what comes behind something that waits in the outbox or here, is told in its turn only. */
static bool waits_its_turn(struct writer *w, const struct item *i, struct strmap *waiting)
{
	str key = buf_str(&i->key);
	struct err err;
	bool waits;

	if (i->kind != ITEM_FINDING)
		return false;
	waits = i->hold_usec || strmap_has(waiting, key) ||
		deferral_has(&w->deferral, w->database, key, &err) != 0; /* also where nobody can say */
	if (waits)
		(void)!strmap_put(waiting, key, NULL, NULL);
	return waits;
}

/* What cannot be committed is told all the same. */
static void send_uncommitted(struct writer *w)
{
	CLEANUP(strmap_done) struct strmap waiting = { 0 };
	struct item *i;

	STAILQ_FOREACH(i, &w->commits.waiting, link)
	{
		if (i->state == ITEM_TOLD || !i->record.n || waits_its_turn(w, i, &waiting))
			continue;
		if (!writer_agree_on(w, i) || !writer_send_item(w, i, false))
			return;
		item_becomes(i, ITEM_TOLD);
	}
}

void writer_send_some(struct writer *w)
{
	bool unread = w->recovery.state == READ_OUTBOX && writer_cannot_commit(w), closed = writer_is_closed(w);

	if ((w->recovery.state != RECOVERED && !unread && !closed) || steady_ms() < w->sender.again_ms)
		return;
	if (!STAILQ_EMPTY(&w->sender.unsent) && !closed)
		work_queue_begins(&w->queue, STEP_SEND);
	if (send_unsent(w) && writer_cannot_commit(w))
		send_uncommitted(w);
	if (STAILQ_EMPTY(&w->sender.unsent))
		work_queue_rests(&w->queue, STEP_SEND);
}
