/* Finds needles in a text. Needles and texts are read as the same sequence of bytes, whatever their spelling. The
 * last eight bytes form a number, and a table says whether a needle may begin with it. */
#include "mask/needles.h"

#include "base/ascii.h"
#include "base/number.h"
#include "base/vec.h"
#include "go/base64.h"

#include <string.h>

#define BITS 14
#define GROUP 3 /* bytes that four characters of base64 stand for */
#define UNREADABLE 0xFF

struct needle {
	uint64_t first; /* the first eight bytes of the needle */
	size_t at, n;   /* the needle's place in bytes.p */
	int32_t after;  /* the next needle with the same hash; -1: none */
};

struct needles {
	VEC(struct needle) of;
	struct buf bytes;
	unsigned char plain[256]; /* each byte, folded; 0: it may begin another spelling */
	uint64_t seen[(1u << BITS) / 64];
	int32_t slots[1u << BITS];
};

static void wipe(struct buf *b)
{
	if (b->p)
		explicit_bzero(b->p, b->cap);
	buf_done(b);
}

/* ---- spelling ---- */

struct reader {
	str text;
	size_t at;
};

static size_t escape(size_t length, int code, unsigned char *ret)
{
	*ret = code < 0x80 ? (unsigned char)code : UNREADABLE;
	return length;
}

static size_t backslash(str s, unsigned char *ret)
{
	char c = s.n > 1 ? s.p[1] : '\0';
	int code;

	if (c == 'u' && (code = (int)digits_parse(str_sub(s, 2, s.n), 4, 16)) >= 0)
		return escape(6, code, ret);
	if (c == 'x' && (code = (int)digits_parse(str_sub(s, 2, s.n), 2, 16)) >= 0)
		return escape(4, code, ret);
	if (c == '"' || c == '\\' || c == '/')
		return escape(2, c, ret);
	return 0;
}

/* Read a numbered entity such as &#65; or &#x41;. */
static size_t numbered(str s, unsigned char *ret)
{
	bool hex = s.n > 2 && (s.p[2] | 0x20) == 'x';
	size_t from = hex ? 3 : 2, i;
	int code = 0;

	for (i = from; i < s.n && i < from + 6; i++) {
		int digit = ascii_hex_value(s.p[i]);

		if (digit < 0 || (!hex && digit > 9))
			break;
		code = code * (hex ? 16 : 10) + digit;
	}
	return i > from && i < s.n && s.p[i] == ';' ? escape(i + 1, code, ret) : 0;
}

static size_t entity(str s, unsigned char *ret)
{
	static const struct {
		str text;
		char c;
	} names[] = {
		{ { "&amp;", 5 }, '&' },  { { "&lt;", 4 }, '<' },    { { "&gt;", 4 }, '>' },
		{ { "&quot;", 6 }, '"' }, { { "&apos;", 6 }, '\'' },
	};

	if (s.n > 1 && s.p[1] == '#')
		return numbered(s, ret);
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (str_has_prefix(s, names[i].text))
			return escape(names[i].text.n, names[i].c, ret);
	}
	return 0;
}

/* The length of the escape sequence at the start of @s, and in *ret the byte that it means; 0: no escape sequence
 * begins there. */
static size_t escaped(str s, unsigned char *ret)
{
	int code;

	switch (s.p[0]) {
	case '%':
		code = (int)digits_parse(str_sub(s, 1, s.n), 2, 16);
		return code < 0 ? 0 : escape(3, code, ret);
	case '\\':
		return backslash(s, ret);
	case '&':
		return entity(s, ret);
	default:
		return 0;
	}
}

/* Fold upper and lower case into one, and the two base64 alphabets. */
static unsigned char fold(unsigned char c)
{
	if (c >= 'A' && c <= 'Z')
		return c | 0x20;
	return c == '-' ? '+' : c == '_' ? '/' : c;
}

static bool begins_escape(unsigned char c)
{
	return c == '%' || c == '\\' || c == '&';
}

static bool next(struct reader *r, unsigned char *ret)
{
	size_t n;

	if (r->at >= r->text.n)
		return false;
	*ret = (unsigned char)r->text.p[r->at];
	n = begins_escape(*ret) ? escaped(str_sub(r->text, r->at, r->text.n), ret) : 0;
	*ret = fold(*ret);
	r->at += n ? n : 1;
	return true;
}

/* ---- what is looked for ---- */

static unsigned hash_of(uint64_t first)
{
	return (unsigned)(first * UINT64_C(0x9E3779B97F4A7C15) >> (64 - BITS));
}

static bool is_known(const struct needles *n, str bytes, uint64_t first)
{
	for (int32_t i = n->slots[hash_of(first)]; i >= 0; i = n->of.p[i].after) {
		if (str_eq(str_sub(buf_str(&n->bytes), n->of.p[i].at, n->of.p[i].at + n->of.p[i].n), bytes))
			return true;
	}
	return false;
}

/* Make a needle of the bytes from @at on, unless it is known or too short. */
static bool add_last(struct needles *n, size_t at)
{
	str bytes = str_sub(buf_str(&n->bytes), at, n->bytes.n);
	struct needle x = { .at = at, .n = bytes.n };
	unsigned hash;

	for (size_t i = 0; i < NEEDLE_LEAST && i < bytes.n; i++)
		x.first = x.first << 8 | (unsigned char)bytes.p[i];
	if (bytes.n < NEEDLE_LEAST || is_known(n, bytes, x.first)) {
		buf_truncate(&n->bytes, at);
		return true;
	}
	hash = hash_of(x.first);
	x.after = n->slots[hash];
	n->slots[hash] = (int32_t)n->of.n;
	n->seen[hash / 64] |= UINT64_C(1) << hash % 64;
	return vec_push(&n->of, x);
}

