/* A fast 64-bit hash for tables in memory and for detecting changes. Seed it per process where a tenant chooses the
 * bytes. It is not cryptographic; never store it. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include "base/str.h"

uint64_t hash_bytes(const void *data, size_t n, uint64_t seed);

static inline uint64_t hash_str(str s, uint64_t seed)
{
	return hash_bytes(s.p, s.n, seed);
}

/* Fold @b into @a; not commutative. Who chooses @b does not choose a factor unless he knows @a: with 0, or with -1, the
 * product would say nothing of the other factor. */
static inline uint64_t hash_mix(uint64_t a, uint64_t b)
{
	__uint128_t m = (__uint128_t)(a ^ 0x9E3779B97F4A7C15u) * (b ^ 0xD1B54A32D192ED03u ^ (a << 32 | a >> 32));

	return (uint64_t)m ^ (uint64_t)(m >> 64);
}

/* A random seed, which stays the same for the life of the process. Does not fail. */
uint64_t hash_seed(void);

#endif
