/* Pairs the elements of two lists whose elements have keys.
 *
 * An API server takes a list in which a key stands twice, and what reads the list has its own way with it: so the first
 * is paired with the first, the second with the second. Elements without the key are paired among themselves, in their
 * order. Every element is in exactly one pair, or on one side alone. */
#ifndef TOPOLOGY_LIST_PAIRS_H
#define TOPOLOGY_LIST_PAIRS_H

#include "topology/topology.h"

struct list_element {
	str key;        /* the texts of its keys, joined by slashes; without the keys: where it stands, in decimal */
	bool bare;      /* it lacks a key */
	bool text;      /* its one key is a text */
	uint32_t again; /* how many before it have the same key, or are bare too */
	uint32_t next;  /* 1 + the next of these; 0: it is the last */
};

struct list_pairs {
	struct list_element *before, *after; /* as many as each list has */
	uint32_t *to_after, *to_before;      /* 1 + the other one of the pair; 0: it has none */
	bool twice, bare;                    /* a key stands twice; an element has none */
	bool alike;                          /* both have the same keys in the same order */
};

/* 1; 0: the lists go without keys (of habit, when some element of @before has none, or when that is empty none of
 * @after has; of certain keys, when no element of either has any); -ENOMEM. Lives in @a, and views the lists. */
CHECKED int list_pairs_make(val before, val after, const struct list_keys *keys, struct arena *a,
			    struct list_pairs *ret);

/* Whether what both lists hold, @n elements of which are in the first one, stands in the same order in both. */
bool list_pairs_in_order(const struct list_pairs *p, uint32_t n);

/* What the element at @index of @list is called among the others. Time is linear in @index. False without memory. */
CHECKED bool list_element_at(val list, const struct list_keys *keys, uint32_t index, struct arena *a,
			     struct list_element *ret);

/* How a path calls the element @e, which is @v and stands at @index of its list. The text lives in @a or in @v;
 * {NULL, 0} without memory. */
struct path_segment list_element_segment(const struct list_keys *keys, const struct list_element *e, val v,
					 uint32_t index, struct arena *a);

#endif
