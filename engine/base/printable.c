/* Escaping what a terminal would act on. */
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

/* The character at @s.p[0], which is not plain ASCII. Returns its length. */
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
