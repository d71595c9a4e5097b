#include "template/fn/cast.h"

#include "template/fn/fn.h"

#include <errno.h>
#include <math.h>

static char lower(char c)
{
	return (char)(c | 0x20);
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* An underscore stands between two digits; a base prefix counts as one. */
static bool underscores_ok(str s)
{
	char seen = '^';
	bool hex = false;
	size_t i = 0;

	if (s.n && (s.p[0] == '-' || s.p[0] == '+'))
		i = 1;
	if (s.n >= i + 2 && s.p[i] == '0' &&
	    (lower(s.p[i + 1]) == 'b' || lower(s.p[i + 1]) == 'o' || lower(s.p[i + 1]) == 'x')) {
		seen = '0';
		hex = lower(s.p[i + 1]) == 'x';
		i += 2;
	}
	for (; i < s.n; i++) {
		char c = s.p[i];

		if (is_digit(c) || (hex && lower(c) >= 'a' && lower(c) <= 'f')) {
			seen = '0';
		} else if (c == '_') {
			if (seen != '0')
				return false;
			seen = '_';
		} else {
			if (seen == '_')
				return false;
			seen = '!';
		}
	}
	return seen != '_';
}

/* The base that a literal's prefix names; *s is cut behind it. */
static unsigned literal_base(str *s)
{
	if (s->p[0] != '0')
		return 10;
	if (s->n >= 3) {
		char c = lower(s->p[1]);
		unsigned base = c == 'x' ? 16 : c == 'o' ? 8 : c == 'b' ? 2 : 0;

		if (base) {
			*s = str_sub(*s, 2, s->n);
			return base;
		}
	}
	*s = str_sub(*s, 1, s->n);
	return 8;
}

static bool digit_of(char c, unsigned base, unsigned *ret)
{
	unsigned d = is_digit(c)                          ? (unsigned)(c - '0')
		     : lower(c) >= 'a' && lower(c) <= 'z' ? (unsigned)(lower(c) - 'a') + 10
							  : 99;
	*ret = d;
	return d < base;
}

static bool parse_uint(str s, unsigned base, uint64_t *ret)
{
	str whole = s;
	bool literal = base == 0;
	bool underscores = false;
	uint64_t v = 0;

	if (!s.n)
		return false;
	if (literal)
		base = literal_base(&s);
	for (size_t i = 0; i < s.n; i++) {
		unsigned d;

		if (literal && s.p[i] == '_') {
			underscores = true;
			continue;
		}
		if (!digit_of(s.p[i], base, &d) || __builtin_mul_overflow(v, base, &v) ||
		    __builtin_add_overflow(v, d, &v))
			return false;
	}
	if (underscores && !underscores_ok(whole))
		return false;
	*ret = v;
	return true;
}

bool cast_parse_int(str s, unsigned base, int64_t *ret)
{
	bool negative = s.n && s.p[0] == '-';
	uint64_t u;

	if (s.n && (s.p[0] == '-' || s.p[0] == '+'))
		s = str_sub(s, 1, s.n);
	if (!parse_uint(s, base, &u) || u > (uint64_t)INT64_MAX + negative)
		return false;
	*ret = (int64_t)(negative ? 0 - u : u);
	return true;
}

/* ParseFloat's special words; 0 when @s is none. */
static bool special_float(str s, double *ret)
{
	double sign = 1;

	if (str_eq_nocase(s, STR("nan"))) {
		*ret = (double)NAN;
		return true;
	}
	if (s.n && (s.p[0] == '-' || s.p[0] == '+')) {
		sign = s.p[0] == '-' ? -1 : 1;
		s = str_sub(s, 1, s.n);
	}
	if (!str_eq_nocase(s, STR("inf")) && !str_eq_nocase(s, STR("infinity")))
		return false;
	*ret = sign * (double)INFINITY;
	return true;
}

static size_t skip_digits(str s, size_t i, bool hex, bool *seen)
{
	for (; i < s.n; i++) {
		if (is_digit(s.p[i]) || (hex && lower(s.p[i]) >= 'a' && lower(s.p[i]) <= 'f'))
			*seen = true;
		else if (s.p[i] != '_')
			break;
	}
	return i;
}

/* [sign] (digits [. digits] | . digits) [exponent], hexadecimal with a binary exponent; underscores are checked
 * elsewhere. */
static bool float_syntax(str s, bool *hex)
{
	bool digits = false;
	size_t i = s.n && (s.p[0] == '-' || s.p[0] == '+');

	*hex = s.n > i + 2 && s.p[i] == '0' && lower(s.p[i + 1]) == 'x';
	if (*hex)
		i += 2;
	i = skip_digits(s, i, *hex, &digits);
	if (i < s.n && s.p[i] == '.')
		i = skip_digits(s, i + 1, *hex, &digits);
	if (!digits)
		return false;
	if (i < s.n && lower(s.p[i]) == (*hex ? 'p' : 'e')) {
		i++;
		if (i < s.n && (s.p[i] == '-' || s.p[i] == '+'))
			i++;
		if (i >= s.n || !is_digit(s.p[i]))
			return false;
		i = skip_digits(s, i, false, &digits);
	} else if (*hex) {
		return false;
	}
	return i == s.n;
}

int cast_parse_float(str s, double *ret)
{
	CLEANUP(freep) char *large = NULL;
	char small[64], *copy = small;
	size_t n = 0;
	bool hex;
	double d;

	if (special_float(s, ret))
		return 1;
	if (!float_syntax(s, &hex) || (memchr(s.p, '_', s.n) && !underscores_ok(s)))
		return 0;
	if (s.n >= sizeof(small))
		copy = large = malloc(s.n + 1);
	if (!copy)
		return -ENOMEM;
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] != '_')
			copy[n++] = s.p[i];
	copy[n] = '\0';
	d = strtod(copy, NULL); /* exact, also for hexadecimal; the program keeps the locale "C" */
	if (isinf(d))
		return 0;
	*ret = d;
	return 1;
}

