/* What is decoded with a pick, against the whole. */
#ifndef TESTS_PICK_CHECK_H
#define TESTS_PICK_CHECK_H

#include "value/json.h"

static inline bool pick_holds(const struct json_pick *p, val whole, val picked);

static inline bool pick_holds_member(const struct json_pick *p, const struct member *picked, val whole,
				     size_t *n_others)
{
	const struct json_pick *own = json_pick_member(p, key_str(picked->key));
	val of = val_get(whole, key_str(picked->key));

	if (!val_exists(of))
		return false;
	if (own)
		return pick_holds(own, of, picked->value);
	(*n_others)++;
	return p->others_whole ? val_equal(of, picked->value) : val_is_null(picked->value);
}

static inline size_t pick_others(const struct json_pick *p, val whole)
{
	size_t n = 0;

	for (uint32_t i = 0; i < whole.n; i++)
		n += !json_pick_member(p, key_str(whole.members[i].key));
	return n > 1 && !p->others_whole && !p->others_named ? 1 : n;
}

/* Whether @picked is what @p picks of @whole. */
static inline bool pick_holds(const struct json_pick *p, val whole, val picked)
{
	size_t n_others = 0, n_named = 0;

	if (p->kind == PICK_NOTHING)
		return val_is_null(picked);
	if (p->kind == PICK_WHOLE || !val_is_map(whole))
		return val_equal(whole, picked);
	if (!val_is_map(picked))
		return false;
	for (uint32_t i = 0; i < picked.n; i++) {
		if (!pick_holds_member(p, &picked.members[i], whole, &n_others))
			return false;
	}
	for (uint32_t i = 0; i < p->n; i++)
		n_named += val_exists(val_get(whole, key_str(p->members[i].key)));
	return n_others == pick_others(p, whole) && picked.n == n_named + n_others;
}

/* A pick out of a value: maps pick members ("*": true: all others whole, "+": true: their names), null nothing, what
 * else there is picks the whole. False without memory. */
static inline bool pick_make(val v, struct arena *a, struct json_pick *ret)
{
	struct json_pick *members = arena_array(a, v.kind == VAL_MAP ? v.n : 0, sizeof(*members));

	*ret = (struct json_pick){ .kind = val_is_map(v) ? PICK_MEMBERS : val_is_null(v) ? PICK_NOTHING : PICK_WHOLE };
	if (!members || ret->kind != PICK_MEMBERS)
		return members;
	ret->others_whole = val_exists(VAL_GET(v, "*"));
	ret->others_named = val_exists(VAL_GET(v, "+"));
	for (uint32_t i = 0; i < v.n; i++) {
		str name = key_str(v.members[i].key);

		if (str_eq(name, STR("*")) || str_eq(name, STR("+")))
			continue;
		if (!pick_make(v.members[i].value, a, &members[ret->n]))
			return false;
		members[ret->n++].key = v.members[i].key;
	}
	ret->members = members;
	return true;
}

#endif
