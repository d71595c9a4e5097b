/* strconv's output side: quoting, and floating-point numbers. */
#include "template/tmpl_print.h"

#include "base/number.h"
#include "base/unicode.h"
#include "base/utf8.h"

#include <math.h>
#include <stdio.h>

/* ---- quoting ---- */

static void add_char(struct buf *out, uint32_t c)
{
	char utf8[UTF8_MAX_BYTES];

	buf_add(out, utf8, utf8_encode(c, utf8));
}

static void escaped_char(struct buf *out, uint32_t c, char quote, bool ascii)
{
	static const char controls[] = "\a\b\f\n\r\t\v", letters[] = "abfnrtv";
	const char *at;

	if (c == (uint32_t)quote || c == '\\') {
		buf_add_byte(out, '\\');
		buf_add_byte(out, (char)c);
	} else if (ascii ? c < 0x80 && unicode_is_print(c) : unicode_is_print(c)) {
		add_char(out, c);
	} else if (c < 0x80 && c != 0 && (at = strchr(controls, (int)c))) {
		buf_add_byte(out, '\\');
		buf_add_byte(out, letters[at - controls]);
	} else if (c < ' ' || c == 0x7f) {
		buf_printf(out, "\\x%02x", c);
	} else if (c < 0x10000) {
		buf_printf(out, "\\u%04x", c);
	} else {
		buf_printf(out, "\\U%08x", c);
	}
}

static void quote(struct buf *out, str s, bool ascii)
{
	size_t at = 0, len;

	buf_add_byte(out, '"');
	while (at < s.n) {
		uint32_t c = utf8_decode(str_sub(s, at, s.n), &len);

		if (len == 1 && c == UTF8_REPLACEMENT)
			buf_printf(out, "\\x%02x", (unsigned char)s.p[at]);
		else
			escaped_char(out, c, '"', ascii);
		at += len;
	}
	buf_add_byte(out, '"');
}

void tmpl_quote(struct buf *out, str s)
{
	quote(out, s, false);
}

void tmpl_quote_ascii(struct buf *out, str s)
{
	quote(out, s, true);
}

void tmpl_quote_char(struct buf *out, uint32_t c, bool ascii)
{
	if (c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF))
		c = UTF8_REPLACEMENT;
	buf_add_byte(out, '\'');
	escaped_char(out, c, '\'', ascii);
	buf_add_byte(out, '\'');
}

bool tmpl_can_backquote(str s)
{
	size_t at = 0, len;

	while (at < s.n) {
		uint32_t c = utf8_decode(str_sub(s, at, s.n), &len);

		if (c == 0xFEFF || (c == UTF8_REPLACEMENT && len == 1) || (c < ' ' && c != '\t') || c == '`' ||
		    c == 0x7f)
			return false;
		at += len;
	}
	return true;
}

/* ---- floating point ---- */

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

/* mantissa p exponent, both decimal */
static void format_b(struct buf *out, double d)
{
	uint64_t mantissa;
	int exponent;

	split_double(d, &mantissa, &exponent);
	buf_printf(out, "%s%llup%+d", signbit(d) ? "-" : "", (unsigned long long)mantissa, exponent - FRACTION_BITS);
}

/* 0x1.8p+01 */
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

/* digits d.ddd e+dd */
static void shortest_e(struct buf *out, const char *digits, size_t n, int exponent, char letter)
{
	exponent -= n == 1 && digits[0] == '0' ? exponent : 1;
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

static void format_shortest(struct buf *out, double d, char fmt)
{
	char digits[DOUBLE_DIGITS_MAX + 2];
	int exponent;
	size_t n = double_digits(d, digits, &exponent);
	char letter = fmt == 'E' || fmt == 'G' ? 'E' : 'e';

	if (signbit(d))
		buf_add_byte(out, '-');
	if (fmt == 'e' || fmt == 'E')
		shortest_e(out, digits, n, exponent, letter);
	else if (fmt == 'f')
		shortest_f(out, digits, n, exponent);
	else if (d != 0 && (exponent - 1 < -4 || exponent - 1 >= SHORTEST_G_EXPONENT))
		shortest_e(out, digits, n, exponent, letter);
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

void tmpl_format_float(struct buf *out, double d, char fmt, int prec)
{
	if (isnan(d)) {
		buf_add_cstr(out, "NaN");
	} else if (isinf(d)) {
		buf_add_cstr(out, d < 0 ? "-Inf" : "+Inf");
	} else if (fmt == 'b') {
		format_b(out, d);
	} else if (fmt == 'x' || fmt == 'X') {
		format_x(out, d, fmt == 'X', prec);
	} else if (prec < 0) {
		format_shortest(out, d, fmt);
	} else {
		format_exact(out, d, fmt, prec);
	}
}
