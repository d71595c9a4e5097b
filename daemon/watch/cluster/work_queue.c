/* The work queue as a doubly linked list through its objects. */
#include "daemon/watch/cluster/work_queue.h"

#include "base/assert.h"

/* Insert the object behind @before; NULL: at the front. */
static void insert(struct work_queue *q, struct object *o, struct object *before)
{
	struct object *after = before ? before->next_pending : q->first;

	o->previous_pending = before;
	o->next_pending = after;
	if (before)
		before->next_pending = o;
	else
		q->first = o;
	if (after)
		after->previous_pending = o;
	else
		q->last = o;
	q->n++;
}

void work_queue_add(struct work_queue *q, struct object *o)
{
	insert(q, o, q->last);
}

void work_queue_return(struct work_queue *q, struct object *o)
{
	insert(q, o, NULL);
}

void work_queue_remove(struct work_queue *q, struct object *o)
{
	ASSERT(q->n > 0);
	if (o->previous_pending)
		o->previous_pending->next_pending = o->next_pending;
	else
		q->first = o->next_pending;
	if (o->next_pending)
		o->next_pending->previous_pending = o->previous_pending;
	else
		q->last = o->previous_pending;
	q->n--;
}
