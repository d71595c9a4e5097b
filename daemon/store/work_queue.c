/* The queue between the loop and the writer's thread. */
#include "daemon/store/work_queue.h"

#include "base/assert.h"
#include "daemon/findings/clock.h"
#include "daemon/store/writer_internal.h"

#include <errno.h>
#include <signal.h>
#include <time.h>

/* The limit of items that wait in memory. The record of a drift has about 2 KB, and at most 1 MB. */
#define WAITING_MAX 10000
#define WAITING_BYTES_MAX ((size_t)64 << 20)

static void set_life(struct work_queue *q, enum work_life life)
{
	ASSERT(life > q->life);
	q->life = life;
}

/* ---- the loop's side ---- */

static void enqueue(struct work_queue *q, struct item *i)
{
	bool first;

	if (!i)
		return;
	q->n_waiting++;
	q->bytes_waiting += i->bytes;
	(void)pthread_mutex_lock(&q->lock);
	STAILQ_INSERT_TAIL(&q->items, i, link);
	first = !q->asked;
	q->asked = true;
	(void)pthread_mutex_unlock(&q->lock);
	if (first) /* after unlocking: otherwise the thread would have to wait for the lock */
		(void)pthread_cond_signal(&q->wake);
}

/* Wake the thread because something else has changed; releases the lock. */
static void ask(struct work_queue *q)
{
	q->asked = true;
	(void)pthread_cond_signal(&q->wake);
	(void)pthread_mutex_unlock(&q->lock);
}

void work_queue_emit(struct work_queue *q, const struct emission *t)
{
	struct item *i = item_of_emission(t, q->with_states);

	if (!i) { /* an emission that cannot even be copied is lost, and counts as a failure to write */
		(void)pthread_mutex_lock(&q->lock);
		q->status.write_failures++;
		(void)pthread_mutex_unlock(&q->lock);
	}
	enqueue(q, i);
}

void writer_take(void *ctx, const struct emission *t)
{
	work_queue_emit(&((struct writer *)ctx)->queue, t);
}

void writer_run(struct writer *w, struct writer_task *task)
{
	(void)pthread_mutex_lock(&w->queue.lock);
	STAILQ_INSERT_TAIL(&w->queue.tasks, task, link);
	ask(&w->queue);
}

void writer_seen(struct writer *w, str cluster, int64_t usec)
{
	enqueue(&w->queue, item_of_seen(cluster, usec));
}

void writer_unwatched(struct writer *w, str cluster, const struct time_span *span)
{
	enqueue(&w->queue, item_of_unwatched(cluster, span));
}

void writer_keep_inspected(struct writer *w, str cluster, str versions)
{
	enqueue(&w->queue, item_of_inspected(cluster, versions));
}

bool writer_is_full(const struct writer *w)
{
	return w->queue.n_waiting >= WAITING_MAX || w->queue.bytes_waiting >= WAITING_BYTES_MAX;
}

void writer_wake(struct writer *w)
{
	(void)pthread_mutex_lock(&w->queue.lock);
	ask(&w->queue);
}

void writer_set_output(struct writer *w, enum cfg_output output)
{
	(void)pthread_mutex_lock(&w->queue.lock);
	w->queue.output = output;
	ask(&w->queue);
}

void writer_status(struct writer *w, struct writer_status *ret)
{
	*ret = *work_queue_lock(&w->queue);
	work_queue_unlock(&w->queue);
	ret->waiting = w->queue.n_waiting;
}

/* ---- the thread's side ---- */

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

enum cfg_output work_queue_take(struct work_queue *q, uint64_t ms, struct items *items, struct writer_tasks *tasks)
{
	struct timespec until = monotonic_in(ms);
	enum cfg_output output;

	(void)pthread_mutex_lock(&q->lock);
	while (ms && !q->asked && q->life == WORK_RUNS)
		if (pthread_cond_timedwait(&q->wake, &q->lock, &until) == ETIMEDOUT)
			break;
	STAILQ_CONCAT(items, &q->items);
	STAILQ_CONCAT(tasks, &q->tasks);
	q->asked = false;
	q->seen = q->life;
	output = q->output;
	(void)pthread_mutex_unlock(&q->lock);
	return output;
}

bool work_queue_ends(const struct work_queue *q)
{
	return q->seen == WORK_ENDS;
}

