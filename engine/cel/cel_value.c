/* Values of the language: maps and lists, equality and order. */
#include "cel/cel_value.h"

#include "base/assert.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "cel/cel_net.h"
#include "cel/cel_schema.h"
#include "go/url.h"
#include "text/quantity.h"
#include "text/semver.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#define INDEX_FROM 8 /* the number of entries from which a map has an index */

const struct cel_error cel_error_memory = { .text = { "evaluation needs more memory than allowed", 41 },
					    .memory = true };
const struct cel_error cel_error_cost = { .text = { "operation cancelled: actual cost limit exceeded", 47 },
					  .cost = true };
static const struct cel_error error_overload = { .text = { "no such overload", 16 } };

cv cv_errorf(struct arena *a, const char *fmt, ...)
{
	struct cel_error *e = arena_zalloc(a, sizeof(*e));
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (!e)
		return cv_error(&cel_error_memory);
	e->text = arena_str(a, str_from(text));
	return cv_error(e->text.p ? e : &cel_error_memory);
}

cv cv_no_overload(void)
{
	return cv_error(&error_overload);
}

cv cv_some(struct arena *a, cv v)
{
	cv *copy;

	if (cv_is_error(v))
		return v;
	copy = arena_alloc(a, sizeof(*copy));
	if (!copy)
		return cv_error(&cel_error_memory);
	*copy = v;
	return (cv){ .kind = CV_OPTIONAL, .ref = copy };
}

/* ---- parts of lists and maps ---- */

uint32_t cv_count(cv v)
{
	if (v.kind == CV_LIST)
		return v.rep == CV_BUILD ? v.build->n : v.n;
	if (v.kind == CV_MAP)
		return v.rep == CV_VIEW ? v.n : v.map->n;
	return 0;
}

cv cv_item(struct arena *a, cv list, uint32_t i)
{
	ASSERT(i < list.n);
	if (list.rep == CV_VIEW)
		return cv_from_val(a, list.vals[i], list.schema ? list.schema->items : NULL);
	return list.rep == CV_BUILD ? list.build->items[i] : list.items[i];
}

/* How the member @name of a map with @schema is read; false when expressions do not see it. */
static bool member_schema(const struct cel_schema *schema, const struct key *name, const struct cel_schema **ret)
{
	const struct cel_property *p;

	*ret = NULL;
	if (!schema)
		return true;
	if (schema->properties || schema->embedded) {
		p = cel_schema_property(schema, name);
		*ret = p ? p->schema : NULL;
		return p != NULL;
	}
	*ret = schema->additional;
	return schema->additional != NULL;
}

void cv_entry_at(struct arena *a, cv map, uint32_t i, cv *key, cv *value)
{
	const struct cel_schema *s;
	str name;

	if (map.rep != CV_VIEW) {
		*key = map.map->entries[i].key;
		*value = map.map->entries[i].value;
		return;
	}
	name = key_str(map.members[i].key);
	if (!member_schema(map.schema, map.members[i].key, &s))
		*value = (cv){ .kind = CV_OPAQUE, .val = &map.members[i].value };
	else
		*value = cv_from_val(a, map.members[i].value, s);
	if (map.schema && map.schema->properties) {
		str escaped;

		if (cel_escape(name, a, &escaped) > 0)
			name = escaped;
	}
	*key = cv_string(name);
}

static int view_member(struct arena *a, cv map, val v, const struct cel_schema *s, bool object, cv *value)
{
	(void)map;
	if (!val_exists(v) || (object && val_is_null(v)))
		return 0;
	*value = cv_from_val(a, v, s);
	return 1;
}

int cv_field(struct arena *a, cv map, const struct key *raw, const struct key *unescaped, struct cel_field_hint hint,
	     cv *value)
{
	const struct cel_schema *s = NULL;
	bool object;

	if (map.rep != CV_VIEW)
		return cv_map_find(a, map, cv_string(key_str(raw)), value);
	object = map.schema && (map.schema->properties || map.schema->embedded);
	if (object) {
		if (!unescaped)
			return 0;
		raw = unescaped;
	}
	if (hint.owner == map.schema && hint.owner)
		s = hint.field;
	else if (!member_schema(map.schema, raw, &s))
		return 0;
	return view_member(a, map, val_get_key((val){ .kind = VAL_MAP, .n = map.n, .members = map.members }, raw), s,
			   object, value);
}

