/* The math and encoders extensions, which Kubernetes does not enable.   cel-go ext/math.go, ext/encoders.go */
#include "cel/cel_func.h"
#include "go/base64.h"

#include <errno.h>
#include <math.h>

static cv pick(const cv *a, uint32_t n, int wanted)
{
	cv best = a[0];

	for (uint32_t i = 1; i < n; i++) {
		int r = cv_compare(a[i], best);

		if (r == -2)
			return cv_no_overload();
		if (r == wanted)
			best = a[i];
	}
	return cv_is_number(best) ? best : cv_no_overload();
}

static cv pick_item(struct cel_ctx *c, const cv *a, uint32_t n, int wanted)
{
	cv best, pair[2];

	if (a[0].kind != CV_LIST)
		return pick(a, n, wanted);
	if (cv_count(a[0]) == 0)
		return cel_fail(c, "math.@%s(list) argument must not be empty", wanted > 0 ? "max" : "min");
	best = cv_item(c->arena, a[0], 0);
	for (uint32_t i = 0; i < cv_count(a[0]) && !cv_is_error(best); i++) {
		pair[0] = best;
		pair[1] = cv_item(c->arena, a[0], i);
		best = cv_is_error(pair[1]) ? pair[1] : pick(pair, 2, wanted);
	}
	return best;
}

static cv greatest(struct cel_ctx *c, const cv *a, uint32_t n)
{
	return pick_item(c, a, n, 1);
}
static cv least(struct cel_ctx *c, const cv *a, uint32_t n)
{
	return pick_item(c, a, n, -1);
}

#define ROUNDING(name, fn)                                                                                             \
	static cv name(struct cel_ctx *c, const cv *a, uint32_t n)                                                     \
	{                                                                                                              \
		(void)c;                                                                                               \
		(void)n;                                                                                               \
		return cv_double(fn(a[0].d));                                                                          \
	}

ROUNDING(math_ceil, ceil)
ROUNDING(math_floor, floor)
ROUNDING(math_round, round)
ROUNDING(math_trunc, trunc)

static cv math_sqrt(struct cel_ctx *c, const cv *a, uint32_t n)
{
	(void)c;
	(void)n;
	return cv_double(sqrt(a[0].kind == CV_INT ? (double)a[0].i : a[0].kind == CV_UINT ? (double)a[0].u : a[0].d));
}

static cv math_abs(struct cel_ctx *c, const cv *a, uint32_t n)
{
	(void)n;
	if (a[0].kind == CV_DOUBLE)
		return cv_double(fabs(a[0].d));
	if (a[0].kind == CV_UINT || a[0].i >= 0)
		return a[0];
	return a[0].i == INT64_MIN ? cel_fail(c, "integer overflow") : cv_int(-a[0].i);
}

static cv math_sign(struct cel_ctx *c, const cv *a, uint32_t n)
{
	(void)c;
	(void)n;
	if (a[0].kind == CV_DOUBLE)
		return isnan(a[0].d) ? a[0] : cv_double((a[0].d > 0) - (a[0].d < 0));
	if (a[0].kind == CV_UINT)
		return cv_uint(a[0].u > 0);
	return cv_int((a[0].i > 0) - (a[0].i < 0));
}

#define TEST(name, expression)                                                                                         \
	static cv name(struct cel_ctx *c, const cv *a, uint32_t n)                                                     \
	{                                                                                                              \
		(void)c;                                                                                               \
		(void)n;                                                                                               \
		return cv_bool(expression);                                                                            \
	}

TEST(is_nan, isnan(a[0].d))
TEST(is_inf, isinf(a[0].d))
TEST(is_finite, isfinite(a[0].d))

#define BITS(name, expression)                                                                                         \
	static cv name(struct cel_ctx *c, const cv *a, uint32_t n)                                                     \
	{                                                                                                              \
		cv r = a[0];                                                                                           \
                                                                                                                       \
		(void)c;                                                                                               \
		(void)n;                                                                                               \
		r.u = (expression);                                                                                    \
		return r;                                                                                              \
	}

BITS(bit_and, a[0].u &a[1].u)
BITS(bit_or, a[0].u | a[1].u)
BITS(bit_xor, a[0].u ^ a[1].u)
BITS(bit_not, ~a[0].u)

static cv shift(struct cel_ctx *c, const cv *a, bool left)
{
	cv r = a[0];

	if (a[1].i < 0)
		return cel_fail(c, "math.bitShift%s() negative offset: %lld", left ? "Left" : "Right",
				(long long)a[1].i);
	if (a[1].i >= 64)
		r.u = 0;
	else
		r.u = left ? r.u << a[1].i : r.u >> a[1].i;
	return r;
}

static cv shift_left(struct cel_ctx *c, const cv *a, uint32_t n)
{
	(void)n;
	return shift(c, a, true);
}

static cv shift_right(struct cel_ctx *c, const cv *a, uint32_t n)
{
	(void)n;
	return shift(c, a, false);
}

