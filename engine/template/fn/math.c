/* Arithmetic: integers wrap as Go's do, the functions whose names end in f compute in decimal. */
#include "template/fn/cast.h"
#include "template/fn/decimal.h"
#include "template/fn/fn.h"
#include "template/fn/random.h"

#include <inttypes.h>
#include <math.h>

/* ---- integers ---- */

static int64_t wrap_add(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int64_t wrap_sub(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a - (uint64_t)b);
}

static int64_t wrap_mul(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a * (uint64_t)b);
}

static int64_t larger(int64_t a, int64_t b)
{
	return b > a ? b : a;
}

static int64_t smaller(int64_t a, int64_t b)
{
	return b < a ? b : a;
}

static int fold(const tval *args, size_t n, int64_t first, int64_t (*op)(int64_t, int64_t), tval *ret)
{
	for (size_t i = 0; i < n; i++)
		first = op(first, cast_int64(args[i]));
	*ret = tval_int64(first);
	return 0;
}

static int run_add(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)c;
	return fold(args, n, 0, wrap_add, ret);
}

static int run_add1(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)c;
	return fold(args, n, 1, wrap_add, ret);
}

static int run_sub(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)c;
	return fold(args + 1, n - 1, cast_int64(args[0]), wrap_sub, ret);
}

static int run_mul(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)c;
	return fold(args + 1, n - 1, cast_int64(args[0]), wrap_mul, ret);
}

static int run_max(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)c;
	return fold(args + 1, n - 1, cast_int64(args[0]), larger, ret);
}

static int run_min(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)c;
	return fold(args + 1, n - 1, cast_int64(args[0]), smaller, ret);
}

static int run_div(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	int64_t a = cast_int64(args[0]);
	int64_t b = cast_int64(args[1]);

	(void)n;
	if (b == 0)
		return tmpl_fail(c, "runtime error: integer divide by zero");
	*ret = tval_int64(b == -1 ? wrap_sub(0, a) : a / b);
	return 0;
}

static int run_mod(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	int64_t a = cast_int64(args[0]);
	int64_t b = cast_int64(args[1]);

	(void)n;
	if (b == 0)
		return tmpl_fail(c, "runtime error: integer divide by zero");
	*ret = tval_int64(b == -1 ? 0 : a % b);
	return 0;
}

/* rand.Intn(max - min) + min */
static int run_rand_int(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	int64_t span = wrap_sub(args[1].i, args[0].i);
	uint64_t at;
	int r;

	(void)n;
	if (span <= 0)
		return tmpl_fail(c, "invalid argument to Intn");
	r = tmpl_random_below(c, (uint64_t)span, &at);
	if (r < 0)
		return r;
	*ret = tval_int(wrap_add((int64_t)at, args[0].i));
	return 0;
}

/* ---- sequences ---- */

/* The number of items of untilStep, and their step. A step that would exceed int64 ends the sequence there. */
static uint64_t sequence_length(int64_t start, int64_t stop, int64_t step)
{
	uint64_t distance;
	uint64_t by;

	if (stop < start) {
		if (step >= 0)
			return 0;
		distance = (uint64_t)start - (uint64_t)stop;
		by = 0 - (uint64_t)step;
	} else {
		if (step <= 0)
			return 0;
		distance = (uint64_t)stop - (uint64_t)start;
		by = (uint64_t)step;
	}
	return distance / by + (distance % by != 0);
}

static int until_step(struct tmpl_call *c, int64_t start, int64_t stop, int64_t step, tval *ret)
{
	uint64_t n = sequence_length(start, stop, step);
	tval *items;
	int r = tmpl_spend(c, n);

	if (r < 0)
		return r;
	items = tmpl_items(c, (size_t)n);
	if (!items)
		return tmpl_nomem(c);
	for (uint64_t i = 0; i < n; i++)
		items[i] = tval_int((int64_t)((uint64_t)start + i * (uint64_t)step));
	*ret = tval_slice(&tt_ints, items, (size_t)n);
	return 0;
}

static int run_until(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)n;
	return until_step(c, 0, args[0].i, args[0].i < 0 ? -1 : 1, ret);
}

static int run_until_step(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)n;
	return until_step(c, args[0].i, args[1].i, args[2].i, ret);
}

static int seq_text(struct tmpl_call *c, int64_t start, int64_t stop, int64_t step, tval *ret)
{
	CLEANUP(buf_done) struct buf out = tmpl_buf(c);
	uint64_t n = sequence_length(start, stop, step);
	int r = tmpl_spend(c, n);

	if (r < 0)
		return r;
	for (uint64_t i = 0; i < n && !out.error; i++)
		buf_printf(&out, "%s%" PRId64, i ? " " : "", (int64_t)((uint64_t)start + i * (uint64_t)step));
	return tmpl_ret_buf(c, &out, ret);
}

