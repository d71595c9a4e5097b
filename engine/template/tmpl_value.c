/* Values: kinds, lists and maps, views of documents, comparing. */
#include "template/tmpl_value.h"

#include "base/assert.h"
#include "base/hash.h"
#include "go/base64.h"

#include <errno.h>

/* A map that can change. Entries are kept in any order and sorted when all of them are requested; an index of hash
 * slots is built once there are more than LINEAR_MAX. */
struct tmap {
	struct tentry *entries;
	size_t n, cap;
	/* entry number + 1; 0: free. NULL while the map is small, and after a removal until the next look-up */
	uint32_t *index;
	size_t index_cap;
	bool sorted;
};

#define LINEAR_MAX 8

#define TYPE(id, text, ...) const struct ttype id = { .name = text, __VA_ARGS__ }

static void error_text(struct tmem *m, tval v, struct buf *out)
{
	(void)m;
	buf_add_str(out, v.s);
}

TYPE(tt_any, "interface {}", .kind = TK_INTERFACE);
TYPE(tt_value, "reflect.Value", .kind = TK_STRUCT);
TYPE(tt_bool, "bool", .kind = TK_BOOL);
TYPE(tt_int, "int", .kind = TK_INT);
TYPE(tt_int32, "int32", .kind = TK_INT32);
TYPE(tt_int64, "int64", .kind = TK_INT64);
TYPE(tt_uint, "uint", .kind = TK_UINT);
TYPE(tt_uint8, "uint8", .kind = TK_UINT8);
TYPE(tt_uint32, "uint32", .kind = TK_UINT32);
TYPE(tt_uint64, "uint64", .kind = TK_UINT64);
TYPE(tt_float64, "float64", .kind = TK_FLOAT64);
TYPE(tt_complex128, "complex128", .kind = TK_COMPLEX128);
TYPE(tt_string, "string", .kind = TK_STRING);
TYPE(tt_bytes, "[]uint8", .kind = TK_SLICE, .elem = &tt_uint8);
TYPE(tt_list, "[]interface {}", .kind = TK_SLICE, .elem = &tt_any);
TYPE(tt_lists, "[][]interface {}", .kind = TK_SLICE, .elem = &tt_list);
TYPE(tt_strings, "[]string", .kind = TK_SLICE, .elem = &tt_string);
TYPE(tt_ints, "[]int", .kind = TK_SLICE, .elem = &tt_int);
TYPE(tt_map, "map[string]interface {}", .kind = TK_MAP, .elem = &tt_any);
TYPE(tt_maps, "[]map[string]interface {}", .kind = TK_SLICE, .elem = &tt_map);
TYPE(tt_strmap, "map[string]string", .kind = TK_MAP, .elem = &tt_string);
TYPE(tt_boolmap, "map[string]bool", .kind = TK_MAP, .elem = &tt_bool);
TYPE(tt_error, "*errors.errorString", .kind = TK_PTR, .is_error = true, .text = error_text);

void tmem_init(struct tmem *m, const struct limits *limits)
{
	*m = (struct tmem){ .limits = limits };
	arena_init(&m->arena, 0, limits->arena_bytes);
}

void tmem_done(struct tmem *m)
{
	arena_done(&m->arena);
	free(m->written.rows);
	free(m->objects.rows);
}

/* ---- pointer tables ---- */

static const void *ptable_get(const struct ptable *t, const void *key)
{
	size_t i;

	if (t->n == 0)
		return NULL;
	i = hash_mix((uintptr_t)key, 1) & (t->cap - 1);
	while (t->rows[i].key && t->rows[i].key != key)
		i = (i + 1) & (t->cap - 1);
	return t->rows[i].value;
}

static void ptable_insert(struct ptable *t, const void *key, const void *value)
{
	size_t i = hash_mix((uintptr_t)key, 1) & (t->cap - 1);

	while (t->rows[i].key)
		i = (i + 1) & (t->cap - 1);
	t->rows[i] = (struct ptable_row){ key, value };
	t->n++;
}

