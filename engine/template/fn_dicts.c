/* Sprig's dictionaries: maps that a template makes and changes. */
#include "template/fn.h"

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

static int fn_get(struct tmpl_call *c, const tval *args, size_t n UNUSED, tval *ret)
{
	if (!tmap_get(c->mem, args[0], args[1].s, ret))
		*ret = tval_string(STR(""));
	return 0;
}

static int fn_set(struct tmpl_call *c, const tval *args, size_t n UNUSED, tval *ret)
{
	if (tval_is_nil_like(args[0]))
		return tmpl_fail(c, "assignment to entry in nil map");
	if (tmap_set(c->mem, args[0], args[1].s, args[2]) < 0)
		return tmpl_nomem(c);
	*ret = args[0];
	return 0;
}

static int fn_unset(struct tmpl_call *c, const tval *args, size_t n UNUSED, tval *ret)
{
	if (tmap_unset(c->mem, args[0], args[1].s) < 0)
		return tmpl_nomem(c);
	*ret = args[0];
	return 0;
}

static int fn_has_key(struct tmpl_call *c, const tval *args, size_t n UNUSED, tval *ret)
{
	tval value;

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

/* Go gives the keys in no order; sorted is one of them. */
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

static int fn_values(struct tmpl_call *c, const tval *args, size_t n UNUSED, tval *ret)
{
	size_t count;
	const struct tentry *entries = tmap_entries(c->mem, args[0], &count);
	tval *items = count == SIZE_MAX ? NULL : tmpl_items(c, count);

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

#define MAP_KEY { &tt_map, &tt_string }, false
#define MAP_KEYS { &tt_map, &tt_string }, true

static const struct tmpl_fn rows[] = {
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
	{ "omit", fn_omit, MAP_KEYS, &tt_map, "a copy of the map without the keys" },
	{ "pick", fn_pick, MAP_KEYS, &tt_map, "a copy of the map with these keys only" },
	{ "pluck", fn_pluck, { &tt_string, &tt_map }, true, &tt_list, "the values of a key in several maps" },
	{ "set", fn_set, { &tt_map, &tt_string, &tt_any }, false, &tt_map, "change the map: set a key" },
	{ "unset", fn_unset, MAP_KEY, &tt_map, "change the map: remove a key" },
	{ "values", fn_values, { &tt_map }, false, &tt_list, "the values of the map" },
};
TMPL_FN_FAMILY(fn_dicts, rows);
