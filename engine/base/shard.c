/* Jump consistent hash. */
#include "base/shard.h"

#include "base/assert.h"

static uint64_t fnv1a(str text)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < text.n; i++)
		h = (h ^ (unsigned char)text.p[i]) * UINT64_C(0x100000001b3);
	return h;
}

uint32_t shard_of(str name, uint32_t total)
{
	uint64_t key = fnv1a(name);
	int64_t owner = -1, next = 0;

	ASSERT(total >= 1 && total <= SHARDS_MAX);
	while (next < total) {
		owner = next;
		key = key * UINT64_C(2862933555777941757) + 1;
		next = (int64_t)((double)(owner + 1) * ((double)(INT64_C(1) << 31) / (double)((key >> 33) + 1)));
	}
	return (uint32_t)owner;
}
