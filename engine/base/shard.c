/* Chooses the shard of a key by jump consistent hash. */
#include "base/shard.h"

#include "base/assert.h"

#include <inttypes.h>
#include <stdio.h>

#define FNV_BASIS UINT64_C(0xcbf29ce484222325)

static uint64_t fnv1a(uint64_t h, str text)
{
	for (size_t i = 0; i < text.n; i++)
		h = (h ^ (unsigned char)text.p[i]) * UINT64_C(0x100000001b3);
	return h;
}

static uint32_t jump(uint64_t key, uint32_t total)
{
	int64_t owner = -1, next = 0;

	ASSERT(total >= 1 && total <= SHARDS_MAX);
	while (next < total) {
		owner = next;
		key = key * UINT64_C(2862933555777941757) + 1;
		next = (int64_t)((double)(owner + 1) * ((double)(INT64_C(1) << 31) / (double)((key >> 33) + 1)));
	}
	return (uint32_t)owner;
}

uint32_t shard_of(str name, uint32_t total)
{
	return jump(fnv1a(FNV_BASIS, name), total);
}

uint32_t shard_of_names(const str *names, size_t n, uint32_t total)
{
	const char separator = SHARD_SEPARATOR;
	uint64_t h = FNV_BASIS;

	for (size_t i = 0; i < n; i++) {
		if (i > 0)
			h = fnv1a(h, (str){ &separator, 1 });
		h = fnv1a(h, names[i]);
	}
	return jump(h, total);
}

const char *shard_text(struct shard s, char space[SHARD_TEXT_SIZE])
{
	space[0] = '\0';
	if (s.total > 1)
		(void)snprintf(space, SHARD_TEXT_SIZE, "%" PRIu32 "/%" PRIu32, s.ordinal, s.total);
	return space;
}
