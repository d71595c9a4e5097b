/* Reads and writes numbers as Go's strconv does. */
#include "go/strconv.h"

#include "base/ascii.h"
#include "base/number.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>

/* ---- reading ---- */

static char lower(char c)
{
	return (char)(c | 0x20);
}

/* Whether each underscore is between two digits; a base prefix counts as one. */
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

		if (ascii_is_digit(c) || (hex && lower(c) >= 'a' && lower(c) <= 'f')) {
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

/* The base that a literal's prefix names; *s moves behind the prefix. */
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
	unsigned d = ascii_is_digit(c)                    ? (unsigned)(c - '0')
		     : lower(c) >= 'a' && lower(c) <= 'z' ? (unsigned)(lower(c) - 'a') + 10
							  : 99;
	*ret = d;
	return d < base;
}

bool go_parse_uint(str s, unsigned base, uint64_t *ret)
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

bool go_parse_int(str s, unsigned base, int64_t *ret)
{
	bool negative = s.n && s.p[0] == '-';
	uint64_t u;

	if (base == 10)
		return int64_parse(s, ret);
	if (s.n && (s.p[0] == '-' || s.p[0] == '+'))
		s = str_sub(s, 1, s.n);
	if (!go_parse_uint(s, base, &u) || u > (uint64_t)INT64_MAX + negative)
		return false;
	*ret = (int64_t)(negative ? 0 - u : u);
	return true;
}

/* Read the special words of ParseFloat. */
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
		if (ascii_is_digit(s.p[i]) || (hex && lower(s.p[i]) >= 'a' && lower(s.p[i]) <= 'f'))
			*seen = true;
		else if (s.p[i] != '_')
			break;
	}
	return i;
}

/* Check the syntax [sign] (digits [. digits] | . digits) [exponent], hexadecimal with a binary exponent; underscores
 * are checked elsewhere. */
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
		if (i >= s.n || !ascii_is_digit(s.p[i]))
			return false;
		i = skip_digits(s, i, false, &digits);
	} else if (*hex) {
		return false;
	}
	return i == s.n;
}

int go_parse_float(str s, double *ret)
{
	CLEANUP(freep) char *large = NULL;
	char small[64], *copy = small;
	size_t n = 0;
	bool hex;
	double d;

	if (special_float(s, ret))
		return 0;
	if (!float_syntax(s, &hex) || (memchr(s.p, '_', s.n) && !underscores_ok(s)))
		return -EINVAL;
	if (s.n >= sizeof(small))
		/* NOLINTNEXTLINE(clang-analyzer-deadcode.DeadStores): CLEANUP releases it */
		large = copy = malloc(s.n + 1);
	if (!copy)
		return -ENOMEM;
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] != '_')
			copy[n++] = s.p[i];
	copy[n] = '\0';
	d = strtod(copy, NULL); /* exact, also for hexadecimal; the program keeps the locale "C" */
	if (isinf(d))
		return -ERANGE;
	*ret = d;
	return 0;
}

int64_t go_float_to_int64(double d)
{
	return d >= -9223372036854775808.0 && d < 9223372036854775808.0 ? (int64_t)d : INT64_MIN;
}

uint64_t go_float_to_uint64(double d)
{
	if (d >= 0x1p63)
		return (uint64_t)go_float_to_int64(d - 0x1p63) ^ UINT64_C(1) << 63;
	return (uint64_t)go_float_to_int64(d);
}

/* ---- writing ---- */

#define FRACTION_BITS 52
#define EXPONENT_BIAS 1023

static void split_double(double d, uint64_t *mantissa, int *exponent)
{
	uint64_t bits;

	memcpy(&bits, &d, sizeof(bits));
	*mantissa = bits & ((1ull << FRACTION_BITS) - 1);
	*exponent = (int)(bits >> FRACTION_BITS & 0x7ff);
	if (*exponent == 0)
		*exponent = 1;
	else
		*mantissa |= 1ull << FRACTION_BITS;
	*exponent -= EXPONENT_BIAS;
}

/* Append mantissa p exponent, both decimal. */
static void format_b(struct buf *out, double d)
{
	uint64_t mantissa;
	int exponent;

	split_double(d, &mantissa, &exponent);
	buf_printf(out, "%s%llup%+d", signbit(d) ? "-" : "", (unsigned long long)mantissa, exponent - FRACTION_BITS);
}