/* ---- native maps ---- */

static uint64_t hash_key(cv k)
{
	switch (k.kind) {
	case CV_BOOL:
		return k.b ? 11 : 7;
	case CV_INT:
	case CV_DURATION:
		return hash_mix(k.kind, (uint64_t)k.i);
	case CV_UINT:
		return hash_mix(k.kind, k.u);
	case CV_DOUBLE:
		k.d = k.d == 0 ? 0 : k.d; /* +0 and -0 are one key */
		return hash_bytes(&k.d, sizeof(k.d), 2);
	case CV_TIMESTAMP:
		return hash_mix(k.n, (uint64_t)k.i);
	case CV_STRING:
	case CV_TYPE:
		return hash_str(cv_str(k), 5);
	default:
		return 3;
	}
}

/* Whether a key can be found again. A key of another kind equals no other. */
static bool is_findable(cv k)
{
	return k.kind <= CV_TYPE && k.kind != CV_BYTES && k.kind != CV_LIST && k.kind != CV_MAP;
}

/* Whether two findable keys are the same; 1, 1u and 1.0 are three keys. */
static bool same_key(cv x, cv y)
{
	if (x.kind != y.kind)
		return false;
	if (x.kind == CV_STRING || x.kind == CV_TYPE)
		return str_eq(cv_str(x), cv_str(y));
	return x.kind == CV_NULL || cv_compare(x, y) == 0;
}

static ptrdiff_t find_entry(const struct cv_map *m, cv key)
{
	if (!is_findable(key))
		return -1;
	if (!m->index) {
		for (uint32_t i = 0; i < m->n; i++) {
			if (same_key(m->entries[i].key, key))
				return i;
		}
		return -1;
	}
	for (uint32_t at = (uint32_t)hash_key(key) & (m->n_index - 1); m->index[at]; at = (at + 1) & (m->n_index - 1)) {
		if (same_key(m->entries[m->index[at] - 1].key, key))
			return m->index[at] - 1;
	}
	return -1;
}

static void index_add(struct cv_map *m, uint32_t entry)
{
	uint32_t at = (uint32_t)hash_key(m->entries[entry].key) & (m->n_index - 1);

	if (!is_findable(m->entries[entry].key))
		return;
	while (m->index[at])
		at = (at + 1) & (m->n_index - 1);
	m->index[at] = entry + 1;
}

static bool reindex(struct arena *a, struct cv_map *m)
{
	uint32_t size = 32;
	uint32_t *index;

	while (size < m->cap * 2)
		size *= 2;
	index = arena_zalloc(a, size * sizeof(*index));
	if (!index)
		return false;
	m->index = index;
	m->n_index = size;
	for (uint32_t i = 0; i < m->n; i++)
		index_add(m, i);
	return true;
}

struct cv_map *cv_map_new(struct arena *a, uint32_t expected)
{
	struct cv_map *m = arena_zalloc(a, sizeof(*m));

	if (!m)
		return NULL;
	m->cap = expected ? expected : 4;
	m->entries = arena_array(a, m->cap, sizeof(*m->entries));
	if (!m->entries)
		return NULL;
	return m->cap > INDEX_FROM && !reindex(a, m) ? NULL : m;
}

static bool map_grow(struct arena *a, struct cv_map *m)
{
	struct cv_entry *bigger;

	if (m->cap > UINT32_MAX / 4)
		return false;
	bigger = arena_array(a, (size_t)m->cap * 2, sizeof(*bigger));
	if (!bigger)
		return false;
	memcpy(bigger, m->entries, m->n * sizeof(*bigger));
	m->entries = bigger;
	m->cap *= 2;
	return m->cap <= INDEX_FROM || reindex(a, m);
}

int cv_map_put(struct arena *a, struct cv_map *m, cv key, cv value)
{
	if (find_entry(m, key) >= 0)
		return 0;
	if (m->n == m->cap && !map_grow(a, m))
		return -ENOMEM;
	m->entries[m->n] = (struct cv_entry){ key, value };
	if (m->index)
		index_add(m, m->n);
	m->n++;
	return 1;
}

void cv_map_replace(struct arena *a, struct cv_map *m, cv key, cv value)
{
	ptrdiff_t at = find_entry(m, key);

	(void)a;
	if (at >= 0)
		m->entries[at].value = value;
}

