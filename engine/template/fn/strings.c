/* Sprig's strings: trimming, case, prefixes, indentation, quoting, splitting and joining. */
#include "template/fn/fn.h"

#include "go/quote.h"
#include "template/fn/words.h"

#include "base/unicode.h"
#include "base/utf8.h"
#include "template/tmpl_print.h"

static int ret_sub(str s, tval *ret)
{
	*ret = tval_string(s);
	return 0;
}

/* ---- trimming ---- */

static bool in_set(str set, uint32_t c)
{
	size_t at = 0, len;

	while (at < set.n) {
		if (utf8_decode(str_sub(set, at, set.n), &len) == c)
			return true;
		at += len;
	}
	return false;
}

/* Cut the characters of @set (white space when it is NULL) from both ends. */
static str trim_both(str s, const str *set)
{
	size_t len;

	while (s.n > 0) {
		uint32_t c = utf8_decode(s, &len);

		if (set ? !in_set(*set, c) : !unicode_is_space(c))
			break;
		s = str_sub(s, len, s.n);
	}
	while (s.n > 0) {
		size_t n = utf8_last_length(s);
		uint32_t c = utf8_decode(str_sub(s, s.n - n, s.n), &len);

		if (set ? !in_set(*set, c) : !unicode_is_space(c))
			break;
		s.n -= n;
	}
	return s;
}

static int fn_trim(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)c;
	(void)n;
	return ret_sub(trim_both(args[0].s, NULL), ret);
}

static int fn_trim_all(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)c;
	(void)n;
	return ret_sub(trim_both(args[1].s, &args[0].s), ret);
}

static int fn_trim_prefix(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	str s = args[1].s;

	(void)c;
	(void)n;
	return ret_sub(str_has_prefix(s, args[0].s) ? str_sub(s, args[0].s.n, s.n) : s, ret);
}

static int fn_trim_suffix(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	str s = args[1].s;

	(void)c;
	(void)n;
	return ret_sub(str_has_suffix(s, args[0].s) ? str_sub(s, 0, s.n - args[0].s.n) : s, ret);
}

/* ---- case ---- */

static int map_chars(struct tmpl_call *c, str s, uint32_t (*map)(uint32_t), tval *ret)
{
	CLEANUP(buf_done) struct buf out = tmpl_buf(c);
	size_t len;

	for (size_t at = 0; at < s.n; at += len) {
		uint32_t ch = map(utf8_decode(str_sub(s, at, s.n), &len));

		buf_add_utf8(&out, ch);
	}
	return tmpl_ret_buf(c, &out, ret);
}

static int fn_upper(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)n;
	return map_chars(c, args[0].s, unicode_to_upper, ret);
}

static int fn_lower(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)n;
	return map_chars(c, args[0].s, unicode_to_lower, ret);
}

/* Whether strings.Title sees a word border: letters, digits and underscores belong to words, and so do characters
 * that are neither ASCII nor space. */
static bool is_separator(uint32_t c)
{
	if (c == '_' || unicode_is_letter(c) || unicode_is_digit(c))
		return false;
	return c < 0x80 || unicode_is_space(c);
}

static int fn_title(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	CLEANUP(buf_done) struct buf out = tmpl_buf(c);
	str s = args[0].s;
	bool start = true;
	size_t len;

	(void)n;
	for (size_t at = 0; at < s.n; at += len) {
		uint32_t ch = utf8_decode(str_sub(s, at, s.n), &len);

		buf_add_utf8(&out, start ? unicode_to_title(ch) : ch);
		start = is_separator(ch);
	}
	return tmpl_ret_buf(c, &out, ret);
}

/* ---- searching and replacing ---- */

static int fn_contains(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)c;
	(void)n;
	*ret = tval_bool(str_find(args[1].s, args[0].s) >= 0);
	return 0;
}

static int fn_has_prefix(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)c;
	(void)n;
	*ret = tval_bool(str_has_prefix(args[1].s, args[0].s));
	return 0;
}

static int fn_has_suffix(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)c;
	(void)n;
	*ret = tval_bool(str_has_suffix(args[1].s, args[0].s));
	return 0;
}

/* Replace every @old by @new; an empty @old matches before each character and at the end. */
static void replace_all(str s, str old, str new, struct buf *out)
{
	size_t len;
	ptrdiff_t at;

	if (old.n == 0) {
		for (size_t i = 0; i < s.n && !out->error; i += len) {
			(void)utf8_decode(str_sub(s, i, s.n), &len);
			buf_add_str(out, new);
			buf_add_str(out, str_sub(s, i, i + len));
		}
		buf_add_str(out, new);
		return;
	}
	while (!out->error && (at = str_find(s, old)) >= 0) {
		buf_add(out, s.p, (size_t)at);
		buf_add_str(out, new);
		s = str_sub(s, (size_t)at + old.n, s.n);
	}
	buf_add_str(out, s);
}

