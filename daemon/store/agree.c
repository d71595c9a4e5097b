/* Agrees with other hosts on records before they are sent. */
#include "daemon/store/writer_internal.h"

#include <errno.h>

bool writer_is_closed(const struct writer *w)
{
	const struct writer_agreement *a = w->agreed.with;

	/* when the process ends there is time for one try only: once it has failed, the writer is closed */
	return a && (!a->may_report(a->ctx) || (work_queue_ends(&w->queue) && w->agreed.error.code));
}

/* Make *ret the step of the finding that the item is about; its texts are @i's. 1: it is made; 0: the item is about no
 * finding, and every host sends it for itself. */
static int step_of(const struct item *i, struct agreed_step *ret, struct err *err)
{
	struct record r;
	str id;
	int status;

	*ret = (struct agreed_step){ .record = buf_str(&i->record), .state = buf_str(&i->json) };
	memcpy(ret->finding, i->finding, sizeof(ret->finding));
	if (!i->record.n)
		return i->kind == ITEM_FINDING;
	status = record_decode(ret->record, &r, err);
	id = record_get(&r, "DRIFTD_DRIFT_ID");
	if (status == 0 && id.n == FINDING_ID_SIZE - 1) {
		memcpy(ret->finding, id.p, id.n);
		ret->state = r.state;
		status = 1;
	}
	record_done(&r);
	return status == -EBADMSG ? 0 : status; /* a record that cannot be read can never be sent */
}

/* Note the result of the last try. */
static void note(struct writer *w, int r, const struct err *err)
{
	if (r == 0) {
		w->agreed.error.code = 0;
		return;
	}
	w->agreed.error = *err;
	w->sender.again_ms = steady_ms() + WRITER_SHORT_MS;
}

static int agree(struct writer *w, const struct agreed_step *steps, size_t n)
{
	const struct writer_agreement *a = w->agreed.with;
	struct err err = { 0 };
	int r = n ? a->agree(a->ctx, steps, n, &err) : 0;

	note(w, r, &err);
	return r;
}

/* Collect the steps of the first unsent items, which are agreed on at once. @n_items: the number of these items. */
static int collect(const struct writer *w, size_t max, struct agreed_step steps[AGREED_STEPS_MAX], size_t *n_steps,
		   size_t *n_items, struct err *err)
{
	const struct item *i;
	size_t bytes = 0;

	*n_steps = *n_items = 0;
	STAILQ_FOREACH(i, &w->sender.unsent, link)
	{
		int r = *n_items < max && *n_steps < AGREED_STEPS_MAX ? step_of(i, &steps[*n_steps], err) : -E2BIG;

		if (r == -E2BIG)
			break;
		if (r < 0)
			return r;
		if (r > 0) {
			bytes += steps[*n_steps].state.n + steps[*n_steps].record.n;
			if (*n_steps && bytes > AGREED_BYTES_MAX)
				break;
			++*n_steps;
		}
		++*n_items;
	}
	return 0;
}

/* Send this host's own notices, which need no agreement, ahead of the items that wait for one. */
static void send_others(struct writer *w)
{
	struct items all = STAILQ_HEAD_INITIALIZER(all), waiting = STAILQ_HEAD_INITIALIZER(waiting);
	bool ok = true;
	struct item *i;

	STAILQ_CONCAT(&all, &w->sender.unsent);
	while ((i = items_take(&all))) {
		if (!ok || i->kind != ITEM_NOTICE) {
			STAILQ_INSERT_TAIL(&waiting, i, link);
			continue;
		}
		STAILQ_INSERT_HEAD(&w->sender.unsent, i, link);
		ok = writer_send_first(w);
		if (!ok) {
			STAILQ_REMOVE_HEAD(&w->sender.unsent, link);
			STAILQ_INSERT_TAIL(&waiting, i, link);
		}
	}
	STAILQ_CONCAT(&w->sender.unsent, &waiting);
}

/* Send the first item of those that were agreed on. */
static bool send_next(struct writer *w)
{
	struct item *i = STAILQ_FIRST(&w->sender.unsent);

	if (writer_is_closed(w)) /* the machine may have slept since the hosts agreed */
		return false;
	if (i->record.n)
		return writer_send_first(w);
	work_queue_written(&w->queue, items_take(&w->sender.unsent));
	return true;
}

bool writer_send_agreed(struct writer *w, size_t max)
{
	struct agreed_step steps[AGREED_STEPS_MAX];
	size_t n_steps, n_items;
	struct err err;
	int r;

	if (writer_is_closed(w)) {
		w->agreed.error.code = 0;
		send_others(w);
		return false;
	}
	r = collect(w, max, steps, &n_steps, &n_items, &err);
	if (r < 0)
		note(w, r, &err);
	else
		r = agree(w, steps, n_steps);
	if (r < 0) {
		send_others(w);
		return false;
	}
	if (n_steps)
		writer_agreed_becomes(w, AGREED_OPEN);
	for (size_t n = 0; n < n_items; n++) {
		if (!send_next(w))
			return false;
	}
	return STAILQ_EMPTY(&w->sender.unsent);
}

bool writer_agree_on(struct writer *w, const struct item *i)
{
	struct agreed_step step;
	struct err err;
	int r;

	if (!w->agreed.with)
		return true;
	r = step_of(i, &step, &err);
	if (r == 0)
		return true;
	if (r > 0 && !writer_is_closed(w)) {
		writer_agreed_becomes(w, AGREED_OPEN);
		return agree(w, &step, 1) == 0;
	}
	return false;
}

int writer_agree_on_made(struct writer *w, const struct made_item *change, struct err *err)
{
	const struct writer_agreement *a = w->agreed.with;
	int r = a->agree_made(a->ctx, change, 1, err);

	note(w, r, err);
	return r;
}

void writer_agreed_becomes(struct writer *w, enum agreed_state state)
{
	w->agreed.state = state;
}

void writer_reconcile(struct writer *w)
{
	const struct writer_agreement *a = w->agreed.with;
	struct err err;

	if (w->agreed.state == AGREED_NONE || !STAILQ_EMPTY(&w->sender.unsent) || w->recovery.state != RECOVERED ||
	    writer_is_closed(w))
		return;
	if (a->finish_batch(a->ctx, &err) == 0)
		writer_agreed_becomes(w, AGREED_NONE);
}