/* Add @s as a needle; @read: what looks like another spelling in it is decoded. */
static bool add_text(struct needles *n, str s, bool read)
{
	struct reader r = { .text = s };
	size_t at = n->bytes.n;
	unsigned char c;

	if (read) {
		while (next(&r, &c))
			buf_add_byte(&n->bytes, (char)c);
	} else {
		for (size_t i = 0; i < s.n; i++)
			buf_add_byte(&n->bytes, (char)fold((unsigned char)s.p[i]));
	}
	return !n->bytes.error && add_last(n, at);
}

/* Add the part that all base64 texts share which contain @s behind @before bytes of a group. */
static bool add_base64(struct needles *n, str s, size_t before)
{
	static const char filler[GROUP];
	CLEANUP(wipe) struct buf raw = BUF_INIT(SIZE_MAX), text = BUF_INIT(SIZE_MAX);
	size_t whole = (before + s.n) / GROUP * 4, left = (before + s.n) % GROUP;
	size_t from = before ? before + 1 : 0, to = whole + left; /* the last digit also depends on what follows */

	buf_add(&raw, filler, before);
	buf_add_str(&raw, s);
	go_base64_encode(&text, buf_str(&raw));
	return !raw.error && !text.error && add_text(n, str_sub(buf_str(&text), from, to), false);
}

static bool add(struct needles *n, str s)
{
	bool ok = add_text(n, s, false) && add_text(n, s, true);

	for (size_t before = 0; ok && before < GROUP; before++)
		ok = add_base64(n, s, before);
	return ok;
}

int needles_new(const str *texts, size_t n, struct needles **ret, struct err *err)
{
	CLEANUP(needles_freep) struct needles *x = calloc(1, sizeof(*x));

	if (!x)
		return err_nomem(err);
	x->bytes = BUF_INIT(SIZE_MAX);
	for (int c = 0; c < 256; c++)
		x->plain[c] = begins_escape((unsigned char)c) ? 0 : fold((unsigned char)c);
	memset(x->slots, 0xFF, sizeof(x->slots));
	for (size_t i = 0; i < n; i++) {
		if (texts[i].n >= NEEDLE_LEAST && !add(x, texts[i]))
			return err_nomem(err);
	}
	*ret = TAKE(x);
	return 0;
}

void needles_free(struct needles *n)
{
	if (!n)
		return;
	vec_done(&n->of);
	wipe(&n->bytes);
	free(n);
}

/* ---- searching ---- */

/* The end of the needle @x, whose first bytes were read just now; 0: the text is another one. */
static size_t end_of(const struct needles *n, const struct needle *x, struct reader r)
{
	unsigned char c;

	for (size_t i = NEEDLE_LEAST; i < x->n; i++) {
		if (!next(&r, &c) || c != (unsigned char)n->bytes.p[x->at + i])
			return 0;
	}
	return r.at;
}

/* The farthest end of the needles that begin with @first. */
static size_t longest(const struct needles *n, uint64_t first, struct reader r)
{
	size_t to = 0;

	for (int32_t i = n->slots[hash_of(first)]; i >= 0; i = n->of.p[i].after) {
		size_t end = n->of.p[i].first == first ? end_of(n, &n->of.p[i], r) : 0;

		to = end > to ? end : to;
	}
	return to;
}

static inline bool may_begin(const struct needles *n, uint64_t first)
{
	unsigned hash = hash_of(first);

	return n->seen[hash / 64] >> hash % 64 & 1;
}

/* The loop is fast for bytes that stand for themselves and begin no needle, which nearly all bytes are. */
bool needles_find(const struct needles *n, str text, size_t *from, size_t *to)
{
	struct reader r = { .text = text, .at = *from };
	size_t starts[NEEDLE_LEAST], count = 0;
	uint64_t last = 0;
	unsigned char c;

	if (!n || n->of.n == 0)
		return false;
	while (r.at < text.n) {
		starts[count % NEEDLE_LEAST] = r.at;
		c = n->plain[(unsigned char)text.p[r.at]];
		if (c)
			r.at++;
		else
			(void)next(&r, &c);
		last = last << 8 | c;
		if (++count < NEEDLE_LEAST || !may_begin(n, last))
			continue;
		*to = longest(n, last, r);
		if (*to) {
			*from = starts[count % NEEDLE_LEAST];
			return true;
		}
	}
	return false;
}

/* Whether @name is in @text at the place around the needle. */
static bool is_within(str text, size_t from, size_t to, str name)
{
	for (size_t at = 0; at + (to - from) <= name.n && at <= from; at++) {
		if (str_eq(str_sub(text, from - at, from - at + name.n), name))
			return true;
	}
	return false;
}

static bool is_in_a_name(str text, size_t from, size_t to, const str *names, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (is_within(text, from, to, names[i]))
			return true;
	}
	return false;
}

void needles_replace(const struct needles *n, str text, const str *names, size_t n_names, struct buf *out)
{
	size_t done = 0, from = 0, to;

	for (; needles_find(n, text, &from, &to); from = to) {
		if (is_in_a_name(text, from, to, names, n_names))
			continue;
		buf_add_str(out, str_sub(text, done, from));
		buf_add_cstr(out, "***");
		done = to;
	}
	buf_add_str(out, str_sub(text, done, text.n));
}
