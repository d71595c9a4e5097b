/* Shards: which of several processes owns which object, as kube-state-metrics assigns them: jump consistent hash
 * (Lamping and Veach, 2014) of FNV-1a over the uid. From n shards to n + 1 only what the new one owns moves: an n +
 * 1-th of all. */
#ifndef BASE_SHARD_H
#define BASE_SHARD_H

#include "base/str.h"

#define SHARDS_MAX 1024
#define SHARD_SEPARATOR '\x1f'

struct shard {
	uint32_t ordinal; /* from 0 */
	uint32_t total;   /* 0, as 1: everything is its own */
};

/* The owner, of @total. @name: the uid of an object. */
uint32_t shard_of(str name, uint32_t total);
/* The owner of something that is no object, by the @n names that identify it: the owner of their text with
 * SHARD_SEPARATOR between them. */
uint32_t shard_of_names(const str *names, size_t n, uint32_t total);

static inline bool shard_owns(struct shard s, str name)
{
	return s.total <= 1 || shard_of(name, s.total) == s.ordinal;
}

static inline bool shard_owns_names(struct shard s, const str *names, size_t n)
{
	return s.total <= 1 || shard_of_names(names, n, s.total) == s.ordinal;
}

/* "0/2", as records have it; "" where nothing is shared out. */
#define SHARD_TEXT_SIZE 24
const char *shard_text(struct shard s, char space[SHARD_TEXT_SIZE]);

#endif
