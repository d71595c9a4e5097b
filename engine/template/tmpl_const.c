#include "template/tmpl_const.h"

#include "base/utf8.h"
#include "go/quote.h"
#include "template/tmpl_print.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

int64_t tmpl_f2i(double d)
{
	if (d >= -0x1p63 && d < 0x1p63)
		return (int64_t)d;
	return INT64_MIN;
}

uint64_t tmpl_f2u(double d)
{
	if (d >= 0x1p63)
		return (uint64_t)tmpl_f2i(d - 0x1p63) ^ (1ull << 63);
	return (uint64_t)tmpl_f2i(d);
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

static unsigned digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	c = lower(c);
	return c >= 'a' && c <= 'z' ? (unsigned)(c - 'a') + 10 : 99;
}

/* Underscores stand between digits only; a base prefix counts as a digit. */
static bool underscores_ok(str s)
{
	char last = '^'; /* '0' after a digit, '_', '!' after anything else */
	size_t i = 0;
	bool hex = false;

	if (s.n > 0 && (s.p[0] == '-' || s.p[0] == '+'))
		s = str_sub(s, 1, s.n);
	if (s.n >= 2 && s.p[0] == '0' && strchr("box", lower(s.p[1])) && s.p[1] != '\0') {
		hex = lower(s.p[1]) == 'x';
		last = '0';
		i = 2;
	}
	for (; i < s.n; i++) {
		char c = s.p[i];

		if ((c >= '0' && c <= '9') || (hex && digit_value(c) < 16)) {
			last = '0';
		} else if (c == '_') {
			if (last != '0')
				return false;
			last = '_';
		} else {
			if (last == '_')
				return false;
			last = '!';
		}
	}
	return last != '_';
}

/* strconv.ParseUint with base 0 (prefixes, underscores) and 64 bits. False: bad syntax or out of range. */
static bool parse_uint(str s, uint64_t *ret)
{
	unsigned base = 10;
	size_t i = 0;
	uint64_t u = 0;
	bool under = false, over = false;

	if (s.n == 0)
		return false;
	if (s.p[0] == '0') {
		char c = s.n >= 3 ? lower(s.p[1]) : '\0';

		base = c == 'b' ? 2 : c == 'o' ? 8 : c == 'x' ? 16 : 8;
		i = c == 'b' || c == 'o' || c == 'x' ? 2 : 1;
	}
	for (; i < s.n; i++) {
		unsigned d = digit_value(s.p[i]);

		if (s.p[i] == '_') {
			under = true;
			continue;
		}
		if (d >= base)
			return false;
		over |= __builtin_mul_overflow(u, base, &u) || __builtin_add_overflow(u, d, &u);
	}
	if (under && !underscores_ok(s))
		return false;
	*ret = u;
	return !over;
}

static bool parse_int(str s, int64_t *ret)
{
	bool negative = s.n > 0 && s.p[0] == '-';
	uint64_t u = 0;

	if (s.n > 0 && (s.p[0] == '-' || s.p[0] == '+'))
		s = str_sub(s, 1, s.n);
	if (!parse_uint(s, &u) || u > (uint64_t)INT64_MAX + (negative ? 1 : 0))
		return false;
	*ret = negative ? (int64_t)(0 - u) : (int64_t)u;
	return true;
}

/* Whether @s (without sign and underscores) is [digits][.digits][exponent], hexadecimal with a mandatory p exponent. */
static bool float_syntax(const char *s, bool hex)
{
	size_t digits = 0;
	const char *p = s;

	for (int part = 0; part < 2; part++) {
		for (; digit_value(*p) < (hex ? 16u : 10u); p++)
			digits++;
		if (part == 0 && *p != '.')
			break;
		if (part == 0)
			p++;
	}
	if (digits == 0)
		return false;
	if (lower(*p) == (hex ? 'p' : 'e')) {
		p++;
		if (*p == '+' || *p == '-')
			p++;
		if (digit_value(*p) > 9)
			return false;
		while (digit_value(*p) <= 9)
			p++;
	} else if (hex) {
		return false;
	}
	return *p == '\0';
}

static bool special_float(str s, double *ret)
{
	bool negative = s.n > 0 && s.p[0] == '-';
	str rest = s.n > 0 && (s.p[0] == '-' || s.p[0] == '+') ? str_sub(s, 1, s.n) : s;

	if (str_eq_nocase(rest, STR("inf")) || str_eq_nocase(rest, STR("infinity"))) {
		*ret = negative ? -INFINITY : INFINITY;
		return true;
	}
	if (str_eq_nocase(s, STR("nan"))) {
		*ret = NAN;
		return true;
	}
	return false;
}