static int fn_replace(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	CLEANUP(buf_done) struct buf out = tmpl_buf(c);

	(void)n;
	replace_all(args[2].s, args[0].s, args[1].s, &out);
	return tmpl_ret_buf(c, &out, ret);
}

static int fn_repeat(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	CLEANUP(buf_done) struct buf out = tmpl_buf(c);
	str s = args[1].s;
	int r;

	(void)n;
	if (args[0].i < 0)
		return tmpl_fail(c, "strings: negative Repeat count");
	if (s.n == 0 || args[0].i == 0)
		return ret_sub(STR(""), ret);
	r = tmpl_spend(c, (uint64_t)args[0].i);
	if (r < 0)
		return r;
	for (int64_t i = 0; i < args[0].i && !out.error; i++)
		buf_add_str(&out, s);
	return tmpl_ret_buf(c, &out, ret);
}

/* ---- indentation ---- */

static int indent(struct tmpl_call *c, int64_t spaces, str s, bool newline, tval *ret)
{
	CLEANUP(buf_done) struct buf out = tmpl_buf(c);
	str rest = s.p ? s : STR(""), line;

	if (spaces < 0)
		return tmpl_fail(c, "strings: negative Repeat count");
	if (newline)
		buf_add_byte(&out, '\n');
	while (!out.error && str_next_part(&rest, '\n', &line)) {
		buf_fill(&out, ' ', (size_t)spaces);
		buf_add_str(&out, line);
		if (rest.p)
			buf_add_byte(&out, '\n');
	}
	return tmpl_ret_buf(c, &out, ret);
}

static int fn_indent(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)n;
	return indent(c, args[0].i, args[1].s, false, ret);
}

static int fn_nindent(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)n;
	return indent(c, args[0].i, args[1].s, true, ret);
}

/* ---- parts ---- */

static int fn_trunc(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	str s = args[1].s;
	int64_t count = args[0].i;

	(void)c;
	(void)n;
	if (count < 0 && (uint64_t)s.n > -(uint64_t)count)
		return ret_sub(str_sub(s, s.n - (size_t) - (uint64_t)count, s.n), ret);
	if (count >= 0 && s.n > (uint64_t)count)
		return ret_sub(str_sub(s, 0, (size_t)count), ret);
	return ret_sub(s, ret);
}

/* Go's slice expression s[from:to], with its panics. */
static int slice_string(struct tmpl_call *c, str s, int64_t from, int64_t to, bool to_end, tval *ret)
{
	int64_t len = (int64_t)s.n;

	if (to_end && (from < 0 || from > len))
		return tmpl_fail(c, "runtime error: slice bounds out of range [%lld:%lld]", (long long)from,
				 (long long)len);
	if (!to_end && (to < 0 || to > len))
		return to < 0 ? tmpl_fail(c, "runtime error: slice bounds out of range [:%lld]", (long long)to)
			      : tmpl_fail(c, "runtime error: slice bounds out of range [:%lld] with length %lld",
					  (long long)to, (long long)len);
	if (!to_end && from > to)
		return tmpl_fail(c, "runtime error: slice bounds out of range [%lld:%lld]", (long long)from,
				 (long long)to);
	return ret_sub(str_sub(s, (size_t)from, to_end ? s.n : (size_t)to), ret);
}

static int fn_substr(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	int64_t start = args[0].i, end = args[1].i;
	str s = args[2].s;

	(void)n;
	if (start < 0)
		return slice_string(c, s, 0, end, false, ret);
	if (end < 0 || end > (int64_t)s.n)
		return slice_string(c, s, start, 0, true, ret);
	return slice_string(c, s, start, end, false, ret);
}

/* ---- quoting ---- */

static int quote_all(struct tmpl_call *c, const tval *args, size_t n, bool single, tval *ret)
{
	CLEANUP(buf_done) struct buf out = tmpl_buf(c);

	for (size_t i = 0; i < n; i++) {
		str s;
		int r = tmpl_strval(c, args[i], &s);

		if (r < 0)
			return r;
		if (!args[i].type)
			continue;
		if (out.n > 0)
			buf_add_byte(&out, ' ');
		if (!single) {
			go_quote(&out, s);
			continue;
		}
		buf_add_byte(&out, '\'');
		tmpl_sprint(c->mem, args[i], &out);
		buf_add_byte(&out, '\'');
	}
	return tmpl_ret_buf(c, &out, ret);
}

static int fn_quote(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	return quote_all(c, args, n, false, ret);
}

static int fn_squote(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	return quote_all(c, args, n, true, ret);
}

static int fn_to_string(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	str s;
	int r = tmpl_strval(c, args[0], &s);

	(void)n;
	return r < 0 ? r : ret_sub(s, ret);
}

