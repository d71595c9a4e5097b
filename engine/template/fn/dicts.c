/* Sprig's dictionaries: maps that a template makes and changes. */
#include "template/fn/fn.h"

static int fn_dict(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	tval map = tmap_new(c->mem, &tt_map);

	if (!map.type)
		return tmpl_nomem(c);
	for (size_t i = 0; i < n; i += 2) {
		tval value = i + 1 < n ? args[i + 1] : tval_string(STR(""));
		str key;
		int r = tmpl_strval(c, args[i], &key);

		if (r < 0)
			return r;
		if (tmap_set(c->mem, map, key, value) < 0)
			return tmpl_nomem(c);
	}
	*ret = map;
	return 0;
}

static int fn_get(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)n;
	if (!tmap_get(c->mem, args[0], args[1].s, ret))
		*ret = tval_string(STR(""));
	return 0;
}

static int fn_set(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)n;
	if (tval_is_nil_like(args[0]))
		return tmpl_fail(c, "assignment to entry in nil map");
	if (tmap_set(c->mem, args[0], args[1].s, args[2]) < 0)
		return tmpl_nomem(c);
	*ret = args[0];
	return 0;
}

static int fn_unset(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)n;
	if (tmap_unset(c->mem, args[0], args[1].s) < 0)
		return tmpl_nomem(c);
	*ret = args[0];
	return 0;
}

static int fn_has_key(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	tval value;

	(void)n;
	*ret = tval_bool(tmap_get(c->mem, args[0], args[1].s, &value));
	return 0;
}

static int fn_pluck(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	tval *items = tmpl_items(c, n);
	size_t found = 0;

	if (!items)
		return tmpl_nomem(c);
	for (size_t i = 1; i < n; i++)
		found += tmap_get(c->mem, args[i], args[0].s, &items[found]);
	*ret = tval_slice(&tt_list, items, found);
	return 0;
}

/* Return the keys. Go gives them in no order; sorted is one of the possible orders. */
static int fn_keys(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	size_t total = 0, at = 0;
	tval *items;

	for (size_t i = 0; i < n; i++)
		total += tval_len(c->mem, args[i]);
	items = tmpl_items(c, total);
	if (!items)
		return tmpl_nomem(c);
	for (size_t i = 0; i < n; i++) {
		size_t count;
		const struct tentry *entries = tmap_entries(c->mem, args[i], &count);

		if (count == SIZE_MAX)
			return tmpl_nomem(c);
		for (size_t k = 0; k < count; k++)
			items[at++] = tval_string(entries[k].key);
	}
	*ret = tval_slice(&tt_strings, items, total);
	return 0;
}

static int fn_values(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	size_t count;
	const struct tentry *entries = tmap_entries(c->mem, args[0], &count);
	tval *items = count == SIZE_MAX ? NULL : tmpl_items(c, count);

	(void)n;
	if (!items)
		return tmpl_nomem(c);
	for (size_t i = 0; i < count; i++)
		items[i] = tval_boxed(entries[i].value);
	*ret = tval_slice(&tt_list, items, count);
	return 0;
}

static int fn_pick(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	tval map = tmap_new(c->mem, &tt_map), value;

	if (!map.type)
		return tmpl_nomem(c);
	for (size_t i = 1; i < n; i++) {
		if (tmap_get(c->mem, args[0], args[i].s, &value) && tmap_set(c->mem, map, args[i].s, value) < 0)
			return tmpl_nomem(c);
	}
	*ret = map;
	return 0;
}

static int fn_omit(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	tval map = tmap_new(c->mem, &tt_map);
	size_t count;
	const struct tentry *entries = tmap_entries(c->mem, args[0], &count);

	if (!map.type || count == SIZE_MAX)
		return tmpl_nomem(c);
	for (size_t i = 0; i < count; i++) {
		if (tmap_set(c->mem, map, entries[i].key, entries[i].value) < 0)
			return tmpl_nomem(c);
	}
	for (size_t i = 1; i < n; i++) {
		if (tmap_unset(c->mem, map, args[i].s) < 0)
			return tmpl_nomem(c);
	}
	*ret = map;
	return 0;
}

