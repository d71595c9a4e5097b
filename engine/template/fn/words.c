/* Words as goutils 1.1.1 and xstrings 1.5 define them. goutils counts bytes, and in some functions takes each for a
 * character. */
#include "template/fn/words.h"

#include "base/unicode.h"
#include "base/utf8.h"

/* ---- abbreviating ---- */

static int ret_marked(struct tmpl_call *c, bool front, str s, bool back, tval *ret)
{
	CLEANUP(buf_done) struct buf out = tmpl_buf(c);

	if (front)
		buf_add_cstr(&out, "...");
	buf_add_str(&out, s);
	if (back)
		buf_add_cstr(&out, "...");
	return tmpl_ret_buf(c, &out, ret);
}

/* goutils.AbbreviateFull, with an empty result where that fails. @offset is the first byte that has to be visible. */
static int abbreviate(struct tmpl_call *c, str s, int64_t offset, int64_t width, tval *ret)
{
	int64_t n = (int64_t)s.n;

	*ret = tval_string(STR(""));
	if (!s.n || width < 4)
		return 0;
	if (n <= width) {
		*ret = tval_string(s);
		return 0;
	}
	if (offset > n)
		offset = n;
	if (offset > n - (width - 3))
		offset = n - (width - 3);
	if (offset <= 4)
		return ret_marked(c, false, str_sub(s, 0, (size_t)(width - 3)), true, ret);
	if (width < 7)
		return 0;
	if (offset + width - 3 < n)
		return ret_marked(c, true, str_sub(s, (size_t)offset, (size_t)(offset + width - 6)), true, ret);
	return ret_marked(c, true, str_sub(s, (size_t)(n - (width - 3)), s.n), false, ret);
}

int run_abbrev(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)n;
	if (args[0].i >= 4)
		return abbreviate(c, args[1].s, 0, args[0].i, ret);
	*ret = tval_string(args[1].s);
	return 0;
}

int run_abbrev_both(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)n;
	if (args[1].i >= 4 && (args[0].i <= 0 || args[1].i >= 7))
		return abbreviate(c, args[2].s, args[0].i, args[1].i, ret);
	*ret = tval_string(args[2].s);
	return 0;
}

/* ---- letters ---- */

/* Return the first byte of each word, as a character. */
int run_initials(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	CLEANUP(buf_done) struct buf out = tmpl_buf(c);
	bool gap = true;

	(void)n;
	for (size_t i = 0; i < args[0].s.n; i++) {
		unsigned char ch = (unsigned char)args[0].s.p[i];

		if (unicode_is_space(ch)) {
			gap = true;
		} else if (gap) {
			buf_add_utf8(&out, ch);
			gap = false;
		}
	}
	return tmpl_ret_buf(c, &out, ret);
}

/* Remove white space. If there is any, every byte becomes a character. */
int run_nospace(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	CLEANUP(buf_done) struct buf out = tmpl_buf(c);
	bool cut = false;

	(void)n;
	for (size_t i = 0; i < args[0].s.n; i++) {
		unsigned char ch = (unsigned char)args[0].s.p[i];

		if (unicode_is_space(ch))
			cut = true;
		else
			buf_add_utf8(&out, ch);
	}
	if (cut)
		return tmpl_ret_buf(c, &out, ret);
	*ret = args[0];
	return 0;
}

int run_untitle(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	CLEANUP(buf_done) struct buf out = tmpl_buf(c);
	str s = args[0].s;
	bool start = true;
	size_t len;

	(void)n;
	for (; s.n; s = str_sub(s, len, s.n)) {
		uint32_t ch = utf8_decode(s, &len);

		if (unicode_is_space(ch)) {
			start = true;
		} else if (start) {
			ch = unicode_to_lower(ch);
			start = false;
		}
		buf_add_utf8(&out, ch);
	}
	return tmpl_ret_buf(c, &out, ret);
}

int run_swapcase(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	CLEANUP(buf_done) struct buf out = tmpl_buf(c);
	str s = args[0].s;
	bool start = true;
	size_t len;

	(void)n;
	for (; s.n; s = str_sub(s, len, s.n)) {
		uint32_t ch = utf8_decode(s, &len);

		if (unicode_is_upper(ch) || unicode_is_title(ch)) {
			ch = unicode_to_lower(ch);
			start = false;
		} else if (unicode_is_lower(ch)) {
			ch = start ? unicode_to_title(ch) : unicode_to_upper(ch);
			start = false;
		} else {
			start = unicode_is_space(ch);
		}
		buf_add_utf8(&out, ch);
	}
	return tmpl_ret_buf(c, &out, ret);
}

/* ---- lines ---- */

