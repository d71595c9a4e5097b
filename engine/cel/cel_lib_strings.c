/* The strings extension. Positions are in code points.   cel-go ext/strings.go */
#include "cel/cel_func.h"

#include "base/unicode.h"
#include "base/utf8.h"

static cv out_of_range(struct cel_ctx *c, int64_t i)
{
	return cel_fail(c, "index out of range: %lld", (long long)i);
}

/* The byte offset of code point @i; false when there are fewer. When @i is their number it is the end. */
static bool byte_offset(str s, int64_t i, size_t *ret)
{
	size_t at = 0, n;

	for (; i > 0; i--) {
		if (at >= s.n)
			return false;
		(void)utf8_decode(str_sub(s, at, s.n), &n);
		at += n;
	}
	*ret = at;
	return i == 0;
}

/* A position that is at most the end. */
static int64_t clamp(int64_t i, str s)
{
	int64_t n = (int64_t)utf8_count(s);

	return i < n ? i : n;
}

static cv char_at(struct cel_ctx *c, const cv *a, uint32_t n)
{
	str s = cv_str(a[0]);
	size_t at, len;

	(void)n;
	if (a[1].i < 0 || !byte_offset(s, a[1].i, &at))
		return out_of_range(c, a[1].i);
	if (at == s.n)
		return cv_string(STR(""));
	(void)utf8_decode(str_sub(s, at, s.n), &len);
	return cv_string(str_sub(s, at, at + len));
}

static cv index_of(struct cel_ctx *c, const cv *a, uint32_t n)
{
	str s = cv_str(a[0]), needle = cv_str(a[1]);
	int64_t from = n > 2 ? a[2].i : 0;
	size_t at;
	ptrdiff_t found;

	if (from < 0)
		return out_of_range(c, from);
	if (needle.n == 0 && (c->kubernetes || byte_offset(s, from, &at)))
		return cv_int(clamp(from, s));
	if (!byte_offset(s, from, &at))
		return c->kubernetes ? cv_int(-1) : out_of_range(c, from);
	found = str_find(str_sub(s, at, s.n), needle);
	return cv_int(found < 0 ? -1 : from + (int64_t)utf8_count(str_sub(s, at, at + (size_t)found)));
}

static cv last_index_of(struct cel_ctx *c, const cv *a, uint32_t n)
{
	str s = cv_str(a[0]), needle = cv_str(a[1]);
	int64_t last = (int64_t)utf8_count(s) - (int64_t)utf8_count(needle), limit = n > 2 ? a[2].i : last;
	size_t end;

	if (n > 2 && limit < 0)
		return out_of_range(c, limit);
	if (needle.n == 0)
		return cv_int(n > 2 ? clamp(limit, s) : (int64_t)utf8_count(s));
	if (n > 2 && limit >= (int64_t)utf8_count(s))
		return c->kubernetes ? cv_int(-1) : out_of_range(c, limit);
	if (limit > last)
		limit = last;
	if (limit < 0 || !byte_offset(s, limit, &end))
		return cv_int(-1);
	for (;;) { /* first at the last place where it may begin, then before that */
		if (str_has_prefix(str_sub(s, end, s.n), needle))
			return cv_int((int64_t)utf8_count(str_sub(s, 0, end)));
		if (end == 0)
			return cv_int(-1);
		end--;
	}
}

static cv map_ascii(struct cel_ctx *c, cv v, char from, char to)
{
	char *p = arena_alloc(c->arena, v.n);

	if (!p)
		return cel_nomem(c);
	for (uint32_t i = 0; i < v.n; i++) {
		char ch = v.s[i];

		p[i] = ch >= from && ch <= from + 25 ? (char)(ch - from + to) : ch;
	}
	return cv_string((str){ p, v.n });
}

static cv lower_ascii(struct cel_ctx *c, const cv *a, uint32_t n)
{
	(void)n;
	return map_ascii(c, a[0], 'A', 'a');
}

static cv upper_ascii(struct cel_ctx *c, const cv *a, uint32_t n)
{
	(void)n;
	return map_ascii(c, a[0], 'a', 'A');
}

