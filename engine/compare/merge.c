/* Laying the rendered reference over the object where unspecified fields are ignored. */
#include "compare/steps.h"

#include <errno.h>

/* A JSON merge patch on values, with the choices that evanphx/json-patch makes where RFC 7386 says less: a null inside
 * what is new is dropped, also inside lists, but a list that replaces a map keeps its nulls. On values, because going
 * through JSON text would cost more than all the other steps together. */

struct merger {
	struct arena *arena;
	uint32_t depth;
	uint32_t max_depth;
	bool too_deep;
};

/* VAL_ABSENT without memory or too deep, in all of these. */
static val prune(struct merger *m, val v);
static val merge_maps(struct merger *m, val live, val patch);

static val prune_list(struct merger *m, val v)
{
	val *items = arena_array(m->arena, v.n, sizeof(*items));

	if (!items)
		return (val){ 0 };
	for (uint32_t i = 0; i < v.n; i++) {
		items[i] = prune(m, v.items[i]);
		if (!val_exists(items[i]))
			return (val){ 0 };
	}
	return (val){ .kind = VAL_LIST, .n = v.n, .items = items };
}

static val prune_map(struct merger *m, val v)
{
	struct member *members = arena_array(m->arena, v.n, sizeof(*members));
	uint32_t n = 0;

	if (!members)
		return (val){ 0 };
	for (uint32_t i = 0; i < v.n; i++) {
		if (val_is_null(v.members[i].value))
			continue;
		members[n] = (struct member){ v.members[i].key, prune(m, v.members[i].value) };
		if (!val_exists(members[n++].value))
			return (val){ 0 };
	}
	return val_map_sorted(members, n);
}

static bool holds_null(val v, uint32_t depth)
{
	if (depth == 0)
		return true; /* prune finds out */
	for (uint32_t i = 0; i < val_count(v); i++) {
		val item = val_is_map(v) ? v.members[i].value : v.items[i];

		if (val_is_null(item) || holds_null(item, depth - 1))
			return true;
	}
	return false;
}

static val prune(struct merger *m, val v)
{
	val ret;

	if (!val_is_map(v) && !val_is_list(v))
		return v;
	if (m->depth == m->max_depth) {
		m->too_deep = true;
		return (val){ 0 };
	}
	m->depth++;
	if (val_is_list(v))
		ret = prune_list(m, v);
	else
		ret = prune_map(m, v);
	m->depth--;
	return ret;
}

static val merge(struct merger *m, val live, val patch)
{
	if (!val_is_map(live))
		return holds_null(patch, m->max_depth - m->depth) ? prune(m, patch) : patch;
	return val_is_map(patch) ? merge_maps(m, live, patch) : patch;
}

static val merge_members(struct merger *m, val live, val patch, struct member *out)
{
	uint32_t i = 0, j = 0, n = 0;

	while (i < live.n || j < patch.n) {
		int order = i == live.n ? 1 : j == patch.n ? -1 : key_cmp(live.members[i].key, patch.members[j].key);

		if (order < 0) {
			out[n++] = live.members[i++];
			continue;
		}
		if (!val_is_null(patch.members[j].value)) {
			val old = order == 0 ? live.members[i].value : (val){ 0 };

			out[n] = (struct member){ patch.members[j].key, merge(m, old, patch.members[j].value) };
			if (!val_exists(out[n++].value))
				return (val){ 0 };
		}
		i += order == 0;
		j++;
	}
	return val_map_sorted(out, n);
}

static val merge_maps(struct merger *m, val live, val patch)
{
	struct member *out;
	val ret;

	if (m->depth == m->max_depth) {
		m->too_deep = true;
		return (val){ 0 };
	}
	out = arena_array(m->arena, (size_t)live.n + patch.n, sizeof(*out));
	if (!out)
		return (val){ 0 };
	m->depth++;
	ret = merge_members(m, live, patch, out);
	m->depth--;
	return ret;
}

int step_merge(val live, val rendered, const struct limits *limits, struct arena *a, val *ret, struct err *err)
{
	struct merger m = { .arena = a, .max_depth = limits->depth };
	val v = merge_maps(&m, live, rendered);

	if (m.too_deep)
		return err_set(err, E2BIG, "merge: nested deeper than %u", limits->depth);
	if (!val_exists(v))
		return err_nomem(err);
	*ret = v;
	return 0;
}
