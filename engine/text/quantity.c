/* Reads, rounds and prints quantities. */
#include "text/quantity.h"

#include "base/ascii.h"
#include "base/assert.h"
#include "base/number.h"
#include "text/decimal.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>

#define FORMAT_WRONG "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
#define INT_DIGITS 18 /* the number of decimal digits that every int64 can hold */
#define NANO (-9)

static const struct suffix {
	const char *text;
	int base;
	int exponent;
} suffixes[] = {
	{ "n", 10, -9 }, { "u", 10, -6 }, { "m", 10, -3 }, { "", 10, 0 },   { "k", 10, 3 },  { "M", 10, 6 },
	{ "G", 10, 9 },  { "T", 10, 12 }, { "P", 10, 15 }, { "E", 10, 18 }, { "Ki", 2, 10 }, { "Mi", 2, 20 },
	{ "Gi", 2, 30 }, { "Ti", 2, 40 }, { "Pi", 2, 50 }, { "Ei", 2, 60 },
};

const char *quantity_format_name(enum quantity_format f)
{
	static const char *const names[] = { "DecimalSI", "BinarySI", "DecimalExponent" };

	_Static_assert(ARRAY_LEN(names) == QUANTITY_FORMATS, "ORDER quantity_format");
	ASSERT(f < QUANTITY_FORMATS);
	return names[f];
}

struct quantity quantity_from_int(int64_t i)
{
	return (struct quantity){ .format = QUANTITY_DECIMAL_SI, .value = i };
}

static bool to_decimal(const struct quantity *q, struct arena *a, struct decimal *ret)
{
	if (!q->big)
		return decimal_from_int(q->value, q->exponent, a, ret);
	*ret = (struct decimal){ .negative = q->negative, .digits = q->digits, .exponent = q->exponent };
	return true;
}

static void set_decimal(struct quantity *q, const struct decimal *d)
{
	q->big = true;
	q->negative = d->negative;
	q->digits = d->digits;
	q->exponent = d->exponent;
	q->text = STR("");
}

/* ---- parsing ---- */

struct parts {
	bool negative;
	str value; /* sign, digits and point as written */
	str num, denom, suffix;
};

static size_t span(str s, size_t at, const char *set)
{
	size_t n = at;

	while (n < s.n && s.p[n] != '\0' && strchr(set, s.p[n]))
		n++;
	return n;
}

static int split(str s, struct parts *p, struct err *err)
{
	static const char digits[] = "0123456789";
	size_t at = s.n > 0 && (s.p[0] == '-' || s.p[0] == '+'), end, suffix;

	*p = (struct parts){ .negative = at && s.p[0] == '-', .num = STR("0"), .denom = STR(""), .suffix = STR("") };
	p->value = STR("0");
	at = span(s, at, "0");
	if (at == s.n)
		return 0;
	end = span(s, at, digits);
	if (end > at)
		p->num = str_sub(s, at, end);
	at = end;
	if (at < s.n && s.p[at] == '.') {
		end = span(s, at + 1, digits);
		p->denom = str_sub(s, at + 1, end);
		at = end;
	}
	p->value = str_sub(s, 0, at);
	suffix = at;
	at = span(s, at, "eEinumkKMGTP");
	if (at < s.n && (s.p[at] == '-' || s.p[at] == '+'))
		at++;
	at = span(s, at, digits);
	if (at < s.n)
		return err_set(err, EBADMSG, FORMAT_WRONG);
	p->suffix = str_sub(s, suffix, s.n);
	return 0;
}

static bool interpret(str s, int *base, int64_t *exponent, enum quantity_format *format)
{
	for (size_t i = 0; i < ARRAY_LEN(suffixes); i++) {
		if (!str_eq(s, str_from(suffixes[i].text)))
			continue;
		*base = suffixes[i].base;
		*exponent = suffixes[i].exponent;
		*format = *base == 2 ? QUANTITY_BINARY_SI : QUANTITY_DECIMAL_SI;
		return true;
	}
	if (s.n < 2 || (s.p[0] != 'e' && s.p[0] != 'E') || !int64_parse(str_sub(s, 1, s.n), exponent))
		return false;
	*base = 10;
	*exponent = (int32_t)*exponent; /* Go cuts it in the same way */
	*format = QUANTITY_DECIMAL_EXPONENT;
	return true;
}

