/* Evaluates values: spec/kubegen.md, section 2. */
#include "kubegen/kg_eval.h"

#include "kubegen/kg_internal.h"

#include <errno.h>

void kg_items_done(struct kg_items *items)
{
	vec_done(&items->v);
}

void kg_eval_init(struct kg_eval *e, const struct kg_folder *folder, str path, const struct limits *limits,
		  struct key_table *keys, struct err *err)
{
	*e = (struct kg_eval){ .limits = limits, .keys = keys, .folder = folder, .path = path, .err = err };
	arena_init(&e->arena, 0, limits->arena_bytes);
}

void kg_eval_done(struct kg_eval *e)
{
	kg_files_done(e);
	strmap_done(&e->attributes);
	arena_done(&e->arena);
}

size_t kg_eval_memory(const struct kg_eval *e)
{
	return e->arena.used + e->document_bytes + e->bytes;
}

/* ---- what may be made ---- */

int kg_spend(struct kg_eval *e, const struct kg_place *at, size_t nodes, size_t bytes)
{
	if (nodes > e->limits->document_nodes - e->nodes)
		return kg_fail(at, E2BIG, e->err, "more than %zu values", e->limits->document_nodes);
	if (bytes > e->limits->file_bytes - e->bytes)
		return kg_fail(at, E2BIG, e->err, "more than %zu bytes of text", e->limits->file_bytes);
	e->nodes += nodes;
	e->bytes += bytes;
	return 0;
}

/* How many values a text counts as, beside the one that it is. */
static size_t text_nodes(str text)
{
	return text.n / 64;
}

int kg_spend_text(struct kg_eval *e, const struct kg_place *at, str text)
{
	return kg_spend(e, at, text_nodes(text), 0);
}

static int too_deep(struct kg_eval *e, const struct kg_place *at)
{
	return kg_fail(at, E2BIG, e->err, "nested deeper than %u levels", e->limits->depth);
}

static void use(size_t nodes, size_t *left)
{
	*left -= nodes < *left ? nodes : *left;
}

/* Count the values of @v, at most *left. False when it nests deeper than @depth; stops when *left is used up. */
static bool count(val v, uint32_t depth, size_t *left)
{
	use(1 + text_nodes(val_str(v)), left);
	if (v.kind < VAL_LIST)
		return true;
	if (depth == 0)
		return false;
	for (uint32_t i = 0; i < v.n && *left; i++) {
		if (v.kind == VAL_MAP)
			use(text_nodes(key_str(v.members[i].key)), left);
		if (!count(v.kind == VAL_LIST ? v.items[i] : v.members[i].value, depth - 1, left))
			return false;
	}
	return true;
}

int kg_spend_value(struct kg_eval *e, const struct kg_place *at, val v)
{
	size_t most = e->limits->document_nodes - e->nodes + 1, left = most;

	if (!count(v, e->limits->depth - e->depth, &left))
		return too_deep(e, at);
	return kg_spend(e, at, most - left, 0);
}

/* ---- lists and objects ---- */

int kg_list(struct kg_eval *e, const struct kg_items *items, const struct kg_place *at, val *ret)
{
	val *copy = kg_placed_array(&e->arena, items->v.n, sizeof(*copy), at);

	if (!copy)
		return kg_nomem(e);
	if (items->v.n)
		memcpy(copy, items->v.p, items->v.n * sizeof(*copy));
	*ret = (val){ .kind = VAL_LIST, .n = (uint32_t)items->v.n, .items = copy };
	return 0;
}

/* Whether @element is an object whose result is spliced into the list around it. */
static bool is_spliced(val element)
{
	for (uint32_t i = 0; element.kind == VAL_MAP && i < element.n; i++) {
		const struct kg_macro *m = kg_macro_find(key_str(element.members[i].key));

		if (m && m->type == KG_ARRAY)
			return true;
	}
	return false;
}

static int add_element(struct kg_eval *e, val element, const struct kg_place *at, struct kg_items *to)
{
	val v = { 0 };
	int r = kg_evaluate(e, element, at, &v);

	if (r < 0 || !val_exists(v))
		return r;
	if (!is_spliced(element))
		return vec_push(&to->v, v) ? 0 : kg_nomem(e);
	for (uint32_t i = 0; i < v.n; i++) {
		if (!vec_push(&to->v, v.items[i]))
			return kg_nomem(e);
	}
	return 0;
}