bool cv_whole(cv v, cv *ret)
{
	*ret = v;
	if (v.kind == CV_DOUBLE && v.d == floor(v.d)) {
		if (v.d >= -9223372036854775808.0 && v.d < 9223372036854775808.0)
			*ret = cv_int((int64_t)v.d);
		else if (v.d > 0 && v.d < 18446744073709551616.0)
			*ret = cv_uint((uint64_t)v.d);
	}
	return ret->kind != CV_DOUBLE;
}

/* Find a number. A whole number that is no key itself finds the integer of the other kind, a double finds either
 * kind; an integer finds no double. */
static ptrdiff_t find_number(const struct cv_map *m, cv key)
{
	cv whole;
	ptrdiff_t at;

	if (!cv_is_number(key) || !cv_whole(key, &whole))
		return -1;
	at = find_entry(m, whole);
	if (at < 0 && whole.kind == CV_INT && whole.i >= 0)
		at = find_entry(m, cv_uint((uint64_t)whole.i));
	else if (at < 0 && whole.kind == CV_UINT && whole.u <= INT64_MAX)
		at = find_entry(m, cv_int((int64_t)whole.u));
	return at;
}

int cv_map_find(struct arena *a, cv map, cv key, cv *value)
{
	ptrdiff_t at;

	if (map.rep == CV_VIEW && key.kind != CV_STRING) {
		*value = cv_no_overload();
		return -1;
	}
	if (!cv_may_be_key(key)) {
		*value = cv_unhashable(a, key);
		return -1;
	}
	if (map.rep == CV_VIEW) {
		const struct cel_schema *s;
		struct key *name;
		bool object = map.schema && (map.schema->properties || map.schema->embedded);
		val v;
		str text = cv_str(key);

		if (object && cel_unescape(text, a, &text) <= 0)
			return 0;
		v = val_get((val){ .kind = VAL_MAP, .n = map.n, .members = map.members }, text);
		if (!val_exists(v))
			return 0;
		name = NULL;
		s = map.schema ? map.schema->additional : NULL;
		if (object) {
			name = (struct key *)(uintptr_t)key_make(NULL, a, text);
			if (!name || !member_schema(map.schema, name, &s))
				return 0;
		} else if (map.schema && !s) {
			return 0;
		}
		return view_member(a, map, v, s, object, value);
	}
	at = find_entry(map.map, key);
	if (at < 0)
		at = find_number(map.map, key);
	if (at >= 0)
		*value = map.map->entries[at].value;
	return at >= 0;
}

bool cv_builder_add(struct arena *a, struct cv_builder *b, cv v)
{
	if (b->n == b->cap) {
		uint32_t cap = b->cap ? b->cap * 2 : 8;
		cv *items = cap > UINT32_MAX / 4 ? NULL : arena_array(a, cap, sizeof(*items));

		if (!items)
			return false;
		if (b->n)
			memcpy(items, b->items, b->n * sizeof(*items));
		b->items = items;
		b->cap = cap;
	}
	ASSERT(b->n < b->cap);
	b->items[b->n++] = v;
	return true;
}

/* ---- order ---- */

/* As cel-go compares: an integer beside a double is compared as a double. */
static int compare_doubles(double x, double y)
{
	return isnan(x) || isnan(y) ? 2 : (x > y) - (x < y);
}

#define ORDER(x, y) (((x) > (y)) - ((x) < (y)))

static double as_double(cv v)
{
	return v.kind == CV_INT ? (double)v.i : v.kind == CV_UINT ? (double)v.u : v.d;
}

static int compare_numbers(cv x, cv y)
{
	if (x.kind == CV_DOUBLE || y.kind == CV_DOUBLE)
		return compare_doubles(as_double(x), as_double(y));
	if (x.kind == y.kind)
		return x.kind == CV_INT ? ORDER(x.i, y.i) : ORDER(x.u, y.u);
	if (x.kind == CV_INT)
		return x.i < 0 ? -1 : ORDER((uint64_t)x.i, y.u);
	return y.i < 0 ? 1 : ORDER(x.u, (uint64_t)y.i);
}

