/* The macros that look up, load and read. */
#include "kubegen/kg_internal.h"

#include <errno.h>

static const struct kg_macro macros[] = {
	{ "kubegen.If", KG_IF, KG_NULL },
	{ "kubegen.String.Lookup", KG_LOOKUP, KG_STRING },
	{ "kubegen.Number.Lookup", KG_LOOKUP, KG_NUMBER },
	{ "kubegen.Boolean.Lookup", KG_LOOKUP, KG_BOOLEAN },
	{ "kubegen.Array.Lookup", KG_LOOKUP, KG_ARRAY },
	{ "kubegen.Object.Lookup", KG_LOOKUP, KG_OBJECT },
	{ "kubegen.Array.LoadJSON", KG_LOAD_JSON, KG_ARRAY },
	{ "kubegen.Object.LoadJSON", KG_LOAD_JSON, KG_OBJECT },
	{ "kubegen.Array.LoadYAML", KG_LOAD_YAML, KG_ARRAY },
	{ "kubegen.Object.LoadYAML", KG_LOAD_YAML, KG_OBJECT },
	{ "kubegen.String.ReadFile", KG_READ_FILE, KG_STRING },
	{ "kubegen.String.Join", KG_JOIN, KG_STRING },
	{ "kubegen.String.AsJSON", KG_AS_JSON, KG_STRING },
	{ "kubegen.String.AsYAML", KG_AS_YAML, KG_STRING },
	{ "kubegen.String.AsBASE64", KG_AS_BASE64, KG_STRING },
};

bool kg_is_macro(str key)
{
	return str_has_prefix(key, STR("kubegen."));
}

const struct kg_macro *kg_macro_find(str key)
{
	if (!kg_is_macro(key))
		return NULL;
	for (size_t i = 0; i < ARRAY_LEN(macros); i++) {
		if (str_eq(key, str_from(macros[i].key)))
			return &macros[i];
	}
	return NULL;
}

bool kg_macro_is_value(const struct kg_macro *m)
{
	return m->kind != KG_IF && m->type != KG_OBJECT;
}

/* The value of one reference or file name, of the type that the macro promises. */
static int fetch(struct kg_eval *e, const struct kg_macro *m, val name, const struct kg_place *at, val *ret)
{
	val v;
	int r = kg_expect(e, name, KG_STRING, m->key, at);

	if (r < 0)
		return r;
	if (m->kind == KG_LOOKUP)
		r = kg_lookup(e, val_str(name), at, &v);
	else
		r = kg_file_value(e, val_str(name), m->kind == KG_LOAD_YAML, at, &v);
	if (r == 0 && !val_exists(v))
		return kg_error(e, at, "'%.*s' is undefined: its condition is false", STR_ARG(val_str(name)));
	if (r == 0)
		r = kg_expect(e, v, m->type, m->key, at);
	if (r == 0)
		r = kg_spend_value(e, at, v);
	if (r == 0)
		*ret = v;
	return r;
}

static int fetch_item(struct kg_eval *e, const struct kg_macro *m, val names, uint32_t i, val *ret)
{
	const struct kg_place *at = kg_place_item(&e->arena, kg_place_of(names), i);

	return at ? fetch(e, m, names.items[i], at, ret) : kg_nomem(e);
}

static int concatenate(struct kg_eval *e, const struct kg_macro *m, val names, const struct kg_place *at, val *ret)
{
	CLEANUP(kg_items_done) struct kg_items items = { 0 };

	for (uint32_t i = 0; i < names.n; i++) {
		val v = { 0 };
		int r = fetch_item(e, m, names, i, &v);

		if (r < 0)
			return r;
		for (uint32_t k = 0; k < v.n; k++) {
			if (!vec_push(&items.v, v.items[k]))
				return kg_nomem(e);
		}
	}
	return kg_list(e, &items, at, ret);
}

/* Merge all values; later ones take precedence. */
static int merge_all(struct kg_eval *e, const struct kg_macro *m, val names, const struct kg_place *at, val *ret)
{
	val all = { 0 };
	int r = fetch_item(e, m, names, 0, &all);

	for (uint32_t i = 1; r == 0 && i < names.n; i++) {
		val v = { 0 };

		r = fetch_item(e, m, names, i, &v);
		if (r == 0)
			r = kg_merge(e, v, all, false, at, &all);
	}
	if (r == 0)
		*ret = all;
	return r;
}

static int fetch_all(struct kg_eval *e, const struct kg_macro *m, val arg, const struct kg_place *at, val *ret)
{
	if (!val_is_list(arg) || (m->type != KG_ARRAY && m->type != KG_OBJECT))
		return fetch(e, m, arg, at, ret);
	if (arg.n == 0)
		return kg_error(e, at, "%s: empty list", m->key);
	return m->type == KG_ARRAY ? concatenate(e, m, arg, at, ret) : merge_all(e, m, arg, at, ret);
}

static int read_file(struct kg_eval *e, const struct kg_macro *m, val name, bool bytes, const struct kg_place *at,
		     val *ret)
{
	str content = { 0 };
	int r = kg_expect(e, name, KG_STRING, m->key, at);

	if (r == 0)
		r = (bytes ? kg_file_bytes : kg_file_text)(e, val_str(name), at, &content);
	if (r == 0)
		*ret = val_string(content);
	return r;
}

/* Evaluate the argument of AsBASE64: the result of a ReadFile that is the argument itself may be any bytes. */
static int base64_argument(struct kg_eval *e, val arg, const struct kg_place *at, val *ret)
{
	const struct kg_macro *m = kg_macro_find(STR("kubegen.String.ReadFile"));
	val file = val_get(arg, str_from(m->key)), name;
	const struct kg_place *place;
	bool there;
	int r;

	if (!val_exists(file) || arg.n > 1u + val_exists(VAL_GET(arg, "kubegen.If")))
		return kg_argument(e, arg, at, ret);
	r = kg_condition(e, arg, at, &there);
	if (r < 0 || !there)
		return r < 0 ? r : kg_argument(e, arg, at, ret);
	place = kg_place_member(&e->arena, at, key_make(e->keys, &e->arena, str_from(m->key)));
	if (!place)
		return kg_nomem(e);
	r = kg_argument(e, file, place, &name);
	return r < 0 ? r : read_file(e, m, name, true, place, ret);
}

int kg_macro_run(struct kg_eval *e, const struct kg_macro *m, val arg, const struct kg_place *at, val *ret)
{
	val v;
	int r = m->kind == KG_AS_BASE64 ? base64_argument(e, arg, at, &v) : kg_argument(e, arg, at, &v);

	if (r < 0)
		return r;
	switch (m->kind) {
	case KG_LOOKUP:
	case KG_LOAD_JSON:
	case KG_LOAD_YAML:
		return fetch_all(e, m, v, at, ret);
	case KG_READ_FILE:
		return read_file(e, m, v, false, at, ret);
	default:
		return kg_string_run(e, m, v, at, ret);
	}
}