/* seq [first [step]] last, as the shell's, with both ends. With a step, the end is widened by one in the direction of
 * the sequence, not by the step. */
static int run_seq(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	int64_t start = n == 1 ? 1 : n ? args[0].i : 0;
	int64_t end = n ? args[n - 1].i : 0;
	int64_t direction = end < start ? -1 : 1;
	int64_t step = n == 3 ? args[1].i : direction;

	if (n == 0 || n > 3 || (n == 3 && direction < 0 && step > 0)) {
		*ret = tval_string(STR(""));
		return 0;
	}
	return seq_text(c, start, wrap_add(end, direction), step, ret);
}

/* ---- decimals ---- */

static int decimal_fold(struct tmpl_call *c, double first, const tval *args, size_t n,
			int (*op)(struct tmpl_call *, struct tmpl_decimal *, const struct tmpl_decimal *), tval *ret)
{
	CLEANUP(tmpl_decimal_done) struct tmpl_decimal sum = { 0 };
	double d = 0;
	int r = tmpl_decimal_from_double(c, first, &sum);

	for (size_t i = 0; r == 0 && i < n; i++) {
		CLEANUP(tmpl_decimal_done) struct tmpl_decimal x = { 0 };

		r = cast_float64(c, args[i], &d);
		if (r == 0)
			r = tmpl_decimal_from_double(c, d, &x);
		if (r == 0)
			r = op(c, &sum, &x);
	}
	if (r == 0)
		r = tmpl_decimal_to_double(c, &sum, &d);
	if (r < 0)
		return r;
	*ret = tval_float(d);
	return 0;
}

/* Fold the arguments: @op applies each of the others to the first. */
static int decimal_fold_first(struct tmpl_call *c, const tval *args, size_t n,
			      int (*op)(struct tmpl_call *, struct tmpl_decimal *, const struct tmpl_decimal *),
			      tval *ret)
{
	double first;
	int r = cast_float64(c, args[0], &first);

	return r < 0 ? r : decimal_fold(c, first, args + 1, n - 1, op, ret);
}

static int run_addf(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	return decimal_fold(c, 0, args, n, tmpl_decimal_add, ret);
}

static int run_add1f(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	return decimal_fold(c, 1, args, n, tmpl_decimal_add, ret);
}

static int run_subf(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	return decimal_fold_first(c, args, n, tmpl_decimal_sub, ret);
}

static int run_mulf(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	return decimal_fold_first(c, args, n, tmpl_decimal_mul, ret);
}

static int run_divf(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	return decimal_fold_first(c, args, n, tmpl_decimal_div, ret);
}

/* ---- floats ---- */

/* math.Max: an infinity wins over NaN, +0 over -0. */
static double max_float(double a, double b)
{
	if ((isinf(a) && a > 0) || (isinf(b) && b > 0))
		return (double)INFINITY;
	if (isnan(a) || isnan(b))
		return (double)NAN;
	if (a == 0 && b == 0)
		return signbit(a) ? b : a;
	return a > b ? a : b;
}

static double min_float(double a, double b)
{
	return -max_float(-a, -b);
}

static int fold_float(struct tmpl_call *c, const tval *args, size_t n, double (*op)(double, double), tval *ret)
{
	double d, next;
	int r = cast_float64(c, args[0], &d);

	for (size_t i = 1; r == 0 && i < n; i++) {
		r = cast_float64(c, args[i], &next);
		if (r == 0)
			d = op(d, next);
	}
	if (r == 0)
		*ret = tval_float(d);
	return r;
}

static int run_maxf(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	return fold_float(c, args, n, max_float, ret);
}

static int run_minf(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	return fold_float(c, args, n, min_float, ret);
}

static int map_float(struct tmpl_call *c, tval v, double (*op)(double), tval *ret)
{
	double d;
	int r = cast_float64(c, v, &d);

	if (r == 0)
		*ret = tval_float(op(d));
	return r;
}

static int run_ceil(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)n;
	return map_float(c, args[0], ceil, ret);
}

static int run_floor(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)n;
	return map_float(c, args[0], floor, ret);
}

/* 10^places as Go's math.Pow computes it: by squaring a fraction and counting powers of two. The C library's result
 * may differ in the last bit, which round shows. */
