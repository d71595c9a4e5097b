/* Open addressing with linear probing. */
#include "base/strmap.h"

#include "base/hash.h"

#define FIRST_SLOTS 16
#define MOVE_AT_ONCE 4096 /* a table of so many slots moves at once */
#define MOVE_WITH_PUT 8   /* at least 2, so that all entries have moved before the next growth */

/* The key of a slot whose entry has moved out of the smaller table: probes continue across it. */
static char moved[] = "";

static bool is_entry(const struct strmap_entry *e)
{
	return e->key && e->key != moved;
}

static void free_table(struct strmap_entry *slots, size_t cap)
{
	for (size_t i = 0; i < cap; i++) {
		if (is_entry(&slots[i]))
			free(slots[i].key);
	}
	free(slots);
}

void strmap_done(struct strmap *m)
{
	free_table(m->slots, m->cap);
	free_table(m->old, m->old_cap);
	*m = (struct strmap){ 0 };
}

static uint32_t hash_of(str key)
{
	return (uint32_t)hash_str(key, hash_seed());
}

/* The slot that holds @key, or the free one behind all slots that were probed. No table is ever full. */
static struct strmap_entry *find(struct strmap_entry *slots, size_t cap, str key, uint32_t hash)
{
	size_t i = hash & (cap - 1);

	for (; slots[i].key; i = (i + 1) & (cap - 1)) {
		const struct strmap_entry *e = &slots[i];

		if (e->hash == hash && e->key != moved && str_eq((str){ e->key, e->n }, key))
			break;
	}
	return &slots[i];
}

static struct strmap_entry *lookup(const struct strmap *m, str key, uint32_t hash)
{
	struct strmap_entry *e;

	if (m->n == 0)
		return NULL;
	e = find(m->slots, m->cap, key, hash);
	if (!e->key && m->old)
		e = find(m->old, m->old_cap, key, hash);
	return e->key ? e : NULL;
}

void *strmap_get(const struct strmap *m, str key)
{
	const struct strmap_entry *e = lookup(m, key, hash_of(key));

	return e ? e->value : NULL;
}

bool strmap_has(const struct strmap *m, str key)
{
	return lookup(m, key, hash_of(key)) != NULL;
}

/* ---- growing ---- */

static struct strmap_entry *free_slot(const struct strmap *m, uint32_t hash)
{
	size_t i = hash & (m->cap - 1);

	while (m->slots[i].key)
		i = (i + 1) & (m->cap - 1);
	return &m->slots[i];
}

static void move_some(struct strmap *m, size_t n)
{
	for (; m->old && n > 0; n--) {
		struct strmap_entry *e = &m->old[m->old_at++];

		if (is_entry(e)) {
			*free_slot(m, e->hash) = *e;
			e->key = moved;
		}
		if (m->old_at == m->old_cap) {
			free(m->old);
			m->old = NULL;
			m->old_cap = m->old_at = 0;
		}
	}
}

static bool grow(struct strmap *m)
{
	size_t cap = m->cap ? m->cap * 2 : FIRST_SLOTS;
	struct strmap_entry *slots = calloc(cap, sizeof(*slots));

	if (!slots)
		return false;
	move_some(m, SIZE_MAX);
	m->old = m->slots;
	m->old_cap = m->cap;
	m->slots = slots;
	m->cap = cap;
	if (m->old_cap <= MOVE_AT_ONCE)
		move_some(m, SIZE_MAX);
	return true;
}

bool strmap_put(struct strmap *m, str key, void *value, void **old)
{
	uint32_t hash = hash_of(key);
	struct strmap_entry *e = lookup(m, key, hash);
	char *copy;

	if (old)
		*old = e ? e->value : NULL;
	if (e) {
		e->value = value;
		return true;
	}
	if (key.n > UINT32_MAX || (m->n + 1 > m->cap / 4 * 3 && !grow(m)))
		return false;
	copy = str_dup(key);
	if (!copy)
		return false;
	*free_slot(m, hash) = (struct strmap_entry){ .key = copy, .n = (uint32_t)key.n, .hash = hash, .value = value };
	m->n++;
	move_some(m, MOVE_WITH_PUT);
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
	struct strmap_entry *e = lookup(m, key, hash_of(key));
	void *value;

	if (!e)
		return NULL;
	value = e->value;
	free(e->key);
	if (e >= m->slots && e < m->slots + m->cap)
		close_gap(m, (size_t)(e - m->slots));
	else
		e->key = moved;
	m->n--;
	return value;
}

/* The next entry of either table. */
static struct strmap_entry *next(const struct strmap *m, size_t *at)
{
	while (*at < m->cap + m->old_cap) {
		size_t i = (*at)++;
		struct strmap_entry *e = i < m->cap ? &m->slots[i] : &m->old[i - m->cap];

		if (is_entry(e))
			return e;
	}
	return NULL;
}

const struct strmap_entry *strmap_each(const struct strmap *m, size_t *at)
{
	return next(m, at);
}

bool strmap_drain(struct strmap *m, size_t *at, void **value)
{
	struct strmap_entry *e = next(m, at);

	if (!e) {
		strmap_done(m);
		return false;
	}
	free(e->key);
	e->key = NULL;
	*value = e->value;
	return true;
}
