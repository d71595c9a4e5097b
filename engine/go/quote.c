#include "go/quote.h"

#include "base/unicode.h"
#include "base/utf8.h"

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
