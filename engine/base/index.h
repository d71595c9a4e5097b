/* A hash table of things that hold their own keys. It only finds them, and is small for many things: an entry of strmap
 * takes 32 to 64 bytes besides the copy of its key, an entry of the index 17 to 28.
 *
 * The things belong to the caller, who must not change their keys while they are in the table. It grows in steps, as
 * strmap does. */
#ifndef BASE_INDEX_H
#define BASE_INDEX_H

#include "base/str.h"

struct index_slot {
	uint32_t hash;
	uint32_t place; /* 1 + the index of the thing; 0: free slot; or a special mark */
};

struct index {
	str (*key_of)(const void *thing);
	void **things;  /* the things, without gaps */
	size_t n, room; /* number of things, and of places for them */
	struct index_slot *slots;
	size_t cap;             /* number of slots: 0 or a power of two */
	struct index_slot *old; /* a smaller table, whose slots before old_at have been moved; NULL: there is none */
	size_t old_cap, old_at;
};

/* An empty index. */
#define INDEX_OF(key) ((struct index){ .key_of = (key) })

/* Free the table and leave the index empty. The things are neither freed nor read. */
void index_done(struct index *x);

void *index_get(const struct index *x, str key); /* NULL: there is no such thing */

/* Insert @thing, or replace the thing with the same key, which is put into *old (may be NULL; NULL is put into it
 * when there was none). False without memory, or with 4 Gi things. */
CHECKED bool index_put(struct index *x, void *thing, void **old);

/* Remove the thing with this key and return it; NULL when there is none. Never call it while iterating. */
void *index_remove(struct index *x, str key);

/* Iterate in no particular order: start with *at = 0; NULL at the end. */
void *index_each(const struct index *x, size_t *at);

/* Iterate with pauses, in which things may be added and removed: start with *left = SIZE_MAX. Every thing that is in
 * the table all the time is returned at least once. */
void *index_each_slowly(const struct index *x, size_t *left);

/* Remove the things one by one, so that many can be removed in slices; NULL at the end, when the table is empty.
 * Before that, nothing but index_done may be called. */
void *index_drain(struct index *x);

#endif
