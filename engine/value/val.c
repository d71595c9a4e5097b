/* Builds, compares, hashes and copies values. */
#include "value/val.h"

#include "base/assert.h"
#include "base/hash.h"

#include <stdarg.h>

#define SMALL_MAP 8 /* up to so many members a linear look-up is faster than a binary one */

static ptrdiff_t find_member(val map, str key)
{
	const uint64_t prefix = key_prefix(key);
	uint32_t lo = 0, hi = map.n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		int r = key_cmp_str(map.members[mid].key, key, prefix);

		if (r == 0)
			return mid;
		if (r < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return -1 - (ptrdiff_t)lo;
}

const struct member *val_member(val map, str key)
{
	ptrdiff_t at = map.kind == VAL_MAP ? find_member(map, key) : -1;

	return at >= 0 ? &map.members[at] : NULL;
}

val val_get(val map, str key)
{
	const struct member *m = val_member(map, key);

	return m ? m->value : (val){ 0 };
}

val val_get_key(val map, const struct key *key)
{
	if (map.kind != VAL_MAP)
		return (val){ 0 };
	if (map.n > SMALL_MAP)
		return val_get(map, key_str(key));
	for (uint32_t i = 0; i < map.n; i++) {
		if (key_eq(map.members[i].key, key))
			return map.members[i].value;
	}
	return (val){ 0 };
}

val val_dig(val v, ...)
{
	const char *name;
	va_list ap;

	va_start(ap, v);
	while ((name = va_arg(ap, const char *)))
		v = val_get(v, str_from(name));
	va_end(ap);
	return v;
}

const char *val_kind_name(val v)
{
	static const char *const names[] = {
		[VAL_ABSENT] = "absent", [VAL_NULL] = "null",    [VAL_BOOL] = "boolean",
		[VAL_INT] = "integer",   [VAL_UINT] = "integer", [VAL_DOUBLE] = "number",
		[VAL_STRING] = "string", [VAL_LIST] = "array",   [VAL_MAP] = "object",
	};

	_Static_assert(ARRAY_LEN(names) == VAL_KINDS, "ORDER val_kind");
	ASSERT(v.kind < VAL_KINDS);
	return names[v.kind];
}

bool val_equal(val a, val b)
{
	if (a.kind != b.kind)
		return false;
	switch (a.kind) {
	case VAL_BOOL:
		return a.b == b.b;
	case VAL_INT:
	case VAL_UINT:
		return a.u == b.u;
	case VAL_DOUBLE:
		return a.d == b.d;
	case VAL_STRING:
		return str_eq(val_str(a), val_str(b));
	case VAL_LIST:
		if (a.n != b.n)
			return false;
		for (uint32_t i = 0; a.items != b.items && i < a.n; i++) {
			if (!val_equal(a.items[i], b.items[i]))
				return false;
		}
		return true;
	case VAL_MAP:
		if (a.n != b.n)
			return false;
		for (uint32_t i = 0; a.members != b.members && i < a.n; i++) {
			if (!key_eq(a.members[i].key, b.members[i].key) ||
			    !val_equal(a.members[i].value, b.members[i].value))
				return false;
		}
		return true;
	default:
		return true;
	}
}

#define COMPARE(x, y) (((x) > (y)) - ((x) < (y)))

static int compare_lists(val a, val b)
{
	for (uint32_t i = 0; i < a.n && i < b.n; i++) {
		int r = val_compare(a.items[i], b.items[i]);

		if (r)
			return r;
	}
	return COMPARE(a.n, b.n);
}

static int compare_maps(val a, val b)
{
	for (uint32_t i = 0; i < a.n && i < b.n; i++) {
		int r = key_cmp(a.members[i].key, b.members[i].key);

		if (!r)
			r = val_compare(a.members[i].value, b.members[i].value);
		if (r)
			return r;
	}
	return COMPARE(a.n, b.n);
}

int val_compare(val a, val b)
{
	if (a.kind != b.kind)
		return COMPARE(a.kind, b.kind);
	switch (a.kind) {
	case VAL_BOOL:
		return COMPARE(a.b, b.b);
	case VAL_INT:
		return COMPARE(a.i, b.i);
	case VAL_UINT:
		return COMPARE(a.u, b.u);
	case VAL_DOUBLE:
		return COMPARE(a.d, b.d);
	case VAL_STRING:
		return str_cmp(val_str(a), val_str(b));
	case VAL_LIST:
		return compare_lists(a, b);
	case VAL_MAP:
		return compare_maps(a, b);
	default:
		return 0;
	}
}

uint64_t val_hash(val v)
{
	uint64_t h = hash_mix(hash_seed(), v.kind);

	switch (v.kind) {
	case VAL_BOOL:
		return hash_mix(h, v.b);
	case VAL_INT:
	case VAL_UINT:
	case VAL_DOUBLE:
		return hash_mix(h, v.u);
	case VAL_STRING:
		return hash_str(val_str(v), h);
	case VAL_LIST:
		for (uint32_t i = 0; i < v.n; i++)
			h = hash_mix(h, val_hash(v.items[i]));
		return hash_mix(h, v.n);
	case VAL_MAP:
		for (uint32_t i = 0; i < v.n; i++)
			h = hash_mix(hash_str(key_str(v.members[i].key), h), val_hash(v.members[i].value));
		return hash_mix(h, v.n);
	default:
		return h;
	}
}

uint64_t val_hash_way(val v, const str *names, size_t n)
{
	size_t i = 0;
	uint64_t h;

	while (i < n && names[i].p && val_is_map(v))
		v = val_get(v, names[i++]);
	if (i == n || names[i].p || !val_is_list(v))
		return hash_mix(val_hash(v), i);
	h = hash_mix(hash_mix(hash_seed(), v.kind), v.n);
	for (uint32_t k = 0; k < v.n; k++)
		h = hash_mix(h, val_hash_way(v.items[k], names + i + 1, n - i - 1));
	return hash_mix(h, i);
}

/* ---- numbers by their values ---- */

/* Whether an integer equals a double exactly. */
static bool int_is_double(val i, val d)
{
	/* cppcheck-suppress incorrectLogicOperator ; it cannot read hexadecimal doubles */
	return d.d >= -0x1p63 && d.d < 0x1p63 && (double)(int64_t)d.d == d.d && (int64_t)d.d == i.i;
}

static bool scalars_equal(val a, val b)
{
	if (a.kind == VAL_INT && b.kind == VAL_DOUBLE)
		return int_is_double(a, b);
	if (a.kind == VAL_DOUBLE && b.kind == VAL_INT)
		return int_is_double(b, a);
	if (a.kind == VAL_UINT && b.kind == VAL_DOUBLE)
		return b.d >= 0x1p63 && b.d < 0x1p64 && (uint64_t)b.d == a.u;
	if (a.kind == VAL_DOUBLE && b.kind == VAL_UINT)
		return scalars_equal(b, a);
	return val_equal(a, b);
}

bool val_same(val a, val b)
{
	if (a.kind != b.kind || a.kind < VAL_LIST)
		return scalars_equal(a, b);
	if (a.n != b.n)
		return false;
	for (uint32_t i = 0; i < a.n; i++) {
		if (a.kind == VAL_LIST ? !val_same(a.items[i], b.items[i])
				       : !key_eq(a.members[i].key, b.members[i].key) ||
						 !val_same(a.members[i].value, b.members[i].value))
			return false;
	}
	return true;
}

/* The integer of the same value, or @v itself when there is none. */
static val as_integer(val v)
{
	if (v.kind == VAL_DOUBLE && v.d >= -0x1p63 && v.d < 0x1p63 && (double)(int64_t)v.d == v.d)
		return val_int((int64_t)v.d);
	if (v.kind == VAL_DOUBLE && v.d >= 0x1p63 && v.d < 0x1p64) /* integers so large are VAL_UINT */
		return (val){ .kind = VAL_UINT, .u = (uint64_t)v.d };
	return v;
}

uint64_t val_same_hash(val v)
{
	uint64_t h = hash_mix(hash_seed(), v.kind);

	if (v.kind != VAL_LIST && v.kind != VAL_MAP)
		return val_hash(as_integer(v));
	for (uint32_t i = 0; i < v.n; i++) {
		if (v.kind == VAL_MAP)
			h = hash_mix(h, v.members[i].key->hash);
		h = hash_mix(h, val_same_hash(v.kind == VAL_LIST ? v.items[i] : v.members[i].value));
	}
	return hash_mix(h, v.n);
}

size_t val_nodes(val v)
{
	size_t n = 1;

	for (uint32_t i = 0; i < val_count(v); i++)
		n += val_nodes(v.kind == VAL_LIST ? v.items[i] : v.members[i].value);
	return n;
}

size_t val_bytes(val v)
{
	size_t n = v.kind == VAL_STRING ? 1 + v.n : val_exists(v);

	for (uint32_t i = 0; i < val_count(v); i++) {
		if (v.kind == VAL_MAP)
			n += key_str(v.members[i].key).n;
		n += val_bytes(v.kind == VAL_LIST ? v.items[i] : v.members[i].value);
	}
	return n;
}

void val_measure(val v, size_t *nodes, size_t *bytes)
{
	*nodes += 1;
	*bytes += v.kind == VAL_STRING ? 1 + v.n : val_exists(v);
	for (uint32_t i = 0; i < val_count(v); i++) {
		val item = v.kind == VAL_LIST ? v.items[i] : v.members[i].value;

		if (v.kind == VAL_MAP)
			*bytes += v.members[i].key->n;
		if (item.kind >= VAL_LIST) {
			val_measure(item, nodes, bytes);
			continue;
		}
		*nodes += 1;
		*bytes += item.kind == VAL_STRING ? 1 + item.n : val_exists(item);
	}
}

val val_list(struct arena *a, const val *items, size_t n)
{
	val *copy = arena_array(a, n, sizeof(*copy));

	if (!copy || n > UINT32_MAX)
		return (val){ 0 };
	if (n)
		memcpy(copy, items, n * sizeof(*copy));
	return (val){ .kind = VAL_LIST, .n = (uint32_t)n, .items = copy };
}

static bool in_order(const struct member *m, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		if (key_cmp(m[i - 1].key, m[i].key) >= 0)
			return false;
	}
	return true;
}

