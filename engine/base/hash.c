/* The hash function, and its seed. */
#include "base/hash.h"

#include <sys/random.h>
#include <time.h>

static uint64_t load64(const unsigned char *p)
{
	uint64_t w;

	memcpy(&w, p, sizeof(w));
	return w;
}

static uint64_t load32(const unsigned char *p)
{
	uint32_t w;

	memcpy(&w, p, sizeof(w));
	return w;
}

/* The last 0 to 8 bytes as one word. The loads overlap and have a fixed size, because a copy of variable size would
 * be a call. */
static uint64_t load_tail(const unsigned char *p, size_t n)
{
	if (n >= 4)
		return load32(p) << 32 | load32(p + n - 4);
	if (n == 0)
		return 0;
	return (uint64_t)p[0] << 16 | (uint64_t)p[n / 2] << 8 | p[n - 1];
}

uint64_t hash_bytes(const void *data, size_t n, uint64_t seed)
{
	const unsigned char *p = data;
	uint64_t h = seed ^ n * 0x9FB21C651E98DF25u;

	for (; n > 16; n -= 16, p += 16)
		h = hash_mix(h ^ load64(p), load64(p + 8));
	if (n > 8)
		return hash_mix(h ^ load64(p), load64(p + n - 8));
	return hash_mix(h, load_tail(p, n));
}

uint64_t hash_seed(void)
{
	static _Atomic uint64_t seed;
	uint64_t fresh = 0, none = 0;

	if (seed)
		return seed;
	/* Without entropy at early boot the clock still differs between hosts and starts. */
	if (getrandom(&fresh, sizeof(fresh), GRND_NONBLOCK) != sizeof(fresh)) {
		struct timespec now;

		clock_gettime(CLOCK_REALTIME, &now);
		fresh = hash_mix((uint64_t)now.tv_sec, (uint64_t)now.tv_nsec);
	}
	fresh |= 1;
	return __atomic_compare_exchange_n((uint64_t *)&seed, &none, fresh, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)
		       ? fresh
		       : none;
}
