/* What the loop hands to the writer's thread, and what that says of itself: the one place where both meet. */
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
	bool with_states; /* records carry the states of their findings */
	pthread_t thread;
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t wake, end;
	struct items items;
	struct writer_tasks tasks;
	enum cfg_output output;
	bool asked; /* there is something that the thread did not see yet */
	enum work_life life;
	struct writer_status status; /* the thread alone changes its steps: it reads them without the lock */
	_Atomic size_t n_waiting, bytes_waiting; /* in the queue and behind it */
	enum work_life seen;                     /* the thread's: the life as it saw it last */
};

CHECKED bool work_queue_init(struct work_queue *q, enum cfg_output output, bool with_states);
void work_queue_done(struct work_queue *q);
/* As sink_taker.take; from both sides. */
void work_queue_emit(struct work_queue *q, const struct emission *t);

/* Start the thread of the queue, which calls run(ctx) and ends with work_queue_ended. Returns the code of
 * pthread_create(3). */
CHECKED int work_queue_start(struct work_queue *q, void *(*run)(void *ctx), void *ctx);
/* False: it did not end within @ms. */
bool work_queue_stop(struct work_queue *q, unsigned ms);

/* ---- of the thread ---- */

/* Wait up to @ms for something to do; what there is goes behind what these have. Returns the output that is wanted. */
enum cfg_output work_queue_take(struct work_queue *q, uint64_t ms, struct items *items, struct writer_tasks *tasks);
/* Whether the thread should end; what is deferred then waits for the next process. */
bool work_queue_ends(const struct work_queue *q);
void work_queue_ended(struct work_queue *q);
/* The status, but for its steps and what waits; until work_queue_unlock. */
struct writer_status *work_queue_lock(struct work_queue *q);
void work_queue_unlock(struct work_queue *q);

/* @i is one more, or one less, that waits to be written. */
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
