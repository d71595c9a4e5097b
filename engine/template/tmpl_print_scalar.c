/* fmt: how Go prints numbers and text. */
#include "template/tmpl_print_internal.h"

#include "base/unicode.h"
#include "base/utf8.h"
#include "go/quote.h"
#include "go/strconv.h"

#include <errno.h>

static const char lower_digits[] = "0123456789abcdefx", upper_digits[] = "0123456789ABCDEFX";

/* ---- padding ---- */

static size_t count_chars(str s)
{
	size_t n = 0, at = 0, len;

	for (; at < s.n; n++) {
		(void)utf8_decode(str_sub(s, at, s.n), &len);
		at += len;
	}
	return n;
}

static void write_padding(struct printer *p, int n)
{
	if (n > 0)
		buf_fill(p->out, p->zero && !p->minus ? '0' : ' ', (size_t)n);
}

void fmt_padded(struct printer *p, str s)
{
	int n = p->has_width && p->width > 0 ? p->width - (int)(s.n > WIDTH_MAX * 4 ? WIDTH_MAX : count_chars(s)) : 0;

	if (!p->minus)
		write_padding(p, n);
	buf_add_str(p->out, s);
	if (p->minus)
		write_padding(p, n);
}

static void pad_without_zeros(struct printer *p, str s)
{
	bool zero = p->zero;

	p->zero = false;
	fmt_padded(p, s);
	p->zero = zero;
}

/* ---- the kinds ---- */

static unsigned integer_base(uint32_t verb)
{
	switch (verb) {
	case 'b':
		return 2;
	case 'o':
	case 'O':
		return 8;
	case 'x':
	case 'X':
		return 16;
	default:
		return 10;
	}
}

/* Write the digits, then all that precedes them, from right to left. Behind the sixteen @digits is the x of the
 * prefix. */
static void format_integer(struct printer *p, uint64_t u, unsigned base, bool is_signed, uint32_t verb,
			   const char *digits)
{
	bool negative = is_signed && (int64_t)u < 0, done = false;
	int prec = 0;
	size_t size = 72 + (p->has_width ? (size_t)p->width : 0) + (p->has_prec ? (size_t)p->prec : 0), i = size;
	CLEANUP(freep) char *text = malloc(size);

	if (!text) {
		p->out->error = -ENOMEM;
		return;
	}
	if (negative)
		u = -u;
	if (p->has_prec) {
		prec = p->prec;
		if (prec == 0 && u == 0) {
			bool zero = p->zero;

			p->zero = false;
			write_padding(p, p->width);
			p->zero = zero;
			return;
		}
	} else if (p->zero && !p->minus && p->has_width) {
		prec = p->width - (negative || p->plus || p->space);
	}
	while (!done) {
		text[--i] = digits[u % base];
		u /= base;
		done = u == 0;
	}
	while (i > 0 && prec > (int)(size - i))
		text[--i] = '0';
	if (p->sharp && base == 2) {
		text[--i] = 'b';
		text[--i] = '0';
	} else if (p->sharp && base == 8 && text[i] != '0') {
		text[--i] = '0';
	} else if (p->sharp && base == 16) {
		text[--i] = digits[16];
		text[--i] = '0';
	}
	if (verb == 'O') {
		text[--i] = 'o';
		text[--i] = '0';
	}
	if (negative || p->plus || p->space)
		text[--i] = negative ? '-' : p->plus ? '+' : ' ';
	pad_without_zeros(p, (str){ text + i, size - i });
}

void fmt_0x(struct printer *p, uint64_t u, bool leading)
{
	bool sharp = p->sharp;

	p->sharp = leading;
	format_integer(p, u, 16, false, 'v', lower_digits);
	p->sharp = sharp;
}

