/* A hash map from byte strings to pointers. The map copies its keys; values belong to the caller. Use an index
 * (index.h) for values that hold their own keys.
 *
 * It grows in steps: each insertion moves some entries of the smaller table, so that none takes a time that depends
 * on the size of the map. */
#ifndef BASE_STRMAP_H
#define BASE_STRMAP_H

#include "base/str.h"

struct strmap_entry {
	char *key;  /* NUL-terminated copy; NULL: free slot; or a special mark */
	uint32_t n; /* no key has 4 GiB */
	uint32_t hash;
	void *value;
};

_Static_assert(sizeof(struct strmap_entry) == 24, "one for each finding, half of the slots free");

struct strmap {
	struct strmap_entry *slots;
	size_t n;   /* number of entries */
	size_t cap; /* number of slots: 0 or a power of two */
	/* a smaller table, whose entries before old_at have been moved; NULL: there is none */
	struct strmap_entry *old;
	size_t old_cap, old_at;
};

/* Release keys and table; call strmap_each first to release values. A zeroed strmap is empty. */
void strmap_done(struct strmap *m);

void *strmap_get(const struct strmap *m, str key); /* NULL when @key is not in the map */
bool strmap_has(const struct strmap *m, str key);

/* Insert or replace; *old (may be NULL) gets the value that was there, or NULL. False without memory. */
CHECKED bool strmap_put(struct strmap *m, str key, void *value, void **old);

/* Remove an entry and return its value; NULL when there is none. Never call it while iterating. */
void *strmap_remove(struct strmap *m, str key);

/* Iterate in no particular order: start with *at = 0; NULL at the end. */
const struct strmap_entry *strmap_each(const struct strmap *m, size_t *at);

/* Remove the entries one by one, so that a large map can be released in slices: start with *at = 0; false at the
 * end, when the map is empty. Before that, nothing but strmap_done may be called. */
bool strmap_drain(struct strmap *m, size_t *at, void **value);

#endif
