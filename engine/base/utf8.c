/* Decodes and encodes one code point. */
#include "base/utf8.h"

#include "base/assert.h"
#include "base/bytes16.h"

static bool continuation(unsigned char c)
{
	return (c & 0xC0) == 0x80;
}

/* Length of the valid sequence at @p with @n bytes left and its value in *c; 0 when it is not valid. */
static size_t sequence(const unsigned char *p, size_t n, uint32_t *c)
{
	if (p[0] < 0x80) {
		*c = p[0];
		return 1;
	}
	if (p[0] >= 0xC2 && p[0] <= 0xDF && n >= 2 && continuation(p[1])) {
		*c = (uint32_t)(p[0] & 0x1F) << 6 | (p[1] & 0x3F);
		return 2;
	}
	if ((p[0] & 0xF0) == 0xE0 && n >= 3 && continuation(p[1]) && continuation(p[2])) {
		*c = (uint32_t)(p[0] & 0x0F) << 12 | (uint32_t)(p[1] & 0x3F) << 6 | (p[2] & 0x3F);
		return *c >= 0x800 && (*c < 0xD800 || *c > 0xDFFF) ? 3 : 0;
	}
	if ((p[0] & 0xF8) == 0xF0 && n >= 4 && continuation(p[1]) && continuation(p[2]) && continuation(p[3])) {
		*c = (uint32_t)(p[0] & 0x07) << 18 | (uint32_t)(p[1] & 0x3F) << 12 | (uint32_t)(p[2] & 0x3F) << 6 |
		     (p[3] & 0x3F);
		return *c >= 0x10000 && *c <= 0x10FFFF ? 4 : 0;
	}
	return 0;
}

size_t utf8_valid_prefix(str s)
{
	const unsigned char *p = (const unsigned char *)s.p;
	size_t i = 0;
	uint32_t c;

	while (i < s.n) {
		size_t len;

		if (s.n - i >= 32 && !bytes16_any((bytes16_load(p + i) | bytes16_load(p + i + 16)) & 0x80)) {
			i += 32;
			continue;
		}
		len = sequence(p + i, s.n - i, &c);
		if (len == 0)
			break;
		i += len;
	}
	return i;
}

uint32_t utf8_decode(str s, size_t *len)
{
	uint32_t c = UTF8_REPLACEMENT;

	*len = s.n ? sequence((const unsigned char *)s.p, s.n, &c) : 0;
	if (*len > 0)
		return c;
	*len = s.n ? 1 : 0;
	return UTF8_REPLACEMENT;
}

size_t utf8_encode(uint32_t c, char out[UTF8_MAX_BYTES])
{
	if ((c >= 0xD800 && c <= 0xDFFF) || c > 0x10FFFF)
		c = UTF8_REPLACEMENT;
	if (c < 0x80) {
		out[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		out[0] = (char)(0xC0 | c >> 6);
		out[1] = (char)(0x80 | (c & 0x3F));
		return 2;
	}
	if (c < 0x10000) {
		out[0] = (char)(0xE0 | c >> 12);
		out[1] = (char)(0x80 | (c >> 6 & 0x3F));
		out[2] = (char)(0x80 | (c & 0x3F));
		return 3;
	}
	out[0] = (char)(0xF0 | c >> 18);
	out[1] = (char)(0x80 | (c >> 12 & 0x3F));
	out[2] = (char)(0x80 | (c >> 6 & 0x3F));
	out[3] = (char)(0x80 | (c & 0x3F));
	return 4;
}

size_t utf8_count(str s)
{
	size_t count = 0, len;

	for (size_t i = 0; i < s.n; i += len, count++)
		(void)utf8_decode(str_sub(s, i, s.n), &len);
	return count;
}

size_t utf8_last_length(str s)
{
	size_t n = 1, len;

	ASSERT(s.n > 0);
	while (n < s.n && n < UTF8_MAX_BYTES && ((unsigned char)s.p[s.n - n] & 0xC0) == 0x80)
		n++;
	utf8_decode(str_sub(s, s.n - n, s.n), &len);
	return len == n ? n : 1;
}

str utf8_cut(str s, size_t max)
{
	if (s.n <= max)
		return s;
	while (max > 0 && ((unsigned char)s.p[max] & 0xC0) == 0x80)
		max--;
	return str_sub(s, 0, max);
}

str utf8_tail(str s, size_t max)
{
	size_t from = s.n > max ? s.n - max : 0;

	while (from > 0 && from < s.n && ((unsigned char)s.p[from] & 0xC0) == 0x80)
		from++;
	return str_sub(s, from, s.n);
}
