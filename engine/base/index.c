/* Open addressing with linear probing: the slots hold places in an array of the things. */
#include "base/index.h"

#include "base/assert.h"
#include "base/hash.h"

#include <stdlib.h>

#define FIRST_SLOTS 16
#define MOVE_AT_ONCE 16384 /* a table of so many slots moves at once */
#define MOVE_WITH_PUT 8    /* at least 2, so that all slots have moved before the next growth */

/* The mark of a slot whose thing has moved out of the smaller table: probes continue across it. */
#define MOVED UINT32_MAX

/* The most things in a table. Eight slots share a cache line, and hold the hashes: probing far is cheap. */
static size_t most(size_t cap)
{
	return cap / 8 * 7;
}

void index_done(struct index *x)
{
	free(x->things);
	free(x->slots);
	free(x->old);
	*x = INDEX_OF(x->key_of);
}

static uint32_t hash_of(str key)
{
	return (uint32_t)hash_str(key, hash_seed());
}

/* The slot of the thing under @key; NULL: there is none. No table is ever full. */
static struct index_slot *find(const struct index *x, struct index_slot *slots, size_t cap, str key, uint32_t hash)
{
	for (size_t i = hash & (cap - 1); slots[i].place; i = (i + 1) & (cap - 1)) {
		const struct index_slot *s = &slots[i];

		if (s->hash == hash && s->place != MOVED && str_eq(x->key_of(x->things[s->place - 1]), key))
			return &slots[i];
	}
	return NULL;
}

static struct index_slot *lookup(const struct index *x, str key, uint32_t hash)
{
	struct index_slot *s;

	if (x->n == 0)
		return NULL;
	s = find(x, x->slots, x->cap, key, hash);
	return s || !x->old ? s : find(x, x->old, x->old_cap, key, hash);
}

void *index_get(const struct index *x, str key)
{
	const struct index_slot *s = lookup(x, key, hash_of(key));

	return s ? x->things[s->place - 1] : NULL;
}

/* ---- growing ---- */

static void fill_free_slot(const struct index *x, struct index_slot s)
{
	size_t i = s.hash & (x->cap - 1);

	while (x->slots[i].place)
		i = (i + 1) & (x->cap - 1);
	x->slots[i] = s;
}

static void move_some(struct index *x, size_t n)
{
	for (; x->old && n > 0; n--) {
		struct index_slot *s = &x->old[x->old_at++];

		if (s->place && s->place != MOVED) {
			fill_free_slot(x, *s);
			s->place = MOVED;
		}
		if (x->old_at == x->old_cap) {
			free(x->old);
			x->old = NULL;
			x->old_cap = x->old_at = 0;
		}
	}
}

static bool grow(struct index *x)
{
	size_t cap = x->cap ? x->cap * 2 : FIRST_SLOTS;
	struct index_slot *slots = calloc(cap, sizeof(*slots));

	if (!slots)
		return false;
	move_some(x, SIZE_MAX);
	x->old = x->slots;
	x->old_cap = x->cap;
	x->slots = slots;
	x->cap = cap;
	if (x->old_cap <= MOVE_AT_ONCE)
		move_some(x, SIZE_MAX);
	return true;
}

/* Grow the array by a quarter: it has no gaps, and copying it is cheap. */
static bool make_room(struct index *x)
{
	size_t room = x->room + x->room / 4 + FIRST_SLOTS / 2;
	void **things = reallocarray(x->things, room, sizeof(*things));

	if (!things)
		return false;
	x->things = things;
	x->room = room;
	return true;
}

bool index_put(struct index *x, void *thing, void **old)
{
	str key = x->key_of(thing);
	uint32_t hash = hash_of(key);
	const struct index_slot *s = lookup(x, key, hash);

	if (old)
		*old = s ? x->things[s->place - 1] : NULL;
	if (s) {
		x->things[s->place - 1] = thing;
		return true;
	}
	if (x->n >= MOVED - 1 || (x->n == x->room && !make_room(x)) || (x->n >= most(x->cap) && !grow(x)))
		return false;
	ASSERT(x->n < x->room);
	x->things[x->n++] = thing;
	fill_free_slot(x, (struct index_slot){ .hash = hash, .place = (uint32_t)x->n });
	move_some(x, MOVE_WITH_PUT);
	return true;
}

/* ---- removing ---- */

/* Close the gap at @hole: slots behind it that probed across it move back. */
static void close_gap(struct index *x, size_t hole)
{
	size_t mask = x->cap - 1;

	for (size_t i = (hole + 1) & mask; x->slots[i].place; i = (i + 1) & mask) {
		size_t home = x->slots[i].hash & mask;

		if (((i - home) & mask) < ((i - hole) & mask))
			continue;
		x->slots[hole] = x->slots[i];
		hole = i;
	}
	x->slots[hole] = (struct index_slot){ 0 };
}

void *index_remove(struct index *x, str key)
{
	struct index_slot *s = lookup(x, key, hash_of(key));
	void *thing, *last;
	size_t at;

	if (!s)
		return NULL;
	at = s->place - 1;
	thing = x->things[at];
	last = x->things[x->n - 1];
	if (last != thing) {
		str key_of_last = x->key_of(last);

		lookup(x, key_of_last, hash_of(key_of_last))->place = (uint32_t)at + 1;
		x->things[at] = last;
	}
	x->n--;
	if (s >= x->slots && s < x->slots + x->cap)
		close_gap(x, (size_t)(s - x->slots));
	else
		s->place = MOVED;
	return thing;
}

void *index_each(const struct index *x, size_t *at)
{
	return *at < x->n ? x->things[(*at)++] : NULL;
}

/* The last thing of the array takes the place of a removed one, and new things are added at the end: so no thing
 * moves from the part that is left into the part that was seen without having been seen. */
void *index_each_slowly(const struct index *x, size_t *left)
{
	if (*left > x->n)
		*left = x->n;
	return *left ? x->things[--*left] : NULL;
}

void *index_drain(struct index *x)
{
	if (x->n)
		return x->things[--x->n];
	index_done(x);
	return NULL;
}