/* ---- lists of strings ---- */

/* Sprig's strslice: the texts of the items that are not nil; for a value that is no list, its own text. */
static int string_items(struct tmpl_call *c, tval v, tval **ret, size_t *ret_n)
{
	bool list = tval_kind(v) == TK_SLICE;
	size_t n = list ? tval_len(c->mem, v) : v.type ? 1 : 0, count = 0;
	tval *items = tmpl_items(c, n);
	int r = items ? tmpl_spend(c, n) : tmpl_nomem(c);

	for (size_t i = 0; i < n && r == 0; i++) {
		tval item = list ? tval_at(v, i) : v;
		str s;

		if (!item.type)
			continue;
		r = tmpl_strval(c, item, &s);
		if (r == 0)
			items[count++] = tval_string(s);
	}
	*ret = items;
	*ret_n = count;
	return r;
}

static int fn_to_strings(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	tval *items;
	size_t count;
	int r = string_items(c, args[0], &items, &count);

	(void)n;
	if (r == 0)
		*ret = tval_slice(&tt_strings, items, count);
	return r;
}

static int by_text(const void *a, const void *b)
{
	return str_cmp(((const tval *)a)->s, ((const tval *)b)->s);
}

static int fn_sort_alpha(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	tval *items;
	size_t count;
	int r;

	(void)n;
	if (!args[0].type) {
		items = tmpl_items(c, 1);
		if (!items)
			return tmpl_nomem(c);
		items[0] = tval_string(STR("<nil>"));
		*ret = tval_slice(&tt_strings, items, 1);
		return 0;
	}
	r = string_items(c, args[0], &items, &count);
	if (r < 0)
		return r;
	qsort(items, count, sizeof(*items), by_text);
	*ret = tval_slice(&tt_strings, items, count);
	return 0;
}

static int fn_join(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	CLEANUP(buf_done) struct buf out = tmpl_buf(c);
	tval *items;
	size_t count;
	int r = string_items(c, args[1], &items, &count);

	(void)n;
	if (r < 0)
		return r;
	for (size_t i = 0; i < count; i++) {
		if (i > 0)
			buf_add_str(&out, args[0].s);
		buf_add_str(&out, items[i].s);
	}
	return tmpl_ret_buf(c, &out, ret);
}

/* strings.SplitN: at most @most parts (negative: all); an empty separator splits into characters. */
static int split(struct tmpl_call *c, str s, str sep, int64_t most, tval **ret, size_t *ret_n)
{
	size_t cap = 8, n = 0;
	tval *items = tmpl_items(c, cap);
	bool more = most != 0 && !(sep.n == 0 && s.n == 0);

	while (items && more) {
		size_t len = 0;
		ptrdiff_t at;
		bool last = most > 0 && n + 1 >= (uint64_t)most;

		if (n == cap) {
			tval *grown = tmpl_items(c, cap * 2);

			if (grown)
				memcpy(grown, items, n * sizeof(*items));
			items = grown;
			cap *= 2;
		}
		if (!items || tmpl_spend(c, 1) < 0)
			return items ? tmpl_spend(c, 1) : tmpl_nomem(c);
		if (sep.n == 0) {
			(void)utf8_decode(s, &len);
			at = len < s.n ? (ptrdiff_t)len : -1;
		} else {
			at = str_find(s, sep);
		}
		more = at >= 0 && !last;
		items[n++] = tval_string(more ? str_sub(s, 0, (size_t)at) : s);
		s = more ? str_sub(s, (size_t)at + sep.n, s.n) : s;
	}
	*ret = items;
	*ret_n = n;
	return items ? 0 : tmpl_nomem(c);
}

static int fn_split_list(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	tval *items;
	size_t count;
	int r = split(c, args[1].s, args[0].s, -1, &items, &count);

	(void)n;
	if (r == 0)
		*ret = tval_slice(&tt_strings, items, count);
	return r;
}

/* {"_0": first part, "_1": …} */
static int split_map(struct tmpl_call *c, str s, str sep, int64_t most, tval *ret)
{
	tval map = tmap_new(c->mem, &tt_strmap), *items = NULL;
	size_t count = 0;
	int r = map.type ? split(c, s, sep, most, &items, &count) : tmpl_nomem(c);

	if (r < 0)
		return r;
	for (size_t i = 0; i < count; i++) {
		str key = arena_printf(&c->mem->arena, "_%zu", i);

		if (!key.p || tmap_set(c->mem, map, key, items[i]) < 0)
			return tmpl_nomem(c);
	}
	*ret = map;
	return 0;
}

static int fn_split(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)n;
	return split_map(c, args[1].s, args[0].s, -1, ret);
}

static int fn_splitn(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)n;
	return split_map(c, args[2].s, args[0].s, args[1].i, ret);
}