/* Add @key, which is not in the table. */
static bool ptable_put(struct ptable *t, const void *key, const void *value)
{
	if (t->n * 2 >= t->cap) {
		struct ptable more = { .cap = t->cap ? t->cap * 2 : 16 };

		more.rows = calloc(more.cap, sizeof(*more.rows));
		if (!more.rows)
			return false;
		for (size_t i = 0; i < t->cap; i++) {
			if (t->rows[i].key)
				ptable_insert(&more, t->rows[i].key, t->rows[i].value);
		}
		free(t->rows);
		*t = more;
	}
	ptable_insert(t, key, value);
	return true;
}

/* ---- making values ---- */

tval tval_slice(const struct ttype *type, const tval *items, size_t n)
{
	static const tval none;

	return (tval){ .type = type, .list = { n ? items : &none, n } };
}

tval tmap_new(struct tmem *m, const struct ttype *type)
{
	struct tmap *map = arena_zalloc(&m->arena, sizeof(*map));

	if (!map)
		return tval_nil();
	return (tval){ .type = type, .map = map };
}

tval tval_of(const val *slot, bool boxed)
{
	tval v = { .iface = boxed, .secret = slot->secret ? TS_SECRET : TS_NONE };

	switch ((enum val_kind)slot->kind) {
	case VAL_ABSENT:
	case VAL_NULL:
		return v;
	case VAL_BOOL:
		v.type = &tt_bool;
		v.b = slot->b;
		return v;
	case VAL_INT:
		v.type = &tt_int64;
		v.i = slot->i;
		return v;
	case VAL_UINT:
		v.type = &tt_uint64;
		v.u = slot->u;
		return v;
	case VAL_DOUBLE:
		v.type = &tt_float64;
		v.d = slot->d;
		return v;
	case VAL_STRING:
		v.type = &tt_string;
		v.s = val_str(*slot);
		return v;
	case VAL_LIST:
	case VAL_MAP:
		v.type = slot->kind == VAL_MAP ? &tt_map : &tt_list;
		v.view = true;
		v.slot = slot;
		return v;
	}
	return v;
}

tval tval_object(struct tmem *m, val object)
{
	const val *slot = object.kind == VAL_MAP && object.n > 0 ? ptable_get(&m->objects, object.members) : NULL;

	if (!slot) {
		val *copy = arena_alloc(&m->arena, sizeof(*copy));

		if (!copy)
			return tval_nil();
		*copy = object;
		slot = copy;
		if (object.kind == VAL_MAP && object.n > 0 && !ptable_put(&m->objects, object.members, slot))
			return tval_nil();
	}
	return tval_of(slot, false);
}

tval tval_objects(struct tmem *m, const val *items, size_t n)
{
	tval *list = arena_array(&m->arena, n ? n : 1, sizeof(*list));

	for (size_t i = 0; list && i < n; i++) {
		list[i] = tval_object(m, items[i]);
		if (!list[i].type)
			return tval_nil();
	}
	return list ? tval_slice(&tt_maps, list, n) : tval_nil();
}

/* ---- looking at values ---- */

bool tval_is_nil_like(tval v)
{
	switch (tval_kind(v)) {
	case TK_INVALID:
		return true;
	case TK_SLICE:
		if (v.view)
			return false;
		return v.type == &tt_bytes ? !v.s.p : !v.list.items;
	case TK_MAP:
		return !v.view && !v.map;
	case TK_PTR:
		return v.type != &tt_error && !v.p;
	default:
		return false;
	}
}

bool tkind_is_int(enum tkind k)
{
	return k >= TK_INT && k <= TK_INT64;
}

bool tkind_is_uint(enum tkind k)
{
	return k >= TK_UINT && k <= TK_UINT64;
}