static double go_pow10(int64_t places)
{
	uint64_t left = places < 0 ? 0 - (uint64_t)places : (uint64_t)places;
	double result = 1;
	int64_t exponent = 0;
	double factor = 0.625; /* 10 = 0.625 x 2^4 */
	int64_t factor_exponent = 4;

	if (left >= 1u << 20) /* far past the range of a double */
		return places < 0 ? 0 : (double)INFINITY;
	for (; left; left >>= 1) {
		if (factor_exponent > 4096) {
			exponent += factor_exponent;
			break;
		}
		if (left & 1) {
			result *= factor;
			exponent += factor_exponent;
		}
		factor *= factor;
		factor_exponent *= 2;
		if (factor < 0.5) {
			factor += factor;
			factor_exponent--;
		}
	}
	return places < 0 ? ldexp(1 / result, (int)-exponent) : ldexp(result, (int)exponent);
}

/* round value places [on]: up when the digits behind are at least @on (0.5); so negative numbers are rounded down. */
static int run_round(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	double on = n > 2 ? args[2].d : 0.5;
	double power = go_pow10(args[1].i);
	double value, shifted, whole, fraction;
	int r = cast_float64(c, args[0], &value);

	if (r < 0)
		return r;
	shifted = power * value;
	fraction = modf(shifted, &whole);
	*ret = tval_float((fraction >= on ? ceil(shifted) : floor(shifted)) / power);
	return 0;
}

static const struct tmpl_fn rows[] = {
	{ "add", run_add, { &tt_any }, true, &tt_int64, "the sum of integers" },
	{ "add1", run_add1, { &tt_any }, false, &tt_int64, "an integer plus one" },
	{ "add1f", run_add1f, { &tt_any }, false, &tt_float64, "a number plus one, in decimal" },
	{ "addf", run_addf, { &tt_any }, true, &tt_float64, "the sum of numbers, in decimal" },
	{ "biggest", run_max, { &tt_any, &tt_any }, true, &tt_int64, "the largest of integers (max)" },
	{ "ceil", run_ceil, { &tt_any }, false, &tt_float64, "a number rounded up" },
	{ "div",
	  run_div,
	  { &tt_any, &tt_any },
	  false,
	  &tt_int64,
	  "the first integer divided by the second, cut to an integer" },
	{ "divf",
	  run_divf,
	  { &tt_any, &tt_any },
	  true,
	  &tt_float64,
	  "the first number divided by the others, in decimal" },
	{ "floor", run_floor, { &tt_any }, false, &tt_float64, "a number rounded down" },
	{ "max", run_max, { &tt_any, &tt_any }, true, &tt_int64, "the largest of integers" },
	{ "maxf", run_maxf, { &tt_any, &tt_any }, true, &tt_float64, "the largest of numbers" },
	{ "min", run_min, { &tt_any, &tt_any }, true, &tt_int64, "the smallest of integers" },
	{ "minf", run_minf, { &tt_any, &tt_any }, true, &tt_float64, "the smallest of numbers" },
	{ "mod",
	  run_mod,
	  { &tt_any, &tt_any },
	  false,
	  &tt_int64,
	  "the remainder of the first integer divided by the second" },
	{ "mul", run_mul, { &tt_any, &tt_any }, true, &tt_int64, "the product of integers" },
	{ "mulf", run_mulf, { &tt_any, &tt_any }, true, &tt_float64, "the product of numbers, in decimal" },
	{ "randInt",
	  run_rand_int,
	  { &tt_int, &tt_int },
	  false,
	  &tt_int,
	  "a random integer from the first up to below the second" },
	{ "round",
	  run_round,
	  { &tt_any, &tt_int, &tt_float64 },
	  true,
	  &tt_float64,
	  "a number rounded to so many decimal places" },
	{ "seq",
	  run_seq,
	  { &tt_int },
	  true,
	  &tt_string,
	  "the integers from one to another, as text: [first [step]] last" },
	{ "sub", run_sub, { &tt_any, &tt_any }, false, &tt_int64, "the first integer minus the second" },
	{ "subf", run_subf, { &tt_any, &tt_any }, true, &tt_float64, "the first number minus the others, in decimal" },
	{ "until", run_until, { &tt_int }, false, &tt_ints, "the integers from 0 up to below the given one" },
	{ "untilStep",
	  run_until_step,
	  { &tt_int, &tt_int, &tt_int },
	  false,
	  &tt_ints,
	  "the integers from the first up to below the second, in steps of the third" },
};
TMPL_FN_FAMILY(fn_math, rows);
