/* Quotes and unquotes as Go's strconv does. */
#include "go/quote.h"

#include "base/number.h"
#include "base/unicode.h"
#include "base/utf8.h"

#include <errno.h>

/* ---- quoting ---- */

static void escaped_char(struct buf *out, uint32_t c, char quote, bool ascii)
{
	static const char controls[] = "\a\b\f\n\r\t\v", letters[] = "abfnrtv";
	_Static_assert(sizeof(controls) == sizeof(letters), "each control character has its letter");
	const char *at;

	if (c == (uint32_t)quote || c == '\\') {
		buf_add_byte(out, '\\');
		buf_add_byte(out, (char)c);
	} else if (ascii ? c < 0x80 && unicode_is_print(c) : unicode_is_print(c)) {
		buf_add_utf8(out, c);
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

/* The number of bytes at the start of @s that need no escape. */
static size_t plain_run(str s)
{
	size_t n = 0;

	while (n < s.n && s.p[n] >= ' ' && s.p[n] < 0x7f && s.p[n] != '"' && s.p[n] != '\\')
		n++;
	return n;
}

static void quote(struct buf *out, str s, bool ascii)
{
	size_t at = 0, len;

	buf_add_byte(out, '"');
	while (at < s.n) {
		size_t plain = plain_run(str_sub(s, at, s.n));
		uint32_t c;

		buf_add_str(out, str_sub(s, at, at + plain));
		at += plain;
		if (at == s.n)
			break;
		c = utf8_decode(str_sub(s, at, s.n), &len);

		if (len == 1 && c == UTF8_REPLACEMENT)
			buf_printf(out, "\\x%02x", (unsigned char)s.p[at]);
		else
			escaped_char(out, c, '"', ascii);
		at += len;
	}
	buf_add_byte(out, '"');
}

void go_quote(struct buf *out, str s)
{
	quote(out, s, false);
}

void go_quote_ascii(struct buf *out, str s)
{
	quote(out, s, true);
}

void go_quote_rune(struct buf *out, uint32_t c, bool ascii)
{
	if (c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF))
		c = UTF8_REPLACEMENT;
	buf_add_byte(out, '\'');
	escaped_char(out, c, '\'', ascii);
	buf_add_byte(out, '\'');
}

bool go_can_backquote(str s)
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

/* ---- unquoting ---- */

/* The digits of an escape: how many, of which base, and where they begin behind "\\". 0: the escape has none. */
static size_t escape_digits(char c, int *base, size_t *at)
{
	bool octal = c >= '0' && c <= '7';

	*base = octal ? 8 : 16;
	*at = octal ? 1 : 2;
	return octal ? 3 : c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
}

bool go_unquote_char(str *rest, char quote, uint32_t *ret, bool *raw)
{
	static const char letters[] = "abfnrtv\\'\"", values[] = "\a\b\f\n\r\t\v\\'\"";
	_Static_assert(sizeof(letters) == sizeof(values), "each letter stands for a character");
	const char *letter;
	size_t digits, at;
	int base;
	int64_t v;
	char c;

	*raw = false;
	if (rest->n == 0 || rest->p[0] == quote)
		return false;
	if (rest->p[0] != '\\') {
		*ret = utf8_decode(*rest, &at);
		*rest = str_sub(*rest, at, rest->n);
		return true;
	}
	if (rest->n < 2 || rest->p[1] == '\0')
		return false;
	c = rest->p[1];
	letter = strchr(letters, c);
	if (letter) {
		*rest = str_sub(*rest, 2, rest->n);
		*ret = (unsigned char)values[letter - letters];
		return (c != '\'' && c != '"') || c == quote;
	}
	digits = escape_digits(c, &base, &at);
	v = digits == 0 ? -1 : digits_parse(str_sub(*rest, at, rest->n), digits, base);
	if (v < 0)
		return false;
	*rest = str_sub(*rest, at + digits, rest->n);
	*raw = c != 'u' && c != 'U';
	*ret = (uint32_t)v;
	return *raw ? v <= 255 : v <= 0x10FFFF && !(v >= 0xD800 && v <= 0xDFFF);
}

/* Copy the text between backquotes, without carriage returns. */
static size_t unquote_raw(str s, char *out)
{
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] != '\r')
			out[n++] = s.p[i];
	}
	return n;
}

int go_unquote(str quoted, struct arena *a, str *ret)
{
	str rest = str_sub(quoted, 1, quoted.n ? quoted.n - 1 : 0);
	char *p = arena_array(a, rest.n + 1, 3); /* an invalid byte becomes U+FFFD, three bytes */
	size_t n = 0;
	uint32_t c;
	bool raw;

	if (!p)
		return -ENOMEM;
	if (quoted.n < 2 || quoted.p[0] != quoted.p[quoted.n - 1])
		return -EINVAL;
	if (quoted.p[0] == '`') {
		if (str_find_byte(rest, '`') >= 0)
			return -EINVAL;
		*ret = (str){ p, unquote_raw(rest, p) };
		return 0;
	}
	if (quoted.p[0] != '"' || str_find_byte(rest, '\n') >= 0)
		return -EINVAL;
	while (rest.n > 0) {
		if (!go_unquote_char(&rest, '"', &c, &raw))
			return -EINVAL;
		if (raw)
			p[n++] = (char)c;
		else
			n += utf8_encode(c, p + n);
	}
	*ret = (str){ p, n };
	return 0;
}
