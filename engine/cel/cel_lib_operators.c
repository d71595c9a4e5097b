/* Operators and the functions of the core language on numbers, text, lists and maps.   CEL langdef, Standard
 * Definitions */
#include "cel/cel_eval.h"
#include "cel/cel_schema.h"

/* ---- arithmetic ---- */

static cv overflow(struct cel_ctx *c, cv v)
{
	return cel_fail(c, v.kind == CV_UINT ? "unsigned integer overflow" : "integer overflow");
}

static cv add(struct cel_ctx *c, const cv *a, uint32_t n)
{
	cv r = a[0];
	bool bad;

	(void)n;
	if (r.kind == CV_DOUBLE)
		return cv_double(a[0].d + a[1].d);
	bad = r.kind == CV_INT ? __builtin_add_overflow(a[0].i, a[1].i, &r.i)
			       : __builtin_add_overflow(a[0].u, a[1].u, &r.u);
	return bad ? overflow(c, r) : r;
}

static cv subtract(struct cel_ctx *c, const cv *a, uint32_t n)
{
	cv r = a[0];
	bool bad;

	(void)n;
	if (r.kind == CV_DOUBLE)
		return cv_double(a[0].d - a[1].d);
	bad = r.kind == CV_INT ? __builtin_sub_overflow(a[0].i, a[1].i, &r.i)
			       : __builtin_sub_overflow(a[0].u, a[1].u, &r.u);
	return bad ? overflow(c, r) : r;
}

static cv multiply(struct cel_ctx *c, const cv *a, uint32_t n)
{
	cv r = a[0];
	bool bad;

	(void)n;
	if (r.kind == CV_DOUBLE)
		return cv_double(a[0].d * a[1].d);
	bad = r.kind == CV_INT ? __builtin_mul_overflow(a[0].i, a[1].i, &r.i)
			       : __builtin_mul_overflow(a[0].u, a[1].u, &r.u);
	return bad ? overflow(c, r) : r;
}

static cv divide(struct cel_ctx *c, const cv *a, uint32_t n)
{
	(void)n;
	if (a[0].kind == CV_DOUBLE)
		return cv_double(a[0].d / a[1].d);
	if (a[1].u == 0)
		return cel_fail(c, "division by zero");
	if (a[0].kind == CV_UINT)
		return cv_uint(a[0].u / a[1].u);
	if (a[0].i == INT64_MIN && a[1].i == -1)
		return overflow(c, a[0]);
	return cv_int(a[0].i / a[1].i);
}

static cv modulo(struct cel_ctx *c, const cv *a, uint32_t n)
{
	(void)n;
	if (a[1].u == 0)
		return cel_fail(c, "modulus by zero");
	if (a[0].kind == CV_UINT)
		return cv_uint(a[0].u % a[1].u);
	if (a[0].i == INT64_MIN && a[1].i == -1)
		return overflow(c, a[0]);
	return cv_int(a[0].i % a[1].i);
}

static cv negate(struct cel_ctx *c, const cv *a, uint32_t n)
{
	(void)n;
	if (a[0].kind == CV_DOUBLE)
		return cv_double(-a[0].d);
	return a[0].i == INT64_MIN ? overflow(c, a[0]) : cv_int(-a[0].i);
}

static cv not_(struct cel_ctx *c, const cv *a, uint32_t n)
{
	(void)c;
	(void)n;
	return cv_bool(!a[0].b);
}

/* ---- concatenation ---- */

static cv concat_text(struct cel_ctx *c, const cv *a, uint32_t n)
{
	char *p;
	cv r = a[0];

	(void)n;
	if ((uint64_t)a[0].n + a[1].n > UINT32_MAX)
		return cel_nomem(c);
	p = arena_alloc(c->arena, (size_t)a[0].n + a[1].n);
	if (!p)
		return cel_nomem(c);
	if (a[0].n)
		memcpy(p, a[0].s, a[0].n);
	if (a[1].n)
		memcpy(p + a[0].n, a[1].s, a[1].n);
	r.s = p;
	r.n += a[1].n;
	return r;
}

