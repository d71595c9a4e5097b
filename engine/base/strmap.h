/* A hash map from byte strings to pointers. The map copies its keys; values belong to the caller. What holds its own
 * key is better kept by an index (index.h).
 *
 * It grows in steps: what was in the smaller table moves with each insertion, so that none takes as long as the map is
 * large. */
#ifndef BASE_STRMAP_H
#define BASE_STRMAP_H

#include "base/str.h"

struct strmap_entry {
	char *key;  /* NUL-terminated copy; NULL: free slot; or a mark of its own */
	uint32_t n; /* no key has 4 GiB */
	uint32_t hash;
	void *value;
};

_Static_assert(sizeof(struct strmap_entry) == 24, "one for each finding, half of the slots free");

struct strmap {
	struct strmap_entry *slots;
	size_t n;                 /* entries */
	size_t cap;               /* slots: 0 or a power of two */
	struct strmap_entry *old; /* a smaller table, whose entries before old_at are moved; NULL: there is none */
	size_t old_cap, old_at;
};

/* A zeroed strmap is empty. done() releases keys and table; call strmap_each first to release values. */
void strmap_done(struct strmap *m);

void *strmap_get(const struct strmap *m, str key); /* NULL when absent */
bool strmap_has(const struct strmap *m, str key);

/* Insert or replace; *old (may be NULL) gets the value that was there, or NULL. False without memory. */
CHECKED bool strmap_put(struct strmap *m, str key, void *value, void **old);

/* Remove; returns the value, NULL when absent. Never call it while iterating. */
void *strmap_remove(struct strmap *m, str key);

/* Iterate in no order: start with *at = 0, ends with NULL. */
const struct strmap_entry *strmap_each(const struct strmap *m, size_t *at);

/* Take the entries out one by one, so that a large map goes in slices: start with *at = 0; false at the end, and then
 * the map is empty. Before, nothing but strmap_done may be called. */
bool strmap_drain(struct strmap *m, size_t *at, void **value);

#endif
