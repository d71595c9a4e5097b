/* The functions that convert to numbers. */
#include "template/fn/cast.h"

#include "go/strconv.h"
#include "template/fn/fn.h"

static int fn_int(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)c;
	(void)n;
	*ret = tval_int(cast_int64(args[0]));
	return 0;
}

static int fn_int64(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)c;
	(void)n;
	*ret = tval_int64(cast_int64(args[0]));
	return 0;
}

static int fn_float64(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	double d;
	int r = cast_float64(c, args[0], &d);

	(void)n;
	if (r == 0)
		*ret = tval_float(d);
	return r;
}

/* strconv.Atoi without its error: on overflow the nearest integer, else 0. */
static int fn_atoi(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	str s = args[0].s;
	bool negative = s.n > 0 && s.p[0] == '-';
	size_t i = s.n > 0 && (s.p[0] == '-' || s.p[0] == '+') ? 1 : 0;
	uint64_t u = 0, limit = (uint64_t)INT64_MAX + negative;
	bool over = false;

	(void)c;
	(void)n;
	if (i == s.n) {
		*ret = tval_int(0);
		return 0;
	}
	for (; i < s.n; i++) {
		if (s.p[i] < '0' || s.p[i] > '9') {
			*ret = tval_int(0);
			return 0;
		}
		over |= __builtin_mul_overflow(u, 10u, &u) || __builtin_add_overflow(u, (uint64_t)(s.p[i] - '0'), &u);
	}
	if (over || u > limit)
		u = limit;
	*ret = tval_int(negative ? (int64_t)(0 - u) : (int64_t)u);
	return 0;
}

/* fmt.Sscanf("%o") of the value's text: an octal number. */
static int fn_to_decimal(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	str s;
	int64_t i = 0;
	int r = tmpl_strval(c, args[0], &s);

	(void)n;
	if (r < 0)
		return r;
	if (!go_parse_int(s, 8, &i))
		i = 0;
	*ret = tval_int64(i);
	return 0;
}

#define FROM_ANY { &tt_any }, false

static const struct tmpl_fn rows[] = {
	{ "atoi", fn_atoi, { &tt_string }, false, &tt_int, "the integer that the string spells, 0 when none" },
	{ "float64", fn_float64, FROM_ANY, &tt_float64, "the value as a floating-point number, 0 when it is none" },
	{ "int", fn_int, FROM_ANY, &tt_int, "the value as an integer, 0 when it is none" },
	{ "int64", fn_int64, FROM_ANY, &tt_int64, "the value as an integer, 0 when it is none" },
	{ "toDecimal", fn_to_decimal, FROM_ANY, &tt_int64, "the octal number that the value's text spells" },
};
TMPL_FN_FAMILY(fn_conv, rows);