#define EXTREMES(name, fn, help)                                                                                       \
	CEL_EXTRA(name, name "_i", "i:i", fn, COST_ONE, help), CEL_EXTRA(name, name "_u", "u:u", fn, COST_ONE, help),  \
		CEL_EXTRA(name, name "_d", "d:d", fn, COST_ONE, help),                                                 \
		CEL_EXTRA(name, name "_ii", "ii:i", fn, COST_ONE, help),                                               \
		CEL_EXTRA(name, name "_uu", "uu:u", fn, COST_ONE, help),                                               \
		CEL_EXTRA(name, name "_dd", "dd:d", fn, COST_ONE, help),                                               \
		CEL_EXTRA(name, name "_iu", "iu:*", fn, COST_ONE, help),                                               \
		CEL_EXTRA(name, name "_id", "id:*", fn, COST_ONE, help),                                               \
		CEL_EXTRA(name, name "_ui", "ui:*", fn, COST_ONE, help),                                               \
		CEL_EXTRA(name, name "_ud", "ud:*", fn, COST_ONE, help),                                               \
		CEL_EXTRA(name, name "_di", "di:*", fn, COST_ONE, help),                                               \
		CEL_EXTRA(name, name "_du", "du:*", fn, COST_ONE, help),                                               \
		CEL_EXTRA(name, name "_list_i", "Li:i", fn, COST_ONE, help),                                           \
		CEL_EXTRA(name, name "_list_u", "Lu:u", fn, COST_ONE, help),                                           \
		CEL_EXTRA(name, name "_list_d", "Ld:d", fn, COST_ONE, help)
#define NUMERIC(name, fn, help)                                                                                        \
	CEL_EXTRA(name, name "_i", "i:i", fn, COST_ONE, help), CEL_EXTRA(name, name "_u", "u:u", fn, COST_ONE, help),  \
		CEL_EXTRA(name, name "_d", "d:d", fn, COST_ONE, help)
#define BITWISE(name, fn, help)                                                                                        \
	CEL_EXTRA(name, name "_ii", "ii:i", fn, COST_ONE, help), CEL_EXTRA(name, name "_uu", "uu:u", fn, COST_ONE, help)
#define SHIFT(name, fn, help)                                                                                          \
	CEL_EXTRA(name, name "_ii", "ii:i", fn, COST_ONE, help), CEL_EXTRA(name, name "_ui", "ui:u", fn, COST_ONE, help)

static const struct cel_overload overloads[] = {
	EXTREMES("math.@max", greatest, "the greatest of the arguments"),
	EXTREMES("math.@min", least, "the least of the arguments"),
	CEL_EXTRA("math.ceil", "math_ceil_double", "d:d", math_ceil, COST_ONE, "upwards to a whole number"),
	CEL_EXTRA("math.floor", "math_floor_double", "d:d", math_floor, COST_ONE, "downwards to a whole number"),
	CEL_EXTRA("math.round", "math_round_double", "d:d", math_round, COST_ONE, "to the nearest whole number"),
	CEL_EXTRA("math.trunc", "math_trunc_double", "d:d", math_trunc, COST_ONE, "towards zero"),
	CEL_EXTRA("math.sqrt", "math_sqrt_double", "d:d", math_sqrt, COST_ONE, "square root"),
	CEL_EXTRA("math.sqrt", "math_sqrt_int", "i:d", math_sqrt, COST_ONE, "square root"),
	CEL_EXTRA("math.sqrt", "math_sqrt_uint", "u:d", math_sqrt, COST_ONE, "square root"),
	NUMERIC("math.abs", math_abs, "without its sign"),
	NUMERIC("math.sign", math_sign, "-1, 0 or 1"),
	CEL_EXTRA("math.isNaN", "math_isNaN_double", "d:b", is_nan, COST_ONE, "not a number?"),
	CEL_EXTRA("math.isInf", "math_isInf_double", "d:b", is_inf, COST_ONE, "infinite?"),
	CEL_EXTRA("math.isFinite", "math_isFinite_double", "d:b", is_finite, COST_ONE, "finite?"),
	BITWISE("math.bitAnd", bit_and, "bits of both"),
	BITWISE("math.bitOr", bit_or, "bits of either"),
	BITWISE("math.bitXor", bit_xor, "bits of one"),
	CEL_EXTRA("math.bitNot", "math_bitNot_int", "i:i", bit_not, COST_ONE, "the other bits"),
	CEL_EXTRA("math.bitNot", "math_bitNot_uint", "u:u", bit_not, COST_ONE, "the other bits"),
	SHIFT("math.bitShiftLeft", shift_left, "bits moved up"),
	SHIFT("math.bitShiftRight", shift_right, "bits moved down, zeros above"),
};

const struct cel_library cel_lib_math = { overloads, ARRAY_LEN(overloads) };

/* ---- base64 ---- */

static cv base64_encode(struct cel_ctx *c, const cv *a, uint32_t n)
{
	char *out = arena_alloc(c->arena, GO_BASE64_LEN((size_t)a[0].n));

	(void)n;
	if (!out)
		return cel_nomem(c);
	return cv_string((str){ out, go_base64_write(&go_base64_std, a[0].s, a[0].n, out) });
}

/* Decode with padding or without.   cel-go ext/encoders.go */
static cv base64_decode(struct cel_ctx *c, const cv *a, uint32_t n)
{
	str bytes;
	int r = go_base64_decode(&go_base64_std, cv_str(a[0]), c->arena, &bytes, NULL);

	(void)n;
	if (r == -EBADMSG)
		r = go_base64_decode(&go_base64_raw, cv_str(a[0]), c->arena, &bytes, NULL);
	if (r == -ENOMEM)
		return cel_nomem(c);
	return r < 0 ? cel_fail(c, "illegal base64 data") : cv_bytes(bytes);
}

static const struct cel_overload encoders[] = {
	CEL_EXTRA("base64.encode", "base64_encode_bytes", "y:s", base64_encode, COST_ONE, "bytes as base64"),
	CEL_EXTRA("base64.decode", "base64_decode_string", "s:y", base64_decode, COST_ONE, "bytes from base64"),
};

const struct cel_library cel_lib_encode = { encoders, ARRAY_LEN(encoders) };