#define ONE { &tt_string }, false, &tt_string
#define TWO { &tt_string, &tt_string }, false, &tt_string
#define TWO_BOOL { &tt_string, &tt_string }, false, &tt_bool
#define INT_STRING { &tt_int, &tt_string }, false, &tt_string

static const struct tmpl_fn rows[] = {
	{ "abbrev", run_abbrev, INT_STRING, "the beginning of a text with ... behind it, in so many bytes" },
	{ "abbrevboth",
	  run_abbrev_both,
	  { &tt_int, &tt_int, &tt_string },
	  false,
	  &tt_string,
	  "the part of a text from an offset on, in so many bytes, with ... where it is cut" },
	{ "camelcase", run_camelcase, ONE, "words joined as HelloWorld" },
	{ "cat", run_cat, { &tt_any }, true, &tt_string, "the arguments that are not nil, with spaces between them" },
	{ "contains", fn_contains, TWO_BOOL, "whether the second string contains the first" },
	{ "hasPrefix", fn_has_prefix, TWO_BOOL, "whether the second string begins with the first" },
	{ "hasSuffix", fn_has_suffix, TWO_BOOL, "whether the second string ends with the first" },
	{ "indent", fn_indent, INT_STRING, "every line with spaces before it" },
	{ "initials", run_initials, ONE, "the first letter of each word" },
	{ "join",
	  fn_join,
	  { &tt_string, &tt_any },
	  false,
	  &tt_string,
	  "the texts of the items with a separator between them" },
	{ "kebabcase", run_kebabcase, ONE, "words joined as hello-world" },
	{ "lower", fn_lower, ONE, "in lower case" },
	{ "nindent", fn_nindent, INT_STRING, "a newline, then every line with spaces before it" },
	{ "nospace", run_nospace, ONE, "without white space" },
	{ "plural",
	  run_plural,
	  { &tt_string, &tt_string, &tt_int },
	  false,
	  &tt_string,
	  "the first text for the number one, else the second" },
	{ "quote", fn_quote, { &tt_any }, true, &tt_string, "the arguments in double quotes" },
	{ "repeat", fn_repeat, INT_STRING, "the string so many times" },
	{ "replace",
	  fn_replace,
	  { &tt_string, &tt_string, &tt_string },
	  false,
	  &tt_string,
	  "every first by the second in the third" },
	{ "snakecase", run_snakecase, ONE, "words joined as hello_world" },
	{ "sortAlpha", fn_sort_alpha, { &tt_any }, false, &tt_strings, "the texts of the items, sorted" },
	{ "split",
	  fn_split,
	  { &tt_string, &tt_string },
	  false,
	  &tt_strmap,
	  "the parts between separators as _0, _1, …" },
	{ "splitList",
	  fn_split_list,
	  { &tt_string, &tt_string },
	  false,
	  &tt_strings,
	  "the parts between separators as a list" },
	{ "splitn",
	  fn_splitn,
	  { &tt_string, &tt_int, &tt_string },
	  false,
	  &tt_strmap,
	  "as split, into so many parts at most" },
	{ "squote", fn_squote, { &tt_any }, true, &tt_string, "the arguments in single quotes" },
	{ "substr",
	  fn_substr,
	  { &tt_int, &tt_int, &tt_string },
	  false,
	  &tt_string,
	  "the bytes from a start to an end" },
	{ "swapcase", run_swapcase, ONE, "small letters for capitals and the other way round" },
	{ "title", fn_title, ONE, "each word with a capital" },
	{ "toString", fn_to_string, { &tt_any }, false, &tt_string, "the argument as text" },
	{ "toStrings", fn_to_strings, { &tt_any }, false, &tt_strings, "the texts of the items" },
	{ "trim", fn_trim, ONE, "without white space at the ends" },
	{ "trimAll", fn_trim_all, TWO, "the second without characters of the first at the ends" },
	{ "trimPrefix", fn_trim_prefix, TWO, "the second without the first before it" },
	{ "trimSuffix", fn_trim_suffix, TWO, "the second without the first behind it" },
	{ "trimall", fn_trim_all, TWO, "the same as trimAll" },
	{ "trunc", fn_trunc, INT_STRING, "the first so many bytes, the last ones for a negative number" },
	{ "untitle", run_untitle, ONE, "each word with a small letter in front" },
	{ "upper", fn_upper, ONE, "in upper case" },
	{ "wrap", run_wrap, INT_STRING, "in lines of so many bytes, broken at spaces" },
	{ "wrapWith",
	  run_wrap_with,
	  { &tt_int, &tt_string, &tt_string },
	  false,
	  &tt_string,
	  "as wrap, with another text for the line end, and long words broken" },
};
TMPL_FN_FAMILY(fn_strings, rows);
