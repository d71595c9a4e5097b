/* Map keys, and the table that makes equal keys one pointer.
 *
 * Kubernetes objects repeat a few thousand keys without end ("metadata", "name", …): interning them saves their
 * memory and lets a lookup compare pointers. Interning is only an optimisation: two keys may be equal without being
 * the same pointer (keys of different tables, or keys that a full table refused), and key_eq compares them
 * correctly. Because a tenant can invent any number of keys, the table takes short keys only and has a ceiling; the
 * others live in the arena of their document. Keys of a table live as long as the table. Not thread-safe: use one
 * table per thread. */
#ifndef BASE_KEY_H
#define BASE_KEY_H

#include "base/arena.h"

#include <endian.h>

struct key {
	uint32_t n;
	uint32_t hash; /* seeded per process, equal for equal bytes */
	/* the first 8 bytes as a big-endian number, with zeros behind a shorter key: orders most pairs at once */
	uint64_t prefix;
	char p[]; /* @n bytes and a NUL */
};

_Static_assert(sizeof(struct key) == 16, "every name in every document may be a key of its own");

struct key_table;

#define KEY_TABLE_LONGEST 64 /* the most bytes of an interned key */
#define KEY_TABLE_MOST 65536 /* the most interned keys */

struct key_table *key_table_new(void); /* NULL without memory */
void key_table_free(struct key_table *t);
DEFINE_CLEANUP(struct key_table *, key_table_free)

/* The key for @s: the one in @t if it has or accepts it, else a copy in @a. @t may be NULL. NULL without memory. s.n
 * is below 4 GiB, which the parsers check. */
const struct key *key_make(struct key_table *t, struct arena *a, str s);

uint32_t key_hash(str s);

/* The prefix of a key with the text @s. */
static inline uint64_t key_prefix(str s)
{
	uint64_t eight = 0;
	uint32_t head, tail;

	if (s.n >= sizeof(eight)) {
		memcpy(&eight, s.p, sizeof(eight));
		return be64toh(eight);
	}
	if (s.n >= sizeof(head)) {
		memcpy(&head, s.p, sizeof(head));
		memcpy(&tail, s.p + s.n - sizeof(tail), sizeof(tail)); /* overlaps with equal bytes */
		return (uint64_t)be32toh(head) << 32 | (uint64_t)be32toh(tail) << (8 * (sizeof(eight) - s.n));
	}
	for (size_t i = 0; i < s.n; i++)
		eight |= (uint64_t)(unsigned char)s.p[i] << (56 - 8 * i);
	return eight;
}

static inline str key_str(const struct key *k)
{
	return (str){ k->p, k->n };
}

/* Order by bytes, as str_cmp. @prefix: the key_prefix of @s. */
static inline int key_cmp_str(const struct key *k, str s, uint64_t prefix)
{
	if (k->prefix != prefix)
		return k->prefix < prefix ? -1 : 1;
	if (k->n <= sizeof(prefix) && s.n <= sizeof(prefix))
		return (k->n > s.n) - (k->n < s.n); /* the longer one has zeros where the other ends */
	return str_cmp(key_str(k), s);
}

static inline int key_cmp(const struct key *a, const struct key *b)
{
	return a == b ? 0 : key_cmp_str(a, key_str(b), b->prefix);
}

static inline bool key_eq(const struct key *a, const struct key *b)
{
	return a == b || (a->hash == b->hash && a->n == b->n && memcmp(a->p, b->p, a->n) == 0);
}

#endif