static cv substring(struct cel_ctx *c, const cv *a, uint32_t n)
{
	str s = cv_str(a[0]);
	size_t from, to = s.n;

	if (n > 2 && a[1].i > a[2].i)
		return cel_fail(c, "invalid substring range. start: %lld, end: %lld", (long long)a[1].i,
				(long long)a[2].i);
	if (a[1].i < 0 || !byte_offset(s, a[1].i, &from))
		return out_of_range(c, a[1].i);
	if (n > 2 && !byte_offset(s, a[2].i, &to))
		return out_of_range(c, a[2].i);
	return cv_string(str_sub(s, from, to));
}

static cv trim(struct cel_ctx *c, const cv *a, uint32_t n)
{
	str s = cv_str(a[0]);
	size_t len, end;

	(void)c;
	(void)n;
	while (s.n && unicode_is_space(utf8_decode(s, &len)))
		s = str_sub(s, len, s.n);
	while (s.n) {
		for (end = s.n - 1; end > 0 && ((unsigned char)s.p[end] & 0xC0) == 0x80; end--)
			;
		if (!unicode_is_space(utf8_decode(str_sub(s, end, s.n), &len)))
			break;
		s = str_sub(s, 0, end);
	}
	return cv_string(s);
}

static cv reverse(struct cel_ctx *c, const cv *a, uint32_t n)
{
	str s = cv_str(a[0]);
	char *p = arena_alloc(c->arena, s.n);
	size_t at = s.n, len;

	(void)n;
	if (!p)
		return cel_nomem(c);
	while (s.n) {
		(void)utf8_decode(s, &len);
		at -= len;
		memcpy(p + at, s.p, len);
		s = str_sub(s, len, s.n);
	}
	return cv_string((str){ p, a[0].n });
}

/* Go's strings.Replace. */
static cv replace(struct cel_ctx *c, const cv *a, uint32_t n)
{
	str s = cv_str(a[0]), old = cv_str(a[1]), with = cv_str(a[2]);
	int64_t left = n > 3 ? a[3].i : -1;
	struct buf b = BUF_INIT(c->arena->max ? c->arena->max : SIZE_MAX / 4);

	while (left != 0) {
		ptrdiff_t at = str_find(s, old);
		size_t step;

		if (at < 0)
			break;
		buf_add_str(&b, str_sub(s, 0, (size_t)at));
		buf_add_str(&b, with);
		s = str_sub(s, (size_t)at + old.n, s.n);
		left--;
		if (old.n)
			continue;
		if (s.n == 0) /* an empty pattern matches at each code point and at the end */
			break;
		(void)utf8_decode(s, &step);
		buf_add_str(&b, str_sub(s, 0, step));
		s = str_sub(s, step, s.n);
		if (s.n == 0 && left != 0) {
			buf_add_str(&b, with);
			break;
		}
	}
	buf_add_str(&b, s);
	return cel_string_take(c, &b);
}

/* Go's strings.SplitN. */
static cv split(struct cel_ctx *c, const cv *a, uint32_t n)
{
	str s = cv_str(a[0]), separator = cv_str(a[1]);
	int64_t most = n > 2 ? a[2].i : -1;
	struct cv_builder b = { 0 };
	bool ok = true;

	if (most == 0)
		return cv_list(NULL, 0);
	while (ok && (most < 0 || most > 1)) {
		ptrdiff_t at = separator.n ? str_find(s, separator) : 0;
		size_t len;

		if (separator.n == 0) {
			if (s.n == 0)
				break;
			(void)utf8_decode(s, &len);
			if (len == s.n)
				break;
			at = (ptrdiff_t)len;
		}
		if (at < 0)
			break;
		ok = cv_builder_add(c->arena, &b, cv_string(str_sub(s, 0, (size_t)at)));
		s = str_sub(s, (size_t)at + separator.n, s.n);
		most -= most > 0;
	}
	if (separator.n || s.n)
		ok = ok && cv_builder_add(c->arena, &b, cv_string(s));
	return ok ? cv_list(b.items, b.n) : cel_nomem(c);
}