static void insertion_sort(struct member *m, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct member x = m[i];
		size_t j = i;

		for (; j > 0 && key_cmp(m[j - 1].key, x.key) > 0; j--)
			m[j] = m[j - 1];
		m[j] = x;
	}
}

/* Sort stably, so that of equal keys the later one remains behind. @tmp has room for @n. */
static void merge_sort(struct member *m, size_t n, struct member *tmp)
{
	size_t half = n / 2, i = 0, j = half, k = 0;

	if (n <= 16) {
		insertion_sort(m, n);
		return;
	}
	merge_sort(m, half, tmp);
	merge_sort(m + half, n - half, tmp);
	memcpy(tmp, m, n * sizeof(*m));
	while (i < half && j < n)
		m[k++] = key_cmp(tmp[i].key, tmp[j].key) <= 0 ? tmp[i++] : tmp[j++];
	while (i < half)
		m[k++] = tmp[i++];
	while (j < n)
		m[k++] = tmp[j++];
}

static size_t drop_repeated(struct member *m, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		if (i + 1 < n && key_eq(m[i].key, m[i + 1].key))
			continue;
		m[kept++] = m[i];
	}
	return kept;
}

val val_map(struct arena *a, const struct member *members, size_t n)
{
	struct member *m = arena_array(a, n, sizeof(*m));

	if (!m || n > UINT32_MAX)
		return (val){ 0 };
	if (n)
		memcpy(m, members, n * sizeof(*m));
	if (in_order(m, n))
		return val_map_sorted(m, n);
	if (n <= 16) {
		insertion_sort(m, n);
	} else {
		CLEANUP(freep) struct member *tmp = reallocarray(NULL, n, sizeof(*tmp));

		if (!tmp)
			return (val){ 0 };
		merge_sort(m, n, tmp);
	}
	return val_map_sorted(m, drop_repeated(m, n));
}

