/* Keeps tombstones until their findings have ended. A single object waits in a list. When a whole kind is gone, its
 * objects stay in the tables in which they were, and are taken out of these one by one. */
#include "daemon/watch/cluster/tombstones.h"

#include "base/assert.h"

struct gone_kind {
	struct gone_kind *next;
	struct index objects;
	struct strmap names;
	size_t names_at; /* how far the table of names has been drained */
	enum end_reason why;
};

void tombstones_add(struct tombstones *t, struct object *o)
{
	ASSERT(!object_is_queued(o));
	o->next_pending = NULL;
	if (t->last)
		t->last->next_pending = o;
	else
		t->first = o;
	t->last = o;
}

bool tombstones_add_all(struct tombstones *t, struct snapshot *s, struct kind *k, enum end_reason why)
{
	struct gone_kind *g = calloc(1, sizeof(*g));

	if (!g)
		return false;
	g->why = why;
	snapshot_take_all(s, k, &g->objects, &g->names);
	if (t->last_kind)
		t->last_kind->next = g;
	else
		t->first_kind = g;
	t->last_kind = g;
	return true;
}

bool tombstones_any(const struct tombstones *t)
{
	return t->first || t->first_kind;
}

static struct object *take_with_kind(struct tombstones *t,
				     void (*leave)(void *ctx, struct object *o, enum end_reason why), void *ctx)
{
	struct gone_kind *g = t->first_kind;
	bool named = strmap_drain(&g->names, &g->names_at, &(void *){ NULL });
	struct object *o = index_drain(&g->objects);

	if (o) {
		leave(ctx, o, g->why);
		o->received_ns = 0;
		return o;
	}
	if (named)
		return NULL;
	t->first_kind = g->next;
	if (!g->next)
		t->last_kind = NULL;
	free(g);
	return NULL;
}

struct object *tombstones_take(struct tombstones *t, void (*leave)(void *ctx, struct object *o, enum end_reason why),
			       void *ctx)
{
	struct object *o = t->first;

	if (!o)
		return take_with_kind(t, leave, ctx);
	t->first = o->next_pending;
	if (!t->first)
		t->last = NULL;
	return o;
}
