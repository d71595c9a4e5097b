/* Decodes texts within texts: base64, and escapes of URLs, JSON and XML. The decoded text is read like any other. */
#include "mask/lexer.h"

#include <stdlib.h>

#define BASE64_LEAST 12 /* characters */
#define LINE_LEAST 40   /* characters of base64 in a line that continues in the next one */
#define TRIED 12        /* characters that must decode to text */

/* ---- base64 ---- */

/* The value of a digit of either base64 alphabet; -1: no digit. */
static int digit_of(char c)
{
	if (ascii_is_upper(c))
		return c - 'A';
	if (ascii_is_lower(c))
		return c - 'a' + 26;
	if (ascii_is_digit(c))
		return c - '0' + 52;
	return c == '+' || c == '-' ? 62 : c == '/' || c == '_' ? 63 : -1;
}

/* The place behind the end of a line, raw or escaped as in JSON, where base64 may continue. */
static size_t over_line_end(const struct lexer *l, size_t i)
{
	size_t next = i;

	if (lexer_starts(l, i, STR("\\n")) || lexer_starts(l, i, STR("\\r\\n")))
		next += l->text.p[i + 1] == 'n' ? 2 : 4;
	while (next < l->text.n && (is_space(l->text.p[next]) || is_end(l->text.p[next])) && next - i < LOOK_MOST)
		next++;
	return next;
}

/* The end of the base64 at @i; *n is the number of its digits. */
static size_t base64_end(const struct lexer *l, size_t i, size_t *n)
{
	size_t line = i;

	for (*n = 0; i < l->text.n;) {
		if (digit_of(l->text.p[i]) >= 0) {
			i++, (*n)++;
		} else {
			size_t next = i - line >= LINE_LEAST && (i - line) % 4 == 0 ? over_line_end(l, i) : i;

			if (next == i || digit_of(lexer_at(l, next)) < 0)
				break;
			line = i = next;
		}
	}
	return i;
}

static bool is_text(char c)
{
	return (c >= ' ' && c < 0x7f) || is_space(c) || is_end(c);
}

/* Decode [@i, @end) to @to, without bytes 0 (of UTF-16). Returns the number of bytes. */
static size_t decode(const struct lexer *l, size_t i, size_t end, char *to)
{
	unsigned bits = 0, n_bits = 0;
	size_t n = 0;

	for (; i < end; i++) {
		int digit = digit_of(l->text.p[i]);

		if (l->text.p[i] == '\\') /* the letter belongs to an escaped line end */
			i += l->text.p[i + 1] == 'r' ? 3 : 1;
		if (digit < 0)
			continue;
		bits = (bits << 6 | (unsigned)digit) & 0xffffff;
		n_bits += 6;
		if (n_bits < 8)
			continue;
		n_bits -= 8;
		to[n] = (char)(bits >> n_bits & 0xff);
		n += to[n] != 0;
	}
	return n;
}

static bool begins_as_text(const struct lexer *l, size_t at)
{
	char first[TRIED];
	size_t n = decode(l, at, at + TRIED, first);

	for (size_t i = 0; i < n; i++) {
		if (!is_text(first[i]))
			return false;
	}
	return n >= TRIED / 3;
}

void encoded_base64(struct lexer *l, size_t at)
{
	size_t n, end;
	char *text;

	for (end = at; end - at < TRIED && digit_of(lexer_at(l, end)) >= 0;)
		end++;
	if (end - at < TRIED || !begins_as_text(l, at)) {
		for (end = at; digit_of(lexer_at(l, end)) >= 0 && l->text.p[end] != '/';)
			end++;
		l->run = end;
		return;
	}
	l->run = end = base64_end(l, at, &n);
	if (n < BASE64_LEAST)
		return;
	text = malloc(n);
	if (!text) {
		lexer_found(l, SHAPE_SECRET, "no memory to look at it", at, end);
		return;
	}
	lexer_within(l, (str){ text, decode(l, at, end, text) }, at, end);
	free(text);
}

/* ---- escapes ---- */