/* ---- comparison ---- */

static cv less(struct cel_ctx *c, const cv *a, uint32_t n)
{
	int r = cv_compare(a[0], a[1]);

	(void)c;
	(void)n;
	return r == -2 ? cv_no_overload() : cv_bool(r == -1);
}

static cv less_equal(struct cel_ctx *c, const cv *a, uint32_t n)
{
	int r = cv_compare(a[0], a[1]);

	(void)c;
	(void)n;
	return r == -2 ? cv_no_overload() : cv_bool(r == -1 || r == 0);
}

static cv greater(struct cel_ctx *c, const cv *a, uint32_t n)
{
	int r = cv_compare(a[0], a[1]);

	(void)c;
	(void)n;
	return r == -2 ? cv_no_overload() : cv_bool(r == 1);
}

static cv greater_equal(struct cel_ctx *c, const cv *a, uint32_t n)
{
	int r = cv_compare(a[0], a[1]);

	(void)c;
	(void)n;
	return r == -2 ? cv_no_overload() : cv_bool(r == 1 || r == 0);
}

/* ---- containers ---- */

static cv in_list(struct cel_ctx *c, const cv *a, uint32_t n)
{
	(void)n;
	for (uint32_t i = 0; i < cv_count(a[1]); i++) {
		cv r = cv_equal(&c->work, a[0], cv_item(c->arena, a[1], i));

		if (cv_is_true(r) || cel_is_fatal(r))
			return r; /* an item that cannot be compared with the value is not equal to it */
	}
	return cv_bool(false);
}

static cv in_map(struct cel_ctx *c, const cv *a, uint32_t n)
{
	cv v;
	int r = cv_map_find(c->arena, a[1], a[0], &v);

	(void)n;
	return r < 0 ? v : cv_bool(r > 0);
}

static cv size(struct cel_ctx *c, const cv *a, uint32_t n)
{
	(void)c;
	(void)n;
	return cv_int((int64_t)cv_cost_size(a[0]));
}

/* ---- text ---- */

static cv contains(struct cel_ctx *c, const cv *a, uint32_t n)
{
	(void)c;
	(void)n;
	return cv_bool(str_find(cv_str(a[0]), cv_str(a[1])) >= 0);
}

static cv starts_with(struct cel_ctx *c, const cv *a, uint32_t n)
{
	(void)c;
	(void)n;
	return cv_bool(str_has_prefix(cv_str(a[0]), cv_str(a[1])));
}

static cv ends_with(struct cel_ctx *c, const cv *a, uint32_t n)
{
	(void)c;
	(void)n;
	return cv_bool(str_has_suffix(cv_str(a[0]), cv_str(a[1])));
}

#define COMPARE(op, name, fn)                                                                                          \
	CEL_GLOBAL(op, name "_bool", "bb:b", fn, COST_ONE, ""),                                                        \
		CEL_GLOBAL(op, name "_int64", "ii:b", fn, COST_ONE, ""),                                               \
		CEL_GLOBAL(op, name "_int64_double", "id:b", fn, COST_ONE, ""),                                        \
		CEL_GLOBAL(op, name "_int64_uint64", "iu:b", fn, COST_ONE, ""),                                        \
		CEL_GLOBAL(op, name "_uint64", "uu:b", fn, COST_ONE, ""),                                              \
		CEL_GLOBAL(op, name "_uint64_double", "ud:b", fn, COST_ONE, ""),                                       \
		CEL_GLOBAL(op, name "_uint64_int64", "ui:b", fn, COST_ONE, ""),                                        \
		CEL_GLOBAL(op, name "_double", "dd:b", fn, COST_ONE, ""),                                              \
		CEL_GLOBAL(op, name "_double_int64", "di:b", fn, COST_ONE, ""),                                        \
		CEL_GLOBAL(op, name "_double_uint64", "du:b", fn, COST_ONE, ""),                                       \
		CEL_GLOBAL(op, name "_string", "ss:b", fn, COST_SMALLER, ""),                                          \
		CEL_GLOBAL(op, name "_bytes", "yy:b", fn, COST_SMALLER, ""),                                           \
		CEL_GLOBAL(op, name "_timestamp", "tt:b", fn, COST_ONE, ""),                                           \
		CEL_GLOBAL(op, name "_duration", "DD:b", fn, COST_ONE, "")

