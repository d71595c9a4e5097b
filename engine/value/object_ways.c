/* Collects the ways to the parts of an object that are read, and hashes the values there. */
#include "value/object_ways.h"

#include "base/hash.h"
#include "value/object_text.h"

#define WAYS_MAX 1000 /* with more ways, comparing an object costs more than judging it */

void object_ways_init(struct object_ways *w, struct key_table *keys)
{
	*w = (struct object_ways){ .keys = keys };
	arena_init(&w->arena, 0, 1u << 20);
	w->known = object_pick(keys, &w->arena, &w->pick);
}

void object_ways_done(struct object_ways *w)
{
	vec_done(&w->p);
	arena_done(&w->arena);
	*w = (struct object_ways){ 0 };
}

static bool is_same_step(str a, str b)
{
	return !a.p == !b.p && str_eq(a, b); /* a name that is empty is no VAL_EACH_ITEM */
}

static bool is_known(const struct object_ways *w, const str *names, size_t n)
{
	for (size_t i = 0; i < w->p.n; i++) {
		const struct object_way *one = &w->p.p[i];
		size_t k = 0;

		while (k < n && k < one->n && is_same_step(names[k], one->names[k]))
			k++;
		if (k == one->n) /* the way is the same, or all that is below it is read already */
			return true;
	}
	return false;
}

bool object_ways_add(struct object_ways *w, const str *names, size_t n)
{
	struct json_pick way;
	size_t n_picked = 0; /* the names before the first list, all of which is picked */
	str *copy;

	if (is_known(w, names, n))
		return true;
	copy = arena_array(&w->arena, n, sizeof(*copy));
	if (!copy || w->p.n == WAYS_MAX)
		return false;
	while (n_picked < n && names[n_picked].p)
		n_picked++;
	for (size_t i = 0; i < n; i++) {
		copy[i] = names[i].p ? arena_str(&w->arena, names[i]) : VAL_EACH_ITEM;
		if (names[i].p && !copy[i].p)
			return false;
	}
	return json_pick_path(copy, n_picked, w->keys, &w->arena, &way) &&
	       json_pick_both(&w->pick, &way, &w->arena, &w->pick) && vec_push(&w->p, (struct object_way){ copy, n });
}

uint64_t object_ways_hash(const struct object_ways *w, val object)
{
	uint64_t h = w->p.n;

	for (size_t i = 0; i < w->p.n; i++)
		h = hash_mix(h, val_hash_way(object, w->p.p[i].names, w->p.p[i].n));
	return h ? h : 1;
}
