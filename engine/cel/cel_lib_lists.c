/* Lists: the lists extension (version 3), Kubernetes' own list functions, and sets.
 *   cel-go ext/lists.go, ext/sets.go; Kubernetes apiserver/pkg/cel/library/lists.go */
#include "cel/cel_func.h"

#include <stdlib.h>

/* ---- the extension ---- */

#define RANGE_MAX 1000000

static cv range(struct cel_ctx *c, const cv *a, uint32_t n)
{
	cv *items;

	(void)n;
	if (c->kubernetes && a[0].i < 0)
		return cel_fail(c, "lists.range: size must be non-negative, got %lld", (long long)a[0].i);
	if (c->kubernetes && a[0].i > RANGE_MAX)
		return cel_fail(c, "lists.range: size %lld exceeds maximum allowed (%d)", (long long)a[0].i, RANGE_MAX);
	if (a[0].i > UINT32_MAX / 2 || (a[0].i > 0 && (uint64_t)a[0].i > c->cost_limit))
		return cv_error(&cel_error_cost);
	if (a[0].i <= 0)
		return cv_list(NULL, 0);
	items = cel_list_new(c, (uint32_t)a[0].i);
	if (!items)
		return cel_nomem(c);
	for (int64_t i = 0; i < a[0].i; i++)
		items[i] = cv_int(i);
	return cv_list(items, (uint32_t)a[0].i);
}

/* A native copy that may be reordered; NULL without memory. */
static cv *copy_items(struct cel_ctx *c, cv list)
{
	cv *items = cel_list_new(c, cv_count(list));

	for (uint32_t i = 0; items && i < cv_count(list); i++)
		items[i] = cv_item(c->arena, list, i);
	return items;
}

static cv reverse(struct cel_ctx *c, const cv *a, uint32_t n)
{
	uint32_t count = cv_count(a[0]);
	cv *items = cel_list_new(c, count);

	(void)n;
	if (!items)
		return cel_nomem(c);
	for (uint32_t i = 0; i < count; i++)
		items[i] = cv_item(c->arena, a[0], count - 1 - i);
	return cv_list(items, count);
}

static cv slice(struct cel_ctx *c, const cv *a, uint32_t n)
{
	long long from = a[1].i, to = a[2].i;
	uint32_t count = cv_count(a[0]);
	cv *items;

	(void)n;
	if (from < 0 || to < 0)
		return cel_fail(c, "cannot slice(%lld, %lld), negative indexes not supported", from, to);
	if (from > to)
		return cel_fail(c, "cannot slice(%lld, %lld), start index must be less than or equal to end index",
				from, to);
	if (to > (long long)count)
		return cel_fail(c, "cannot slice(%lld, %lld), list is length %u", from, to, count);
	items = cel_list_new(c, (uint32_t)(to - from));
	if (!items)
		return cel_nomem(c);
	for (long long i = from; i < to; i++)
		items[i - from] = cv_item(c->arena, a[0], (uint32_t)i);
	return cv_list(items, (uint32_t)(to - from));
}

static bool flatten_into(struct cel_ctx *c, struct cv_builder *b, cv list, int64_t depth)
{
	for (uint32_t i = 0; i < cv_count(list); i++) {
		cv v = cv_item(c->arena, list, i);
		bool ok = v.kind == CV_LIST && depth > 0 ? flatten_into(c, b, v, depth - 1)
							 : cv_builder_add(c->arena, b, v);

		if (!ok)
			return false;
	}
	return true;
}

static cv flatten(struct cel_ctx *c, const cv *a, uint32_t n)
{
	int64_t depth = n > 1 ? a[1].i : 1;
	struct cv_builder b = { 0 };

	if (depth < 0)
		return cel_fail(c, "level must be non-negative");
	if (depth > 250)
		depth = 250;
	return flatten_into(c, &b, a[0], depth) ? cv_list(b.items, b.n) : cel_nomem(c);
}

static cv distinct(struct cel_ctx *c, const cv *a, uint32_t n)
{
	struct cv_builder b = { 0 };

	(void)n;
	for (uint32_t i = 0; i < cv_count(a[0]); i++) {
		cv v = cv_item(c->arena, a[0], i);

		if (c->work.left == 0)
			return cv_error(&cel_error_cost);
		if (!cel_holds(c, b.items, b.n, v) && !cv_builder_add(c->arena, &b, v))
			return cel_nomem(c);
	}
	return cv_list(b.items, b.n);
}

static bool is_comparable(cv v)
{
	return v.kind >= CV_BOOL && v.kind <= CV_DURATION;
}

