/* Reads objects by tables of their fields, and builds native objects: checks, members, objects. */
#include "kubegen/kg_shape.h"

#include "base/assert.h"
#include "kubegen/kg_internal.h"

#include <errno.h>
#include <stdio.h>

/* ---- mistakes ---- */

void kg_make_nomem(struct kg_make *m)
{
	if (m->r == 0)
		m->r = kg_nomem(m->e);
}

static const struct key *key_of(struct kg_make *m, const char *name)
{
	return key_make(m->e->keys, &m->e->arena, str_from(name));
}

void kg_wrong(struct kg_make *m, val map, const char *field, const char *fmt, ...)
{
	const struct kg_place *at = kg_place_of(map);
	const struct key *key = field ? key_of(m, field) : NULL;
	char text[512];
	va_list ap;

	if (m->r < 0)
		return;
	if (key)
		at = kg_place_member(&m->e->arena, at, key);
	if ((field && !key) || !at) {
		kg_make_nomem(m);
		return;
	}
	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	m->r = kg_error(m->e, at, "%s", text);
}

/* ---- types ---- */

static bool is_whole(val v)
{
	return v.kind != VAL_DOUBLE || (v.d > -1e15 && v.d < 1e15 && v.d == (double)(int64_t)v.d);
}

static const struct {
	enum kg_type type, element; /* KG_NULL: any type */
} wants[] = {
	[KG_TEXT] = { KG_STRING, KG_NULL },       [KG_COUNT] = { KG_NUMBER, KG_NULL },
	[KG_COUNT_ZERO] = { KG_NUMBER, KG_NULL }, [KG_FLAG] = { KG_BOOLEAN, KG_NULL },
	[KG_TEXTS] = { KG_ARRAY, KG_STRING },     [KG_TEXT_MAP] = { KG_OBJECT, KG_STRING },
	[KG_MAP] = { KG_OBJECT, KG_NULL },        [KG_MAPS] = { KG_ARRAY, KG_OBJECT },
	[KG_ANY] = { KG_NULL, KG_NULL },
};

static void expect(struct kg_make *m, const struct kg_place *at, enum kg_type want, val v)
{
	enum kg_type got = kg_type_of(v);

	if (!at)
		kg_make_nomem(m);
	else if (got != want && want != KG_NULL && m->r == 0)
		m->r = kg_error(m->e, at, "expected %s, got %s", kg_type_name(want), kg_type_name(got));
}

static void check_elements(struct kg_make *m, const struct kg_place *at, enum kg_type want, val v)
{
	struct arena *a = &m->e->arena;

	for (uint32_t i = 0; m->r == 0 && i < val_count(v); i++) {
		if (v.kind == VAL_LIST)
			expect(m, kg_place_item(a, at, i), want, v.items[i]);
		else if (!val_is_null(v.members[i].value))
			expect(m, kg_place_member(a, at, v.members[i].key), want, v.members[i].value);
	}
}

static void check_value(struct kg_make *m, const struct kg_place *at, enum kg_want want, val v)
{
	expect(m, at, wants[want].type, v);
	if (m->r == 0 && (want == KG_COUNT || want == KG_COUNT_ZERO) && !is_whole(v))
		m->r = kg_error(m->e, at, "expected a whole number");
	if (m->r == 0 && wants[want].element != KG_NULL)
		check_elements(m, at, wants[want].element, v);
}

static const struct kg_field *find_field(const struct kg_shape *s, str name)
{
	for (; s; s = s->next) {
		for (size_t i = 0; i < s->n; i++) {
			if (str_eq(name, str_from(s->fields[i].name)))
				return &s->fields[i];
		}
	}
	return NULL;
}

bool kg_check(struct kg_make *m, val map, const struct kg_shape *s)
{
	for (uint32_t i = 0; m->r == 0 && i < map.n; i++) {
		const struct key *key = map.members[i].key;
		const struct kg_field *f = find_field(s, key_str(key));
		const struct kg_place *at = kg_place_member(&m->e->arena, kg_place_of(map), key);

		if (!at)
			kg_make_nomem(m);
		else if (!f)
			m->r = kg_error(m->e, at, "unknown field '%.*s'", STR_ARG(key_str(key)));
		else if (!val_is_null(map.members[i].value))
			check_value(m, at, f->want, map.members[i].value);
	}
	return m->r == 0;
}

/* ---- members ---- */

val kg_get(val map, const char *field)
{
	val v = val_get(map, str_from(field));

	return val_is_null(v) ? (val){ 0 } : v;
}

/* @map without the members that are null; @map itself when there are none. */
static val without_nulls(struct kg_make *m, val map)
{
	struct member *members;
	uint32_t n = 0, nulls = 0;

	for (uint32_t i = 0; i < map.n; i++)
		nulls += val_is_null(map.members[i].value);
	if (nulls == 0)
		return map;
	members = kg_placed_array(&m->e->arena, map.n - nulls, sizeof(*members), kg_place_of(map));
	if (!members) {
		kg_make_nomem(m);
		return (val){ 0 };
	}
	for (uint32_t i = 0; i < map.n; i++) {
		if (!val_is_null(map.members[i].value))
			members[n++] = map.members[i];
	}
	return val_map_sorted(members, n);
}

val kg_get_texts(struct kg_make *m, val map, const char *field)
{
	val texts = kg_get(map, field);

	return val_is_map(texts) ? without_nulls(m, texts) : (val){ 0 };
}