/* strconv.ParseFloat with 64 bits. Fails: EINVAL (bad syntax), ERANGE, ENOMEM. */
static int parse_float(str s, double *ret)
{
	CLEANUP(freep) char *text = NULL;
	size_t n = 0, sign;
	bool under = false, hex;

	if (special_float(s, ret))
		return 0;
	text = malloc(s.n + 1);
	if (!text)
		return -ENOMEM;
	for (size_t i = 0; i < s.n; i++) {
		under |= s.p[i] == '_';
		if (s.p[i] == '\0')
			return -EINVAL;
		if (s.p[i] != '_')
			text[n++] = s.p[i];
	}
	text[n] = '\0';
	sign = text[0] == '-' || text[0] == '+' ? 1 : 0;
	hex = text[sign] == '0' && lower(text[sign + 1]) == 'x';
	if (!float_syntax(text + sign + (hex ? 2 : 0), hex) || (under && !underscores_ok(s)))
		return -EINVAL;
	*ret = strtod(text, NULL);
	return isinf(*ret) ? -ERANGE : 0;
}

/* One character of a quoted text, escapes resolved: the next one in *rest. *raw: a byte value, not a character. */
static bool unquote_char(str *rest, char quote, uint32_t *ret, bool *raw)
{
	static const char letters[] = "abfnrtv\\'\"", values[] = "\a\b\f\n\r\t\v\\'\"";
	const char *at;
	size_t digits, len;
	unsigned base = 16;
	uint32_t v = 0;
	char c;

	*raw = false;
	if (rest->n == 0 || rest->p[0] == quote)
		return false;
	if (rest->p[0] != '\\') {
		*ret = utf8_decode(*rest, &len);
		*rest = str_sub(*rest, len, rest->n);
		return true;
	}
	if (rest->n < 2 || rest->p[1] == '\0')
		return false;
	c = rest->p[1];
	at = strchr(letters, c);
	if (at) {
		*rest = str_sub(*rest, 2, rest->n);
		*ret = (unsigned char)values[at - letters];
		return (c != '\'' && c != '"') || c == quote;
	}
	digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
	len = 2;
	if (c >= '0' && c <= '7') {
		digits = 3;
		base = 8;
		len = 1;
	}
	if (digits == 0 || rest->n < len + digits)
		return false;
	for (size_t i = 0; i < digits; i++) {
		unsigned d = digit_value(rest->p[len + i]);

		if (d >= base)
			return false;
		v = v * base + d;
	}
	*rest = str_sub(*rest, len + digits, rest->n);
	*raw = c != 'u' && c != 'U';
	*ret = v;
	return *raw ? v <= 255 : v <= 0x10FFFF && !(v >= 0xD800 && v <= 0xDFFF);
}

static str unquote_raw(struct arena *a, str s)
{
	char *p = arena_alloc(a, s.n + 1);
	size_t n = 0;

	if (!p)
		return (str){ NULL, 0 };
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] != '\r')
			p[n++] = s.p[i];
	}
	return (str){ p, n };
}

bool tmpl_unquote(struct arena *a, str quoted, str *ret)
{
	str rest = str_sub(quoted, 1, quoted.n - 1);
	char *p;
	size_t n = 0;
	uint32_t c;
	bool raw;

	if (quoted.p[0] == '`') {
		*ret = unquote_raw(a, rest);
		return ret->p != NULL;
	}
	*ret = (str){ NULL, 0 };
	/* An invalid byte becomes U+FFFD, three bytes. */
	p = arena_array(a, rest.n + 1, 3);
	if (!p)
		return false;
	*ret = (str){ p, 0 };
	while (rest.n > 0) {
		if (!unquote_char(&rest, '"', &c, &raw))
			return false;
		if (raw)
			p[n++] = (char)c;
		else
			n += utf8_encode(c, p + n);
	}
	ret->n = n;
	return true;
}

/* What the callers of tmpl_number learn once the text of the error is in *out. */
static int refused(const struct buf *out)
{
	return out->error == -ENOMEM ? -ENOMEM : -EBADMSG;
}

static int quoted_error(const char *what, str text, struct buf *out)
{
	buf_add_cstr(out, what);
	go_quote(out, text);
	return refused(out);
}

