/* A hash table of things that hold their own keys: it finds them, and is small where there are many. What strmap takes
 * for an entry, copy of the key aside, is 64 bytes at worst and 32 at best; here it is 28 and 17.
 *
 * The things belong to the caller, who leaves their keys alone while they are in. It grows in steps, as strmap does. */
#ifndef BASE_INDEX_H
#define BASE_INDEX_H

#include "base/str.h"

struct index_slot {
	uint32_t hash;
	uint32_t place; /* 1 + that of the thing; 0: free slot; or a mark of its own */
};

struct index {
	str (*key_of)(const void *thing);
	void **things;  /* without gaps */
	size_t n, room; /* things, and places for them */
	struct index_slot *slots;
	size_t cap;             /* slots: 0 or a power of two */
	struct index_slot *old; /* a smaller table, whose slots before old_at are moved; NULL: there is none */
	size_t old_cap, old_at;
};

/* An empty index. */
#define INDEX_OF(key) ((struct index){ .key_of = (key) })

/* Frees the table, but not the things, which are not read. The index is empty then. */
void index_done(struct index *x);

void *index_get(const struct index *x, str key); /* NULL when absent */

/* Insert @thing, or put it in the place of what has its key, which comes out in *old (may be NULL; NULL in it: there
 * was none). False without memory, or with 4 Gi of them. */
CHECKED bool index_put(struct index *x, void *thing, void **old);

/* Take it out and return it, NULL when absent. Never call it while iterating. */
void *index_remove(struct index *x, str key);

/* Iterate in no order: start with *at = 0, ends with NULL. */
void *index_each(const struct index *x, size_t *at);

/* The same for who stops in between, while things come and go: start with *left = SIZE_MAX. What was in at the start
 * and stays in comes once at least. */
void *index_each_slowly(const struct index *x, size_t *left);

/* Take them out one by one, so that many go in slices; NULL at the end, and then it is empty. Before, nothing but
 * index_done may be called. */
void *index_drain(struct index *x);

#endif