const char *tkind_name(enum tkind k)
{
	static const char *const names[] = {
		[TK_INVALID] = "invalid",
		[TK_BOOL] = "bool",
		[TK_INT] = "int",
		[TK_INT32] = "int32",
		[TK_INT64] = "int64",
		[TK_UINT] = "uint",
		[TK_UINT8] = "uint8",
		[TK_UINT32] = "uint32",
		[TK_UINT64] = "uint64",
		[TK_FLOAT64] = "float64",
		[TK_COMPLEX128] = "complex128",
		[TK_STRING] = "string",
		[TK_SLICE] = "slice",
		[TK_MAP] = "map",
		[TK_STRUCT] = "struct",
		[TK_PTR] = "ptr",
		[TK_INTERFACE] = "interface",
	};

	_Static_assert(ARRAY_LEN(names) == TK_INTERFACE + 1, "ORDER tkind");
	ASSERT(k < ARRAY_LEN(names));
	return names[k];
}

const char *tval_type_name(tval v)
{
	return v.type ? v.type->name : "<nil>";
}

bool tval_truth(struct tmem *m, tval v)
{
	switch (tval_kind(v)) {
	case TK_INVALID:
	case TK_INTERFACE:
		return false;
	case TK_BOOL:
		return v.b;
	case TK_INT:
	case TK_INT32:
	case TK_INT64:
		return v.i != 0;
	case TK_UINT:
	case TK_UINT8:
	case TK_UINT32:
	case TK_UINT64:
		return v.u != 0;
	case TK_FLOAT64:
		return v.d != 0;
	case TK_COMPLEX128:
		return v.c[0] != 0 || v.c[1] != 0;
	case TK_STRING:
	case TK_SLICE:
	case TK_MAP:
		return tval_len(m, v) > 0;
	case TK_STRUCT:
		return true;
	case TK_PTR:
		return !tval_is_nil_like(v);
	}
	return false;
}

/* The changeable map behind @v; NULL for a view that was never written to, and for a nil map. */
static struct tmap *map_of(const struct tmem *m, tval v)
{
	return v.view ? (struct tmap *)(uintptr_t)ptable_get(&m->written, v.slot) : v.map;
}

size_t tval_len(struct tmem *m, tval v)
{
	struct tmap *map;

	switch (tval_kind(v)) {
	case TK_STRING:
		return v.s.n;
	case TK_SLICE:
		if (v.view)
			return v.slot->n;
		return v.type == &tt_bytes ? v.s.n : v.list.n;
	case TK_MAP:
		map = map_of(m, v);
		if (map)
			return map->n;
		return v.view ? v.slot->n : 0;
	default:
		return 0;
	}
}

static tval item_at(tval list, size_t i)
{
	if (list.view)
		return tval_of(&list.slot->items[i], true);
	if (list.type == &tt_bytes)
		return (tval){ .type = &tt_uint8, .u = (unsigned char)list.s.p[i] };
	if (list.type->elem == &tt_any)
		return tval_boxed(list.list.items[i]);
	return list.list.items[i];
}

tval tval_at(tval list, size_t i)
{
	return tval_inherit(item_at(list, i), list);
}

/* ---- maps ---- */

static size_t index_slot(const struct tmap *map, str key)
{
	size_t i = hash_str(key, hash_seed()) & (map->index_cap - 1);

	while (map->index[i] && !str_eq(map->entries[map->index[i] - 1].key, key))
		i = (i + 1) & (map->index_cap - 1);
	return i;
}

static bool build_index(struct tmem *m, struct tmap *map)
{
	size_t cap = 32;

	while (cap < map->n * 2)
		cap *= 2;
	if (cap > map->index_cap) {
		uint32_t *index = arena_array(&m->arena, cap * 2, sizeof(uint32_t));

		if (!index)
			return false;
		map->index = index;
		map->index_cap = cap * 2;
	}
	memset(map->index, 0, map->index_cap * sizeof(uint32_t));
	for (size_t i = 0; i < map->n; i++)
		map->index[index_slot(map, map->entries[i].key)] = (uint32_t)i + 1;
	return true;
}

static struct tentry *find(const struct tmap *map, str key)
{
	if (map->n > LINEAR_MAX && map->index) {
		size_t i = index_slot(map, key);

		return map->index[i] ? &map->entries[map->index[i] - 1] : NULL;
	}
	for (size_t i = 0; i < map->n; i++) {
		if (str_eq(map->entries[i].key, key))
			return &map->entries[i];
	}
	return NULL;
}

