/* Merges the rendered reference with the object where unspecified fields are ignored. */
#include "compare/steps.h"

#include <errno.h>

/* A JSON merge patch on values, with the choices of evanphx/json-patch where RFC 7386 leaves a choice: a null inside
 * a new value is dropped, also inside lists, but a list that replaces a map keeps its nulls. The patch works on
 * values, because going through JSON text would cost more than all the other steps together. */

struct merger {
	struct arena *arena;
	uint32_t depth;
	uint32_t max_depth;
	bool too_deep;
};

/* The functions below return VAL_ABSENT without memory, or when the value is too deep. */
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
		return true; /* prune() finds out */
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

/* ---- what merging would change ---- */

static enum step_effect more(enum step_effect a, enum step_effect b)
{
	return a > b ? a : b;
}

/* The effect of a member that the object does not have. A value with nulls may become empty, and be left out. */
static enum step_effect effect_of_new(val patch, uint32_t depth)
{
	if (val_is_null(patch))
		return STEP_NO_CHANGE;
	return holds_null(patch, depth) ? STEP_UNKNOWN : STEP_ADDS;
}

static enum step_effect effect(val live, val patch, uint32_t depth);

static enum step_effect effect_on_map(val live, val patch, uint32_t depth)
{
	enum step_effect ret = STEP_NO_CHANGE;
	uint32_t i = 0;

	if (depth == 0)
		return STEP_UNKNOWN;
	for (uint32_t j = 0; j < patch.n && ret != STEP_CHANGES; j++) {
		val v = patch.members[j].value;
		int order = 1;

		while (i < live.n && (order = key_cmp(live.members[i].key, patch.members[j].key)) < 0)
			i++;
		if (i == live.n || order > 0)
			ret = more(ret, effect_of_new(v, depth - 1));
		else
			ret = more(ret, effect(live.members[i].value, v, depth - 1));
	}
	return ret;
}

/* The effect of a patch on a value. A list with nulls is not merged as it is. */
static enum step_effect effect(val live, val patch, uint32_t depth)
{
	if (val_is_map(live) && val_is_map(patch))
		return effect_on_map(live, patch, depth);
	if (val_is_list(live) && val_is_list(patch) && holds_null(patch, depth))
		return STEP_UNKNOWN;
	return !val_is_null(patch) && val_same(live, patch) ? STEP_NO_CHANGE : STEP_CHANGES;
}

enum step_effect step_merge_effect(val live, val rendered, const struct limits *limits)
{
	static const str managed_fields[] = { { "metadata", 8 }, { "managedFields", 13 } };

	if (!val_is_map(live) || val_exists(val_get(val_get(rendered, managed_fields[0]), managed_fields[1])))
		return STEP_UNKNOWN;
	return effect_on_map(live, rendered, limits->depth);
}