static bool ends_in_thousands(str num, str denom)
{
	size_t zeros = 0;

	while (zeros < 3 && zeros < denom.n && denom.p[denom.n - 1 - zeros] == '0')
		zeros++;
	if (zeros == denom.n) {
		for (size_t i = 0; zeros < 3 && i < num.n && num.p[num.n - 1 - i] == '0'; i++)
			zeros++;
	}
	return zeros == 3;
}

/* Read the form with an int64, when it has room for the digits. False: use the other form. */
static bool parse_small(str s, const struct parts *p, int base, int64_t exponent, struct quantity *q)
{
	int64_t scale = base == 10 ? exponent : 0, precision, digits = 0, value;

	if (base == 10)
		precision = INT_DIGITS - (int64_t)(p->num.n + p->denom.n);
	else if (p->denom.n == 0)
		precision = 15 - (int64_t)p->num.n - exponent * 3 / 10 - 1;
	else
		precision = -1;
	scale -= (int64_t)p->denom.n;
	if (precision < 0 || scale < NANO)
		return false;
	for (size_t i = 0; i < p->num.n + p->denom.n; i++)
		digits = digits * 10 + ((i < p->num.n ? p->num.p[i] : p->denom.p[i - p->num.n]) - '0');
	if (__builtin_mul_overflow(digits, base == 2 ? (int64_t)1 << exponent : 1, &value))
		return false;
	q->value = p->negative ? -value : value;
	q->exponent = scale;
	if (base == 2 ? (digits & 7) != 0
		      : scale % 3 == 0 && !ends_in_thousands(p->num, p->denom) && p->num.p[0] != '0')
		q->text = s;
	return true;
}

/* The digits of "value" without sign, point and leading zeros. */
static bool written_digits(const struct parts *p, struct arena *a, struct decimal *ret)
{
	str num = str_eq(p->num, STR("0")) ? STR("") : p->num;
	size_t n = num.n + p->denom.n, zeros = 0;
	char *digits = n <= DECIMAL_DIGITS_MAX ? arena_alloc(a, n) : NULL;

	if (!digits)
		return false;
	if (num.n)
		memcpy(digits, num.p, num.n);
	if (p->denom.n)
		memcpy(digits + num.n, p->denom.p, p->denom.n);
	while (zeros < n && digits[zeros] == '0')
		zeros++;
	*ret = (struct decimal){ .digits = { digits + zeros, n - zeros }, .exponent = -(int64_t)p->denom.n };
	return true;
}

static bool parse_big(const struct parts *p, int base, int64_t exponent, struct arena *a, struct quantity *q)
{
	struct decimal d, one = { .digits = STR("1") }, max = { .digits = STR("9223372036854775807") };

	if (!written_digits(p, a, &d))
		return false;
	if (base == 10)
		d.exponent += exponent;
	for (int64_t left = base == 2 ? exponent : 0; left > 0; left -= 30) {
		if (!decimal_multiply(&d, 1u << (left < 30 ? left : 30), a, &d))
			return false;
	}
	/* A value that is too small becomes the smallest that can be kept. */
	if (d.digits.n > 0 && !decimal_round_up(&d, NANO, a, &d))
		return false;
	if (q->format == QUANTITY_BINARY_SI && decimal_compare_abs(&d, &max) > 0)
		d = max;
	if (q->format == QUANTITY_BINARY_SI && d.digits.n > 0 && decimal_compare_abs(&d, &one) < 0)
		q->format = QUANTITY_DECIMAL_SI;
	d.negative = p->negative && d.digits.n > 0;
	set_decimal(q, &d);
	return true;
}

static int too_many_digits(struct err *err)
{
	return err_set(err, E2BIG, "quantity: no memory, or more than %d digits", DECIMAL_DIGITS_MAX);
}

static bool has_digit(str s)
{
	return s.n > 0 && (ascii_is_digit(s.p[s.n - 1]) || (s.n > 1 && ascii_is_digit(s.p[s.n - 2])));
}

