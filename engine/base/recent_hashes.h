/* A small set of 64-bit hashes that forgets: a new one may replace an older one. For results that need not be computed
 * again. Safe in any thread; threads may miss what others are just adding. A set of zeros is empty. */
#ifndef BASE_RECENT_HASHES_H
#define BASE_RECENT_HASHES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define RECENT_GROUPS 256 /* a hash belongs to one of them, by its lowest bits */
#define RECENT_IN_GROUP 4

struct recent_hashes {
	_Atomic uint64_t p[RECENT_GROUPS][RECENT_IN_GROUP]; /* 0: no hash */
};

/* @hash is not 0. */
static inline bool recent_hashes_has(const struct recent_hashes *r, uint64_t hash)
{
	const _Atomic uint64_t *group = r->p[hash % RECENT_GROUPS];

	for (unsigned i = 0; i < RECENT_IN_GROUP; i++) {
		if (atomic_load_explicit(&group[i], memory_order_relaxed) == hash)
			return true;
	}
	return false;
}

/* @hash is not 0, and not in the set. */
static inline void recent_hashes_add(struct recent_hashes *r, uint64_t hash)
{
	_Atomic uint64_t *group = r->p[hash % RECENT_GROUPS];
	unsigned i = 0;

	while (i + 1 < RECENT_IN_GROUP && atomic_load_explicit(&group[i], memory_order_relaxed))
		i++;
	/* a full group loses the one that the hash's next bits name */
	if (atomic_load_explicit(&group[i], memory_order_relaxed))
		i = (unsigned)(hash / RECENT_GROUPS % RECENT_IN_GROUP);
	atomic_store_explicit(&group[i], hash, memory_order_relaxed);
}

#endif