static cv join(struct cel_ctx *c, const cv *a, uint32_t n)
{
	struct buf b = BUF_INIT(c->arena->max ? c->arena->max : SIZE_MAX / 4);

	for (uint32_t i = 0; i < cv_count(a[0]); i++) {
		cv v = cv_item(c->arena, a[0], i);

		if (v.kind != CV_STRING) {
			buf_done(&b);
			return cv_is_error(v) ? v : cv_no_overload();
		}
		if (i && n > 1)
			buf_add_str(&b, cv_str(a[1]));
		buf_add_str(&b, cv_str(v));
	}
	return cel_string_take(c, &b);
}

/* Append a literal that makes the text: control characters and quotes are escaped, broken UTF-8 is replaced. */
void cel_quote(str s, struct buf *out)
{
	static const char from[] = "\a\b\f\n\r\t\v\\\"", to[] = "abfnrtv\\\"";
	_Static_assert(sizeof(from) == sizeof(to), "each escape stands for a character");
	size_t len;

	buf_add_byte(out, '"');
	while (s.n) {
		uint32_t code = utf8_decode(s, &len);
		const char *special = code && code < 128 ? strchr(from, (int)code) : NULL;

		if (special) {
			buf_add_byte(out, '\\');
			buf_add_byte(out, to[special - from]);
		} else if (code == UTF8_REPLACEMENT) {
			buf_add_cstr(out, "\xEF\xBF\xBD");
		} else {
			buf_add(out, s.p, len);
		}
		s = str_sub(s, len, s.n);
	}
	buf_add_byte(out, '"');
}

static cv quote(struct cel_ctx *c, const cv *a, uint32_t n)
{
	struct buf b = BUF_INIT(c->arena->max ? c->arena->max : SIZE_MAX / 4);

	(void)n;
	cel_quote(cv_str(a[0]), &b);
	return cel_string_take(c, &b);
}

static const struct cel_overload overloads[] = {
	CEL_MEMBER("charAt", "string_char_at_int", "si:s", char_at, COST_ONE, "the character at a position"),
	CEL_MEMBER("indexOf", "string_index_of_string", "ss:i", index_of, COST_TRAVERSE, "position of a text, or -1"),
	CEL_MEMBER("indexOf", "string_index_of_string_int", "ssi:i", index_of, COST_TRAVERSE, "from a position on"),
	CEL_MEMBER("lastIndexOf", "string_last_index_of_string", "ss:i", last_index_of, COST_TRAVERSE, "last position"),
	CEL_MEMBER("lastIndexOf", "string_last_index_of_string_int", "ssi:i", last_index_of, COST_TRAVERSE,
		   "up to a position"),
	CEL_MEMBER("join", "list_join", "Ls:s", join, COST_K_RESULT, "one text from many"),
	CEL_MEMBER("join", "list_join_string", "Lss:s", join, COST_K_RESULT, "with a separator"),
	CEL_MEMBER("lowerAscii", "string_lower_ascii", "s:s", lower_ascii, COST_K_FIRST, "ASCII letters in lower case"),
	CEL_MEMBER("upperAscii", "string_upper_ascii", "s:s", upper_ascii, COST_K_FIRST, "ASCII letters in upper case"),
	CEL_MEMBER("replace", "string_replace_string_string", "sss:s", replace, COST_K_FIRST_TWICE,
		   "every occurrence replaced"),
	CEL_MEMBER("replace", "string_replace_string_string_int", "sssi:s", replace, COST_K_FIRST_TWICE,
		   "so many replaced"),
	CEL_MEMBER("split", "string_split_string", "ss:Ls", split, COST_K_FIRST_TWICE, "parts between separators"),
	CEL_MEMBER("split", "string_split_string_int", "ssi:Ls", split, COST_K_FIRST_TWICE, "at most so many parts"),
	CEL_MEMBER("substring", "string_substring_int", "si:s", substring, COST_K_FIRST, "from a position to the end"),
	CEL_MEMBER("substring", "string_substring_int_int", "sii:s", substring, COST_K_FIRST, "between two positions"),
	CEL_MEMBER("trim", "string_trim", "s:s", trim, COST_K_FIRST, "without white space around"),
	CEL_EXTRA_MEMBER("reverse", "string_reverse", "s:s", reverse, COST_ONE, "backwards"),
	CEL_GLOBAL("strings.quote", "strings_quote", "s:s", quote, COST_FIRST, "as a literal"),
};

const struct cel_library cel_lib_strings = { overloads, ARRAY_LEN(overloads) };