void work_queue_ended(struct work_queue *q)
{
	(void)pthread_mutex_lock(&q->lock);
	set_life(q, WORK_ENDED);
	(void)pthread_cond_broadcast(&q->end);
	(void)pthread_mutex_unlock(&q->lock);
}

struct writer_status *work_queue_lock(struct work_queue *q)
{
	(void)pthread_mutex_lock(&q->lock);
	return &q->status;
}

void work_queue_unlock(struct work_queue *q)
{
	(void)pthread_mutex_unlock(&q->lock);
}

void work_queue_waits(struct work_queue *q, struct items *items, struct item *i)
{
	q->n_waiting++;
	q->bytes_waiting += i->bytes;
	STAILQ_INSERT_TAIL(items, i, link);
}

void work_queue_written(struct work_queue *q, struct item *i)
{
	ASSERT(q->n_waiting > 0);
	q->n_waiting--;
	q->bytes_waiting -= i->bytes;
	item_free(i);
}

void work_queue_free_items(struct work_queue *q, struct items *items)
{
	struct item *i;

	while ((i = items_take(items)))
		work_queue_written(q, i);
}

/* ---- how the steps go on ---- */

void work_queue_begins(struct work_queue *q, enum store_step step)
{
	if (q->status.steps[step].phase != STEP_IDLE)
		return;
	step_begin(&work_queue_lock(q)->steps[step], clock_ns());
	work_queue_unlock(q);
}

void work_queue_goes_on(struct work_queue *q, enum store_step step, bool more)
{
	ASSERT(step < STORE_STEPS);
	step_progress(&work_queue_lock(q)->steps[step], more, clock_ns());
	work_queue_unlock(q);
}

void work_queue_fails(struct work_queue *q, enum store_step step, const struct err *why)
{
	ASSERT(step < STORE_STEPS);
	step_fail(&work_queue_lock(q)->steps[step], why, clock_ns());
	work_queue_unlock(q);
}

void work_queue_rests(struct work_queue *q, enum store_step step)
{
	if (q->status.steps[step].phase != STEP_BUSY)
		return;
	step_rest(&work_queue_lock(q)->steps[step]);
	work_queue_unlock(q);
}

bool work_queue_is_failing(const struct work_queue *q, enum store_step step)
{
	return q->status.steps[step].phase == STEP_FAILING;
}

/* ---- its life ---- */

bool work_queue_init(struct work_queue *q, enum cfg_output output, bool with_states)
{
	pthread_condattr_t monotonic;

	q->output = output;
	q->with_states = with_states;
	STAILQ_INIT(&q->items);
	STAILQ_INIT(&q->tasks);
	return pthread_condattr_init(&monotonic) == 0 && pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC) == 0 &&
	       pthread_cond_init(&q->wake, &monotonic) == 0 && pthread_cond_init(&q->end, &monotonic) == 0 &&
	       pthread_condattr_destroy(&monotonic) == 0 && pthread_mutex_init(&q->lock, NULL) == 0;
}

void work_queue_done(struct work_queue *q)
{
	work_queue_free_items(q, &q->items);
	(void)pthread_cond_destroy(&q->wake);
	(void)pthread_cond_destroy(&q->end);
	(void)pthread_mutex_destroy(&q->lock);
}

/* Signals are blocked in the thread, because the loop handles them. */
int work_queue_start(struct work_queue *q, void *(*run)(void *ctx), void *ctx)
{
	sigset_t all, before;
	int r;

	(void)pthread_mutex_lock(&q->lock);
	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	ASSERT(q->life == WORK_NEW);
	r = pthread_create(&q->thread, NULL, run, ctx);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (r == 0)
		set_life(q, WORK_RUNS);
	(void)pthread_mutex_unlock(&q->lock);
	return r;
}

bool work_queue_stop(struct work_queue *q, unsigned ms)
{
	struct timespec until = monotonic_in(ms);
	bool started, ended;

	(void)pthread_mutex_lock(&q->lock);
	started = q->life != WORK_NEW;
	if (q->life < WORK_ENDS)
		set_life(q, started ? WORK_ENDS : WORK_ENDED);
	(void)pthread_cond_signal(&q->wake);
	while (q->life != WORK_ENDED && pthread_cond_timedwait(&q->end, &q->lock, &until) != ETIMEDOUT)
		;
	ended = q->life == WORK_ENDED;
	(void)pthread_mutex_unlock(&q->lock);
	if (started && ended)
		(void)pthread_join(q->thread, NULL);
	return ended;
}
