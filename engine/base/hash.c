#include "base/hash.h"

#include <sys/random.h>
#include <time.h>

static uint64_t load(const unsigned char *p, size_t n)
{
	uint64_t w = 0;

	memcpy(&w, p, n);
	return w;
}

uint64_t hash_bytes(const void *data, size_t n, uint64_t seed)
{
	const unsigned char *p = data;
	uint64_t h = hash_mix(seed, n);

	for (; n >= 16; n -= 16, p += 16)
		h = hash_mix(h ^ load(p, 8), load(p + 8, 8));
	if (n >= 8) {
		h = hash_mix(h, load(p, 8));
		p += 8;
		n -= 8;
	}
	if (n > 0)
		h = hash_mix(h, load(p, n));
	return hash_mix(h, h >> 32);
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