/* Whether all are of one comparable kind; else *error. */
static bool check_sortable(struct cel_ctx *c, const cv *keys, uint32_t n, cv *error)
{
	for (uint32_t i = 0; i < n; i++) {
		if (cv_is_error(keys[i]))
			*error = keys[i];
		else if (keys[i].kind != keys[0].kind)
			*error = cel_fail(c, "list elements must have the same type");
		else if (!is_comparable(keys[i]))
			*error = cel_fail(c, "list elements must be comparable");
		else
			continue;
		return false;
	}
	return true;
}

struct sort_entry {
	cv key;
	cv value;
	uint32_t place;
};

static int compare_entries(const void *x, const void *y)
{
	const struct sort_entry *a = x, *b = y;
	int r = cv_compare(a->key, b->key);

	if (r == 1 || r == -1)
		return r;
	return a->place < b->place ? -1 : a->place > b->place; /* stable */
}

static cv sort_by(struct cel_ctx *c, cv list, cv keys)
{
	uint32_t n = cv_count(list);
	struct sort_entry *entries = arena_array(c->arena, n, sizeof(*entries));
	cv *items = copy_items(c, list), *key_items = copy_items(c, keys), error;

	if (!entries || !items || !key_items)
		return cel_nomem(c);
	if (cv_count(keys) != n)
		return cel_fail(c, "sortBy: as many keys as items are needed");
	if (!check_sortable(c, key_items, n, &error))
		return error;
	for (uint32_t i = 0; i < n; i++)
		entries[i] = (struct sort_entry){ key_items[i], items[i], i };
	qsort(entries, n, sizeof(*entries), compare_entries);
	for (uint32_t i = 0; i < n; i++)
		items[i] = entries[i].value;
	return cv_list(items, n);
}

static cv sort(struct cel_ctx *c, const cv *a, uint32_t n)
{
	(void)n;
	return sort_by(c, a[0], a[0]);
}

static cv sort_by_keys(struct cel_ctx *c, const cv *a, uint32_t n)
{
	(void)n;
	return sort_by(c, a[0], a[1]);
}

static cv first(struct cel_ctx *c, const cv *a, uint32_t n)
{
	(void)n;
	return cv_count(a[0]) ? cv_some(c->arena, cv_item(c->arena, a[0], 0)) : cv_none();
}

static cv last(struct cel_ctx *c, const cv *a, uint32_t n)
{
	(void)n;
	return cv_count(a[0]) ? cv_some(c->arena, cv_item(c->arena, a[0], cv_count(a[0]) - 1)) : cv_none();
}

/* ---- Kubernetes' ---- */

static cv is_sorted(struct cel_ctx *c, const cv *a, uint32_t n)
{
	(void)n;
	for (uint32_t i = 1; i < cv_count(a[0]); i++) {
		cv x = cv_item(c->arena, a[0], i - 1), y = cv_item(c->arena, a[0], i);
		int r = cv_compare(x, y);

		if (cv_is_error(x) || cv_is_error(y))
			return cv_is_error(x) ? x : y;
		if (r == -2)
			return cv_no_overload();
		if (r == 1)
			return cv_bool(false);
	}
	return cv_bool(true);
}

static cv sum_pair(struct cel_ctx *c, cv x, cv y)
{
	bool bad = false;

	if (cv_is_error(y))
		return y;
	if (x.kind != y.kind)
		return c->kubernetes ? cel_fail(c, "no such overload: sum(list)") : cv_no_overload();
	if (x.kind == CV_DOUBLE)
		x.d += y.d;
	else if (x.kind == CV_UINT)
		bad = __builtin_add_overflow(x.u, y.u, &x.u);
	else
		bad = __builtin_add_overflow(x.i, y.i, &x.i);
	if (!bad)
		return x;
	return cel_fail(c, x.kind == CV_UINT  ? "unsigned integer overflow"
			   : x.kind == CV_INT ? "integer overflow"
					      : "duration overflow");
}

static cv sum(struct cel_ctx *c, const cv *a, uint32_t n, cv zero)
{
	cv total = zero;

	(void)n;
	for (uint32_t i = 0; i < cv_count(a[0]) && !cv_is_error(total); i++) {
		cv v = cv_item(c->arena, a[0], i);

		if (i == 0 && (v.kind == CV_INT || v.kind == CV_UINT || v.kind == CV_DOUBLE || v.kind == CV_DURATION))
			total = (cv){ .kind = v.kind };
		total = sum_pair(c, total, v);
	}
	return total;
}

static cv sum_int(struct cel_ctx *c, const cv *a, uint32_t n)
{
	return sum(c, a, n, cv_int(0));
}
static cv sum_uint(struct cel_ctx *c, const cv *a, uint32_t n)
{
	return sum(c, a, n, cv_uint(0));
}
static cv sum_double(struct cel_ctx *c, const cv *a, uint32_t n)
{
	return sum(c, a, n, cv_double(0));
}
static cv sum_duration(struct cel_ctx *c, const cv *a, uint32_t n)
{
	return sum(c, a, n, cv_duration(0));
}

