/* What the loop hands to the writer's thread, and the status that the thread reports: the only place where both
 * meet. */
#ifndef DAEMON_STORE_WORK_QUEUE_H
#define DAEMON_STORE_WORK_QUEUE_H

#include "daemon/store/item.h"
#include "daemon/store/writer.h"

#include <pthread.h>
#include <stdatomic.h>

STAILQ_HEAD(writer_tasks, writer_task);

/*   NEW -- start --> RUNS -- stop --> ENDS -- all is done that can be --> ENDED
 *    '------------------------------ stop ---------------------------------^
 */
enum work_life { WORK_NEW, WORK_RUNS, WORK_ENDS, WORK_ENDED };

struct work_queue {
	bool with_states; /* records contain the states of their findings */
	pthread_t thread;
	pthread_mutex_t lock; /* protects the members that follow */
	pthread_cond_t wake, end;
	struct items items;
	struct writer_tasks tasks;
	enum cfg_output output;
	bool asked; /* there is something that the thread has not seen yet */
	enum work_life life;
	struct writer_status status; /* only the thread changes its steps, and so reads them without the lock */
	/* what waits in the queue, and what was taken from it and is not written yet */
	_Atomic size_t n_waiting, bytes_waiting;
	enum work_life seen; /* the thread's copy of @life, as it saw it last */
};

CHECKED bool work_queue_init(struct work_queue *q, enum cfg_output output, bool with_states);
void work_queue_done(struct work_queue *q);
/* Add an emission, as sink_taker.take; called by both threads. */
void work_queue_emit(struct work_queue *q, const struct emission *t);

/* Start the thread of the queue, which calls run(ctx) and ends with work_queue_ended. Returns the code of
 * pthread_create(3). */
CHECKED int work_queue_start(struct work_queue *q, void *(*run)(void *ctx), void *ctx);
/* False: the thread did not end within @ms. */
bool work_queue_stop(struct work_queue *q, unsigned ms);

/* ---- of the thread ---- */

/* Wait up to @ms for something to do. What there is goes behind the items and tasks that the caller has. Returns the
 * output that is wanted. */
enum cfg_output work_queue_take(struct work_queue *q, uint64_t ms, struct items *items, struct writer_tasks *tasks);
/* Whether the thread should end. Records that are still deferred wait for the next process. */
bool work_queue_ends(const struct work_queue *q);
void work_queue_ended(struct work_queue *q);
/* The status without its steps and the number of waiting items, locked until work_queue_unlock. */
struct writer_status *work_queue_lock(struct work_queue *q);
void work_queue_unlock(struct work_queue *q);

/* work_queue_waits: one more item, @i, waits to be written. work_queue_written: @i does not wait any more. */
void work_queue_waits(struct work_queue *q, struct items *items, struct item *i);
void work_queue_written(struct work_queue *q, struct item *i);
void work_queue_free_items(struct work_queue *q, struct items *items);

/* Change a step (steps.h). The status shows it at once, because the thread may hang in the next call. */
void work_queue_begins(struct work_queue *q, enum store_step step);
void work_queue_goes_on(struct work_queue *q, enum store_step step, bool more);
void work_queue_fails(struct work_queue *q, enum store_step step, const struct err *why);
void work_queue_rests(struct work_queue *q, enum store_step step);
bool work_queue_is_failing(const struct work_queue *q, enum store_step step);

#endif
