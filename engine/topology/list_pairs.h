/* Pairs the elements of two lists whose elements have keys.
 *
 * An API server accepts a list in which a key occurs twice, and each reader of the list treats it differently. Here
 * the first is paired with the first, the second with the second. Elements without the key are paired with each
 * other, in their order. Every element is in exactly one pair, or only on one side. */
#ifndef TOPOLOGY_LIST_PAIRS_H
#define TOPOLOGY_LIST_PAIRS_H

#include "topology/topology.h"

struct list_element {
	str key;        /* the texts of its keys, joined by slashes; without the keys its index, in decimal */
	bool bare;      /* the element does not have all keys */
	bool text;      /* the element has one key, which is a text */
	uint32_t again; /* how many elements before it have the same key, or are bare as well */
	uint32_t next;  /* 1 + the next such element; 0: there is none */
};

struct list_pairs {
	struct list_element *before, *after; /* the elements of each list */
	uint32_t *to_after, *to_before;      /* 1 + the other element of the pair; 0: there is none */
	bool twice, bare;                    /* some key occurs twice; some element has no key */
	bool alike;                          /* both lists have the same keys in the same order */
};

/* Pair two lists. Returns 1, or 0 if the lists are not compared by keys. Keys from habit are not used if some
 * element of @before has none or, when @before is empty, no element of @after has one; keys that are sure are not
 * used if no element of either list has one. Fails: ENOMEM. *ret lives in @a, and views the lists. */
CHECKED int list_pairs_make(val before, val after, const struct list_keys *keys, struct arena *a,
			    struct list_pairs *ret);

/* Whether the elements that both lists have, of which the first has @n in all, are in the same order. */
bool list_pairs_in_order(const struct list_pairs *p, uint32_t n);

/* Describe the element at @index of @list, and how it differs from those with the same key. Takes time linear in
 * @index. False without memory. */
CHECKED bool list_element_at(val list, const struct list_keys *keys, uint32_t index, struct arena *a,
			     struct list_element *ret);

/* The path segment of the element @e, which is @v and has this index in its list. Its text lives in @a or in @v;
 * {NULL, 0} without memory. */
struct path_segment list_element_segment(const struct list_keys *keys, const struct list_element *e, val v,
					 uint32_t index, struct arena *a);

#endif
