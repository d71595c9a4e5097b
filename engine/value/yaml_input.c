/* Checks encodings and byte order marks. */
#include "value/yaml_input.h"

#include "base/bytes16.h"
#include "base/utf8.h"

#define BLOCK 512 /* bytes that the original reads at a time */

static const char control_characters[] = "control characters are not allowed";

/* Whether YAML 1.1 allows @c: c-printable, without the line for 8 bit characters. */
static bool is_allowed(uint32_t c)
{
	return c == 0x09 || c == 0x0A || c == 0x0D || (c >= 0x20 && c <= 0x7E) || c == 0x85 ||
	       (c >= 0xA0 && c <= 0xD7FF) || (c >= 0xE000 && c <= 0xFFFD) || (c >= 0x10000 && c <= 0x10FFFF);
}

static bytes16 not_allowed_ascii(const unsigned char *p)
{
	bytes16 c = bytes16_load(p);

	return (bytes16)((c - 0x20) > 0x5E) & (bytes16)(c != '\n') & (bytes16)(c != '\t') & (bytes16)(c != '\r');
}

/* The number of leading bytes that are allowed ASCII characters. Whole blocks are tested without branches. */
static size_t ascii_prefix(const unsigned char *p, size_t n)
{
	size_t i = 0;

	for (; n - i >= 32; i += 32) {
		if (bytes16_any(not_allowed_ascii(p + i) | not_allowed_ascii(p + i + 16)))
			break;
	}
	while (i < n && is_allowed(p[i]) && p[i] < 0x80)
		i++;
	return i;
}

/* ---- UTF-8 ---- */

/* The number of bytes of a character that starts with @lead; 0 when none does. */
static size_t lead_width(unsigned char lead)
{
	if (lead < 0x80)
		return 1;
	if ((lead & 0xE0) == 0xC0)
		return 2;
	if ((lead & 0xF0) == 0xE0)
		return 3;
	return (lead & 0xF8) == 0xF0 ? 4 : 0;
}

/* The mistake in the character at @p, of which @avail bytes exist; NULL when there is none. The order of the checks
 * decides which of several mistakes is reported. */
static const char *utf8_problem(const unsigned char *p, size_t avail, size_t *width)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	uint32_t c;

	*width = lead_width(p[0]);
	if (*width == 0)
		return "invalid leading UTF-8 octet";
	if (*width > avail)
		return "incomplete UTF-8 octet sequence";
	c = *width == 1 ? p[0] : p[0] & (0x7Fu >> *width);
	for (size_t i = 1; i < *width; i++) {
		if ((p[i] & 0xC0) != 0x80)
			return "invalid trailing UTF-8 octet";
		c = (c << 6) | (p[i] & 0x3F);
	}
	if (c < least[*width])
		return "invalid length of a UTF-8 sequence";
	if ((c >= 0xD800 && c <= 0xDFFF) || c > 0x10FFFF)
		return "invalid Unicode character";
	return is_allowed(c) ? NULL : control_characters;
}

/* The start of the block that holds the character at @bad. Blocks begin with a whole character, so their starts
 * depend on the characters before. @head bytes of byte order mark belong to the first block. */
static size_t utf8_block_start(const unsigned char *p, size_t head, size_t bad)
{
	size_t start = 0, at = head;

	while (at < bad) {
		size_t width = lead_width(p[at]);

		if (at + width > start + BLOCK)
			start = at;
		at += width;
	}
	/* A character that does not fit any more waits for the next block, but a byte that starts none is found at
	 * once. */
	if (bad + (lead_width(p[bad]) ? lead_width(p[bad]) : 1) > start + BLOCK)
		start = bad;
	return start < head ? head : start;
}

static int load_utf8(struct yaml_input *in, str raw, size_t head, struct arena *a, struct err *err)
{
	const unsigned char *p = (const unsigned char *)raw.p;
	size_t at = head, end = raw.n;
	char *copy;

	in->ascii = true;
	while (at < raw.n) {
		size_t width = 0;

		at += ascii_prefix(p + at, raw.n - at);
		if (at == raw.n)
			break;
		in->ascii = false;
		in->problem = utf8_problem(p + at, raw.n - at, &width);
		if (in->problem) {
			bool cut_off = width > raw.n - at;

			end = cut_off ? at : utf8_block_start(p, head, at);
			break;
		}
		at += width;
	}
	copy = arena_alloc(a, end - head + YAML_INPUT_PAD);
	if (!copy)
		return arena_error(a, err);
	if (end > head)
		memcpy(copy, raw.p + head, end - head);
	memset(copy + (end - head), 0, YAML_INPUT_PAD);
	in->text = copy;
	in->n = end - head;
	return 0;
}

/* ---- UTF-16 ---- */

static uint32_t unit_at(const unsigned char *p, bool big)
{
	return big ? (uint32_t)p[0] << 8 | p[1] : (uint32_t)p[1] << 8 | p[0];
}

static const char *utf16_problem(const unsigned char *p, size_t avail, bool big, size_t *width, uint32_t *ret)
{
	uint32_t c, low;

	*width = 2;
	if (avail < 2)
		return "incomplete UTF-16 character";
	c = unit_at(p, big);
	if ((c & 0xFC00) == 0xDC00)
		return "unexpected low surrogate area";
	if ((c & 0xFC00) == 0xD800) {
		*width = 4;
		if (avail < 4)
			return "incomplete UTF-16 surrogate pair";
		low = unit_at(p + 2, big);
		if ((low & 0xFC00) != 0xDC00)
			return "expected low surrogate area";
		c = 0x10000 + ((c & 0x3FF) << 10) + (low & 0x3FF);
	}
	*ret = c;
	return is_allowed(c) ? NULL : control_characters;
}

static int load_utf16(struct yaml_input *in, str raw, bool big, struct arena *a, struct err *err)
{
	const unsigned char *p = (const unsigned char *)raw.p;
	size_t n = 0, block = 0, block_n = 0, at = 2;
	/* A unit of two bytes becomes at most three. */
	char *copy = raw.n > SIZE_MAX / 2 - YAML_INPUT_PAD ? NULL : arena_alloc(a, raw.n / 2 * 3 + YAML_INPUT_PAD);

	if (!copy)
		return arena_error(a, err);
	while (at < raw.n) {
		size_t width = 0;
		uint32_t c = 0;

		in->problem = utf16_problem(p + at, raw.n - at, big, &width, &c);
		if (at + width > block + BLOCK) {
			block = at;
			block_n = n;
		}
		if (in->problem) {
			n = at + width > raw.n ? n : block_n;
			break;
		}
		n += utf8_encode(c, copy + n);
		at += width;
	}
	memset(copy + n, 0, YAML_INPUT_PAD);
	in->text = copy;
	in->n = n;
	return 0;
}

int yaml_input_load(struct yaml_input *in, str raw, struct arena *a, struct err *err)
{
	static const char mark[] = "\xEF\xBB\xBF";
	int r;

	*in = (struct yaml_input){ 0 };
	if (str_has_prefix(raw, STR("\xFF\xFE")))
		r = load_utf16(in, raw, false, a, err);
	else if (str_has_prefix(raw, STR("\xFE\xFF")))
		r = load_utf16(in, raw, true, a, err);
	else
		r = load_utf8(in, raw, str_has_prefix(raw, STR("\xEF\xBB\xBF")) ? 3 : 0, a, err);
	if (r < 0)
		return r;
	if (in->n >= 3 && memcmp(in->text, mark, 3) == 0)
		in->mark_until = BLOCK - 3;
	return 0;
}
