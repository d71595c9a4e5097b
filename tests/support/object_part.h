/* Objects without what nobody looks at. */
#ifndef TESTS_OBJECT_PART_H
#define TESTS_OBJECT_PART_H

#include "value/object_ways.h"

#define OBJECT_PART_NAMES 64 /* of a way */

static inline bool object_way_leads_through(const struct object_way *w, const str *names, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (i == w->n || !w->names[i].p != !names[i].p || !str_eq(w->names[i], names[i]))
			return false;
	}
	return true;
}

/* Whether a way leads through @names and then on in each item of a list (@each), or not so. */
static inline bool object_part_goes_on(const struct object_ways *ways, const str *names, size_t n, bool each)
{
	for (size_t i = 0; i < ways->p.n; i++) {
		const struct object_way *w = &ways->p.p[i];

		if (w->n > n && !w->names[n].p == each && object_way_leads_through(w, names, n))
			return true;
	}
	return false;
}

static inline val object_part_below(const struct object_ways *ways, val x, str *names, size_t n, struct arena *a);

static inline val object_part_items(const struct object_ways *ways, val list, str *names, size_t n, struct arena *a)
{
	val *items = arena_array(a, list.n, sizeof(*items));

	names[n] = VAL_EACH_ITEM;
	for (uint32_t i = 0; i < list.n; i++)
		items[i] = object_part_below(ways, list.items[i], names, n + 1, a);
	return (val){ .kind = VAL_LIST, .n = list.n, .items = items };
}

/* @x, which lies behind @n @names, without what no way leads to. */
static inline val object_part_below(const struct object_ways *ways, val x, str *names, size_t n, struct arena *a)
{
	struct member *members;
	uint32_t kept = 0;

	for (size_t i = 0; i < ways->p.n; i++) {
		if (ways->p.p[i].n == n && object_way_leads_through(&ways->p.p[i], names, n))
			return x;
	}
	if (n == OBJECT_PART_NAMES || object_part_goes_on(ways, names, n, !val_is_list(x)))
		return x;
	if (val_is_list(x))
		return object_part_items(ways, x, names, n, a);
	if (!val_is_map(x))
		return x;
	members = arena_array(a, x.n, sizeof(*members));
	for (uint32_t m = 0; m < x.n; m++) {
		bool any = false;

		names[n] = key_str(x.members[m].key);
		for (size_t i = 0; i < ways->p.n; i++)
			any |= ways->p.p[i].n > n && object_way_leads_through(&ways->p.p[i], names, n + 1);
		if (any)
			members[kept++] = (struct member){ x.members[m].key, object_part_below(ways, x.members[m].value,
											       names, n + 1, a) };
	}
	return val_map_sorted(members, kept);
}

/* What of @object the ways lead to, in @a; it shares with the object. */
static inline val object_part(const struct object_ways *ways, val object, struct arena *a)
{
	str names[OBJECT_PART_NAMES];

	return object_part_below(ways, object, names, 0, a);
}

#endif