static cv concat_lists(struct cel_ctx *c, const cv *a, uint32_t n);

static const struct cel_overload overloads[] = {
	CEL_GLOBAL("_==_", "equals", "AA:b", NULL, COST_ONE, "equal; numbers of different types by value"),
	CEL_GLOBAL("_!=_", "not_equals", "AA:b", NULL, COST_ONE, "not equal"),
	CEL_GLOBAL("_&&_", "logical_and", "bb:b", NULL, COST_NONE, "both; false decides even beside an error"),
	CEL_GLOBAL("_||_", "logical_or", "bb:b", NULL, COST_NONE, "either; true decides even beside an error"),
	CEL_GLOBAL("_?_:_", "conditional", "bAA:A", NULL, COST_NONE, "the second or the third"),
	CEL_GLOBAL("@not_strictly_false", "not_strictly_false", "b:b", NULL, COST_ONE, ""),
	CEL_GLOBAL("!_", "logical_not", "b:b", not_, COST_ONE, "not"),
	CEL_GLOBAL("-_", "negate_int64", "i:i", negate, COST_ONE, "negative"),
	CEL_GLOBAL("-_", "negate_double", "d:d", negate, COST_ONE, "negative"),
	CEL_GLOBAL("_+_", "add_int64", "ii:i", add, COST_ONE, "sum"),
	CEL_GLOBAL("_+_", "add_uint64", "uu:u", add, COST_ONE, "sum"),
	CEL_GLOBAL("_+_", "add_double", "dd:d", add, COST_ONE, "sum"),
	CEL_GLOBAL("_+_", "add_string", "ss:s", concat_text, COST_BOTH, "concatenation"),
	CEL_GLOBAL("_+_", "add_bytes", "yy:y", concat_text, COST_BOTH, "concatenation"),
	CEL_GLOBAL("_+_", "add_list", "LALA:LA", concat_lists, COST_ONE,
		   "concatenation; union or merge for sets and maps"),
	CEL_GLOBAL("_-_", "subtract_int64", "ii:i", subtract, COST_ONE, "difference"),
	CEL_GLOBAL("_-_", "subtract_uint64", "uu:u", subtract, COST_ONE, "difference"),
	CEL_GLOBAL("_-_", "subtract_double", "dd:d", subtract, COST_ONE, "difference"),
	CEL_GLOBAL("_*_", "multiply_int64", "ii:i", multiply, COST_ONE, "product"),
	CEL_GLOBAL("_*_", "multiply_uint64", "uu:u", multiply, COST_ONE, "product"),
	CEL_GLOBAL("_*_", "multiply_double", "dd:d", multiply, COST_ONE, "product"),
	CEL_GLOBAL("_/_", "divide_int64", "ii:i", divide, COST_ONE, "quotient"),
	CEL_GLOBAL("_/_", "divide_uint64", "uu:u", divide, COST_ONE, "quotient"),
	CEL_GLOBAL("_/_", "divide_double", "dd:d", divide, COST_ONE, "quotient"),
	CEL_GLOBAL("_%_", "modulo_int64", "ii:i", modulo, COST_ONE, "remainder"),
	CEL_GLOBAL("_%_", "modulo_uint64", "uu:u", modulo, COST_ONE, "remainder"),
	COMPARE("_<_", "less", less),
	COMPARE("_<=_", "less_equals", less_equal),
	COMPARE("_>_", "greater", greater),
	COMPARE("_>=_", "greater_equals", greater_equal),
	CEL_GLOBAL("_[_]", "index_list", "LAi:A", NULL, COST_ONE, "item of a list"),
	CEL_GLOBAL("_[_]", "index_map", "MABA:B", NULL, COST_ONE, "value of a key"),
	CEL_GLOBAL("@in", "in_list", "ALA:b", in_list, COST_IN_LIST, "is it an item of the list?"),
	CEL_GLOBAL("@in", "in_map", "AMAB:b", in_map, COST_ONE, "is it a key of the map?"),
	CEL_GLOBAL("size", "size_string", "s:i", size, COST_ONE, "number of code points"),
	CEL_GLOBAL("size", "size_bytes", "y:i", size, COST_ONE, "number of bytes"),
	CEL_GLOBAL("size", "size_list", "LA:i", size, COST_ONE, "number of items"),
	CEL_GLOBAL("size", "size_map", "MAB:i", size, COST_ONE, "number of entries"),
	CEL_MEMBER("size", "string_size", "s:i", size, COST_ONE, "number of code points"),
	CEL_MEMBER("size", "bytes_size", "y:i", size, COST_ONE, "number of bytes"),
	CEL_MEMBER("size", "list_size", "LA:i", size, COST_ONE, "number of items"),
	CEL_MEMBER("size", "map_size", "MAB:i", size, COST_ONE, "number of entries"),
	CEL_MEMBER("contains", "contains_string", "ss:b", contains, COST_CONTAINS, "does the text occur in it?"),
	CEL_MEMBER("startsWith", "starts_with_string", "ss:b", starts_with, COST_SECOND, "does it begin so?"),
	CEL_MEMBER("endsWith", "ends_with_string", "ss:b", ends_with, COST_SECOND, "does it end so?"),
	CEL_GLOBAL("cel.@mapInsert", "@mapInsert_map_map", "MABMAB:MAB", NULL, COST_ONE, ""),
	CEL_GLOBAL("cel.@mapInsert", "@mapInsert_map_key_value", "MABAB:MAB", NULL, COST_ONE, ""),
};