/* Wrap a text to lines of at most @width bytes, broken at spaces; a longer word is broken only when @long_words. */
static int wrap(struct tmpl_call *c, str s, int64_t width, str newline, bool long_words, tval *ret)
{
	CLEANUP(buf_done) struct buf out = tmpl_buf(c);
	int r = tmpl_spend(c, s.n / 16);

	if (r < 0)
		return r;
	if (!newline.n)
		newline = STR("\n");
	if (width < 1)
		width = 1;
	while (s.n && (uint64_t)s.n > (uint64_t)width && !out.error) {
		size_t most = (size_t)width;
		ptrdiff_t space;

		if (s.p[0] == ' ') {
			s = str_sub(s, 1, s.n);
			continue;
		}
		space = str_rfind(str_sub(s, 0, most + 1), STR(" "));
		if (space < 0 && !long_words) {
			space = str_find_byte(str_sub(s, most, s.n), ' ');
			if (space < 0)
				break;
			space += (ptrdiff_t)most;
		}
		buf_add_str(&out, str_sub(s, 0, space < 0 ? most : (size_t)space));
		buf_add_str(&out, newline);
		s = str_sub(s, space < 0 ? most : (size_t)space + 1, s.n);
	}
	buf_add_str(&out, s);
	return tmpl_ret_buf(c, &out, ret);
}

int run_wrap(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)n;
	return wrap(c, args[1].s, args[0].i, STR("\n"), false, ret);
}

int run_wrap_with(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)n;
	return wrap(c, args[2].s, args[0].i, args[1].s, true, ret);
}

int run_plural(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)c;
	(void)n;
	*ret = args[2].i == 1 ? args[0] : args[1];
	return 0;
}

/* Return the values that are not nil, as %v, with spaces between them. */
int run_cat(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	CLEANUP(buf_done) struct buf out = tmpl_buf(c);
	bool first = true;

	for (size_t i = 0; i < n; i++) {
		if (tval_is_nil(args[i]))
			continue;
		if (!first)
			buf_add_byte(&out, ' ');
		first = false;
		tmpl_sprint(c->mem, args[i], &out);
	}
	return tmpl_ret_buf(c, &out, ret);
}

/* ---- camelCase and its kin ---- */

static bool is_connector(uint32_t c)
{
	return c == '-' || c == '_' || unicode_is_space(c);
}

/* A run of capitals at the start of a word is one word: HTTPServer is Httpserver. */
int run_camelcase(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	CLEANUP(buf_done) struct buf out = tmpl_buf(c);
	str s = args[0].s;
	bool capitals = false;
	uint32_t last = 0;
	uint32_t ch = 0;
	size_t len = 0;

	(void)n;
	if (!s.n) {
		*ret = tval_string(STR(""));
		return 0;
	}
	while (s.n) { /* connectors at the start stay */
		ch = utf8_decode(s, &len);
		s = str_sub(s, len, s.n);
		if (!is_connector(ch)) {
			capitals = unicode_is_upper(ch);
			ch = unicode_to_upper(ch);
			break;
		}
		buf_add_utf8(&out, ch);
	}
	while (s.n) {
		last = ch;
		ch = utf8_decode(s, &len);
		s = str_sub(s, len, s.n);
		if (is_connector(last) && is_connector(ch)) {
			buf_add_utf8(&out, last);
			continue;
		}
		if (is_connector(last)) {
			capitals = unicode_is_upper(ch);
			ch = unicode_to_upper(ch);
			continue;
		}
		if (capitals && unicode_is_upper(ch))
			ch = unicode_to_lower(ch);
		else
			capitals = false;
		buf_add_utf8(&out, last);
	}
	buf_add_utf8(&out, ch);
	return tmpl_ret_buf(c, &out, ret);
}

enum word_type {
	WORD_INVALID,
	WORD_NUMBER,
	WORD_UPPER, /* a word that begins with a capital */
	WORD_ALPHABET,
	WORD_CONNECTOR,
	WORD_PUNCT,
	WORD_OTHER,
};

struct word {
	enum word_type type;
	str text;
};

/* Whether @c is a letter, but none of the common Chinese characters. */
static bool is_alphabet(uint32_t c)
{
	if (!unicode_is_letter(c))
		return false;
	return !((c >= 0x4E00 && c <= 0x9FCC) || (c >= 0x3400 && c <= 0x4D85) || (c >= 0x20000 && c <= 0x2B81D));
}

static bool is_small(uint32_t c)
{
	return is_alphabet(c) && !unicode_is_upper(c);
}

static bool is_other(uint32_t c)
{
	return !is_connector(c) && !is_alphabet(c) && !unicode_is_number(c) && !unicode_is_punct(c);
}

/* The next valid character, and the number of bytes up to its end; @previous when there is none. */
static uint32_t next_valid(str s, uint32_t previous, size_t *size)
{
	*size = 0;
	while (*size < s.n) {
		size_t len;
		uint32_t c = utf8_decode(str_sub(s, *size, s.n), &len);

		*size += len;
		if (c != UTF8_REPLACEMENT)
			return c;
	}
	return previous;
}

/* The number of bytes from @at on that are characters of one class; *last is the character behind them, or the last
 * one. */
static size_t span(str s, size_t at, bool (*in)(uint32_t), uint32_t *last, size_t *last_size)
{
	uint32_t c = *last;
	size_t n = 0;

	while (at + n < s.n) {
		size_t size;

		c = next_valid(str_sub(s, at + n, s.n), c, &size);
		if (!in(c))
			break;
		n += size;
		*last_size = size;
	}
	*last = c;
	return n;
}