/* %U: U+0078, with # also the character. */
static void format_unicode(struct printer *p, uint64_t u)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(WIDTH_MAX * 2);

	buf_printf(&text, "U+%0*llX", p->has_prec && p->prec > 4 ? p->prec : 4, (unsigned long long)u);
	if (p->sharp && u <= 0x10FFFF && unicode_is_print((uint32_t)u)) {
		buf_add_cstr(&text, " '");
		buf_add_utf8(&text, (uint32_t)u);
		buf_add_byte(&text, '\'');
	}
	pad_without_zeros(p, buf_str(&text));
}

static void format_char(struct printer *p, uint64_t u, bool quoted)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(64);
	uint32_t c = u > 0x10FFFF ? UTF8_REPLACEMENT : (uint32_t)u;

	if (quoted)
		go_quote_rune(&text, c, p->plus);
	else
		buf_add_utf8(&text, c);
	fmt_padded(p, buf_str(&text));
}

void fmt_integer(struct printer *p, uint64_t u, bool is_signed, uint32_t verb)
{
	switch (verb) {
	case 'v':
		if (p->sharp_v && !is_signed) {
			fmt_0x(p, u, true);
			return;
		}
		/* fallthrough */
	case 'd':
	case 'b':
	case 'o':
	case 'O':
	case 'x':
	case 'X':
		format_integer(p, u, integer_base(verb), is_signed, verb, verb == 'X' ? upper_digits : lower_digits);
		return;
	case 'c':
	case 'q':
		format_char(p, u, verb == 'q');
		return;
	case 'U':
		format_unicode(p, u);
		return;
	default:
		fmt_bad_verb(p, verb);
	}
}

/* Apply the # flag: always a decimal point, and for %g the trailing zeros up to the precision. @num begins with a
 * sign. */
static void sharpen_float(struct buf *num, char verb, int prec)
{
	int digits = verb == 'g' || verb == 'G' || verb == 'x' ? (prec == -1 ? 6 : prec) : 0;
	bool point = false, nonzero = false, hex = verb == 'x' || verb == 'X';
	char tail[16] = { 0 };
	size_t n = num->n;

	for (size_t i = 1; i < num->n && n == num->n; i++) {
		char c = num->p[i];

		if (c == '.') {
			point = true;
		} else if (c == 'p' || c == 'P' || ((c == 'e' || c == 'E') && !hex)) {
			n = i;
		} else {
			nonzero |= c != '0';
			digits -= nonzero;
		}
	}
	for (size_t i = n; i < num->n && i - n < sizeof(tail) - 1; i++)
		tail[i - n] = num->p[i];
	buf_truncate(num, n);
	if (!point) {
		if (num->n == 2 && num->p[1] == '0')
			digits--;
		buf_add_byte(num, '.');
	}
	if (digits > 0)
		buf_fill(num, '0', (size_t)digits);
	buf_add_cstr(num, tail);
}

static void format_float(struct printer *p, double d, char verb, int prec)
{
	CLEANUP(buf_done) struct buf num = BUF_INIT(WIDTH_MAX * 4);
	str text;

	if (p->has_prec)
		prec = p->prec;
	buf_add_byte(&num, '+');
	go_format_float(&num, d, verb, prec);
	if (num.error) {
		p->out->error = num.error;
		return;
	}
	if (num.p[1] == '-' || num.p[1] == '+') {
		memmove(num.p, num.p + 1, num.n);
		num.n--;
	}
	if (p->space && num.p[0] == '+' && !p->plus)
		num.p[0] = ' ';
	if (num.p[1] == 'I' || num.p[1] == 'N') {
		bool bare = num.p[1] == 'N' && !p->space && !p->plus;

		text = buf_str(&num);
		/* Infinity keeps its sign. */
		pad_without_zeros(p, bare ? str_sub(text, 1, text.n) : text);
		return;
	}
	if (p->sharp && verb != 'b')
		sharpen_float(&num, verb, prec);
	text = buf_str(&num);
	if (!p->plus && text.p[0] == '+') {
		fmt_padded(p, str_sub(text, 1, text.n));
	} else if (p->zero && !p->minus && p->has_width && p->width > (int)text.n) {
		buf_add_byte(p->out, text.p[0]);
		write_padding(p, p->width - (int)text.n);
		buf_add(p->out, text.p + 1, text.n - 1);
	} else {
		fmt_padded(p, text);
	}
}