/* ---- + on lists ---- */

/* The index among @n items of the one that has the keys of @v; n when there is none. */
static uint32_t find_keys(struct cel_ctx *c, const struct cel_schema *s, const cv *items, uint32_t n, cv v)
{
	static const struct cel_field_hint none;

	for (uint32_t i = 0; i < n; i++) {
		bool same = items[i].kind == CV_MAP && v.kind == CV_MAP;

		for (uint32_t k = 0; same && k < s->n_keys; k++) {
			cv x, y;
			int fx = cv_field(c->arena, items[i], s->keys[k], s->keys[k], none, &x);
			int fy = cv_field(c->arena, v, s->keys[k], s->keys[k], none, &y);

			same = fx == fy && (fx <= 0 || cv_same(&c->work, x, y));
		}
		if (same)
			return i;
	}
	return n;
}

static cv concat_lists(struct cel_ctx *c, const cv *a, uint32_t n)
{
	uint32_t left = cv_count(a[0]), right = cv_count(a[1]), count = left;
	const struct cel_schema *s = a[0].schema;
	uint8_t type = s ? s->list_type : CEL_LIST_DEFAULT;
	cv *items = left > UINT32_MAX - right ? NULL : cel_list_new(c, left + right);

	(void)n;
	if (!items)
		return cel_nomem(c);
	for (uint32_t i = 0; i < left; i++)
		items[i] = cv_item(c->arena, a[0], i);
	for (uint32_t i = 0; i < right; i++) {
		cv v = cv_item(c->arena, a[1], i);
		uint32_t at = count;

		if (type == CEL_LIST_SET && cel_holds(c, items, count, v))
			continue;
		if (type == CEL_LIST_MAP)
			at = find_keys(c, s, items, left, v);
		if (type == CEL_LIST_MAP && at == left)
			at = count;
		items[at] = v;
		count += at == count;
	}
	return (cv){ .kind = CV_LIST, .n = count, .items = items, .schema = s };
}

const struct cel_library cel_lib_operators = { overloads, ARRAY_LEN(overloads) };
