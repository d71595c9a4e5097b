/* The work queue: the objects of a cluster that wait for their verdicts, each once, in the order of their turns. */
#ifndef DAEMON_WATCH_CLUSTER_WORK_QUEUE_H
#define DAEMON_WATCH_CLUSTER_WORK_QUEUE_H

#include "daemon/watch/snapshot/object.h"

struct work_queue {
	struct object *first, *last; /* NULL: it is empty */
	size_t n;
};

/* Put an object that is in no queue behind the others. */
void work_queue_add(struct work_queue *q, struct object *o);
/* Put an object back before the others: its judgement goes on. */
void work_queue_return(struct work_queue *q, struct object *o);
/* Take it out, wherever it stands. */
void work_queue_remove(struct work_queue *q, struct object *o);

#endif