/* The length of a word of capitals, of which the last belongs to the next word when small letters follow ("HTTP" of
 * "HTTPStatus"); or of a capital and small letters. */
static size_t capital_word(str s, size_t at, uint32_t c)
{
	size_t size = 0;
	size_t last = 0;
	uint32_t next;

	if (at >= s.n)
		return at;
	next = next_valid(str_sub(s, at, s.n), c, &size);
	if (!unicode_is_upper(next))
		return at + (is_alphabet(next) ? span(s, at, is_small, &c, &last) : 0);
	at += span(s, at, unicode_is_upper, &c, &last);
	return at < s.n && is_alphabet(c) ? at - last : at;
}

static struct word next_word(str *rest)
{
	str s = *rest;
	size_t at;
	size_t ignored = 0;
	struct word w = { WORD_INVALID, { "", 0 } };
	uint32_t c;

	if (!s.n)
		return w;
	c = next_valid(s, UTF8_REPLACEMENT, &at);
	if (c == UTF8_REPLACEMENT) {
		w.type = WORD_INVALID;
	} else if (is_connector(c)) {
		w.type = WORD_CONNECTOR;
		at += span(s, at, is_connector, &c, &ignored);
	} else if (unicode_is_punct(c)) {
		w.type = WORD_PUNCT;
		at += span(s, at, unicode_is_punct, &c, &ignored);
	} else if (unicode_is_upper(c)) {
		w.type = WORD_UPPER;
		at = capital_word(s, at, c);
	} else if (is_alphabet(c)) {
		w.type = WORD_ALPHABET;
		at += span(s, at, is_small, &c, &ignored);
	} else if (unicode_is_number(c)) {
		w.type = WORD_NUMBER;
		at += span(s, at, unicode_is_number, &c, &ignored);
	} else {
		w.type = WORD_OTHER;
		at += span(s, at, is_other, &c, &ignored);
	}
	w.text = str_sub(s, 0, at);
	*rest = str_sub(s, at, s.n);
	return w;
}

static void add_word(struct buf *out, struct word w, char connector)
{
	str s = w.text;
	size_t len;

	if (w.type != WORD_UPPER && w.type != WORD_CONNECTOR) {
		buf_add_str(out, s);
		return;
	}
	for (; s.n; s = str_sub(s, len, s.n)) {
		uint32_t c = utf8_decode(s, &len);

		buf_add_utf8(out, is_connector(c)       ? (uint32_t)(unsigned char)connector
				  : unicode_is_upper(c) ? unicode_to_lower(c)
							: c);
	}
}

/* Add a run of small letters and numbers, which belong together: "2m3s". */
static struct word add_run(struct buf *out, struct word w, str *rest, char connector)
{
	while (w.type == WORD_ALPHABET || w.type == WORD_NUMBER) {
		add_word(out, w, connector);
		w = next_word(rest);
	}
	if (w.type != WORD_INVALID && w.type != WORD_PUNCT && w.type != WORD_CONNECTOR)
		buf_add_byte(out, connector);
	return w;
}

/* Add what follows a word of letters: a number belongs to it ("Bld4_Floor") unless small letters follow the number
 * ("http_2xx"). */
static struct word after_letters(struct buf *out, struct word w, str *rest, char connector)
{
	struct word number = w;

	if (w.type != WORD_NUMBER) {
		if (w.type != WORD_CONNECTOR && w.type != WORD_PUNCT)
			buf_add_byte(out, connector);
		return w;
	}
	if (!rest->n)
		return w;
	w = next_word(rest);
	if (w.type != WORD_ALPHABET) {
		add_word(out, number, connector);
		if (w.type != WORD_CONNECTOR && w.type != WORD_PUNCT)
			buf_add_byte(out, connector);
		return w;
	}
	buf_add_byte(out, connector);
	add_word(out, number, connector);
	return add_run(out, w, rest, connector);
}

static int join_words(struct tmpl_call *c, str s, char connector, tval *ret)
{
	CLEANUP(buf_done) struct buf out = tmpl_buf(c);
	struct word w = next_word(&s);
	int r = tmpl_spend(c, s.n / 8);

	if (r < 0)
		return r;
	while (s.n && !out.error) {
		struct word last = w;

		if (last.type != WORD_CONNECTOR)
			add_word(&out, last, connector);
		w = next_word(&s);
		if (last.type == WORD_NUMBER)
			w = add_run(&out, w, &s, connector);
		else if (last.type == WORD_CONNECTOR)
			add_word(&out, last, connector);
		else if (last.type != WORD_PUNCT)
			w = after_letters(&out, w, &s, connector);
	}
	add_word(&out, w, connector);
	return tmpl_ret_buf(c, &out, ret);
}

int run_snakecase(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)n;
	return join_words(c, args[0].s, '_', ret);
}

int run_kebabcase(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)n;
	return join_words(c, args[0].s, '-', ret);
}