/* Make an integer of a whole number that was written with a fraction of zero. */
static val whole(val v)
{
	return v.kind == VAL_DOUBLE ? val_int((int64_t)v.d) : v;
}

int64_t kg_get_count(val map, const char *field)
{
	val v = whole(kg_get(map, field));

	return val_int_or(v, 0);
}

str kg_get_required(struct kg_make *m, val map, const char *field)
{
	str s = val_str(kg_get(map, field));

	if (s.n == 0)
		kg_wrong(m, map, NULL, "%s is required", field);
	return s;
}

val kg_get_either(struct kg_make *m, val map, const char *field, const char *other)
{
	val v = kg_get(map, field), w = kg_get(map, other);

	if (val_exists(v) && val_exists(w))
		kg_wrong(m, map, other, "ambiguous: %s and %s are both given", field, other);
	return val_exists(v) ? v : w;
}

/* ---- building ---- */

void kg_put(struct kg_object *o, const char *name, val v)
{
	const struct key *key;

	if (!val_exists(v) || o->m->r < 0)
		return;
	key = key_of(o->m, name);
	ASSERT(o->n < KG_MEMBERS_MAX);
	o->members[o->n++] = (struct member){ key, v };
	if (!key)
		kg_make_nomem(o->m);
}

static bool is_empty(val v)
{
	switch ((enum val_kind)v.kind) {
	case VAL_BOOL:
		return !v.b;
	case VAL_INT:
		return v.i == 0;
	case VAL_DOUBLE:
		return v.d == 0;
	case VAL_LIST:
	case VAL_MAP:
		return v.n == 0;
	default:
		return false;
	}
}

void kg_put_filled(struct kg_object *o, const char *name, val v)
{
	if (!is_empty(v))
		kg_put(o, name, v);
}

void kg_put_text(struct kg_object *o, const char *name, const char *text)
{
	kg_put(o, name, val_string(str_from(text)));
}

void kg_carry(struct kg_object *o, val map, const struct kg_shape *s)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct kg_field *f = &s->fields[i];
		val v = f->want == KG_TEXT_MAP ? kg_get_texts(o->m, map, f->name) : kg_get(map, f->name);

		if (f->own)
			continue;
		if (f->want == KG_COUNT_ZERO)
			kg_put(o, f->name, whole(v));
		else
			kg_put_filled(o, f->name, f->want == KG_COUNT ? whole(v) : v);
	}
}

val kg_object_val(struct kg_object *o)
{
	val v = { 0 };

	if (o->m->r == 0) {
		v = val_map(&o->m->e->arena, o->members, o->n);
		if (!val_exists(v))
			kg_make_nomem(o->m);
	}
	return v;
}

val kg_each(struct kg_make *m, val list, val (*make)(struct kg_make *m, val element, void *ctx), void *ctx)
{
	val *items;

	if (!val_is_list(list) || m->r < 0)
		return (val){ 0 };
	items = arena_array(&m->e->arena, list.n, sizeof(*items));
	if (!items)
		kg_make_nomem(m);
	for (uint32_t i = 0; m->r == 0 && i < list.n; i++)
		items[i] = make(m, list.items[i], ctx);
	return m->r == 0 ? (val){ .kind = VAL_LIST, .n = list.n, .items = items } : (val){ 0 };
}

val kg_names_and_values(struct kg_make *m, val texts)
{
	val *items;

	if (!val_is_map(texts) || m->r < 0)
		return (val){ 0 };
	items = arena_array(&m->e->arena, texts.n, sizeof(*items));
	if (!items)
		kg_make_nomem(m);
	for (uint32_t i = 0; m->r == 0 && i < texts.n; i++) {
		struct kg_object o = { .m = m };

		kg_put(&o, "name", val_string(key_str(texts.members[i].key)));
		kg_put(&o, "value", texts.members[i].value);
		items[i] = kg_object_val(&o);
	}
	return m->r == 0 ? (val){ .kind = VAL_LIST, .n = texts.n, .items = items } : (val){ 0 };
}

/* ---- what all shorthand objects have ---- */

static const struct kg_field common_fields[] = {
	{ "name", KG_TEXT, true },
	{ "labels", KG_TEXT_MAP, true },
	{ "annotations", KG_TEXT_MAP, true },
	{ "namespace", KG_TEXT, true },
};
const struct kg_shape kg_common_shape = { common_fields, ARRAY_LEN(common_fields), NULL };

val kg_labels(struct kg_make *m, val from)
{
	val labels = kg_get_texts(m, from, "labels");
	struct kg_object o = { .m = m };

	if (val_count(labels) > 0)
		return labels;
	kg_put(&o, "name", kg_get(from, "name"));
	return kg_object_val(&o);
}

void kg_put_head(struct kg_object *o, const char *api_version, const char *kind, val from)
{
	struct kg_object metadata = { .m = o->m };
	str ns = val_str(kg_get(from, "namespace"));

	if (ns.n == 0)
		ns = o->m->namespace;
	kg_put(&metadata, "name", val_string(kg_get_required(o->m, from, "name")));
	kg_put(&metadata, "labels", kg_labels(o->m, from));
	kg_put_filled(&metadata, "annotations", kg_get_texts(o->m, from, "annotations"));
	if (ns.n)
		kg_put(&metadata, "namespace", val_string(ns));
	kg_put_text(o, "apiVersion", api_version);
	kg_put_text(o, "kind", kind);
	kg_put(o, "metadata", kg_object_val(&metadata));
}
