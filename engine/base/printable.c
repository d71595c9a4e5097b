/* Escapes the characters that a terminal would act on. */
#include "base/printable.h"

#include "base/unicode.h"
#include "base/utf8.h"

static void add_escape(struct buf *out, uint32_t c)
{
	if (c <= 0xFF && (c < 0x20 || c == 0x7F))
		buf_printf(out, "\\x%02x", c);
	else
		buf_printf(out, c <= 0xFFFF ? "\\u%04x" : "\\U%08x", c);
}

static bool is_plain(char c)
{
	return c >= 0x20 && c < 0x7F;
}

/* Append the character at @s.p[0], which is not plain ASCII. Returns its length. */
static size_t add_other(struct buf *out, str s)
{
	size_t len;
	uint32_t c = utf8_decode(s, &len);

	if (c == UTF8_REPLACEMENT && len == 1)
		buf_printf(out, "\\x%02x", (unsigned char)s.p[0]);
	else if (unicode_is_print(c))
		buf_add(out, s.p, len);
	else
		add_escape(out, c);
	return len;
}

void printable_add(struct buf *out, str s, const char *newline)
{
	for (size_t i = 0; i < s.n;) {
		size_t plain = i;

		while (plain < s.n && is_plain(s.p[plain]))
			plain++;
		buf_add(out, s.p + i, plain - i);
		i = plain;
		if (i < s.n && s.p[i] == '\n') {
			buf_add_cstr(out, newline);
			i++;
		} else if (i < s.n) {
			i += add_other(out, str_sub(s, i, s.n));
		}
	}
}

#define ESCAPE_MAX 10 /* bytes of \U000e0001 */

static size_t escape_length(char kind)
{
	return kind == 'x' ? 4 : kind == 'u' ? 6 : kind == 'U' ? ESCAPE_MAX : 2;
}

/* Whether the backslash at @i begins an escape: of several in a row every other one does. */
static bool begins_escape(str s, size_t i)
{
	size_t n = 0;

	while (n < i && s.p[i - 1 - n] == '\\')
		n++;
	return n % 2 == 0;
}

/* The start of the escape in which @i is; @i when it is in none. */
static size_t escape_start(str s, size_t i)
{
	for (size_t back = 1; back < ESCAPE_MAX && back <= i && i < s.n; back++) {
		size_t at = i - back;

		if (s.p[at] == '\\' && begins_escape(s, at))
			return escape_length(s.p[at + 1]) > back ? at : i;
	}
	return i;
}

bool printable_is_inside(str s, size_t i)
{
	return escape_start(s, i) < i;
}

str printable_cut(str s, size_t max)
{
	str cut = utf8_cut(s, max);

	return str_sub(cut, 0, escape_start(s, cut.n));
}

void printable_json_add(struct buf *out, str json, bool yaml)
{
	size_t len;

	for (size_t i = 0; i < json.n; i += len) {
		uint32_t c = utf8_decode(str_sub(json, i, json.n), &len);

		if (unicode_is_print(c) || c == '\n')
			buf_add(out, json.p + i, len);
		else if (c <= 0xFFFF)
			buf_printf(out, "\\u%04x", c);
		else if (yaml)
			buf_printf(out, "\\U%08x", c);
		else
			buf_printf(out, "\\u%04x\\u%04x", 0xD800 + ((c - 0x10000) >> 10), 0xDC00 + (c & 0x3FF));
	}
}
