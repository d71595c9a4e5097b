/* Handles byte order marks and line ends as kubectl does. */
#include "daemon/compare/text.h"

#include "base/number.h"
#include "base/utf8.h"

#define BOM8 "\xEF\xBB\xBF"
#define BOM16LE "\xFF\xFE"
#define BOM16BE "\xFE\xFF"

bool text_needs_utf8(str text)
{
	return str_has_prefix(text, STR(BOM8)) || !utf8_valid(text);
}

static bool is_high(uint32_t c)
{
	return c >= 0xD800 && c <= 0xDBFF;
}

static bool is_low(uint32_t c)
{
	return c >= 0xDC00 && c <= 0xDFFF;
}

static uint32_t unit_at(str s, size_t i, bool big)
{
	uint32_t a = (unsigned char)s.p[i], b = (unsigned char)s.p[i + 1];

	return big ? a << 8 | b : b << 8 | a;
}

static void from_utf16(str s, bool big, struct buf *out)
{
	size_t i = 0;

	for (; i + 1 < s.n; i += 2) {
		uint32_t c = unit_at(s, i, big);

		if (is_high(c) && i + 3 < s.n && is_low(unit_at(s, i + 2, big))) {
			c = 0x10000 + ((c - 0xD800) << 10) + (unit_at(s, i + 2, big) - 0xDC00);
			i += 2;
		}
		buf_add_utf8(out, c); /* a lone surrogate is written as U+FFFD */
	}
	if (i < s.n)
		buf_add_utf8(out, UTF8_REPLACEMENT);
}

void text_to_utf8(str text, struct buf *out)
{
	if (str_has_prefix(text, STR(BOM16LE)) || str_has_prefix(text, STR(BOM16BE))) {
		from_utf16(str_sub(text, 2, text.n), text.p[0] == '\xFE', out);
		return;
	}
	if (str_has_prefix(text, STR(BOM8)))
		text = str_sub(text, 3, text.n);
	while (text.n) {
		size_t n = utf8_valid_prefix(text);

		buf_add(out, text.p, n);
		if (n < text.n) {
			buf_add_utf8(out, UTF8_REPLACEMENT);
			n++;
		}
		text = str_sub(text, n, text.n);
	}
}

/* The value of "\uXXXX" at @i; UINT32_MAX when there is no such escape. */
static uint32_t escape_at(str s, size_t i)
{
	int64_t v =
		i + 6 <= s.n && s.p[i] == '\\' && s.p[i + 1] == 'u' ? digits_parse(str_sub(s, i + 2, s.n), 4, 16) : -1;

	return v < 0 ? UINT32_MAX : (uint32_t)v;
}

bool text_repair_escapes(str s, struct buf *out)
{
	bool found = false;
	size_t i = 0;

	while (i < s.n) {
		uint32_t c = escape_at(s, i), next = is_high(c) ? escape_at(s, i + 6) : 0;
		size_t n = c != UINT32_MAX ? 6 : s.p[i] == '\\' && i + 1 < s.n ? 2 : 1;

		if (is_low(c) || (is_high(c) && !is_low(next))) {
			buf_add_cstr(out, "\\uFFFD");
			found = true;
		} else {
			n += is_high(c) && c != UINT32_MAX ? 6 : 0;
			buf_add(out, s.p + i, n);
		}
		i += n;
	}
	return found && !out->error;
}

/* ---- pages ---- */

bool text_is_page(str text)
{
	static const str beginnings[] = { { "<!DOCTYPE html", 14 }, { "<html", 5 } };

	if (str_has_prefix(text, STR("\xEF\xBB\xBF")))
		text = str_sub(text, 3, text.n);
	text = str_trim(text);
	for (size_t i = 0; i < ARRAY_LEN(beginnings); i++) {
		if (str_eq_nocase(str_sub(text, 0, beginnings[i].n), beginnings[i]))
			return true;
	}
	return false;
}
