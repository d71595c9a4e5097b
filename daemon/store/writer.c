/* The queue, and the thread at its end. */
#include "daemon/store/writer_internal.h"

#include "daemon/findings/clock.h"

#include <errno.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>
#include <uv.h>

/* What waits to be written, in memory. A drift's record is some 2 KB, at most 1 MB. */
#define WAITING_MAX 10000
#define WAITING_BYTES_MAX ((size_t)64 << 20)

uint64_t writer_now_ms(void)
{
	return uv_hrtime() / 1000000;
}

/* ---- the loop's side ---- */

static void enqueue(struct writer *w, struct item *i)
{
	bool first;

	w->n_waiting++;
	w->bytes_waiting += i->bytes;
	(void)pthread_mutex_lock(&w->lock);
	first = STAILQ_EMPTY(&w->queue);
	STAILQ_INSERT_TAIL(&w->queue, i, link);
	(void)pthread_mutex_unlock(&w->lock);
	if (first) /* without the lock, which the thread would have to wait for */
		(void)pthread_cond_signal(&w->wake);
}

void writer_take(void *ctx, const struct telling *t)
{
	struct writer *w = ctx;
	struct item *i = item_of_telling(t, w->o.agreement != NULL);

	if (!i) { /* what cannot even be copied is not told; it is seen as a failure to write */
		(void)pthread_mutex_lock(&w->lock);
		w->status.write_failures++;
		(void)pthread_mutex_unlock(&w->lock);
		return;
	}
	enqueue(w, i);
}

void writer_run(struct writer *w, struct writer_task *task)
{
	(void)pthread_mutex_lock(&w->lock);
	STAILQ_INSERT_TAIL(&w->tasks, task, link);
	(void)pthread_cond_signal(&w->wake);
	(void)pthread_mutex_unlock(&w->lock);
}

void writer_seen(struct writer *w, str cluster, int64_t usec)
{
	struct item *i = item_of_seen(cluster, usec);

	if (i)
		enqueue(w, i);
}

void writer_keep_inspected(struct writer *w, str cluster, str versions)
{
	struct item *i = item_of_inspected(cluster, versions);

	if (i)
		enqueue(w, i);
}

bool writer_is_full(const struct writer *w)
{
	return w->n_waiting >= WAITING_MAX || w->bytes_waiting >= WAITING_BYTES_MAX;
}

void writer_wake(struct writer *w)
{
	(void)pthread_mutex_lock(&w->lock);
	w->woken = true;
	(void)pthread_cond_signal(&w->wake);
	(void)pthread_mutex_unlock(&w->lock);
}

void writer_set_output(struct writer *w, enum cfg_output output)
{
	(void)pthread_mutex_lock(&w->lock);
	w->next_output = output;
	(void)pthread_cond_signal(&w->wake);
	(void)pthread_mutex_unlock(&w->lock);
}

void writer_status(struct writer *w, struct writer_status *ret)
{
	(void)pthread_mutex_lock(&w->lock);
	*ret = w->status;
	(void)pthread_mutex_unlock(&w->lock);
	ret->waiting = w->n_waiting;
}

/* ---- what waits ---- */

void writer_item_written(struct writer *w, struct item *i)
{
	w->n_waiting--;
	w->bytes_waiting -= i->bytes;
	item_free(i);
}

void writer_item_waits(struct writer *w, struct items *items, struct item *i)
{
	w->n_waiting++;
	w->bytes_waiting += i->bytes;
	STAILQ_INSERT_TAIL(items, i, link);
}

void writer_free_items(struct writer *w, struct items *items)
{
	struct item *i;

	while ((i = items_take(items)))
		writer_item_written(w, i);
}

/* ---- how the steps go on ---- */

static void share_step(struct writer *w, enum store_step step)
{
	(void)pthread_mutex_lock(&w->lock);
	w->status.steps[step] = w->steps[step];
	(void)pthread_mutex_unlock(&w->lock);
}

void writer_step_begins(struct writer *w, enum store_step step)
{
	if (w->steps[step].since_ns)
		return;
	step_begin(&w->steps[step], clock_ns());
	share_step(w, step);
}