val val_map_with(struct arena *a, val map, const struct key *key, val v)
{
	uint32_t n = map.kind == VAL_MAP ? map.n : 0;
	struct member *m = arena_array(a, (size_t)n + 1, sizeof(*m));
	ptrdiff_t at = n ? find_member(map, key_str(key)) : -1;
	size_t before = at >= 0 ? (size_t)at : (size_t)(-1 - at);
	size_t behind = at >= 0 ? before + 1 : before;

	if (!m)
		return (val){ 0 };
	if (before)
		memcpy(m, map.members, before * sizeof(*m));
	m[before] = (struct member){ key, v };
	if (n > behind)
		memcpy(m + before + 1, map.members + behind, (n - behind) * sizeof(*m));
	return val_map_sorted(m, before + 1 + (n - behind));
}

val val_map_without(struct arena *a, val map, str key)
{
	ptrdiff_t at = map.kind == VAL_MAP ? find_member(map, key) : -1;
	struct member *m;

	if (at < 0)
		return map.kind == VAL_MAP ? map : val_map_sorted(NULL, 0);
	m = arena_array(a, map.n - 1, sizeof(*m));
	if (!m)
		return (val){ 0 };
	memcpy(m, map.members, (size_t)at * sizeof(*m));
	memcpy(m + at, map.members + at + 1, (map.n - 1 - (size_t)at) * sizeof(*m));
	return val_map_sorted(m, map.n - 1);
}