static bool reserve(struct tmem *m, struct tmap *map, size_t cap)
{
	struct tentry *entries;

	if (cap <= map->cap)
		return true;
	entries = arena_array(&m->arena, cap, sizeof(*entries));
	if (!entries)
		return false;
	if (map->n)
		memcpy(entries, map->entries, map->n * sizeof(*entries));
	map->entries = entries;
	map->cap = cap;
	return true;
}

static bool insert(struct tmem *m, struct tmap *map, str key, tval v)
{
	struct tentry *e = find(map, key);

	if (e) {
		e->value = v;
		return true;
	}
	if (map->n >= UINT32_MAX / 4 || (map->n == map->cap && !reserve(m, map, map->cap ? map->cap * 2 : 4)))
		return false;
	map->sorted = map->n == 0 || (map->sorted && str_cmp(map->entries[map->n - 1].key, key) < 0);
	map->entries[map->n++] = (struct tentry){ key, v };
	if (map->n <= LINEAR_MAX)
		return true;
	if (!map->index || map->n * 2 > map->index_cap)
		return build_index(m, map);
	map->index[index_slot(map, key)] = (uint32_t)map->n;
	return true;
}

static struct tmap *copy_view(struct tmem *m, const val *slot)
{
	struct tmap *map = arena_zalloc(&m->arena, sizeof(*map));

	if (!map || !reserve(m, map, (size_t)slot->n + 1))
		return NULL;
	for (uint32_t i = 0; i < slot->n; i++) {
		const struct member *from = &slot->members[i];

		map->entries[map->n++] = (struct tentry){ key_str(from->key), tval_of(&from->value, true) };
	}
	map->sorted = true;
	return map->n <= LINEAR_MAX || build_index(m, map) ? map : NULL;
}

/* The map to write to; the first write to a view makes its copy. NULL without memory. */
static struct tmap *map_for_write(struct tmem *m, tval v)
{
	struct tmap *map = map_of(m, v);

	if (map || !v.view)
		return map;
	map = copy_view(m, v.slot);
	return map && ptable_put(&m->written, v.slot, map) ? map : NULL;
}

bool tmap_get(struct tmem *m, tval v, str key, tval *ret)
{
	const struct tmap *map = map_of(m, v);

	if (map) {
		const struct tentry *e = find(map, key);

		if (e)
			*ret = tval_inherit(v.type->elem == &tt_any ? tval_boxed(e->value) : e->value, v);
		return e != NULL;
	}
	if (v.view) {
		const struct member *e = val_member(*v.slot, key);

		if (e)
			*ret = tval_inherit(tval_of(&e->value, true), v);
		return e != NULL;
	}
	return false;
}

int tmap_set(struct tmem *m, tval v, str key, tval value)
{
	struct tmap *map = map_for_write(m, v);

	return map && insert(m, map, key, value) ? 0 : -ENOMEM;
}

int tmap_unset(struct tmem *m, tval v, str key)
{
	struct tmap *map;
	struct tentry *e;
	tval old;

	if (!tmap_get(m, v, key, &old))
		return 0;
	map = map_for_write(m, v);
	if (!map)
		return -ENOMEM;
	e = find(map, key);
	map->n--;
	if (e != &map->entries[map->n]) {
		*e = map->entries[map->n];
		map->sorted = false;
	}
	return map->n <= LINEAR_MAX || build_index(m, map) ? 0 : -ENOMEM;
}

static int by_key(const void *a, const void *b)
{
	return str_cmp(((const struct tentry *)a)->key, ((const struct tentry *)b)->key);
}

const struct tentry *tmap_entries(struct tmem *m, tval v, size_t *n)
{
	struct tmap *map = map_of(m, v);
	size_t count = tval_len(m, v);
	struct tentry *list;
	bool boxed = v.type && v.type->elem == &tt_any;

	*n = 0;
	if (count == 0)
		return NULL;
	list = arena_array(&m->arena, count, sizeof(*list));
	if (!list) {
		*n = SIZE_MAX;
		return NULL;
	}
	for (size_t i = 0; i < count; i++) {
		if (map)
			list[i] = map->entries[i];
		else
			list[i] = (struct tentry){ key_str(v.slot->members[i].key),
						   tval_of(&v.slot->members[i].value, true) };
		list[i].value = tval_inherit(list[i].value, v);
		list[i].value.iface = boxed;
	}
	if (map && !map->sorted)
		qsort(list, count, sizeof(*list), by_key);
	*n = count;
	return list;
}