int quantity_parse(str s, struct arena *a, struct quantity *ret, struct err *err)
{
	struct quantity q = { .text = STR("") };
	struct parts p;
	int64_t exponent;
	int base, r;

	if (s.n == 0)
		return err_set(err, EBADMSG, FORMAT_WRONG);
	if (s.n > DECIMAL_DIGITS_MAX)
		return too_many_digits(err);
	r = split(s, &p, err);
	if (r < 0)
		return r;
	if (!interpret(p.suffix, &base, &exponent, &q.format))
		return err_set(err, EBADMSG, "unable to parse quantity's suffix");
	if (!parse_small(s, &p, base, exponent, &q)) {
		if (!has_digit(p.value)) /* the form with an int64 takes this for 0 */
			return err_set(err, EBADMSG, "unable to parse numeric part of quantity");
		if (!parse_big(&p, base, exponent, a, &q))
			return too_many_digits(err);
	}
	if (q.text.n > 0) {
		q.text = arena_str(a, q.text);
		if (!q.text.p)
			return err_nomem(err);
	}
	*ret = q;
	return 0;
}

/* ---- printing ---- */

static void add_suffix(enum quantity_format format, int base, int64_t exponent, struct buf *out)
{
	if (format == QUANTITY_DECIMAL_EXPONENT) {
		if (exponent != 0)
			buf_printf(out, "e%" PRId64, exponent);
		return;
	}
	/* Beyond the largest suffix the original writes none, and so does this function. */
	for (size_t i = 0; i < ARRAY_LEN(suffixes); i++) {
		if (suffixes[i].base == base && suffixes[i].exponent == exponent)
			buf_add_cstr(out, suffixes[i].text);
	}
}

/* Append the digits and the largest exponent that is a multiple of 3. */
static void write_decimal(const struct decimal *d, enum quantity_format format, struct buf *out)
{
	str digits = d->digits;
	int64_t exponent = d->exponent;

	while (digits.n > 1 && digits.p[digits.n - 1] == '0') {
		digits.n--;
		exponent++;
	}
	if (d->negative)
		buf_add_byte(out, '-');
	buf_add_str(out, digits);
	for (; exponent % 3 != 0; exponent--)
		buf_add_byte(out, '0');
	add_suffix(format, 10, exponent, out);
}

static bool write_binary(const struct decimal *whole, struct arena *a, struct buf *out)
{
	str digits = whole->digits, quotient;
	int64_t times = 0;
	uint32_t rest;

	for (;;) {
		if (!decimal_divide(digits, 1024, a, &quotient, &rest))
			return false;
		if (rest != 0)
			break;
		digits = quotient;
		times++;
	}
	if (whole->negative)
		buf_add_byte(out, '-');
	buf_add_str(out, digits);
	if (times > 0)
		add_suffix(QUANTITY_BINARY_SI, 2, times * 10, out);
	return true;
}

void quantity_string(const struct quantity *q, struct arena *a, struct buf *out)
{
	struct decimal d, whole, kibi = { .digits = STR("1024") };
	enum quantity_format format = q->format;

	if (q->text.n > 0) {
		buf_add_str(out, q->text);
		return;
	}
	if (quantity_sign(q) == 0) {
		buf_add_byte(out, '0');
		return;
	}
	if (!to_decimal(q, a, &d)) {
		out->error = out->error ? out->error : -ENOMEM;
		return;
	}
	/* Small or fractional numbers are shown in thousandths rather than rounded. */
	if (format == QUANTITY_BINARY_SI) {
		bool memory = decimal_round_up(&d, 0, a, &whole);

		if (memory && decimal_compare_abs(&d, &kibi) >= 0 && decimal_compare(&whole, &d) == 0)
			memory = write_binary(&whole, a, out);
		else
			format = QUANTITY_DECIMAL_SI;
		if (!memory)
			out->error = out->error ? out->error : -E2BIG;
	}
	if (format != QUANTITY_BINARY_SI)
		write_decimal(&d, format, out);
}