void writer_step_goes_on(struct writer *w, enum store_step step, bool more)
{
	step_progress(&w->steps[step], more, clock_ns());
	share_step(w, step);
}

void writer_step_fails(struct writer *w, enum store_step step, const struct err *why)
{
	step_fail(&w->steps[step], why, clock_ns());
	share_step(w, step);
}

void writer_step_rests(struct writer *w, enum store_step step)
{
	if (!w->steps[step].since_ns)
		return;
	step_rest(&w->steps[step]);
	share_step(w, step);
}

bool writer_step_failed(const struct writer *w, enum store_step step)
{
	return w->steps[step].error.code != 0;
}

/* ---- the thread ---- */

/* What waits for its host to tell is no work. */
static bool has_work_now(const struct writer *w)
{
	return !STAILQ_EMPTY(&w->uncommitted) || (!STAILQ_EMPTY(&w->unsent) && !writer_is_closed(w)) || w->written.n ||
	       writer_marks_are_due(w);
}

static bool has_work(const struct writer *w)
{
	return has_work_now(w) || w->sent.n;
}

static uint64_t wait_ms(const struct writer *w)
{
	if (w->recovery != RECOVERED || has_work_now(w))
		return writer_step_failed(w, STEP_SEND) || writer_cannot_commit(w) || w->recovery != RECOVERED ||
				       w->counts.agreement_error.code
			       ? WRITER_SHORT_MS
			       : 0;
	if (!STAILQ_EMPTY(&w->unsent) || w->unsettled)
		return WRITER_SHORT_MS;
	if (w->sent.n || w->forget_usec)
		return WRITER_SOON_MS;
	if (w->deferred)
		return WRITER_RELEASE_MS;
	if (w->held)
		return WRITER_LONG_MS;
	return w->doubts ? WRITER_DOUBT_MS : WRITER_FILES_MS;
}

static void share_status(struct writer *w)
{
	for (size_t i = 0; i < ARRAY_LEN(w->status.records); i++)
		w->status.records[i] = w->counts.records[i];
	w->status.write_failures += w->counts.write_failures; /* the loop's side counts too */
	w->counts.write_failures = 0;
	w->status.not_durable = w->counts.not_durable;
	w->status.resent = w->counts.resent;
	w->status.agreement_error = w->counts.agreement_error;
	w->status.merged = w->counts.merged;
	w->status.renewals = w->counts.renewals;
	w->status.deferred = w->deferred;
	w->status.latency = w->counts.latency;
}

static struct timespec monotonic_in(uint64_t ms)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	t.tv_sec += (time_t)(ms / 1000);
	t.tv_nsec += (long)(ms % 1000) * 1000000;
	if (t.tv_nsec >= 1000000000) {
		t.tv_nsec -= 1000000000;
		t.tv_sec++;
	}
	return t;
}

static bool is_asked(const struct writer *w)
{
	return !STAILQ_EMPTY(&w->queue) || !STAILQ_EMPTY(&w->tasks) || w->stopping || w->woken ||
	       w->next_output != w->form;
}

/* Wait for something to do; take what the loop has told. False: it is time to end. */
static bool take_queue(struct writer *w, struct writer_tasks *tasks)
{
	uint64_t ms = wait_ms(w);
	struct timespec until = monotonic_in(ms);
	bool stopping;

	(void)pthread_mutex_lock(&w->lock);
	share_status(w);
	while (ms && !is_asked(w))
		if (pthread_cond_timedwait(&w->wake, &w->lock, &until) == ETIMEDOUT)
			break;
	STAILQ_CONCAT(&w->uncommitted, &w->queue);
	STAILQ_CONCAT(tasks, &w->tasks);
	if (w->next_output != w->form)
		output_set(w->output, w->form = w->next_output);
	w->woken = false;
	stopping = w->ending = w->stopping;
	(void)pthread_mutex_unlock(&w->lock);
	return !stopping || has_work(w) || (w->recovery != RECOVERED && !writer_is_closed(w));
}

static void run_tasks(struct writer *w, struct writer_tasks *tasks)
{
	struct writer_task *t;

	while ((t = STAILQ_FIRST(tasks))) {
		STAILQ_REMOVE_HEAD(tasks, link);
		t->run(t, w->database);
	}
}