/* ---- equality ---- */

static bool equal_at(struct tmem *m, tval a, tval b, uint32_t depth);

static bool equal_lists(struct tmem *m, tval a, tval b, uint32_t depth)
{
	size_t n = tval_len(m, a);

	if (n != tval_len(m, b) || tval_is_nil_like(a) != tval_is_nil_like(b))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!equal_at(m, tval_at(a, i), tval_at(b, i), depth))
			return false;
	}
	return true;
}

static bool equal_maps(struct tmem *m, tval a, tval b, uint32_t depth)
{
	size_t n;
	const struct tentry *entries;

	if (tval_len(m, a) != tval_len(m, b) || tval_is_nil_like(a) != tval_is_nil_like(b))
		return false;
	if (a.view == b.view && (a.view ? a.slot == b.slot : a.map == b.map))
		return true;
	entries = tmap_entries(m, a, &n);
	if (n == SIZE_MAX)
		return false;
	for (size_t i = 0; i < n; i++) {
		tval other;

		if (!tmap_get(m, b, entries[i].key, &other) || !equal_at(m, entries[i].value, other, depth))
			return false;
	}
	return true;
}

static bool equal_fields(struct tmem *m, tval a, tval b, uint32_t depth)
{
	if (a.p == b.p)
		return true;
	if (!a.p || !b.p)
		return false;
	for (size_t i = 0; i < a.type->n_fields; i++) {
		const struct tfield *f = &a.type->fields[i];

		if (!equal_at(m, f->get(m, a), f->get(m, b), depth))
			return false;
	}
	return true;
}

static bool equal_at(struct tmem *m, tval a, tval b, uint32_t depth)
{
	if (depth == 0 || a.type != b.type || !tmem_walk(m))
		return false;
	depth--;
	if (a.type && a.type->equal)
		return a.type->equal(a, b);
	switch (tval_kind(a)) {
	case TK_INVALID:
	case TK_INTERFACE:
		return true;
	case TK_BOOL:
		return a.b == b.b;
	case TK_INT:
	case TK_INT32:
	case TK_INT64:
		return a.i == b.i;
	case TK_UINT:
	case TK_UINT8:
	case TK_UINT32:
	case TK_UINT64:
		return a.u == b.u;
	case TK_FLOAT64:
		return a.d == b.d;
	case TK_COMPLEX128:
		return a.c[0] == b.c[0] && a.c[1] == b.c[1];
	case TK_STRING:
		return str_eq(a.s, b.s);
	case TK_SLICE:
		return equal_lists(m, a, b, depth);
	case TK_MAP:
		return equal_maps(m, a, b, depth);
	case TK_STRUCT:
	case TK_PTR:
		return a.type == &tt_error ? str_eq(a.s, b.s) : equal_fields(m, a, b, depth);
	}
	return false;
}

bool tval_deep_equal(struct tmem *m, tval a, tval b)
{
	return equal_at(m, a, b, TVAL_DEPTH);
}

/* ---- to the document model ---- */

static const char too_deep[] = "unsupported value: encountered a cycle";

static bool to_val_at(struct tmem *m, tval v, val *ret, const char **why, uint32_t depth);

static bool list_to_val(struct tmem *m, tval v, val *ret, const char **why, uint32_t depth)
{
	size_t n = tval_len(m, v);
	val *items;

	if (n > UINT32_MAX)
		return false;
	items = arena_array(&m->arena, n, sizeof(*items));
	if (!items)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!to_val_at(m, tval_at(v, i), &items[i], why, depth))
			return false;
	}
	*ret = (val){ .kind = VAL_LIST, .n = (uint32_t)n, .items = items };
	return true;
}

