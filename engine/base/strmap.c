/* Open addressing with linear probing. */
#include "base/strmap.h"

#include "base/hash.h"

#define FIRST_SLOTS 16

void strmap_done(struct strmap *m)
{
	for (size_t i = 0; i < m->cap; i++)
		free(m->slots[i].key);
	free(m->slots);
	*m = (struct strmap){ 0 };
}

/* The slot that holds @key, or the free one where it would go. Linear probing; the table is never full. */
static size_t find(const struct strmap *m, str key, uint64_t hash)
{
	size_t i = hash & (m->cap - 1);

	for (; m->slots[i].key; i = (i + 1) & (m->cap - 1)) {
		const struct strmap_entry *e = &m->slots[i];

		if (e->hash == hash && str_eq((str){ e->key, e->n }, key))
			break;
	}
	return i;
}

static const struct strmap_entry *lookup(const struct strmap *m, str key)
{
	const struct strmap_entry *e;

	if (m->n == 0)
		return NULL;
	e = &m->slots[find(m, key, hash_str(key, hash_seed()))];
	return e->key ? e : NULL;
}

void *strmap_get(const struct strmap *m, str key)
{
	const struct strmap_entry *e = lookup(m, key);

	return e ? e->value : NULL;
}

bool strmap_has(const struct strmap *m, str key)
{
	return lookup(m, key) != NULL;
}

static bool rehash(struct strmap *m, size_t cap)
{
	struct strmap bigger = { .slots = calloc(cap, sizeof(*m->slots)), .n = m->n, .cap = cap };

	if (!bigger.slots)
		return false;
	for (size_t i = 0; i < m->cap; i++) {
		const struct strmap_entry *e = &m->slots[i];

		if (e->key)
			bigger.slots[find(&bigger, (str){ e->key, e->n }, e->hash)] = *e;
	}
	free(m->slots);
	*m = bigger;
	return true;
}

bool strmap_put(struct strmap *m, str key, void *value, void **old)
{
	uint64_t hash = hash_str(key, hash_seed());
	struct strmap_entry *e;

	if (m->n + 1 > m->cap / 4 * 3 && !rehash(m, m->cap ? m->cap * 2 : FIRST_SLOTS))
		return false;
	e = &m->slots[find(m, key, hash)];
	if (old)
		*old = e->key ? e->value : NULL;
	if (!e->key) {
		char *copy = str_dup(key);

		if (!copy)
			return false;
		*e = (struct strmap_entry){ .key = copy, .n = key.n, .hash = hash };
		m->n++;
	}
	e->value = value;
	return true;
}

/* Close the gap at @hole: entries behind it that probed across it move back. */
static void close_gap(struct strmap *m, size_t hole)
{
	size_t mask = m->cap - 1;

	for (size_t i = (hole + 1) & mask; m->slots[i].key; i = (i + 1) & mask) {
		size_t home = m->slots[i].hash & mask;

		if (((i - home) & mask) < ((i - hole) & mask))
			continue;
		m->slots[hole] = m->slots[i];
		hole = i;
	}
	m->slots[hole] = (struct strmap_entry){ 0 };
}

void *strmap_remove(struct strmap *m, str key)
{
	size_t i;
	void *value;

	if (m->n == 0)
		return NULL;
	i = find(m, key, hash_str(key, hash_seed()));
	if (!m->slots[i].key)
		return NULL;
	value = m->slots[i].value;
	free(m->slots[i].key);
	close_gap(m, i);
	m->n--;
	return value;
}

const struct strmap_entry *strmap_each(const struct strmap *m, size_t *at)
{
	while (*at < m->cap) {
		const struct strmap_entry *e = &m->slots[(*at)++];

		if (e->key)
			return e;
	}
	return NULL;
}

bool strmap_drain(struct strmap *m, size_t *at, void **value)
{
	while (*at < m->cap) {
		struct strmap_entry *e = &m->slots[(*at)++];

		if (!e->key)
			continue;
		free(e->key);
		e->key = NULL;
		*value = e->value;
		return true;
	}
	free(m->slots);
	*m = (struct strmap){ 0 };
	return false;
}
