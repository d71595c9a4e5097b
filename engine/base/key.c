/* Interns the keys of maps. */
#include "base/key.h"

#include "base/assert.h"
#include "base/hash.h"

#define FIRST_SLOTS 1024

struct key_table {
	const struct key **slots;
	size_t n;
	size_t cap; /* a power of two */
	uint64_t seed;
	struct arena arena;
};

struct key_table *key_table_new(void)
{
	struct key_table *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->cap = FIRST_SLOTS;
	t->seed = hash_seed();
	t->slots = calloc(t->cap, sizeof(*t->slots));
	if (!t->slots) {
		free(t);
		return NULL;
	}
	arena_init(&t->arena, 0, 0);
	return t;
}

void key_table_free(struct key_table *t)
{
	if (!t)
		return;
	arena_done(&t->arena);
	free(t->slots);
	free(t);
}

uint32_t key_hash(str s)
{
	return (uint32_t)hash_str(s, hash_seed());
}

static const struct key *copy_key(struct arena *a, str s, uint32_t hash)
{
	struct key *k = arena_alloc(a, sizeof(*k) + s.n + 1);

	if (!k)
		return NULL;
	ASSERT(s.n <= UINT32_MAX);
	k->n = (uint32_t)s.n;
	k->hash = hash;
	if (s.n)
		memcpy(k->p, s.p, s.n);
	k->p[s.n] = '\0';
	k->prefix = key_prefix(s);
	return k;
}

/* Most keys are short: two loads of a fixed size, which overlap, cost less than a call. */
static bool is_text(const struct key *k, str s)
{
	uint64_t a[2], b[2];
	uint32_t c[2], d[2];

	if (k->n != s.n)
		return false;
	if (s.n > 16 || s.n < 4)
		return s.n == 0 || memcmp(k->p, s.p, s.n) == 0;
	if (s.n >= 8) {
		memcpy(&a[0], k->p, 8);
		memcpy(&a[1], k->p + s.n - 8, 8);
		memcpy(&b[0], s.p, 8);
		memcpy(&b[1], s.p + s.n - 8, 8);
		return a[0] == b[0] && a[1] == b[1];
	}
	memcpy(&c[0], k->p, 4);
	memcpy(&c[1], k->p + s.n - 4, 4);
	memcpy(&d[0], s.p, 4);
	memcpy(&d[1], s.p + s.n - 4, 4);
	return c[0] == d[0] && c[1] == d[1];
}

static size_t find(const struct key_table *t, str s, uint32_t hash)
{
	size_t i = hash & (t->cap - 1);

	for (; t->slots[i]; i = (i + 1) & (t->cap - 1)) {
		if (t->slots[i]->hash == hash && is_text(t->slots[i], s))
			break;
	}
	return i;
}

static bool grow(struct key_table *t)
{
	struct key_table bigger = { .cap = t->cap * 2 };

	bigger.slots = calloc(bigger.cap, sizeof(*bigger.slots));
	if (!bigger.slots)
		return false;
	for (size_t i = 0; i < t->cap; i++) {
		const struct key *k = t->slots[i];

		if (k)
			bigger.slots[find(&bigger, key_str(k), k->hash)] = k;
	}
	free(t->slots);
	t->slots = bigger.slots;
	t->cap = bigger.cap;
	return true;
}

const struct key *key_make(struct key_table *t, struct arena *a, str s)
{
	uint32_t hash = (uint32_t)hash_str(s, t ? t->seed : hash_seed());
	size_t i;

	if (!t || s.n > KEY_TABLE_LONGEST)
		return copy_key(a, s, hash);
	i = find(t, s, hash);
	if (t->slots[i])
		return t->slots[i];
	if (t->n >= KEY_TABLE_MOST)
		return copy_key(a, s, hash);
	if (t->n >= t->cap / 2) {
		if (!grow(t))
			return NULL;
		i = find(t, s, hash);
	}
	t->slots[i] = copy_key(&t->arena, s, hash);
	if (t->slots[i])
		t->n++;
	return t->slots[i];
}