int64_t cast_float_to_int64(double d)
{
	return d >= -9223372036854775808.0 && d < 9223372036854775808.0 ? (int64_t)d : INT64_MIN;
}

/* "5.00" is the integer 5: a fraction of zeros is cut. A lone point stays. */
static str trim_zero_fraction(str s)
{
	bool zero = false;

	for (size_t i = s.n; i > 0; i--) {
		if (s.p[i - 1] == '.')
			return zero ? str_sub(s, 0, i - 1) : s;
		if (s.p[i - 1] != '0')
			return s;
		zero = true;
	}
	return s;
}

/* cast knows Go's basic types and time's two enumerations; a named type of another package is not a number. */
static bool is_basic(tval v)
{
	return v.type == &tt_int || v.type == &tt_int32 || v.type == &tt_int64 || v.type == &tt_uint ||
	       v.type == &tt_uint8 || v.type == &tt_uint32 || v.type == &tt_uint64 ||
	       strcmp(v.type->name, "time.Month") == 0 || strcmp(v.type->name, "time.Weekday") == 0;
}

int64_t cast_int64(tval v)
{
	int64_t i;

	if (!v.type)
		return 0;
	if (v.type == &tt_bool)
		return v.b;
	if (v.type == &tt_float64)
		return cast_float_to_int64(v.d);
	if (v.type == &tt_string)
		return cast_parse_int(trim_zero_fraction(v.s), 0, &i) ? i : 0;
	if (!is_basic(v))
		return 0;
	return tkind_is_uint(v.type->kind) ? (int64_t)v.u : v.i;
}

int cast_float64(struct tmpl_call *c, tval v, double *ret)
{
	double d = 0;

	if (!v.type)
		d = 0;
	else if (v.type == &tt_bool)
		d = v.b;
	else if (v.type == &tt_float64)
		d = v.d;
	else if (v.type == &tt_string && cast_parse_float(v.s, &d) < 0)
		return tmpl_nomem(c);
	else if (is_basic(v))
		d = tkind_is_uint(v.type->kind) ? (double)v.u : (double)v.i;
	*ret = d;
	return 0;
}
