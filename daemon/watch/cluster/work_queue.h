/* The work queue: the objects of a cluster that wait for their verdicts, each once, in the order of their turns. */
#ifndef DAEMON_WATCH_CLUSTER_WORK_QUEUE_H
#define DAEMON_WATCH_CLUSTER_WORK_QUEUE_H

#include "daemon/watch/snapshot/object.h"

struct work_queue {
	struct object *first, *last; /* NULL: the queue is empty */
	size_t n;
};

/* Put an object that is in no queue at the end of the queue. */
void work_queue_add(struct work_queue *q, struct object *o);
/* Put an object back at the front of the queue, because judging it goes on. */
void work_queue_return(struct work_queue *q, struct object *o);
/* Take the object out of the queue, wherever it stands. */
void work_queue_remove(struct work_queue *q, struct object *o);

#endif