static bool map_to_val(struct tmem *m, tval v, val *ret, const char **why, uint32_t depth)
{
	size_t n;
	const struct tentry *entries = tmap_entries(m, v, &n);
	struct member *members;

	if (n == SIZE_MAX || n > UINT32_MAX)
		return false;
	members = arena_array(&m->arena, n, sizeof(*members));
	if (!members)
		return false;
	for (size_t i = 0; i < n; i++) {
		members[i].key = key_make(NULL, &m->arena, entries[i].key);
		if (!members[i].key || !to_val_at(m, entries[i].value, &members[i].value, why, depth))
			return false;
	}
	*ret = val_map_sorted(members, n);
	return true;
}

static bool fields_to_val(struct tmem *m, tval v, val *ret, const char **why, uint32_t depth)
{
	struct member *members = arena_array(&m->arena, v.type->n_fields, sizeof(*members));
	size_t n = 0;

	if (!members)
		return false;
	for (size_t i = 0; i < v.type->n_fields; i++) {
		const struct tfield *f = &v.type->fields[i];

		if (!f->exported)
			continue;
		members[n].key = key_make(NULL, &m->arena, str_from(f->name));
		if (!members[n].key || !to_val_at(m, f->get(m, v), &members[n].value, why, depth))
			return false;
		n++;
	}
	*ret = val_map(&m->arena, members, n);
	return val_exists(*ret);
}

/* Convert a []byte, which is base64 text in JSON. */
static bool bytes_to_val(struct tmem *m, tval v, val *ret)
{
	char *p = arena_alloc(&m->arena, GO_BASE64_LEN(v.s.n));

	if (p)
		*ret = val_string((str){ p, go_base64_write(&go_base64_std, v.s.p, v.s.n, p) });
	return p != NULL;
}

static bool nested_to_val(struct tmem *m, tval v, val *ret, const char **why, uint32_t depth)
{
	if (tval_is_nil_like(v)) {
		*ret = val_null();
		return true;
	}
	if (v.view && m->written.n == 0) {
		*ret = *v.slot;
		return true;
	}
	if (v.type == &tt_bytes)
		return bytes_to_val(m, v, ret);
	if (v.type->kind == TK_SLICE)
		return list_to_val(m, v, ret, why, depth);
	if (v.type->kind == TK_MAP)
		return map_to_val(m, v, ret, why, depth);
	return fields_to_val(m, v, ret, why, depth);
}

static bool make_val(struct tmem *m, tval v, val *ret, const char **why, uint32_t depth)
{
	if (depth == 0) {
		*why = too_deep;
		return false;
	}
	if (!tmem_walk(m))
		return false;
	if (v.type && v.type->json) {
		*ret = v.type->json(m, v);
		return val_exists(*ret);
	}
	switch (tval_kind(v)) {
	case TK_INVALID:
	case TK_INTERFACE:
		*ret = val_null();
		return true;
	case TK_BOOL:
		*ret = val_bool(v.b);
		return true;
	case TK_INT:
	case TK_INT32:
	case TK_INT64:
		*ret = val_int(v.i);
		return true;
	case TK_UINT:
	case TK_UINT8:
	case TK_UINT32:
	case TK_UINT64:
		*ret = val_uint(v.u);
		return true;
	case TK_FLOAT64:
		*ret = val_double(v.d);
		return true;
	case TK_COMPLEX128:
		*why = "unsupported type: complex128";
		return false;
	case TK_STRING:
		if (v.s.n > UINT32_MAX)
			return false;
		*ret = val_string(v.s);
		return true;
	case TK_SLICE:
	case TK_MAP:
	case TK_STRUCT:
	case TK_PTR:
		return nested_to_val(m, v, ret, why, depth - 1);
	}
	return false;
}

static bool to_val_at(struct tmem *m, tval v, val *ret, const char **why, uint32_t depth)
{
	if (!make_val(m, v, ret, why, depth))
		return false;
	ret->secret = v.secret == TS_SECRET;
	return true;
}

bool tval_to_val(struct tmem *m, tval v, val *ret, const char **why)
{
	*why = NULL;
	return to_val_at(m, v, ret, why, TVAL_DEPTH);
}