static int conversion_panic(struct tmpl_call *c, tval v, const char *wanted)
{
	return tmpl_fail(c, "interface conversion: interface {} is %s, not %s", v.type ? v.type->name : "nil", wanted);
}

/* dig key… default map */
static int fn_dig(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	tval at, next;

	if (n < 3)
		return tmpl_fail(c, "dig needs at least three arguments");
	at = args[n - 1];
	if (at.type != &tt_map)
		return conversion_panic(c, at, "map[string]interface {}");
	for (size_t i = 0; i < n - 2; i++) {
		if (!tval_is_string(args[i]))
			return conversion_panic(c, args[i], "string");
	}
	for (size_t i = 0; i < n - 2; i++) {
		if (at.type != &tt_map)
			return conversion_panic(c, at, "map[string]interface {}");
		if (!tmap_get(c->mem, at, args[i].s, &next)) {
			*ret = args[n - 2];
			return 0;
		}
		at = next;
	}
	*ret = at;
	return 0;
}

/* ---- merging, as mergo does it for maps ---- */

static int merge_into(struct tmpl_call *c, tval dst, tval src, bool overwrite, uint32_t depth);

/* Merge an entry. Maps merge key by key; of other values the first that is not empty stays or, with @overwrite, the
 * later one wins. */
static int merge_entry(struct tmpl_call *c, tval dst, const struct tentry *e, bool overwrite, uint32_t depth)
{
	tval old = tval_nil();
	bool has = tmap_get(c->mem, dst, e->key, &old), set;
	enum tkind kind = tval_kind(e->value);

	if (tval_is_nil_like(e->value)) {
		set = overwrite;
	} else {
		if (kind == TK_MAP && tval_kind(old) == TK_MAP && !tval_is_nil_like(old)) {
			int r = merge_into(c, old, e->value, overwrite, depth - 1);

			if (r < 0)
				return r;
		}
		set = overwrite || !has || !tval_truth(c->mem, old);
		if (kind == TK_MAP && tval_kind(old) == TK_MAP && tval_truth(c->mem, old))
			set = false;
	}
	return set && tmap_set(c->mem, dst, e->key, tval_plain(e->value)) < 0 ? tmpl_nomem(c) : 0;
}

static int merge_into(struct tmpl_call *c, tval dst, tval src, bool overwrite, uint32_t depth)
{
	size_t n;
	const struct tentry *entries;
	int r = tmpl_spend(c, 1);

	if (r == 0 && depth == 0)
		return tmpl_fail(c, "maps nest too deeply");
	entries = tmap_entries(c->mem, src, &n);
	if (n == SIZE_MAX)
		return tmpl_nomem(c);
	for (size_t i = 0; i < n && r == 0; i++)
		r = merge_entry(c, dst, &entries[i], overwrite, depth);
	return r;
}

static int merge_all(struct tmpl_call *c, const tval *args, size_t n, bool overwrite, tval *ret)
{
	tval dst = tval_is_nil_like(args[0]) ? tmap_new(c->mem, &tt_map) : args[0];
	int r = dst.type ? 0 : tmpl_nomem(c);

	for (size_t i = 1; i < n && r == 0; i++)
		r = merge_into(c, dst, args[i], overwrite, TVAL_DEPTH);
	if (r == 0)
		*ret = dst;
	return r;
}

static int fn_merge(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	return merge_all(c, args, n, false, ret);
}

static int fn_merge_overwrite(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	return merge_all(c, args, n, true, ret);
}

static int deep_copy(struct tmpl_call *c, tval v, uint32_t depth, tval *ret);

static int copy_list(struct tmpl_call *c, tval v, uint32_t depth, tval *ret)
{
	size_t n = tval_len(c->mem, v);
	tval *items = tmpl_items(c, n);
	int r = items ? tmpl_spend(c, n) : tmpl_nomem(c);

	for (size_t i = 0; i < n && r == 0; i++)
		r = deep_copy(c, tval_at(v, i), depth, &items[i]);
	if (r == 0)
		*ret = tval_slice(v.type, items, n);
	return r;
}