static val copy_list(struct arena *a, struct key_table *keys, val v)
{
	val *items = arena_array(a, v.n, sizeof(*items));

	if (!items)
		return (val){ 0 };
	for (uint32_t i = 0; i < v.n; i++) {
		items[i] = val_copy(a, keys, v.items[i]);
		if (!val_exists(items[i]))
			return (val){ 0 };
	}
	v.items = items;
	return v;
}

static val copy_map(struct arena *a, struct key_table *keys, val v)
{
	struct member *m = arena_array(a, v.n, sizeof(*m));

	if (!m)
		return (val){ 0 };
	for (uint32_t i = 0; i < v.n; i++) {
		m[i].key = key_make(keys, a, key_str(v.members[i].key));
		m[i].value = val_copy(a, keys, v.members[i].value);
		if (!m[i].key || !val_exists(m[i].value))
			return (val){ 0 };
	}
	v.members = m;
	return v;
}

val val_copy(struct arena *a, struct key_table *keys, val v)
{
	switch (v.kind) {
	case VAL_STRING: {
		str s = arena_str(a, val_str(v));

		return s.p ? val_string(s) : (val){ 0 };
	}
	case VAL_LIST:
		return copy_list(a, keys, v);
	case VAL_MAP:
		return copy_map(a, keys, v);
	default:
		return v;
	}
}

static size_t aligned(size_t n)
{
	return (n + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN;
}

size_t val_copy_bytes(val v)
{
	size_t n = v.kind == VAL_STRING ? aligned((size_t)v.n + 1)
		   : v.kind == VAL_LIST ? v.n * sizeof(val)
		   : v.kind == VAL_MAP  ? v.n * sizeof(struct member)
					: 0;

	for (uint32_t i = 0; v.kind == VAL_LIST && i < v.n; i++)
		n += val_copy_bytes(v.items[i]);
	for (uint32_t i = 0; v.kind == VAL_MAP && i < v.n; i++)
		n += val_copy_bytes(v.members[i].value);
	return n;
}