static void *run(void *ctx)
{
	struct writer *w = ctx;
	struct writer_tasks tasks = STAILQ_HEAD_INITIALIZER(tasks);

	writer_look_at_clock(w);
	while (take_queue(w, &tasks)) {
		writer_look_at_files(w);
		writer_read_outbox(w);
		writer_follow_clock(w);
		while (writer_commit(w))
			;
		run_tasks(w, &tasks);
		writer_recover_some(w);
		writer_note_storm(w);
		writer_release_some(w);
		writer_send_some(w);
		writer_settle(w);
		writer_prune(w);
		writer_forget_written(w);
	}
	writer_forget_doubts(w);
	(void)pthread_mutex_lock(&w->lock);
	share_status(w);
	w->ended = true;
	(void)pthread_cond_broadcast(&w->end);
	(void)pthread_mutex_unlock(&w->lock);
	return NULL;
}

/* ---- life ---- */

static void writer_free(struct writer *w)
{
	writer_free_items(w, &w->queue);
	writer_free_items(w, &w->uncommitted);
	writer_free_items(w, &w->unsent);
	vec_done(&w->sent);
	vec_done(&w->written);
	flood_done(&w->flood);
	output_free(w->output);
	(void)pthread_cond_destroy(&w->wake);
	(void)pthread_cond_destroy(&w->end);
	(void)pthread_mutex_destroy(&w->lock);
	free(w);
}

static bool init_locks(struct writer *w)
{
	pthread_condattr_t monotonic;

	return pthread_condattr_init(&monotonic) == 0 && pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC) == 0 &&
	       pthread_cond_init(&w->wake, &monotonic) == 0 && pthread_cond_init(&w->end, &monotonic) == 0 &&
	       pthread_condattr_destroy(&monotonic) == 0 && pthread_mutex_init(&w->lock, NULL) == 0;
}

/* Signals are the loop's. */
static int start_thread(struct writer *w)
{
	sigset_t all, before;
	int r;

	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	r = pthread_create(&w->thread, NULL, run, w);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	return r;
}

int writer_new(const struct writer_options *o, struct writer **ret, struct err *err)
{
	struct writer *w = calloc(1, sizeof(*w));

	if (!w)
		return err_nomem(err);
	w->o = *o;
	w->database = o->database;
	w->form = w->next_output = o->output;
	w->recovery = READ_OUTBOX;
	w->looks_up = o->rebooted || o->doubtful ? LOOK_UP_ALL : o->was_damaged ? LOOK_UP_HELD : LOOK_UP_UNMARKED;
	STAILQ_INIT(&w->queue);
	STAILQ_INIT(&w->tasks);
	STAILQ_INIT(&w->uncommitted);
	STAILQ_INIT(&w->unsent);
	w->output = output_new(o->output);
	if (!init_locks(w) || !w->output) {
		writer_free(w);
		return err_nomem(err);
	}
	output_set_shard(w->output, o->shard);
	*ret = w;
	return 0;
}

void writer_set_key(struct writer *w, const unsigned char key[FINDINGS_KEY_SIZE])
{
	w->o.has_key = true;
	memcpy(w->o.key, key, sizeof(w->o.key));
}

int writer_start(struct writer *w, struct err *err)
{
	int r = start_thread(w);

	if (r != 0)
		return err_set(err, r, "start the writer of records: %s", strerror(r));
	w->started = true;
	return 0;
}

bool writer_stop(struct writer *w, unsigned ms)
{
	struct timespec until = monotonic_in(ms);
	bool ended = !w->started;

	(void)pthread_mutex_lock(&w->lock);
	w->stopping = true;
	(void)pthread_cond_signal(&w->wake);
	while (!ended && pthread_cond_timedwait(&w->end, &w->lock, &until) != ETIMEDOUT)
		ended = w->ended;
	(void)pthread_mutex_unlock(&w->lock);
	if (!ended)
		return false;
	if (w->started)
		(void)pthread_join(w->thread, NULL);
	database_close(w->database);
	writer_free(w);
	return true;
}