static int hex(char c)
{
	return ascii_is_digit(c) ? c - '0' : lower(c) - 'a' + 10;
}

/* The byte that @n hexadecimal digits at @i encode; -1: there are no such digits, or it is not ASCII. */
static int hex_byte(str text, size_t i, size_t n)
{
	int byte = 0;

	for (size_t k = 0; k < n; k++) {
		if (i + k >= text.n || !ascii_is_hex(text.p[i + k]))
			return -1;
		byte = byte * 16 + hex(text.p[i + k]);
		if (byte > 0x7f)
			return -1;
	}
	return byte;
}

static size_t backslash(str text, size_t i, int *byte)
{
	switch (i + 1 < text.n ? text.p[i + 1] : 0) {
	case 'u':
		*byte = hex_byte(text, i + 2, 4);
		return *byte < 0 ? 0 : 6;
	case 'x':
		*byte = hex_byte(text, i + 2, 2);
		return *byte < 0 ? 0 : 4;
	case 'n':
	case 'r':
		*byte = '\n';
		return 2;
	case 't':
		*byte = '\t';
		return 2;
	case '"':
		*byte = '"';
		return 2;
	case '\\':
		*byte = '\\';
		return 2;
	default:
		return 0;
	}
}

/* Decode a numbered entity such as &#34; or &#x22;. */
static size_t numbered(str text, size_t i, int *byte)
{
	size_t from = i + 2;

	if (from < text.n && (text.p[from] == 'x' || text.p[from] == 'X')) {
		*byte = hex_byte(text, from + 1, 2);
		return *byte >= 0 && from + 3 < text.n && text.p[from + 3] == ';' ? 6 : 0;
	}
	for (*byte = 0; from < text.n && ascii_is_digit(text.p[from]) && *byte < 0x80; from++)
		*byte = *byte * 10 + (text.p[from] - '0');
	return from > i + 2 && from < text.n && text.p[from] == ';' && *byte < 0x80 ? from + 1 - i : 0;
}

static size_t entity(str text, size_t i, int *byte)
{
	static const struct {
		str name;
		char byte;
	} entities[] = {
		{ { "&quot;", 6 }, '"' }, { { "&apos;", 6 }, '\'' }, { { "&lt;", 4 }, '<' },
		{ { "&gt;", 4 }, '>' },   { { "&amp;", 5 }, '&' },   { { "&colon;", 7 }, ':' },
	};

	if (i + 1 < text.n && text.p[i + 1] == '#')
		return numbered(text, i, byte);
	for (size_t k = 0; k < ARRAY_LEN(entities); k++) {
		if (str_has_prefix(str_sub(text, i, text.n), entities[k].name)) {
			*byte = (unsigned char)entities[k].byte;
			return entities[k].name.n;
		}
	}
	return 0;
}

/* The length of the escape at @i, and the byte that it encodes; 0: there is none. */
static size_t escape(str text, size_t i, int *byte)
{
	switch (text.p[i]) {
	case '%':
		*byte = hex_byte(text, i + 1, 2);
		return *byte < 0 ? 0 : 3;
	case '\\':
		return backslash(text, i, byte);
	case '&':
		return entity(text, i, byte);
	default:
		return 0;
	}
}

void encoded_escapes(struct lexer *l, size_t at)
{
	size_t n = 0, length;
	char *text;
	int byte;

	length = l->unescaped || lexer_at(l, at + 1) == '"' || lexer_at(l, at + 1) == '\\' ? 0
											   : escape(l->text, at, &byte);
	if (!length)
		return;
	l->unescaped = true;
	text = malloc(l->text.n - l->line);
	if (!text) {
		lexer_found(l, SHAPE_SECRET, "no memory to look at it", at, at + length);
		return;
	}
	for (size_t i = l->line; i < l->text.n; i += length) {
		length = escape(l->text, i, &byte);
		text[n++] = length ? (char)byte : l->text.p[i];
		length += !length;
	}
	lexer_within(l, (str){ text, n }, at, l->text.n);
	free(text);
}