static int evaluate_list(struct kg_eval *e, val list, const struct kg_place *at, val *ret)
{
	CLEANUP(kg_items_done) struct kg_items items = { 0 };
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < list.n; i++) {
		const struct kg_place *place = kg_place_item(&e->arena, at, i);

		r = place ? add_element(e, list.items[i], place, &items) : kg_nomem(e);
	}
	return r < 0 ? r : kg_list(e, &items, at, ret);
}

/* Evaluate the values of the keys that are no macros. */
static int own_members(struct kg_eval *e, val map, const struct kg_place *at, val *ret)
{
	struct member *members = kg_placed_array(&e->arena, map.n, sizeof(*members), at);
	uint32_t n = 0;

	if (!members)
		return kg_nomem(e);
	for (uint32_t i = 0; i < map.n; i++) {
		const struct key *key = map.members[i].key;
		const struct kg_place *place = kg_place_member(&e->arena, at, key);
		val v;
		int r;

		if (!place)
			return kg_nomem(e);
		if (kg_is_macro(key_str(key)))
			continue;
		r = kg_spend_text(e, place, key_str(key));
		if (r == 0)
			r = kg_evaluate(e, map.members[i].value, place, &v);
		if (r < 0)
			return r;
		if (val_exists(v))
			members[n++] = (struct member){ key, v };
	}
	*ret = val_map_sorted(members, n);
	return 0;
}

/* The result of the macro @key in @map; VAL_ABSENT when @map does not have it. */
static int object_macro(struct kg_eval *e, val map, str key, const struct kg_place *at, val *ret)
{
	for (uint32_t i = 0; i < map.n; i++) {
		const struct kg_place *place;

		if (!str_eq(key_str(map.members[i].key), key))
			continue;
		place = kg_place_member(&e->arena, at, map.members[i].key);
		return place ? kg_macro_run(e, kg_macro_find(key), map.members[i].value, place, ret) : kg_nomem(e);
	}
	*ret = (val){ 0 };
	return 0;
}

/* Merge the members of the result over @under, which may be absent. */
static int put_below(struct kg_eval *e, val under, bool agree, const struct kg_place *at, val *v)
{
	if (!val_exists(under))
		return 0;
	if (!val_exists(*v)) {
		*v = under;
		return 0;
	}
	return kg_merge(e, *v, under, agree, at, v);
}

static int evaluate_object(struct kg_eval *e, val map, const struct kg_place *at, val *ret)
{
	val own = { 0 }, looked_up = { 0 }, loaded = { 0 }, yaml = { 0 };
	int r = own_members(e, map, at, &own);

	if (r == 0)
		r = object_macro(e, map, STR("kubegen.Object.Lookup"), at, &looked_up);
	if (r == 0)
		r = object_macro(e, map, STR("kubegen.Object.LoadJSON"), at, &loaded);
	if (r == 0)
		r = object_macro(e, map, STR("kubegen.Object.LoadYAML"), at, &yaml);
	if (r == 0)
		r = put_below(e, yaml, true, at, &loaded);
	if (r == 0)
		r = put_below(e, looked_up, false, at, &own);
	if (r == 0)
		r = put_below(e, loaded, false, at, &own);
	if (r == 0)
		*ret = own;
	return r;
}

/* The macro that replaces @map in *ret, NULL: there is none; its index in *at_index. */
static int value_macro(struct kg_eval *e, val map, const struct kg_place *at, const struct kg_macro **ret,
		       uint32_t *at_index)
{
	bool conditional = false;

	*ret = NULL;
	for (uint32_t i = 0; i < map.n; i++) {
		str key = key_str(map.members[i].key);
		const struct kg_macro *m = kg_macro_find(key);

		if (kg_is_macro(key) && !m) {
			const struct kg_place *place = kg_place_member(&e->arena, at, map.members[i].key);

			return place ? kg_error(e, place, "unknown macro '%.*s'", STR_ARG(key)) : kg_nomem(e);
		}
		conditional |= m && m->kind == KG_IF;
		if (m && !*ret && kg_macro_is_value(m)) {
			*ret = m;
			*at_index = i;
		}
	}
	if (*ret && map.n > 1u + conditional)
		return kg_error(e, at, "ambiguous: %s must be the only key of its object", (*ret)->key);
	return 0;
}