int cv_compare(cv x, cv y)
{
	int r;

	if (cv_is_number(x) && cv_is_number(y))
		return compare_numbers(x, y);
	if (x.kind != y.kind)
		return -2;
	switch (x.kind) {
	case CV_BOOL:
		return ORDER(x.b, y.b);
	case CV_STRING:
	case CV_BYTES:
		r = str_cmp(cv_str(x), cv_str(y));
		return ORDER(r, 0);
	case CV_TIMESTAMP:
		return x.i != y.i ? ORDER(x.i, y.i) : ORDER(x.n, y.n);
	case CV_DURATION:
		return ORDER(x.i, y.i);
	default:
		return -2;
	}
}

/* ---- equality ---- */

/* The entry of list @l that has the same keys as @item; -1: there is none. Lists of type map are matched by them. */
static ptrdiff_t find_by_keys(struct cel_work *w, cv l, cv item)
{
	const struct cel_schema *s = l.schema;

	for (uint32_t i = 0; i < l.n; i++) {
		cv other = cv_item(w->arena, l, i);
		bool same = other.kind == CV_MAP && item.kind == CV_MAP;

		for (uint32_t k = 0; same && k < s->n_keys; k++) {
			struct cel_field_hint none = { NULL, NULL };
			cv x, y;
			int fx = cv_field(w->arena, other, s->keys[k], s->keys[k], none, &x);
			int fy = cv_field(w->arena, item, s->keys[k], s->keys[k], none, &y);

			same = fx == fy && (fx <= 0 || cv_same(w, x, y));
		}
		if (same)
			return i;
	}
	return -1;
}

static cv equal_by_keys(struct cel_work *w, cv x, cv y)
{
	for (uint32_t i = 0; i < cv_count(y); i++) {
		cv item = cv_item(w->arena, y, i), r;
		ptrdiff_t at = find_by_keys(w, x, item);

		if (at < 0)
			return cv_bool(false);
		r = cv_equal(w, cv_item(w->arena, x, (uint32_t)at), item);
		if (!cv_is_true(r))
			return r;
	}
	return cv_bool(true);
}

static bool has_item(struct cel_work *w, cv list, cv item)
{
	for (uint32_t i = 0; i < cv_count(list); i++) {
		if (cv_same(w, cv_item(w->arena, list, i), item))
			return true;
	}
	return false;
}

static cv equal_as_sets(struct cel_work *w, cv x, cv y)
{
	for (uint32_t i = 0; i < cv_count(y); i++) {
		if (!has_item(w, x, cv_item(w->arena, y, i)))
			return cv_bool(false);
	}
	return cv_bool(true);
}

/* Whether @r, the result for a part of @x, is the result for the whole. In lists and maps that are no data of an
 * object the original continues after parts that cannot be compared. */
static bool decides(cv x, cv r)
{
	bool data = x.rep == CV_VIEW || x.schema;

	return !cv_is_true(r) && (data || r.kind != CV_ERROR || r.err != &error_overload);
}

static cv equal_lists(struct cel_work *w, cv x, cv y)
{
	if (cv_count(x) != cv_count(y))
		return cv_bool(false);
	if (x.schema && x.schema->list_type == CEL_LIST_MAP)
		return equal_by_keys(w, x, y);
	if (x.schema && x.schema->list_type == CEL_LIST_SET)
		return equal_as_sets(w, x, y);
	for (uint32_t i = 0; i < cv_count(x); i++) {
		cv r = cv_equal(w, cv_item(w->arena, x, i), cv_item(w->arena, y, i));

		if (decides(x, r))
			return r;
	}
	return cv_bool(true);
}

/* Compare two views with one schema member by member, without building values. */
static cv equal_views(struct cel_work *w, cv x, cv y)
{
	for (uint32_t i = 0; i < x.n; i++) {
		const struct member *p = &x.members[i], *q = &y.members[i];
		const struct cel_schema *s;
		cv r;

		if (!key_eq(p->key, q->key))
			return cv_bool(false);
		if (!member_schema(x.schema, p->key, &s) || val_is_null(p->value) || val_is_null(q->value)) {
			if (!val_equal(p->value, q->value))
				return cv_bool(false);
			continue;
		}
		r = cv_equal(w, cv_from_val(w->arena, p->value, s), cv_from_val(w->arena, q->value, s));
		if (!cv_is_true(r))
			return r;
	}
	return cv_bool(true);
}