static cv extreme(struct cel_ctx *c, cv list, int wanted, const char *name)
{
	cv best;

	if (cv_count(list) == 0)
		return cel_fail(c, "%s called on empty list", name);
	best = cv_item(c->arena, list, 0);
	for (uint32_t i = 1; i < cv_count(list) && !cv_is_error(best); i++) {
		cv v = cv_item(c->arena, list, i);
		int r = cv_compare(v, best);

		if (cv_is_error(v))
			return v;
		if (r == -2)
			return cv_no_overload();
		if (r == wanted)
			best = v;
	}
	return best;
}

static cv min(struct cel_ctx *c, const cv *a, uint32_t n)
{
	(void)n;
	return extreme(c, a[0], -1, "min");
}

static cv max(struct cel_ctx *c, const cv *a, uint32_t n)
{
	(void)n;
	return extreme(c, a[0], 1, "max");
}

static cv index_of(struct cel_ctx *c, const cv *a, uint32_t n)
{
	(void)n;
	for (uint32_t i = 0; i < cv_count(a[0]); i++) {
		if (cv_same(&c->work, cv_item(c->arena, a[0], i), a[1]))
			return cv_int(i);
	}
	return cv_int(-1);
}

/* Whether a value is an item of a list; for a first value that is no list, whether both are equal. */
static cv includes(struct cel_ctx *c, const cv *a, uint32_t n)
{
	if (a[0].kind != CV_LIST)
		return cv_equal(&c->work, a[0], a[1]);
	return cv_bool(index_of(c, a, n).i >= 0);
}

static cv last_index_of(struct cel_ctx *c, const cv *a, uint32_t n)
{
	(void)n;
	for (uint32_t i = cv_count(a[0]); i-- > 0;) {
		if (cv_same(&c->work, cv_item(c->arena, a[0], i), a[1]))
			return cv_int(i);
	}
	return cv_int(-1);
}

#define COMPARABLE_ONE(name, id, letter, result, fn, cost, help)                                                       \
	CEL_MEMBER(name, "list_" id, "L" letter ":" result, fn, cost, help)
#define COMPARABLE_SAME(name, id, fn, cost, help, L)                                                                   \
	COMPARABLE_ONE(name, "int_" id, "i", L "i", fn, cost, help),                                                   \
		COMPARABLE_ONE(name, "uint_" id, "u", L "u", fn, cost, help),                                          \
		COMPARABLE_ONE(name, "double_" id, "d", L "d", fn, cost, help),                                        \
		COMPARABLE_ONE(name, "bool_" id, "b", L "b", fn, cost, help),                                          \
		COMPARABLE_ONE(name, "duration_" id, "D", L "D", fn, cost, help),                                      \
		COMPARABLE_ONE(name, "timestamp_" id, "t", L "t", fn, cost, help),                                     \
		COMPARABLE_ONE(name, "string_" id, "s", L "s", fn, cost, help),                                        \
		COMPARABLE_ONE(name, "bytes_" id, "y", L "y", fn, cost, help)
#define COMPARABLE_BOOL(name, id, fn, cost, help)                                                                      \
	COMPARABLE_ONE(name, "int_" id, "i", "b", fn, cost, help),                                                     \
		COMPARABLE_ONE(name, "uint_" id, "u", "b", fn, cost, help),                                            \
		COMPARABLE_ONE(name, "double_" id, "d", "b", fn, cost, help),                                          \
		COMPARABLE_ONE(name, "bool_" id, "b", "b", fn, cost, help),                                            \
		COMPARABLE_ONE(name, "duration_" id, "D", "b", fn, cost, help),                                        \
		COMPARABLE_ONE(name, "timestamp_" id, "t", "b", fn, cost, help),                                       \
		COMPARABLE_ONE(name, "string_" id, "s", "b", fn, cost, help),                                          \
		COMPARABLE_ONE(name, "bytes_" id, "y", "b", fn, cost, help)
#define SORT_BY(id, letter)                                                                                            \
	CEL_MEMBER("@sortByAssociatedKeys", "list_" id "_sortByAssociatedKeys", "LAL" letter ":LA", sort_by_keys,      \
		   COST_SORT, "")

