/* Finding views again. */
#include "daemon/watch/reference/views.h"

#include "base/assert.h"
#include "base/hash.h"

#include <stdlib.h>

#define VIEW_BYTES (VIEW_BYTES_MAX * 8)

static uint64_t hash_of(const struct view_part *parts, size_t n)
{
	uint64_t h = hash_mix(hash_seed(), n);

	for (size_t i = 0; i < n; i++)
		h = hash_mix(hash_mix(h, parts[i].scope), parts[i].hash);
	return h;
}

static bool is(const struct view *view, const struct view_part *parts, size_t n)
{
	if (view->n != n)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (view->parts[i].scope != parts[i].scope || view->parts[i].hash != parts[i].hash)
			return false;
	}
	return true;
}

static str key_of(const uint64_t *hash)
{
	return (str){ (const char *)hash, sizeof(*hash) };
}

/* ---- what they are views of ---- */

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

const struct json_pick *views_pick(struct views *all, struct view *view, const struct ref_template *const *candidates,
				   size_t n, uint64_t edition,
				   bool (*besides)(void *ctx, struct arena *a, struct json_pick *pick), void *ctx,
				   struct key_table *keys)
{
	struct picks *picks = picks_of(view ? &view->picks : &all->whole, edition);
	const struct {
		const void *candidates;
		size_t n;
	} of = { candidates, n };
	const str key = { (const char *)&of, sizeof(of) };
	struct picked *p = strmap_get(&picks->by_candidates, key);

	ASSERT(!view || view->n == n);
	if (p)
		return p->pick.kind == PICK_MEMBERS ? &p->pick : NULL;
	p = calloc(1, sizeof(*p));
	if (!p)
		return NULL;
	arena_init(&p->arena, 512, VIEW_BYTES);
	p->pick.kind = PICK_MEMBERS;
	if (!besides(ctx, &p->arena, &p->pick) ||
	    !view_pick(candidates, n, view ? view->parts : NULL, keys, &p->arena, &p->pick))
		p->pick.kind = PICK_WHOLE;
	if (!strmap_put(&picks->by_candidates, key, p, NULL)) {
		free_picked(p);
		return NULL;
	}
	return p->pick.kind == PICK_MEMBERS ? &p->pick : NULL;
}

/* ---- views ---- */

static void free_view(struct view *view)
{
	picks_done(&view->picks);
	arena_done(&view->arena);
	free(view);
}

/* NULL without memory. */
static struct view *make(const struct view_part *parts, size_t n, uint64_t hash, struct key_table *keys)
{
	struct view *view = calloc(1, sizeof(*view) + n * sizeof(view->parts[0]));

	if (!view)
		return NULL;
	arena_init(&view->arena, 512, VIEW_BYTES);
	view->hash = hash;
	for (size_t i = 0; i < n; i++) {
		struct view_part *p = &view->parts[view->n++];

		*p = (struct view_part){ .scope = parts[i].scope, .hash = parts[i].hash };
		if (p->scope == VIEW_NAMED)
			p->names = val_copy(&view->arena, keys, parts[i].names);
		if (p->scope == VIEW_NAMED && !val_exists(p->names))
			*p = (struct view_part){ .scope = VIEW_ALL };
	}
	return view;
}

/* The one that is known, or it made known; NULL: there is none. */
static struct view *find(struct views *all, const struct view_part *parts, size_t n, struct key_table *keys)
{
	uint64_t hash = hash_of(parts, n);
	struct view *view = strmap_get(&all->known, key_of(&hash));

	if (view || all->known.n == VIEWS_MAX)
		return view && is(view, parts, n) ? view : NULL;
	view = make(parts, n, hash, keys);
	if (view && !strmap_put(&all->known, key_of(&hash), view, NULL)) {
		free_view(view);
		view = NULL;
	}
	return view;
}

bool views_take(struct views *all, const struct view_part *parts, size_t n, struct key_table *keys, struct view **of)
{
	bool none = !*of;

	if (*of && parts && is(*of, parts, n))
		return false;
	views_drop(all, of);
	if (parts)
		*of = find(all, parts, n, keys);
	if (*of)
		(*of)->refs++;
	return !none || *of;
}

void views_drop(struct views *all, struct view **of)
{
	struct view *view = *of;

	if (!view)
		return;
	*of = NULL;
	ASSERT(view->refs > 0);
	if (--view->refs)
		return;
	(void)strmap_remove(&all->known, key_of(&view->hash));
	free_view(view);
}

void views_done(struct views *all)
{
	ASSERT(all->known.n == 0);
	strmap_done(&all->known);
	picks_done(&all->whole);
}