void fmt_float(struct printer *p, double d, uint32_t verb)
{
	switch (verb) {
	case 'v':
		format_float(p, d, 'g', -1);
		return;
	case 'b':
	case 'g':
	case 'G':
	case 'x':
	case 'X':
		format_float(p, d, (char)verb, -1);
		return;
	case 'f':
	case 'e':
	case 'E':
		format_float(p, d, (char)verb, 6);
		return;
	case 'F':
		format_float(p, d, 'f', 6);
		return;
	default:
		fmt_bad_verb(p, verb);
	}
}

void fmt_complex(struct printer *p, const double c[2], uint32_t verb)
{
	bool plus = p->plus;

	if (verb >= 0x80 || verb == 0 || !strchr("vbgGxXfFeE", (int)verb)) {
		fmt_bad_verb(p, verb);
		return;
	}
	buf_add_byte(p->out, '(');
	fmt_float(p, c[0], verb);
	p->plus = true;
	fmt_float(p, c[1], verb);
	buf_add_cstr(p->out, "i)");
	p->plus = plus;
}

/* ---- text ---- */

str fmt_truncated(const struct printer *p, str s)
{
	size_t at = 0, len;

	if (!p->has_prec)
		return s;
	for (int n = p->prec; n > 0 && at < s.n; n--) {
		(void)utf8_decode(str_sub(s, at, s.n), &len);
		at += len;
	}
	return str_sub(s, 0, at);
}

static void format_hex(struct printer *p, str s, const char *digits)
{
	size_t n = p->has_prec && (size_t)p->prec < s.n ? (size_t)p->prec : s.n, width = 2 * n;
	int padding;

	if (width == 0) {
		if (p->has_width)
			write_padding(p, p->width);
		return;
	}
	if (p->space) {
		width *= p->sharp ? 2 : 1;
		width += n - 1;
	} else if (p->sharp) {
		width += 2;
	}
	padding = p->has_width && (size_t)p->width > width ? p->width - (int)width : 0;
	if (!p->minus)
		write_padding(p, padding);
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s.p[i];

		if (p->space && i > 0)
			buf_add_byte(p->out, ' ');
		if (p->sharp && (i == 0 || p->space)) {
			buf_add_byte(p->out, '0');
			buf_add_byte(p->out, digits[16]);
		}
		buf_add_byte(p->out, digits[c >> 4]);
		buf_add_byte(p->out, digits[c & 15]);
	}
	if (p->minus)
		write_padding(p, padding);
}

static void format_quoted(struct printer *p, str s)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(p->out->max);

	s = fmt_truncated(p, s);
	if (p->sharp && go_can_backquote(s)) {
		buf_add_byte(&text, '`');
		buf_add_str(&text, s);
		buf_add_byte(&text, '`');
	} else if (p->plus) {
		go_quote_ascii(&text, s);
	} else {
		go_quote(&text, s);
	}
	if (text.error)
		p->out->error = text.error;
	else
		fmt_padded(p, buf_str(&text));
}

void fmt_string(struct printer *p, str s, uint32_t verb)
{
	switch (verb) {
	case 'v':
		if (p->sharp_v) {
			format_quoted(p, s);
			return;
		}
		/* fallthrough */
	case 's':
		fmt_padded(p, fmt_truncated(p, s));
		return;
	case 'x':
	case 'X':
		format_hex(p, s, verb == 'x' ? lower_digits : upper_digits);
		return;
	case 'q':
		format_quoted(p, s);
		return;
	default:
		fmt_bad_verb(p, verb);
	}
}