static int evaluate_map(struct kg_eval *e, val map, const struct kg_place *at, val *ret)
{
	const struct kg_macro *m = NULL;
	const struct kg_place *place;
	uint32_t i = 0;
	bool there = true;
	int r = kg_condition(e, map, at, &there);

	if (r == 0 && !there) {
		*ret = (val){ 0 };
		return 0;
	}
	if (r == 0)
		r = value_macro(e, map, at, &m, &i);
	if (r < 0)
		return r;
	if (!m)
		return evaluate_object(e, map, at, ret);
	place = kg_place_member(&e->arena, at, map.members[i].key);
	return place ? kg_macro_run(e, m, map.members[i].value, place, ret) : kg_nomem(e);
}

int kg_evaluate(struct kg_eval *e, val v, const struct kg_place *at, val *ret)
{
	int r = kg_spend(e, at, 1 + text_nodes(val_str(v)), 0);

	if (r < 0)
		return r;
	if (v.kind < VAL_LIST) {
		*ret = v;
		return 0;
	}
	if (e->depth == e->limits->depth)
		return too_deep(e, at);
	e->depth++;
	r = v.kind == VAL_LIST ? evaluate_list(e, v, at, ret) : evaluate_map(e, v, at, ret);
	e->depth--;
	return r;
}

int kg_evaluate_document(struct kg_eval *e, val v, const struct kg_place *at, val *ret)
{
	val result = { 0 };
	int r = kg_evaluate(e, v, at, &result);

	if (r < 0)
		return r;
	if (val_exists(result) && !val_is_map(result))
		return kg_error(e, at, "root of the document must be an object, not %s",
				kg_type_name(kg_type_of(result)));
	*ret = result;
	return 0;
}

/* ---- parts ---- */

int kg_argument(struct kg_eval *e, val v, const struct kg_place *at, val *ret)
{
	val result = { 0 };
	int r = kg_evaluate(e, v, at, &result);

	if (r < 0)
		return r;
	if (!val_exists(result))
		return kg_error(e, at, "the argument is undefined: its condition is false");
	*ret = result;
	return 0;
}

int kg_expect(struct kg_eval *e, val v, enum kg_type type, const char *what, const struct kg_place *at)
{
	enum kg_type got = kg_type_of(v);

	if (got == type)
		return 0;
	return kg_error(e, at, "%s: expected %s, got %s", what, kg_type_name(type), kg_type_name(got));
}

static bool is_true(val v)
{
	switch ((enum val_kind)v.kind) {
	case VAL_BOOL:
		return v.b;
	case VAL_INT:
		return v.i >= 1;
	case VAL_UINT:
		return true;
	case VAL_DOUBLE:
		return v.d >= 1;
	default:
		return v.n > 0;
	}
}

int kg_condition(struct kg_eval *e, val map, const struct kg_place *at, bool *ret)
{
	static const char key[] = "kubegen.If";
	val ref = VAL_GET(map, key), v;
	const struct kg_place *place;
	int r;

	*ret = true;
	if (!val_exists(ref))
		return 0;
	place = kg_place_member(&e->arena, at, key_make(e->keys, &e->arena, STR(key)));
	if (!place)
		return kg_nomem(e);
	r = kg_expect(e, ref, KG_STRING, key, place);
	if (r == 0)
		r = kg_spend_text(e, place, val_str(ref));
	if (r == 0)
		r = kg_lookup(e, val_str(ref), place, &v);
	if (r == 0)
		*ret = is_true(v);
	return r;
}

int kg_copy(struct kg_eval *e, val v, const struct kg_place *at, val *ret)
{
	void *copy;
	int r = kg_spend(e, at, 1, 0);

	if (r < 0)
		return r;
	if (v.kind < VAL_LIST) {
		*ret = v;
		return 0;
	}
	copy = kg_placed_array(&e->arena, v.n, v.kind == VAL_LIST ? sizeof(val) : sizeof(struct member), at);
	if (!copy)
		return kg_nomem(e);
	for (uint32_t i = 0; r == 0 && i < v.n; i++) {
		const struct kg_place *place;

		if (v.kind == VAL_LIST) {
			place = kg_place_item(&e->arena, at, i);
			r = place ? kg_copy(e, v.items[i], place, (val *)copy + i) : kg_nomem(e);
		} else {
			struct member *m = (struct member *)copy + i;

			*m = v.members[i];
			place = kg_place_member(&e->arena, at, m->key);
			r = place ? kg_copy(e, v.members[i].value, place, &m->value) : kg_nomem(e);
		}
	}
	if (r == 0) {
		*ret = v;
		if (v.kind == VAL_LIST)
			ret->items = copy;
		else
			ret->members = copy;
	}
	return r;
}
