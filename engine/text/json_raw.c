/* Checks JSON texts, and cuts members and items out of them. */
#include "text/json_raw.h"

#include "base/ascii.h"
#include "base/assert.h"
#include "base/number.h"
#include "base/utf8.h"

#include <errno.h>

#define GO_MAX_DEPTH 10000

struct scanner {
	str s;
	size_t at;
	uint32_t depth, max_depth;
	struct err *err;
};

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static void skip_space(struct scanner *sc)
{
	while (sc->at < sc->s.n && is_space(sc->s.p[sc->at]))
		sc->at++;
}

/* Fail because the character at sc->at is wrong there. */
static int bad(struct scanner *sc, const char *where)
{
	unsigned char c;

	if (sc->at >= sc->s.n)
		return err_set(sc->err, EBADMSG, "unexpected end of JSON input");
	c = (unsigned char)sc->s.p[sc->at];
	if (c == '\'')
		return err_set(sc->err, EBADMSG, "invalid character '\\'' %s", where);
	if (c == '\n' || c == '\t' || c == '\r')
		return err_set(sc->err, EBADMSG, "invalid character '\\%c' %s",
			       c == '\n'   ? 'n'
			       : c == '\t' ? 't'
					   : 'r',
			       where);
	if (c < 0x20 || c == 0x7F)
		return err_set(sc->err, EBADMSG, "invalid character '\\x%02x' %s", c, where);
	if (c >= 0x80) /* Go quotes the byte as a code point */
		return err_set(sc->err, EBADMSG, "invalid character '%c%c' %s", 0xC0 | c >> 6, 0x80 | (c & 0x3F),
			       where);
	return err_set(sc->err, EBADMSG, "invalid character '%c' %s", c, where);
}

static char peek(const struct scanner *sc)
{
	return sc->at < sc->s.n ? sc->s.p[sc->at] : '\0';
}

static int check_string(struct scanner *sc)
{
	for (sc->at++; sc->at < sc->s.n; sc->at++) {
		char c = sc->s.p[sc->at];

		if (c == '"') {
			sc->at++;
			return 0;
		}
		if ((unsigned char)c < 0x20)
			return bad(sc, "in string literal");
		if (c != '\\')
			continue;
		sc->at++;
		c = peek(sc);
		if (c == 'u') {
			for (int i = 0; i < 4; i++) {
				sc->at++;
				c = (char)(peek(sc) | 0x20);
				if (!ascii_is_digit(peek(sc)) && !(c >= 'a' && c <= 'f'))
					return bad(sc, "in \\u hexadecimal character escape");
			}
		} else if (c == '\0' || !strchr("bfnrt\\/\"", c)) {
			return bad(sc, "in string escape code");
		}
	}
	return bad(sc, "");
}

static int check_digits(struct scanner *sc, const char *where)
{
	if (!ascii_is_digit(peek(sc)))
		return bad(sc, where);
	while (ascii_is_digit(peek(sc)))
		sc->at++;
	return 0;
}

static int check_number(struct scanner *sc)
{
	int r = 0;

	if (peek(sc) == '-')
		sc->at++;
	if (peek(sc) == '0')
		sc->at++;
	else
		r = check_digits(sc, "in numeric literal");
	if (r == 0 && peek(sc) == '.') {
		sc->at++;
		r = check_digits(sc, "after decimal point in numeric literal");
	}
	if (r == 0 && (peek(sc) == 'e' || peek(sc) == 'E')) {
		sc->at++;
		if (peek(sc) == '+' || peek(sc) == '-')
			sc->at++;
		r = check_digits(sc, "in exponent of numeric literal");
	}
	return r;
}

static int check_word(struct scanner *sc, const char *word)
{
	for (size_t i = 0; word[i]; i++, sc->at++) {
		char where[64] = "in literal ";

		if (peek(sc) == word[i] && sc->at < sc->s.n)
			continue;
		(void)strncat(where, word, 8);
		(void)strncat(where, " (expecting '", 16);
		(void)strncat(where, word + i, 1);
		(void)strncat(where, "')", 3);
		return bad(sc, where);
	}
	return 0;
}

static int check_value(struct scanner *sc);

static int check_members(struct scanner *sc, bool object)
{
	char close = object ? '}' : ']';
	bool first = true;
	int r;

	sc->at++;
	for (;; first = false) {
		skip_space(sc);
		if (peek(sc) == close && first)
			break;
		if (object) {
			if (peek(sc) != '"')
				return bad(sc, "looking for beginning of object key string");
			r = check_string(sc);
			if (r < 0)
				return r;
			skip_space(sc);
			if (peek(sc) != ':')
				return bad(sc, "after object key");
			sc->at++;
		}
		r = check_value(sc);
		if (r < 0)
			return r;
		skip_space(sc);
		if (peek(sc) == close)
			break;
		if (peek(sc) != ',')
			return bad(sc, object ? "after object key:value pair" : "after array element");
		sc->at++;
	}
	sc->at++;
	return 0;
}

static int check_value(struct scanner *sc)
{
	char c;
	int r;

	skip_space(sc);
	c = peek(sc);
	switch (c) {
	case '{':
	case '[':
		if (++sc->depth > sc->max_depth)
			return err_set(sc->err, E2BIG, "exceeded max depth");
		r = check_members(sc, c == '{');
		sc->depth--;
		return r;
	case '"':
		return check_string(sc);
	case 't':
		return check_word(sc, "true");
	case 'f':
		return check_word(sc, "false");
	case 'n':
		return check_word(sc, "null");
	default:
		if (c == '-' || ascii_is_digit(c))
			return check_number(sc);
		return bad(sc, "looking for beginning of value");
	}
}

