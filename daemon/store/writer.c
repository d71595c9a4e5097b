/* The thread, and its life. */
#include "daemon/store/writer_internal.h"

/* ---- the thread ---- */

/* Whether there is work now. Records that wait until this host may send are none. */
static bool has_work_now(const struct writer *w)
{
	return !STAILQ_EMPTY(&w->commits.waiting) || (!STAILQ_EMPTY(&w->sender.unsent) && !writer_is_closed(w)) ||
	       w->marks.written.n || writer_marks_are_due(w);
}

static bool has_work(const struct writer *w)
{
	return has_work_now(w) || w->marks.sent.n;
}

uint64_t writer_wait_ms(const struct writer *w)
{
	if (w->recovery.state != RECOVERED || has_work_now(w))
		return work_queue_is_failing(&w->queue, STEP_SEND) || writer_cannot_commit(w) ||
				       w->recovery.state != RECOVERED || w->agreed.error.code
			       ? WRITER_SHORT_MS
			       : 0;
	if (!STAILQ_EMPTY(&w->sender.unsent) || !STAILQ_EMPTY(&w->orders) || w->agreed.state != AGREED_NONE)
		return WRITER_SHORT_MS;
	if (w->marks.sent.n || w->acks.state == ACKS_FORGET)
		return WRITER_SOON_MS;
	if (w->deferral.due)
		return DEFERRAL_RELEASE_MS;
	if (w->deferral.not_due)
		return DEFERRAL_NOT_DUE_MS;
	return w->acks.state == ACKS_OPEN ? WRITER_PRESENCE_MS : WRITER_FILES_MS;
}

static void share_status(struct writer *w)
{
	struct writer_status *s = work_queue_lock(&w->queue);

	memcpy(s->records, w->sender.by_priority, sizeof(s->records));
	s->write_failures += w->sender.failures; /* the loop's side adds failures to this number too */
	w->sender.failures = 0;
	s->not_durable = w->sender.not_durable;
	s->resent = w->sender.resent;
	s->latency = w->sender.latency;
	s->agreement_error = w->agreed.error;
	s->merged = w->deferral.merged;
	s->deferred = w->deferral.due;
	s->renewals = w->files.renewals;
	work_queue_unlock(&w->queue);
}

static void run_tasks(struct writer *w, struct writer_tasks *tasks)
{
	struct writer_task *t;

	while ((t = STAILQ_FIRST(tasks))) {
		STAILQ_REMOVE_HEAD(tasks, link);
		t->run(t, w->database);
	}
}

/* Whether deferred records may be released. Records that were found to be written are removed first, since some of
 * them may still be deferred in the outbox. */
static bool may_release(const struct writer *w)
{
	return !work_queue_ends(&w->queue) && !writer_is_closed(w) && !writer_cannot_commit(w) &&
	       w->recovery.state == RECOVERED && STAILQ_EMPTY(&w->sender.unsent) && !w->marks.written.n;
}

bool writer_turn(struct writer *w, uint64_t ms)
{
	struct writer_tasks tasks = STAILQ_HEAD_INITIALIZER(tasks);
	enum cfg_output form;

	share_status(w);
	form = work_queue_take(&w->queue, ms, &w->commits.waiting, &tasks);
	if (form != w->sender.form)
		output_set(w->sender.output, w->sender.form = form);
	if (work_queue_ends(&w->queue) && !has_work(w) && (w->recovery.state == RECOVERED || writer_is_closed(w)))
		return false;
	writer_look_at_files(w);
	writer_read_outbox(w);
	if (deferral_clock_follow(&w->clock, w->database))
		deferral_count(&w->deferral, w->database, &w->clock);
	while (writer_commit(w))
		;
	run_tasks(w, &tasks);
	writer_keep_orders(w);
	writer_recover_some(w);
	deferral_note_storm(&w->deferral, &w->queue);
	if (may_release(w))
		deferral_release_some(&w->deferral, w->database, &w->queue, &w->clock, &w->sender.unsent);
	writer_send_some(w);
	writer_reconcile(w);
	writer_prune(w);
	acks_forget_written(&w->acks, w->database);
	writer_give_back(w);
	return true;
}

void writer_end(struct writer *w)
{
	if (!work_queue_is_failing(&w->queue, STEP_SEND) && w->recovery.state == RECOVERED)
		acks_end(&w->acks, w->sender.output, w->database, deferral_clock_wall_usec(&w->clock));
	share_status(w);
}

static void *run(void *ctx)
{
	struct writer *w = ctx;

	deferral_clock_look(&w->clock);
	while (writer_turn(w, writer_wait_ms(w)))
		;
	writer_end(w);
	work_queue_ended(&w->queue);
	return NULL;
}

/* ---- life ---- */

static void writer_free(struct writer *w)
{
	work_queue_free_items(&w->queue, &w->commits.waiting);
	work_queue_free_items(&w->queue, &w->sender.unsent);
	work_queue_done(&w->queue);
	marks_done(&w->marks);
	deferral_done(&w->deferral);
	output_free(w->sender.output);
	free(w);
}

int writer_new(const struct writer_options *o, struct writer **ret, struct err *err)
{
	struct writer *w = calloc(1, sizeof(*w));

	if (!w)
		return err_nomem(err);
	w->database = o->database;
	w->agreed.with = o->agreement;
	w->recovery = (struct recovery){
		.looks_up = o->rebooted || o->doubtful ? LOOK_UP_ALL
			    : o->was_damaged           ? LOOK_UP_DEFERRED
						       : LOOK_UP_UNMARKED,
		.rebooted = o->rebooted,
	};
	w->commits = (struct commits){ .history_usec = o->history_usec, .history_bytes = o->history_bytes };
	STAILQ_INIT(&w->orders);
	STAILQ_INIT(&w->commits.waiting);
	STAILQ_INIT(&w->sender.unsent);
	w->sender.form = o->output;
	w->sender.output = output_new(o->output);
	if (!work_queue_init(&w->queue, o->output, o->agreement != NULL) || !w->sender.output) {
		writer_free(w);
		return err_nomem(err);
	}
	output_set_shard(w->sender.output, o->shard);
	*ret = w;
	return 0;
}

void writer_set_key(struct writer *w, const unsigned char key[FINDINGS_KEY_SIZE])
{
	w->files.has_key = true;
	memcpy(w->files.key, key, sizeof(w->files.key));
}

int writer_start(struct writer *w, struct err *err)
{
	int r = work_queue_start(&w->queue, run, w);

	return r == 0 ? 0 : err_set(err, r, "start the writer of records: %s", strerror(r));
}

bool writer_stop(struct writer *w, unsigned ms)
{
	if (!work_queue_stop(&w->queue, ms))
		return false;
	database_close(w->database);
	writer_free(w);
	return true;
}
