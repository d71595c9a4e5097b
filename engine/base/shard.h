/* Shards: which of several processes owns which object. The owner is found as kube-state-metrics finds it: jump
 * consistent hash (Lamping and Veach, 2014) of FNV-1a over the uid. When n shards become n + 1, only the objects of
 * the new one move: one in n + 1. */
#ifndef BASE_SHARD_H
#define BASE_SHARD_H

#include "base/str.h"

#define SHARDS_MAX 1024
#define SHARD_SEPARATOR '\x1f'

struct shard {
	uint32_t ordinal; /* the number of this shard, from 0 */
	uint32_t total;   /* how many shards there are; 0 or 1: this process owns everything */
};

/* The owner among @total shards. @name: the uid of an object. */
uint32_t shard_of(str name, uint32_t total);
/* The owner of something that is no object, by the @n names that identify it: the owner of their texts joined by
 * SHARD_SEPARATOR. */
uint32_t shard_of_names(const str *names, size_t n, uint32_t total);

static inline bool shard_owns(struct shard s, str name)
{
	return s.total <= 1 || shard_of(name, s.total) == s.ordinal;
}

static inline bool shard_owns_names(struct shard s, const str *names, size_t n)
{
	return s.total <= 1 || shard_of_names(names, n, s.total) == s.ordinal;
}

/* The shard as records write it, such as "0/2"; "" where nothing is shared. */
#define SHARD_TEXT_SIZE 24
const char *shard_text(struct shard s, char space[SHARD_TEXT_SIZE]);

#endif
