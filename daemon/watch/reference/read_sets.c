/* Keeps each different read set once: finds the one that equals a new one. */
#include "daemon/watch/reference/read_sets.h"

#include "base/assert.h"
#include "base/hash.h"

#include <stdlib.h>

#define READ_SET_BYTES (READ_SET_BYTES_MAX * 8)

static uint64_t hash_of(const struct read_part *parts, size_t n)
{
	uint64_t h = hash_mix(hash_seed(), n);

	for (size_t i = 0; i < n; i++)
		h = hash_mix(hash_mix(h, parts[i].scope), parts[i].hash);
	return h;
}

static bool is(const struct read_set *read_set, const struct read_part *parts, size_t n)
{
	if (read_set->n != n)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (read_set->parts[i].scope != parts[i].scope || read_set->parts[i].hash != parts[i].hash)
			return false;
	}
	return true;
}

static str key_of(const uint64_t *hash)
{
	return (str){ (const char *)hash, sizeof(*hash) };
}

/* ---- what is decoded for a read set ---- */

struct picked {
	struct arena arena;
	struct json_pick pick;
};

static void free_picked(struct picked *p)
{
	arena_done(&p->arena);
	free(p);
}

static void picks_done(struct picks *p)
{
	void *value;

	for (size_t at = 0; strmap_drain(&p->by_candidates, &at, &value);)
		free_picked(value);
}

static struct picks *picks_of(struct picks *p, uint64_t edition)
{
	if (p->edition != edition)
		picks_done(p);
	p->edition = edition;
	return p;
}

const struct json_pick *read_sets_pick(struct read_sets *all, struct read_set *read_set,
				       const struct ref_template *const *candidates, size_t n, uint64_t edition,
				       bool (*besides)(void *ctx, struct arena *a, struct json_pick *pick), void *ctx,
				       struct key_table *keys)
{
	struct picks *picks = picks_of(read_set ? &read_set->picks : &all->whole, edition);
	const struct {
		const void *candidates;
		size_t n;
	} of = { candidates, n };
	const str key = { (const char *)&of, sizeof(of) };
	struct picked *p = strmap_get(&picks->by_candidates, key);

	ASSERT(!read_set || read_set->n == n);
	if (p)
		return p->pick.kind == PICK_MEMBERS ? &p->pick : NULL;
	p = calloc(1, sizeof(*p));
	if (!p)
		return NULL;
	arena_init(&p->arena, 512, READ_SET_BYTES);
	p->pick.kind = PICK_MEMBERS;
	if (!besides(ctx, &p->arena, &p->pick) ||
	    !read_set_pick(candidates, n, read_set ? read_set->parts : NULL, keys, &p->arena, &p->pick))
		p->pick.kind = PICK_WHOLE;
	if (!strmap_put(&picks->by_candidates, key, p, NULL)) {
		free_picked(p);
		return NULL;
	}
	return p->pick.kind == PICK_MEMBERS ? &p->pick : NULL;
}

/* ---- read sets ---- */

static void free_read_set(struct read_set *read_set)
{
	picks_done(&read_set->picks);
	arena_done(&read_set->arena);
	free(read_set);
}

/* A new read set of these parts. NULL without memory. */
static struct read_set *make(const struct read_part *parts, size_t n, uint64_t hash, struct key_table *keys)
{
	struct read_set *read_set = calloc(1, sizeof(*read_set) + n * sizeof(read_set->parts[0]));

	if (!read_set)
		return NULL;
	arena_init(&read_set->arena, 512, READ_SET_BYTES);
	read_set->hash = hash;
	for (size_t i = 0; i < n; i++) {
		struct read_part *p = &read_set->parts[read_set->n++];

		*p = (struct read_part){ .scope = parts[i].scope, .hash = parts[i].hash };
		if (p->scope == READS_NAMED)
			p->names = val_copy(&read_set->arena, keys, parts[i].names);
		if (p->scope == READS_NAMED && !val_exists(p->names))
			*p = (struct read_part){ .scope = READS_ALL };
	}
	return read_set;
}

/* The known read set that equals these parts, or a new one. NULL: there are READ_SETS_MAX already, or there is no
 * memory. */
static struct read_set *find(struct read_sets *all, const struct read_part *parts, size_t n, struct key_table *keys)
{
	uint64_t hash = hash_of(parts, n);
	struct read_set *read_set = strmap_get(&all->known, key_of(&hash));

	if (read_set || all->known.n == READ_SETS_MAX)
		return read_set && is(read_set, parts, n) ? read_set : NULL;
	read_set = make(parts, n, hash, keys);
	if (read_set && !strmap_put(&all->known, key_of(&hash), read_set, NULL)) {
		free_read_set(read_set);
		read_set = NULL;
	}
	return read_set;
}

bool read_sets_take(struct read_sets *all, const struct read_part *parts, size_t n, struct key_table *keys,
		    struct read_set **of)
{
	bool none = !*of;

	if (*of && parts && is(*of, parts, n))
		return false;
	read_sets_drop(all, of);
	if (parts)
		*of = find(all, parts, n, keys);
	if (*of)
		(*of)->refs++;
	return !none || *of;
}

void read_sets_drop(struct read_sets *all, struct read_set **of)
{
	struct read_set *read_set = *of;

	if (!read_set)
		return;
	*of = NULL;
	ASSERT(read_set->refs > 0);
	if (--read_set->refs)
		return;
	(void)strmap_remove(&all->known, key_of(&read_set->hash));
	free_read_set(read_set);
}

void read_sets_done(struct read_sets *all)
{
	ASSERT(all->known.n == 0);
	strmap_done(&all->known);
	picks_done(&all->whole);
}