static int char_constant(str text, struct tnumber *ret, struct buf *out)
{
	str rest = str_sub(text, 1, text.n);
	uint32_t c;
	bool raw;

	if (!unquote_char(&rest, '\'', &c, &raw)) {
		buf_add_cstr(out, "invalid syntax");
		return refused(out);
	}
	if (!str_eq(rest, STR("'"))) {
		buf_add_cstr(out, "malformed character constant: ");
		buf_add_str(out, text);
		return refused(out);
	}
	*ret = (struct tnumber){ .is_int = true, .is_uint = true, .is_float = true, .i = c, .u = c, .f = c };
	return 0;
}

/* A complex number whose imaginary part is zero is a float, and an integer where it is whole. */
static void simplify_complex(struct tnumber *n)
{
	n->is_float = n->c[1] == 0;
	if (!n->is_float)
		return;
	n->f = n->c[0];
	n->is_int = (double)tmpl_f2i(n->f) == n->f;
	if (n->is_int)
		n->i = tmpl_f2i(n->f);
	n->is_uint = (double)tmpl_f2u(n->f) == n->f;
	if (n->is_uint)
		n->u = tmpl_f2u(n->f);
}

static int part_of_complex(str s, double *ret, struct buf *out)
{
	int r = parse_float(s, ret);

	if (r == 0 || r == -ENOMEM)
		return r;
	buf_add_cstr(out, "strconv.ParseFloat: parsing ");
	go_quote(out, s);
	buf_add_cstr(out, r == -ERANGE ? ": value out of range" : ": invalid syntax");
	return refused(out);
}

static int complex_constant(str text, struct tnumber *ret, struct buf *out)
{
	struct tnumber n = { .is_complex = true };
	size_t i = text.n - 1;
	int r;

	/* The sign between the parts: the last one that is not an exponent's. */
	while (i > 1 && !((text.p[i] == '+' || text.p[i] == '-') && !strchr("eEpP", text.p[i - 1])))
		i--;
	r = part_of_complex(str_sub(text, 0, i), &n.c[0], out);
	if (r == 0)
		r = part_of_complex(str_sub(text, i, text.n - 1), &n.c[1], out);
	if (r < 0)
		return r;
	simplify_complex(&n);
	*ret = n;
	return 0;
}

static bool looks_like_float(str s)
{
	for (size_t i = 0; i < s.n; i++) {
		if (strchr(".eEpP", s.p[i]) && s.p[i])
			return true;
	}
	return false;
}

static int imaginary_constant(str text, struct tnumber *ret)
{
	struct tnumber n = { .is_complex = true };
	int r = parse_float(str_sub(text, 0, text.n - 1), &n.c[1]);

	if (r < 0)
		return r;
	simplify_complex(&n);
	*ret = n;
	return 0;
}

/* What is no integer in any of its spellings. A float that is whole is an integer too. */
static int float_constant(str text, struct tnumber *n, struct buf *out)
{
	int r = parse_float(text, &n->f);

	if (r == -ENOMEM)
		return r;
	if (r < 0)
		return quoted_error("illegal number syntax: ", text, out);
	if (!looks_like_float(text))
		return quoted_error("integer overflow: ", text, out);
	n->is_float = true;
	n->is_int = (double)tmpl_f2i(n->f) == n->f;
	n->i = n->is_int ? tmpl_f2i(n->f) : 0;
	n->is_uint = (double)tmpl_f2u(n->f) == n->f;
	n->u = n->is_uint ? tmpl_f2u(n->f) : 0;
	return 0;
}

int tmpl_number(str text, enum tok_type type, struct tnumber *ret, struct buf *out)
{
	struct tnumber n = { 0 };
	int r;

	if (type == TOK_CHAR_CONSTANT)
		return char_constant(text, ret, out);
	if (type == TOK_COMPLEX)
		return complex_constant(text, ret, out);
	if (text.n > 0 && text.p[text.n - 1] == 'i') {
		r = imaginary_constant(text, ret);
		if (r == 0 || r == -ENOMEM)
			return r;
	}
	n.is_uint = parse_uint(text, &n.u);
	n.is_int = parse_int(text, &n.i);
	if (n.is_int && n.i == 0)
		n.is_uint = true;
	if (n.is_int || n.is_uint) {
		n.is_float = true;
		n.f = n.is_int ? (double)n.i : (double)n.u;
	} else {
		r = float_constant(text, &n, out);
		if (r < 0)
			return r;
	}
	*ret = n;
	return 0;
}
