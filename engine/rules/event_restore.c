/* Restores the values that are no change, with one function for each kind of node. */
#include "rules/event_restore.h"

#include <stdlib.h>

struct restoring {
	struct arena *arena;
	bool no_memory;
};

static val restore(struct restoring *r, const struct event_node *x);

/* The members of @after, with the restored ones of @x in their places; both are in order of keys. */
static val restore_map(struct restoring *r, const struct event_node *x, val after)
{
	const struct event_node *child = x->first;
	struct member *members;
	uint32_t n = 0, at = 0, room = after.n;

	for (const struct event_node *c = child; c; c = c->next)
		room++;
	members = arena_array(r->arena, room, sizeof(*members));
	r->no_memory |= !members;
	while (members && (child || at < after.n)) {
		int order = !child ? 1 : at == after.n ? -1 : str_cmp(child->at.key, key_str(after.members[at].key));

		if (order > 0) {
			members[n++] = after.members[at++];
			continue;
		}
		members[n] = (struct member){ child->at.member, restore(r, child) };
		n += val_exists(members[n].value);
		at += order == 0;
		child = child->next;
	}
	return members ? (val){ .kind = VAL_MAP, .n = n, .members = members } : val_null();
}

struct slot {
	uint32_t index; /* where the element goes, */
	uint32_t then;  /* the order among slots with the same index */
	val v;
};

/* The leaf for a changed order of a list with keys; NULL: the order has not changed. */
static const struct event_node *order_of(const struct event_node *list)
{
	for (const struct event_node *c = list->first; c; c = c->next) {
		if (c->order)
			return c;
	}
	return NULL;
}

/* The former index of each element of @after, or ORDER_NEW, in a list whose elements have kept their order. NULL
 * without memory. */
static const uint32_t *ranks(struct restoring *r, const struct event_node *x, val after)
{
	uint32_t n = val_count(x->before), at = 0;
	uint32_t *rank = arena_zalloc(r->arena, ((size_t)after.n + 1) * sizeof(*rank));
	bool *gone = arena_zalloc(r->arena, (size_t)n + 1);

	r->no_memory |= !rank || !gone;
	if (!rank || !gone)
		return NULL;
	for (const struct event_node *c = x->first; c; c = c->next) {
		if (!val_exists(c->after))
			gone[c->at.index] = true;
		else if (!val_exists(c->before))
			rank[c->at.index] = ORDER_NEW;
	}
	for (uint32_t i = 0; i < after.n; i++) {
		while (at < n && gone[at])
			at++;
		if (rank[i] != ORDER_NEW)
			rank[i] = at++;
	}
	return rank;
}

static int by_index(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;

	return x->index != y->index ? (x->index > y->index ? 1 : -1) : (x->then > y->then) - (x->then < y->then);
}

/* Give each element of @after its former index, and each new one the place behind the element before it. */
static void fill_ranked(struct slot *slots, const uint32_t *rank, val after)
{
	uint32_t index = 0;

	for (uint32_t i = 0; i < after.n; i++) {
		index = rank[i] == ORDER_NEW ? index : rank[i] + 1;
		slots[i] = (struct slot){ index, rank[i] == ORDER_NEW ? i + 1 : 0, after.items[i] };
	}
}

/* Give the elements of @after their present order or, if the change of the order is dropped, their former one, with
 * new elements at the end. */
static void fill_ordered(struct slot *slots, const struct event_node *order, val after)
{
	for (uint32_t i = 0; i < after.n; i++) {
		uint32_t was = order->order[i];
		uint32_t index = !order->dropped ? i + 1 : was == ORDER_NEW ? ORDER_NEW : was + 1;

		slots[i] = (struct slot){ index, i + 1, after.items[i] };
	}
}

/* The elements of @after, without those that are dropped as created, and with those that are dropped as deleted. */
static val restore_list(struct restoring *r, const struct event_node *x, val after)
{
	const struct event_node *order = order_of(x);
	const uint32_t *rank = order ? NULL : ranks(r, x, after);
	uint32_t room = after.n, n = after.n, kept = 0;
	struct slot *slots;
	val *items;

	for (const struct event_node *c = x->first; c; c = c->next)
		room++;
	slots = arena_array(r->arena, room, sizeof(*slots));
	items = arena_array(r->arena, room, sizeof(*items));
	r->no_memory |= !slots || !items;
	if (r->no_memory)
		return val_null();
	if (order)
		fill_ordered(slots, order, after);
	else
		fill_ranked(slots, rank, after);
	for (const struct event_node *c = x->first; c; c = c->next) {
		if (c->order)
			continue;
		if (val_exists(c->after))
			slots[c->at.index].v = restore(r, c);
		else
			slots[n++] = (struct slot){ c->at.index + 1, 0, restore(r, c) };
	}
	if (n)
		qsort(slots, n, sizeof(*slots), by_index);
	for (uint32_t i = 0; i < n; i++) {
		if (val_exists(slots[i].v))
			items[kept++] = slots[i].v;
	}
	return (val){ .kind = VAL_LIST, .n = kept, .items = items };
}

/* The value of @x without its dropped leaves. A value that was created or deleted exists if something in it does. */
static val restore(struct restoring *r, const struct event_node *x)
{
	const val no_map = { .kind = VAL_MAP }, no_list = { .kind = VAL_LIST };
	val side = val_exists(x->after) ? x->after : x->before, v;

	if (!x->dropped)
		return x->after;
	if (!x->first)
		return x->before;
	if (val_is_map(side))
		v = restore_map(r, x, val_exists(x->after) ? x->after : no_map);
	else
		v = restore_list(r, x, val_exists(x->after) ? x->after : no_list);
	return v.n || (val_exists(x->before) && val_exists(x->after)) ? v : (val){ 0 };
}

val event_restore(const struct event_node *x, struct arena *a, bool *no_memory)
{
	struct restoring r = { .arena = a };
	val v = restore(&r, x);

	*no_memory |= r.no_memory;
	return v;
}