static cv equal_maps(struct cel_work *w, cv x, cv y)
{
	if (cv_count(x) != cv_count(y))
		return cv_bool(false);
	if (x.rep == CV_VIEW && y.rep == CV_VIEW && x.schema == y.schema)
		return equal_views(w, x, y);
	for (uint32_t i = 0; i < cv_count(x); i++) {
		cv key, value, other, r;

		cv_entry_at(w->arena, x, i, &key, &value);
		if (value.kind == CV_OPAQUE) { /* preserved data of two objects of one type is compared as it is */
			val v;

			if (y.rep != CV_VIEW)
				return cv_no_overload();
			v = val_get_key((val){ .kind = VAL_MAP, .n = y.n, .members = y.members }, x.members[i].key);
			if (!val_exists(v) || !val_equal(*value.val, v))
				return cv_bool(false);
			continue;
		}
		if (cv_map_find(w->arena, y, key, &other) <= 0)
			return cv_bool(false);
		r = cv_equal(w, value, other);
		if (decides(x, r))
			return r;
	}
	return cv_bool(true);
}

cv cv_equal(struct cel_work *w, cv x, cv y)
{
	if (w->left == 0)
		return cv_error(&cel_error_cost);
	w->left--;
	if (cv_is_error(x))
		return x;
	if (cv_is_error(y))
		return y;
	if (cv_is_number(x) && cv_is_number(y))
		return cv_bool(compare_numbers(x, y) == 0);
	if (x.kind != y.kind) {
		/* The original asks the left side, and that may know only its own kind. */
		bool data = x.schema && (x.kind == CV_LIST || (x.kind == CV_MAP && x.rep == CV_VIEW));
		/* the kinds that Kubernetes adds to the language */
		bool added = x.kind >= CV_IP && x.kind <= CV_FORMAT;

		return (data || added) && y.kind != CV_NULL ? cv_no_overload() : cv_bool(false);
	}
	switch (x.kind) {
	case CV_NULL:
		return cv_bool(true);
	case CV_LIST:
		return equal_lists(w, x, y);
	case CV_MAP:
		return equal_maps(w, x, y);
	case CV_TYPE:
		return cv_bool(str_eq(cv_str(x), cv_str(y)));
	case CV_OPTIONAL:
		if (!x.ref || !y.ref)
			return cv_bool(!x.ref && !y.ref);
		return cv_equal(w, *x.ref, *y.ref);
	case CV_IP:
		return cv_bool(go_ip_equal(x.ip, y.ip));
	case CV_CIDR:
		return cv_bool(go_ip_equal(&x.cidr->ip, &y.cidr->ip) && x.cidr->bits == y.cidr->bits);
	case CV_URL:
		return cv_bool(str_eq(x.url->text, y.url->text));
	case CV_QUANTITY:
		if (y.rep == CV_COMPUTED)
			return cv_no_overload();
		return cv_bool(quantity_compare(x.quantity, y.quantity) == 0);
	case CV_SEMVER:
		return cv_bool(semver_compare(&x.semver->version, &y.semver->version) == 0);
	case CV_FORMAT:
		return cv_bool(x.format == y.format);
	case CV_OPAQUE:
		return cv_bool(val_equal(*x.val, *y.val));
	default:
		return cv_bool(cv_compare(x, y) == 0);
	}
}

bool cv_same(struct cel_work *w, cv x, cv y)
{
	return cv_is_true(cv_equal(w, x, y));
}

/* ---- properties ---- */

str cv_type_name(cv v)
{
	static const str names[] = {
		[CV_ERROR] = { "error", 5 },
		[CV_NULL] = { "null_type", 9 },
		[CV_BOOL] = { "bool", 4 },
		[CV_INT] = { "int", 3 },
		[CV_UINT] = { "uint", 4 },
		[CV_DOUBLE] = { "double", 6 },
		[CV_STRING] = { "string", 6 },
		[CV_BYTES] = { "bytes", 5 },
		[CV_TIMESTAMP] = { "google.protobuf.Timestamp", 25 },
		[CV_DURATION] = { "google.protobuf.Duration", 24 },
		[CV_LIST] = { "list", 4 },
		[CV_MAP] = { "map", 3 },
		[CV_TYPE] = { "type", 4 },
		[CV_OPTIONAL] = { "optional_type", 13 },
		[CV_IP] = { "net.IP", 6 },
		[CV_CIDR] = { "net.CIDR", 8 },
		[CV_URL] = { "kubernetes.URL", 14 },
		[CV_QUANTITY] = { "kubernetes.Quantity", 19 },
		[CV_SEMVER] = { "kubernetes.Semver", 17 },
		[CV_FORMAT] = { "kubernetes.NamedFormat", 22 },
		[CV_OPAQUE] = { "unknown", 7 },
	};

	_Static_assert(ARRAY_LEN(names) == CV_KINDS, "ORDER cv_kind");
	ASSERT(v.kind < CV_KINDS);
	if (v.kind == CV_MAP && v.rep == CV_VIEW && v.schema && v.schema->type && v.schema->type->kind == CT_OBJECT)
		return v.schema->type->name;
	return names[v.kind];
}