int json_raw_check(str s, uint32_t max_depth, struct err *err)
{
	struct scanner sc = { .s = s, .max_depth = max_depth < GO_MAX_DEPTH ? max_depth : GO_MAX_DEPTH, .err = err };
	int r = check_value(&sc);

	if (r < 0)
		return r;
	skip_space(&sc);
	return sc.at == s.n ? 0 : bad(&sc, "after top-level value");
}

/* ---- checked text ---- */

str json_raw_trim(str s)
{
	while (s.n > 0 && is_space(s.p[0]))
		s = str_sub(s, 1, s.n);
	while (s.n > 0 && is_space(s.p[s.n - 1]))
		s.n--;
	return s;
}

enum json_raw_kind json_raw_kind(str s)
{
	switch (s.n > 0 ? s.p[0] : 'n') {
	case '{':
		return JSON_RAW_OBJECT;
	case '[':
		return JSON_RAW_ARRAY;
	case '"':
		return JSON_RAW_STRING;
	case 'n':
		return JSON_RAW_NULL;
	case 't':
	case 'f':
		return JSON_RAW_BOOL;
	default:
		return JSON_RAW_NUMBER;
	}
}

const char *json_raw_kind_name(enum json_raw_kind k)
{
	static const char *const names[] = { "null", "bool", "number", "string", "array", "object" };

	_Static_assert(ARRAY_LEN(names) == JSON_RAW_KINDS, "ORDER json_raw_kind");
	ASSERT(k < JSON_RAW_KINDS);
	return names[k];
}

static size_t skip_string(str s, size_t at)
{
	for (at++; at < s.n && s.p[at] != '"'; at++)
		at += s.p[at] == '\\';
	return at + 1;
}

/* The place behind the value at @at: brackets are balanced, so counting them finds its end. */
static size_t skip_value(str s, size_t at)
{
	size_t open = 0;

	while (at < s.n) {
		char c = s.p[at];

		if (c == '"') {
			at = skip_string(s, at);
			if (open == 0)
				return at;
			continue;
		}
		if (open == 0 && (c == ',' || c == '}' || c == ']' || is_space(c)))
			return at;
		at++;
		if (c == '{' || c == '[')
			open++;
		if ((c == '}' || c == ']') && --open == 0)
			return at;
	}
	return at;
}

static size_t behind_space(str s, size_t at)
{
	while (at < s.n && is_space(s.p[at]))
		at++;
	return at;
}

bool json_raw_next(str s, size_t *at, str *key, str *value)
{
	size_t pos = behind_space(s, *at == 0 ? 1 : *at), end;

	if (pos < s.n && s.p[pos] == ',')
		pos = behind_space(s, pos + 1);
	if (pos >= s.n || s.p[pos] == '}' || s.p[pos] == ']')
		return false;
	if (s.p[0] == '{') {
		end = skip_string(s, pos);
		*key = str_sub(s, pos, end);
		pos = behind_space(s, behind_space(s, end) + 1);
	}
	end = skip_value(s, pos);
	*value = str_sub(s, pos, end);
	*at = end;
	return true;
}

/* Decode the escape at s.p[*at], which is behind the backslash. */
static uint32_t unescape(str s, size_t *at)
{
	static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
	_Static_assert(sizeof(from) == sizeof(to), "each escape stands for a character");
	const char *simple;
	uint32_t c, low;

	if (s.p[*at] != 'u') {
		simple = strchr(from, s.p[*at]);
		c = (unsigned char)(simple ? to[simple - from] : s.p[*at]);
		++*at;
		return c;
	}
	c = (uint32_t)digits_parse(str_sub(s, *at + 1, s.n), 4, 16);
	*at += 5;
	if (c < 0xD800 || c > 0xDFFF)
		return c;
	if (c < 0xDC00 && *at + 6 <= s.n && s.p[*at] == '\\' && s.p[*at + 1] == 'u') {
		low = (uint32_t)digits_parse(str_sub(s, *at + 2, s.n), 4, 16);
		if (low >= 0xDC00 && low <= 0xDFFF) {
			*at += 6;
			return 0x10000 + ((c - 0xD800) << 10 | (low - 0xDC00));
		}
	}
	return UTF8_REPLACEMENT;
}

str json_raw_unquote(str s, struct arena *a)
{
	char *out = arena_alloc(a, 3 * s.n); /* an invalid byte grows to three */
	size_t n = 0, at = 1;

	if (!out)
		return (str){ NULL, 0 };
	while (at + 1 < s.n) {
		size_t width;
		uint32_t c;

		if (s.p[at] == '\\') {
			at++;
			c = unescape(str_sub(s, 0, s.n - 1), &at);
		} else {
			c = utf8_decode(str_sub(s, at, s.n - 1), &width);
			at += width;
		}
		n += utf8_encode(c, out + n);
	}
	return (str){ out, n };
}

static bool is_line_separator(str s, size_t i)
{
	return i + 2 < s.n && (unsigned char)s.p[i] == 0xE2 && (unsigned char)s.p[i + 1] == 0x80 &&
	       ((unsigned char)s.p[i + 2] & 0xFE) == 0xA8;
}

void json_raw_compact(str s, bool html, struct buf *out)
{
	bool in_string = false;

	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		if (!in_string && is_space(c))
			continue;
		if (html && (c == '<' || c == '>' || c == '&')) {
			buf_printf(out, "\\u00%02x", (unsigned char)c);
			continue;
		}
		if (html && is_line_separator(s, i)) {
			buf_printf(out, "\\u202%x", (unsigned char)s.p[i + 2] & 0xF);
			i += 2;
			continue;
		}
		buf_add_byte(out, c);
		if (in_string && c == '\\' && i + 1 < s.n)
			buf_add_byte(out, s.p[++i]);
		else if (c == '"')
			in_string = !in_string;
	}
}