static int copy_map(struct tmpl_call *c, tval v, uint32_t depth, tval *ret)
{
	tval map = tmap_new(c->mem, v.type);
	size_t n;
	const struct tentry *entries = tmap_entries(c->mem, v, &n);
	int r = map.type && n != SIZE_MAX ? tmpl_spend(c, n) : tmpl_nomem(c);

	for (size_t i = 0; i < n && r == 0; i++) {
		tval copy;

		r = deep_copy(c, entries[i].value, depth, &copy);
		if (r == 0 && tmap_set(c->mem, map, entries[i].key, copy) < 0)
			r = tmpl_nomem(c);
	}
	if (r == 0)
		*ret = map;
	return r;
}

/* Go's copier sees exported fields only, so that the copy of a structure without any, such as a version, is zero. No
 * structure of a family is larger than this. */
static const uint64_t zero_struct[32];

static int deep_copy(struct tmpl_call *c, tval v, uint32_t depth, tval *ret)
{
	enum tkind kind = tval_kind(v);
	bool boxed = v.iface;
	int r = 0;

	if (depth == 0)
		return tmpl_fail(c, "values nest too deeply");
	*ret = v;
	if (tval_is_nil_like(v))
		return 0;
	if (kind == TK_SLICE && v.type != &tt_bytes)
		r = copy_list(c, v, depth - 1, ret);
	else if (kind == TK_MAP)
		r = copy_map(c, v, depth - 1, ret);
	else if (kind == TK_PTR && v.type->n_fields && !v.type->fields[0].exported)
		ret->p = zero_struct;
	ret->iface = boxed;
	return r;
}

static int fn_deep_copy(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	tval copy;
	int r;

	(void)n;
	if (!args[0].type)
		return tmpl_fail(c, "reflect: call of reflect.Value.Type on zero Value");
	r = deep_copy(c, args[0], TVAL_DEPTH, &copy);
	if (r == 0)
		*ret = copy;
	return r;
}

#define MAP_KEY { &tt_map, &tt_string }, false
#define MAP_KEYS { &tt_map, &tt_string }, true

#define MERGE { &tt_map, &tt_map }, true, &tt_any

static const struct tmpl_fn rows[] = {
	{ "deepCopy", fn_deep_copy, { &tt_any }, false, &tt_any, "a copy that shares nothing" },
	{ "dict", fn_dict, { &tt_any }, true, &tt_map, "a map of keys and values by turns" },
	{ "dig",
	  fn_dig,
	  { &tt_any },
	  true,
	  &tt_any,
	  "the value under keys, one below the other, of a map, or a default" },
	{ "get", fn_get, MAP_KEY, &tt_any, "the value of a key, \"\" when there is none" },
	{ "hasKey", fn_has_key, MAP_KEY, &tt_bool, "whether the map has the key" },
	{ "keys", fn_keys, { &tt_map }, true, &tt_strings, "the keys of all maps" },
	{ "merge", fn_merge, MERGE, "change the first map: add what it lacks from the others" },
	{ "mergeOverwrite", fn_merge_overwrite, MERGE, "change the first map: the later ones win" },
	{ "mustDeepCopy", fn_deep_copy, { &tt_any }, false, &tt_any, "as deepCopy" },
	{ "mustMerge", fn_merge, MERGE, "as merge" },
	{ "mustMergeOverwrite", fn_merge_overwrite, MERGE, "as mergeOverwrite" },
	{ "omit", fn_omit, MAP_KEYS, &tt_map, "a copy of the map without the keys" },
	{ "pick", fn_pick, MAP_KEYS, &tt_map, "a copy of the map with these keys only" },
	{ "pluck", fn_pluck, { &tt_string, &tt_map }, true, &tt_list, "the values of a key in several maps" },
	{ "set", fn_set, { &tt_map, &tt_string, &tt_any }, false, &tt_map, "change the map: set a key" },
	{ "unset", fn_unset, MAP_KEY, &tt_map, "change the map: remove a key" },
	{ "values", fn_values, { &tt_map }, false, &tt_list, "the values of the map" },
};
TMPL_FN_FAMILY(fn_dicts, rows);