void quantity_dec_string(const struct quantity *q, struct buf *out)
{
	char text[24];
	str digits = q->digits;
	bool negative = q->big ? q->negative : q->value < 0;
	int64_t point;

	if (!q->big) {
		uint64_t abs = q->value < 0 ? 0 - (uint64_t)q->value : (uint64_t)q->value;
		size_t at = sizeof(text);

		for (; abs > 0; abs /= 10)
			text[--at] = (char)('0' + abs % 10);
		digits = (str){ text + at, sizeof(text) - at };
	}
	if (digits.n == 0)
		digits = STR("0");
	if (negative)
		buf_add_byte(out, '-');
	if (q->exponent >= 0) {
		buf_add_str(out, digits);
		if (quantity_sign(q) != 0)
			buf_fill(out, '0', (size_t)q->exponent);
		return;
	}
	point = (int64_t)digits.n + q->exponent;
	if (point > 0) {
		buf_add_str(out, str_sub(digits, 0, (size_t)point));
		buf_add_byte(out, '.');
		buf_add_str(out, str_sub(digits, (size_t)point, digits.n));
		return;
	}
	buf_add_cstr(out, "0.");
	buf_fill(out, '0', (size_t)-point);
	buf_add_str(out, digits);
}

/* ---- numbers ---- */

int quantity_sign(const struct quantity *q)
{
	if (q->big)
		return q->digits.n == 0 ? 0 : q->negative ? -1 : 1;
	return (q->value > 0) - (q->value < 0);
}

/* Compute value x 10^scale. On overflow the result is that of Go's product: wrapped for the powers that it handles,
 * else 0. */
static bool scale_up(int64_t value, int64_t scale, int64_t *ret)
{
	static const struct {
		int64_t scale, factor;
	} direct[] = { { 1, 10 }, { 2, 100 }, { 3, 1000 }, { 6, 1000000 }, { 9, 1000000000 } };

	*ret = value;
	if (scale == 0 || value == 0)
		return true;
	for (size_t i = 0; i < ARRAY_LEN(direct); i++) {
		if (direct[i].scale != scale)
			continue;
		if (value == INT64_MIN) {
			*ret = 0;
			return false;
		}
		return !__builtin_mul_overflow(value, direct[i].factor, ret);
	}
	for (int64_t i = 0; i < scale; i++) {
		if (*ret == INT64_MIN || __builtin_mul_overflow(*ret, 10, ret)) {
			*ret = 0;
			return false;
		}
	}
	return true;
}

/* value / 10^scale, away from zero. */
static int64_t scale_down(int64_t value, int64_t scale)
{
	bool fraction = false;
	int sign = value < 0 ? -1 : 1;

	for (int64_t i = 0; i < scale && value != 0; i++) {
		fraction |= value % 10 != 0;
		value /= 10;
	}
	return fraction ? value + sign : value;
}

static int64_t pow10_int(int64_t n)
{
	int64_t p = 1;

	if (n > 18)
		return INT64_MIN; /* the result of amd64 for a double that is too large */
	while (n-- > 0)
		p *= 10;
	return p;
}

/* scaledValue of apimachinery for the big form; @dif digits are removed (negative: added). */
static int64_t big_scaled(const struct quantity *q, int64_t dif)
{
	struct decimal d = { .negative = q->negative, .digits = q->digits };
	int64_t low = decimal_low_bits(&d), divisor;
	struct decimal max = { .digits = STR("9223372036854775807") };
	bool rest = false;

	if (dif <= 0)
		return (int64_t)((uint64_t)low * (uint64_t)pow10_int(-dif));
	if (dif < 19 && decimal_compare(&d, &max) < 0) {
		divisor = pow10_int(dif);
		return low / divisor + (low % divisor != 0);
	}
	for (size_t i = dif < (int64_t)d.digits.n ? d.digits.n - (size_t)dif : 0; i < d.digits.n; i++)
		rest |= d.digits.p[i] != '0';
	d.digits.n = dif < (int64_t)d.digits.n ? d.digits.n - (size_t)dif : 0;
	low = decimal_low_bits(&d);
	/* Euclidean division goes down for a negative number, and the remainder then adds one. */
	return d.negative ? low : (int64_t)((uint64_t)low + rest);
}

static int64_t scaled(const struct quantity *q, int64_t scale)
{
	int64_t result, dif = q->exponent - scale;

	if (q->big)
		return big_scaled(q, -dif);
	if (dif < 0)
		return scale_down(q->value, -dif);
	(void)scale_up(q->value, dif, &result);
	return result;
}