const char *cv_go_name(cv v)
{
	static const char *const names[] = {
		[CV_ERROR] = "*types.Err",
		[CV_NULL] = "types.Null",
		[CV_BOOL] = "types.Bool",
		[CV_INT] = "types.Int",
		[CV_UINT] = "types.Uint",
		[CV_DOUBLE] = "types.Double",
		[CV_STRING] = "types.String",
		[CV_BYTES] = "types.Bytes",
		[CV_TIMESTAMP] = "types.Timestamp",
		[CV_DURATION] = "types.Duration",
		[CV_LIST] = "*types.baseList",
		[CV_MAP] = "*types.baseMap",
		[CV_TYPE] = "*types.Type",
		[CV_OPTIONAL] = "*types.Optional",
		[CV_IP] = "cel.IP",
		[CV_CIDR] = "cel.CIDR",
		[CV_URL] = "cel.URL",
		[CV_QUANTITY] = "cel.Quantity",
		[CV_SEMVER] = "cel.Semver",
		[CV_FORMAT] = "cel.Format",
		[CV_OPAQUE] = "*common.unstructuredMap",
	};

	_Static_assert(ARRAY_LEN(names) == CV_KINDS, "ORDER cv_kind");
	ASSERT(v.kind < CV_KINDS);
	if (v.kind == CV_LIST && (v.rep == CV_VIEW || v.schema))
		return "*common.unstructuredList";
	return v.rep == CV_VIEW && v.kind == CV_MAP ? "*common.unstructuredMap" : names[v.kind];
}

bool cv_may_be_key(cv v)
{
	return v.kind != CV_BYTES && v.kind != CV_SEMVER && v.kind != CV_FORMAT;
}

cv cv_unhashable(struct arena *a, cv key)
{
	return cv_errorf(a, "internal error: runtime error: hash of unhashable type %s", cv_go_name(key));
}

/* utf8_count; text is mostly ASCII, of which each byte is a code point. */
static uint64_t count_points(str s)
{
	size_t at = 0;
	uint64_t eight;

	for (; s.n - at >= sizeof(eight); at += sizeof(eight)) {
		memcpy(&eight, s.p + at, sizeof(eight));
		if (eight & 0x8080808080808080u)
			break;
	}
	while (at < s.n && !(s.p[at] & 0x80))
		at++;
	return at == s.n ? at : at + utf8_count(str_sub(s, at, s.n));
}

uint64_t cv_cost_size(cv v)
{
	switch (v.kind) {
	case CV_STRING:
		return count_points(cv_str(v));
	case CV_BYTES:
		return v.n;
	case CV_LIST:
	case CV_MAP:
		return cv_count(v);
	case CV_OPTIONAL:
		return v.ref ? cv_cost_size(*v.ref) : 1;
	case CV_IP:
		return v.ip->n;
	case CV_CIDR:
		return (uint64_t)((v.cidr->bits + 7) / 8);
	default:
		return 1;
	}
}

bool cv_is_zero(cv v)
{
	switch (v.kind) {
	case CV_NULL:
		return true;
	case CV_BOOL:
		return !v.b;
	case CV_INT:
	case CV_UINT:
	case CV_DURATION:
		return v.u == 0;
	case CV_DOUBLE:
		return v.d == 0;
	case CV_STRING:
	case CV_BYTES:
		return v.n == 0;
	case CV_TIMESTAMP:
		return v.i == -62135596800 && v.n == 0; /* Go's zero time */
	case CV_LIST:
	case CV_MAP:
		return cv_count(v) == 0;
	case CV_OPTIONAL:
		return !v.ref;
	default:
		return false;
	}
}