/* Append a number such as 0x1.8p+01. */
static void format_x(struct buf *out, double d, bool upper, int prec)
{
	const char *digits = upper ? "0123456789ABCDEF" : "0123456789abcdef";
	uint64_t mantissa;
	int exponent;

	split_double(d, &mantissa, &exponent);
	if (mantissa == 0)
		exponent = 0;
	mantissa <<= 60 - FRACTION_BITS;
	while (mantissa != 0 && !(mantissa & 1ull << 60)) {
		mantissa <<= 1;
		exponent--;
	}
	if (prec >= 0 && prec < 15) {
		unsigned shift = (unsigned)prec * 4;
		uint64_t extra = (mantissa << shift) & ((1ull << 60) - 1);

		mantissa >>= 60 - shift;
		mantissa += (extra | (mantissa & 1)) > 1ull << 59;
		mantissa <<= 60 - shift;
		if (mantissa & 1ull << 61) {
			mantissa >>= 1;
			exponent++;
		}
	}
	buf_printf(out, "%s0%c%c", signbit(d) ? "-" : "", upper ? 'X' : 'x', '0' + (int)(mantissa >> 60 & 1));
	mantissa <<= 4;
	if (prec > 0 || (prec < 0 && mantissa != 0))
		buf_add_byte(out, '.');
	for (int i = 0; prec < 0 ? mantissa != 0 : i < prec; i++) {
		buf_add_byte(out, digits[mantissa >> 60]);
		mantissa <<= 4;
	}
	buf_printf(out, "%c%c%02d", upper ? 'P' : 'p', exponent < 0 ? '-' : '+', abs(exponent));
}

/* Append digits as d.ddd e+dd. */
static void shortest_e(struct buf *out, const char *digits, size_t n, int exponent, char letter)
{
	exponent -= n == 1 && digits[0] == '0' ? exponent : 1;
	/* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): there is a digit at least */
	buf_add_byte(out, digits[0]);
	if (n > 1)
		buf_add_byte(out, '.');
	buf_add(out, digits + 1, n - 1);
	buf_printf(out, "%c%c%02d", letter, exponent < 0 ? '-' : '+', abs(exponent));
}

static void shortest_f(struct buf *out, const char *digits, size_t n, int exponent)
{
	if (exponent <= 0) {
		buf_add_byte(out, '0');
	} else {
		size_t whole = (size_t)exponent < n ? (size_t)exponent : n;

		buf_add(out, digits, whole);
		buf_fill(out, '0', (size_t)exponent - whole);
	}
	if ((int)n > exponent && !(n == 1 && digits[0] == '0')) {
		buf_add_byte(out, '.');
		if (exponent < 0)
			buf_fill(out, '0', (size_t)-exponent);
		buf_add(out, digits + (exponent > 0 ? exponent : 0), n - (size_t)(exponent > 0 ? exponent : 0));
	}
}

#define SHORTEST_G_EXPONENT 6 /* %g of the shortest digits turns to exponents here */

/* Append d = 0.@digits x 10^@exponent with the fewest digits, by %e, %f or %g. */
static void shortest(struct buf *out, bool negative, const char *digits, size_t n, int exponent, char fmt)
{
	bool zero = n == 1 && digits[0] == '0';
	bool large = exponent - 1 < -4 || exponent - 1 >= SHORTEST_G_EXPONENT;

	if (negative)
		buf_add_byte(out, '-');
	if (fmt == 'e' || fmt == 'E' || (fmt != 'f' && !zero && large))
		shortest_e(out, digits, n, exponent, fmt == 'E' || fmt == 'G' ? 'E' : 'e');
	else
		shortest_f(out, digits, n, exponent);
}

static void format_exact(struct buf *out, double d, char fmt, int prec)
{
	char spec[] = { '%', '.', '*', fmt, '\0' };
	int n = snprintf(NULL, 0, spec, prec, d);
	char *to = n < 0 ? NULL : buf_reserve(out, (size_t)n);

	if (!to)
		return;
	(void)snprintf(to, (size_t)n + 1, spec, prec, d);
	buf_commit(out, (size_t)n);
}

/* Append a NaN or an infinity; false when @d is finite. */
static bool special_text(struct buf *out, double d)
{
	if (isfinite(d))
		return false;
	buf_add_cstr(out, isnan(d) ? "NaN" : d < 0 ? "-Inf" : "+Inf");
	return true;
}

void go_format_float(struct buf *out, double d, char fmt, int prec)
{
	char digits[DOUBLE_DIGITS_MAX + 2];
	int exponent;
	size_t n;

	if (special_text(out, d))
		return;
	if (fmt == 'b') {
		format_b(out, d);
	} else if (fmt == 'x' || fmt == 'X') {
		format_x(out, d, fmt == 'X', prec);
	} else if (prec < 0) {
		n = double_digits(d, digits, &exponent);
		shortest(out, signbit(d), digits, n, exponent, fmt);
	} else {
		format_exact(out, d, fmt, prec);
	}
}

void go_format_float32(struct buf *out, double d)
{
	float f = (float)d, size = fabsf(f);
	char text[32], digits[FLT_DECIMAL_DIG + 1];
	int precision = 1, exponent;
	size_t n = 0;

	if (special_text(out, (double)f))
		return;
	do
		(void)snprintf(text, sizeof(text), "%.*e", precision - 1, (double)size);
	while (strtof(text, NULL) != size && ++precision <= FLT_DECIMAL_DIG);
	exponent = (int)strtol(strchr(text, 'e') + 1, NULL, 10) + 1;
	for (const char *p = text; *p != 'e'; p++) {
		if (*p != '.')
			digits[n++] = *p;
	}
	shortest(out, signbit(f), digits, n, exponent, 'g');
}