int64_t quantity_value(const struct quantity *q)
{
	return scaled(q, 0);
}

int64_t quantity_milli_value(const struct quantity *q)
{
	return scaled(q, -3);
}

bool quantity_as_int(const struct quantity *q, int64_t *ret)
{
	return !q->big && q->exponent >= 0 && scale_up(q->value, q->exponent, ret);
}

/* math.Pow10, digit for digit: two table entries, multiplied or divided. */
static double go_pow10(int64_t n)
{
	static const double small[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10,
					1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21,
					1e22, 1e23, 1e24, 1e25, 1e26, 1e27, 1e28, 1e29, 1e30, 1e31 };
	static const double large[] = { 1e0, 1e32, 1e64, 1e96, 1e128, 1e160, 1e192, 1e224, 1e256, 1e288 };
	static const double tiny[] = {
		1e0, 1e-32, 1e-64, 1e-96, 1e-128, 1e-160, 1e-192, 1e-224, 1e-256, 1e-288, 1e-320
	};

	_Static_assert(ARRAY_LEN(small) == 32 && ARRAY_LEN(large) == 308 / 32 + 1 && ARRAY_LEN(tiny) == 323 / 32 + 1,
		       "each power is an entry of one table times or divided by one of the other");
	if (n >= 0 && n <= 308)
		return large[n / 32] * small[n % 32];
	if (n < 0 && n >= -323)
		return tiny[-n / 32] / small[-n % 32];
	return n > 0 ? (double)INFINITY : 0;
}

double quantity_as_float(const struct quantity *q)
{
	double base = (double)q->value;

	if (q->big) {
		if (!double_parse(q->digits.n > 0 ? q->digits : STR("0"), &base))
			base = (double)NAN;
		if (q->negative)
			base = -base;
	}
	return q->exponent == 0 ? base : base * go_pow10(q->exponent);
}

int quantity_compare(const struct quantity *a, const struct quantity *b)
{
	struct arena scratch;
	struct decimal x, y;
	int r = 0;

	if (!a->big && !b->big && a->exponent == b->exponent)
		return (a->value > b->value) - (a->value < b->value);
	arena_init(&scratch, 128, 0);
	if (to_decimal(a, &scratch, &x) && to_decimal(b, &scratch, &y))
		r = decimal_compare(&x, &y);
	arena_done(&scratch);
	return (r > 0) - (r < 0);
}

/* ---- sums ---- */

static bool add_small(struct quantity *q, int64_t value, int64_t exponent)
{
	int64_t x = q->value, y = value;

	if (value == 0)
		return true;
	if (q->value == 0) {
		q->value = value;
		q->exponent = exponent;
		return true;
	}
	if (q->exponent > exponent ? !scale_up(x, q->exponent - exponent, &x)
				   : !scale_up(y, exponent - q->exponent, &y))
		return false;
	if (__builtin_add_overflow(x, y, &x))
		return false;
	q->value = x;
	q->exponent = q->exponent < exponent ? q->exponent : exponent;
	return true;
}

static int sum(const struct quantity *x, const struct quantity *y, bool negate, struct arena *a, struct quantity *ret,
	       struct err *err)
{
	struct quantity q = *x;
	struct decimal dx, dy, total;
	int64_t value = y->value;

	q.text = STR("");
	if (quantity_sign(&q) == 0)
		q.format = y->format;
	if (!x->big && !y->big && (!negate || !__builtin_sub_overflow(0, y->value, &value)) &&
	    add_small(&q, value, y->exponent)) {
		*ret = q;
		return 0;
	}
	if (!to_decimal(x, a, &dx) || !to_decimal(y, a, &dy))
		return too_many_digits(err);
	dy.negative ^= negate;
	if (!decimal_add(&dx, &dy, a, &total))
		return too_many_digits(err);
	set_decimal(&q, &total);
	*ret = q;
	return 0;
}

int quantity_add(const struct quantity *x, const struct quantity *y, struct arena *a, struct quantity *ret,
		 struct err *err)
{
	return sum(x, y, false, a, ret, err);
}

int quantity_sub(const struct quantity *x, const struct quantity *y, struct arena *a, struct quantity *ret,
		 struct err *err)
{
	return sum(x, y, true, a, ret, err);
}
