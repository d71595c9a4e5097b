/* One function for each kind of node. */
#include "rules/event_restore.h"

#include <stdlib.h>

struct restoring {
	struct arena *arena;
	bool no_memory;
};

static val restore(struct restoring *r, const struct event_node *x);

/* Members of @after, with those of @x in place of theirs; both are in order of keys. */
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
	uint32_t index; /* where it goes: of one that was put back, where it was */
	bool back;
	val v;
};

/* Where the elements of today go; NULL: where they are. */
static const uint32_t *old_order(const struct event_node *list)
{
	for (const struct event_node *c = list->first; c; c = c->next) {
		if (c->order && c->dropped)
			return c->order;
	}
	return NULL;
}

static int by_index(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;

	return x->index != y->index ? (x->index > y->index ? 1 : -1) : (int)y->back - (int)x->back;
}

/* The elements of @after, some of them gone, others put back where they stood. */
static val restore_list(struct restoring *r, const struct event_node *x, val after)
{
	const uint32_t *order = old_order(x);
	uint32_t room = after.n, n = 0, kept = 0;
	struct slot *slots;
	val *items;

	for (const struct event_node *c = x->first; c; c = c->next)
		room++;
	slots = arena_array(r->arena, room, sizeof(*slots));
	items = arena_array(r->arena, room, sizeof(*items));
	r->no_memory |= !slots || !items;
	if (!slots || !items)
		return val_null();
	for (; n < after.n; n++)
		slots[n] = (struct slot){ order ? order[n] : n, false, after.items[n] };
	for (const struct event_node *c = x->first; c; c = c->next) {
		if (c->order)
			continue;
		if (val_exists(c->after))
			slots[c->at.index].v = restore(r, c);
		else
			slots[n++] = (struct slot){ c->at.index, true, restore(r, c) };
	}
	if (n)
		qsort(slots, n, sizeof(*slots), by_index);
	for (uint32_t i = 0; i < n; i++) {
		if (val_exists(slots[i].v))
			items[kept++] = slots[i].v;
	}
	return (val){ .kind = VAL_LIST, .n = kept, .items = items };
}

/* What was created or deleted is there as far as something in it is. */
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