static const struct cel_overload overloads[] = {
	CEL_GLOBAL("lists.range", "lists_range", "i:Li", range, COST_LIST_OUT, "the integers from 0 below a number"),
	CEL_MEMBER("reverse", "list_reverse", "LA:LA", reverse, COST_LIST_OUT, "backwards"),
	CEL_MEMBER("slice", "list_slice", "LAii:LA", slice, COST_LIST_OUT, "the items between two positions"),
	CEL_MEMBER("flatten", "list_flatten", "LLA:LA", flatten, COST_FLATTEN, "items of inner lists in one list"),
	CEL_MEMBER("flatten", "list_flatten_int", "L*i:L*", flatten, COST_FLATTEN, "the same for so many levels"),
	CEL_MEMBER("distinct", "list_distinct", "LA:LA", distinct, COST_SORT, "each value once"),
	COMPARABLE_SAME("sort", "sort", sort, COST_SORT, "in order", "L"),
	SORT_BY("int", "i"),
	SORT_BY("uint", "u"),
	SORT_BY("double", "d"),
	SORT_BY("bool", "b"),
	SORT_BY("duration", "D"),
	SORT_BY("timestamp", "t"),
	SORT_BY("string", "s"),
	SORT_BY("bytes", "y"),
	CEL_MEMBER("first", "list_first", "LA:OA", first, COST_ONE, "the first item, if any"),
	CEL_MEMBER("last", "list_last", "LA:OA", last, COST_ONE, "the last item, if any"),
	COMPARABLE_BOOL("isSorted", "is_sorted_bool", is_sorted, COST_TRAVERSE, "is it in order?"),
	CEL_MEMBER("sum", "list_int_sum_int", "Li:i", sum_int, COST_TRAVERSE, "sum of the items"),
	CEL_MEMBER("sum", "list_uint_sum_uint", "Lu:u", sum_uint, COST_TRAVERSE, "sum of the items"),
	CEL_MEMBER("sum", "list_double_sum_double", "Ld:d", sum_double, COST_TRAVERSE, "sum of the items"),
	CEL_MEMBER("sum", "list_duration_sum_duration", "LD:D", sum_duration, COST_TRAVERSE, "sum of the items"),
	COMPARABLE_SAME("min", "min", min, COST_TRAVERSE, "the smallest item", ""),
	COMPARABLE_SAME("max", "max", max, COST_TRAVERSE, "the largest item", ""),
	CEL_MEMBER("indexOf", "list_a_index_of_int", "LAA:i", index_of, COST_TRAVERSE, "position of an item, or -1"),
	CEL_MEMBER("includes", "any_includes", "**:b", includes, COST_TRAVERSE, "is it an item, or the same?"),
	CEL_MEMBER("lastIndexOf", "list_a_last_index_of_int", "LAA:i", last_index_of, COST_TRAVERSE,
		   "last position, or -1"),
};

const struct cel_library cel_lib_lists = { overloads, ARRAY_LEN(overloads) };

/* ---- sets ---- */

static bool contains_all(struct cel_ctx *c, cv list, cv sub)
{
	for (uint32_t i = 0; i < cv_count(sub); i++) {
		cv v = cv_item(c->arena, sub, i);
		bool found = false;

		for (uint32_t k = 0; k < cv_count(list) && !found; k++)
			found = cv_same(&c->work, v, cv_item(c->arena, list, k));
		if (!found)
			return false;
	}
	return true;
}

static cv sets_contains(struct cel_ctx *c, const cv *a, uint32_t n)
{
	(void)n;
	return cv_bool(contains_all(c, a[0], a[1]));
}

static cv sets_equivalent(struct cel_ctx *c, const cv *a, uint32_t n)
{
	(void)n;
	return cv_bool(contains_all(c, a[0], a[1]) && contains_all(c, a[1], a[0]));
}

static cv sets_intersects(struct cel_ctx *c, const cv *a, uint32_t n)
{
	(void)n;
	for (uint32_t i = 0; i < cv_count(a[0]); i++) {
		cv v = cv_item(c->arena, a[0], i);

		for (uint32_t k = 0; k < cv_count(a[1]); k++) {
			if (cv_same(&c->work, v, cv_item(c->arena, a[1], k)))
				return cv_bool(true);
		}
	}
	return cv_bool(false);
}

static const struct cel_overload set_overloads[] = {
	CEL_GLOBAL("sets.contains", "list_sets_contains_list", "LALA:b", sets_contains, COST_SETS,
		   "are all of the second in the first?"),
	CEL_GLOBAL("sets.equivalent", "list_sets_equivalent_list", "LALA:b", sets_equivalent, COST_SETS_TWICE,
		   "the same set?"),
	CEL_GLOBAL("sets.intersects", "list_sets_intersects_list", "LALA:b", sets_intersects, COST_SETS,
		   "anything in common?"),
};

const struct cel_library cel_lib_sets = { set_overloads, ARRAY_LEN(set_overloads) };
