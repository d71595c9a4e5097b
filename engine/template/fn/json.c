/* Reads JSON as encoding/json does, into template values. */
#include "template/fn/json.h"

#include "base/ascii.h"
#include "base/unicode.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "go/quote.h"
#include "go/strconv.h"
#include "template/fn/cast.h"

#include <errno.h>
#include <stdio.h>

#define GO_JSON_DEPTH 10000

/* The state of reading, which stops at the first syntax error: then its text is in @why, and @bad is set. */
struct decoder {
	struct tmpl_call *c;
	str s;
	size_t at;
	struct buf *why;
	bool bad;
	bool range; /* there was a number out of range; @why has the first one */
	unsigned depth;
	int failed; /* the code with which the call fails */
};

/* Append a byte as Go quotes it in a message. */
static void quote_byte(struct buf *out, unsigned char ch)
{
	char text[UTF8_MAX_BYTES];
	struct buf quoted = BUF_INIT(64);

	if (ch == '\'' || ch == '"') {
		buf_add_cstr(out, ch == '"' ? "'\"'" : "'\\''");
		return;
	}
	go_quote(&quoted, (str){ text, utf8_encode(ch, text) });
	buf_add_byte(out, '\'');
	buf_add_str(out, str_sub(buf_str(&quoted), 1, quoted.n - 1));
	buf_add_byte(out, '\'');
	buf_done(&quoted);
}

/* Report that the byte at @at is wrong here. At the end of the text Go tries a space; where that fits, the input is
 * too short. */
static bool unexpected(struct decoder *d, const char *where, bool space_fits)
{
	if (d->bad)
		return false;
	d->bad = true;
	buf_clear(d->why);
	if (d->at >= d->s.n && space_fits) {
		buf_add_cstr(d->why, "unexpected end of JSON input");
		return false;
	}
	buf_add_cstr(d->why, "invalid character ");
	quote_byte(d->why, d->at < d->s.n ? (unsigned char)d->s.p[d->at] : ' ');
	buf_printf(d->why, " %s", where);
	return false;
}

static bool no_memory(struct decoder *d)
{
	d->bad = true;
	d->failed = tmpl_nomem(d->c);
	return false;
}

static int peek(const struct decoder *d)
{
	return d->at < d->s.n ? (unsigned char)d->s.p[d->at] : -1;
}

static void skip_space(struct decoder *d)
{
	while (d->at < d->s.n && memchr(" \t\r\n", d->s.p[d->at], 4))
		d->at++;
}

/* ---- numbers and words ---- */

static bool number(struct decoder *d, val *ret)
{
	size_t start = d->at;
	str text;
	double v;
	int r;

	if (peek(d) == '-')
		d->at++;
	if (!ascii_is_digit(peek(d)))
		return unexpected(d, "in numeric literal", false);
	if (peek(d) == '0')
		d->at++;
	else
		while (ascii_is_digit(peek(d)))
			d->at++;
	if (peek(d) == '.') {
		d->at++;
		if (!ascii_is_digit(peek(d)))
			return unexpected(d, "after decimal point in numeric literal", false);
		while (ascii_is_digit(peek(d)))
			d->at++;
	}
	if (peek(d) == 'e' || peek(d) == 'E') {
		d->at++;
		if (peek(d) == '-' || peek(d) == '+')
			d->at++;
		if (!ascii_is_digit(peek(d)))
			return unexpected(d, "in exponent of numeric literal", false);
		while (ascii_is_digit(peek(d)))
			d->at++;
	}
	text = str_sub(d->s, start, d->at);
	*ret = val_null();
	r = go_parse_float(text, &v);
	if (r == -ENOMEM)
		return no_memory(d);
	if (r == 0) {
		*ret = val_double(v);
	} else if (!d->range) {
		d->range = true;
		buf_add_cstr(d->why, "json: cannot unmarshal number ");
		buf_add_str(d->why, text);
		buf_add_cstr(d->why, " into Go value of type float64");
	}
	return true;
}

static bool word(struct decoder *d, const char *text, val v, val *ret)
{
	char where[64];

	for (size_t i = 0; text[i]; i++, d->at++) {
		if (peek(d) == text[i])
			continue;
		(void)snprintf(where, sizeof(where), "in literal %s (expecting '%c')", text, text[i]);
		return unexpected(d, where, false);
	}
	*ret = v;
	return true;
}

/* ---- strings ---- */

static bool hex4(struct decoder *d, uint32_t *ret)
{
	*ret = 0;
	for (int i = 0; i < 4; i++, d->at++) {
		int v = d->at < d->s.n ? ascii_hex_value(peek(d)) : -1;

		if (v < 0)
			return unexpected(d, "in \\u hexadecimal character escape", false);
		*ret = *ret * 16 + (uint32_t)v;
	}
	return true;
}

/* Read the digits behind "\u". Half of a surrogate pair alone is U+FFFD. */
static bool unicode_escape(struct decoder *d, struct buf *out)
{
	uint32_t c;
	uint32_t low;
	size_t mark;

	if (!hex4(d, &c))
		return false;
	if (c >= 0xD800 && c < 0xDC00 && d->at + 1 < d->s.n && d->s.p[d->at] == '\\' && d->s.p[d->at + 1] == 'u') {
		mark = d->at;
		d->at += 2;
		if (!hex4(d, &low))
			return false;
		if (low >= 0xDC00 && low < 0xE000)
			c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
		else
			d->at = mark;
	}
	buf_add_utf8(out, c);
	return true;
}

static bool escape(struct decoder *d, struct buf *out)
{
	static const char from[] = "\"\\/bfnrt";
	static const char to[] = "\"\\/\b\f\n\r\t";
	_Static_assert(sizeof(from) == sizeof(to), "each escape stands for a character");
	int ch = peek(d);
	const char *at = ch > 0 ? strchr(from, ch) : NULL;

	if (ch == 'u') {
		d->at++;
		return unicode_escape(d, out);
	}
	if (!at)
		return unexpected(d, "in string escape code", false);
	d->at++;
	buf_add_byte(out, to[at - from]);
	return true;
}

/* Append the ASCII characters that need no escape. Returns the character behind them. */
static int add_plain(struct decoder *d, struct buf *out)
{
	size_t start = d->at;
	int ch = peek(d);

	while (ch >= ' ' && ch < 0x80 && ch != '"' && ch != '\\') {
		d->at++;
		ch = peek(d);
	}
	buf_add_str(out, str_sub(d->s, start, d->at));
	return ch;
}

/* Read the text behind an opening quote, and the closing one. */
static bool string(struct decoder *d, str *ret)
{
	CLEANUP(buf_done) struct buf out = tmpl_buf(d->c);

	for (;;) {
		int ch = add_plain(d, &out);
		size_t len;

		if (ch < 0)
			return unexpected(d, "", true);
		if (ch == '"')
			break;
		if (ch < ' ')
			return unexpected(d, "in string literal", true);
		if (ch == '\\') {
			d->at++;
			if (!escape(d, &out))
				return false;
			continue;
		}
		buf_add_utf8(&out, utf8_decode(str_sub(d->s, d->at, d->s.n), &len));
		d->at += len;
	}
	d->at++;
	d->failed = tmpl_buf_str(d->c, &out, ret);
	d->bad = d->failed < 0;
	return !d->bad;
}

/* ---- values ---- */

static bool value(struct decoder *d, val *ret);

typedef VEC(val) vals;
typedef VEC(struct member) members;

static void vals_done(vals *v)
{
	vec_done(v);
}

static void members_done(members *m)
{
	vec_done(m);
}

static bool array(struct decoder *d, val *ret)
{
	CLEANUP(vals_done) vals items = { 0 };

	skip_space(d);
	while (peek(d) != ']') {
		val item;

		if (!value(d, &item))
			return false;
		if (!vec_push(&items, item))
			return no_memory(d);
		skip_space(d);
		if (peek(d) == ']')
			break;
		if (peek(d) != ',')
			return unexpected(d, "after array element", true);
		d->at++;
		skip_space(d);
		if (peek(d) == ']')
			return unexpected(d, "looking for beginning of value", true);
	}
	d->at++;
	*ret = val_list(&d->c->mem->arena, items.p, items.n);
	return val_exists(*ret) || no_memory(d);
}

static bool member(struct decoder *d, struct member *ret)
{
	str name;

	if (peek(d) != '"')
		return unexpected(d, "looking for beginning of object key string", true);
	d->at++;
	if (!string(d, &name))
		return false;
	ret->key = key_make(NULL, &d->c->mem->arena, name);
	if (!ret->key)
		return no_memory(d);
	skip_space(d);
	if (peek(d) != ':')
		return unexpected(d, "after object key", true);
	d->at++;
	return value(d, &ret->value);
}

static bool object(struct decoder *d, val *ret)
{
	CLEANUP(members_done) members all = { 0 };

	skip_space(d);
	while (peek(d) != '}') {
		struct member m;

		if (!member(d, &m))
			return false;
		if (!vec_push(&all, m))
			return no_memory(d);
		skip_space(d);
		if (peek(d) == '}')
			break;
		if (peek(d) != ',')
			return unexpected(d, "after object key:value pair", true);
		d->at++;
		skip_space(d);
		if (peek(d) == '}')
			return unexpected(d, "looking for beginning of object key string", true);
	}
	d->at++;
	*ret = val_map(&d->c->mem->arena, all.p, all.n);
	return val_exists(*ret) || no_memory(d);
}

static bool nested(struct decoder *d, bool (*read)(struct decoder *, val *), val *ret)
{
	bool ok;

	if (++d->depth > GO_JSON_DEPTH)
		return unexpected(d, "exceeded max depth", false);
	if (d->depth > d->c->limits->depth) {
		d->bad = true;
		d->failed = err_set(d->c->err, E2BIG, "JSON is nested deeper than %u levels", d->c->limits->depth);
		return false;
	}
	d->at++;
	ok = read(d, ret);
	d->depth--;
	return ok;
}

static bool value(struct decoder *d, val *ret)
{
	str text;
	int ch;

	skip_space(d);
	ch = peek(d);
	if (tmpl_spend(d->c, 1) < 0) {
		d->bad = true;
		d->failed = -E2BIG;
		return false;
	}
	switch (ch) {
	case '{':
		return nested(d, object, ret);
	case '[':
		return nested(d, array, ret);
	case '"':
		d->at++;
		if (!string(d, &text))
			return false;
		*ret = val_string(text);
		return true;
	case 't':
		return word(d, "true", val_bool(true), ret);
	case 'f':
		return word(d, "false", val_bool(false), ret);
	case 'n':
		return word(d, "null", val_null(), ret);
	default:
		if (ch == '-' || ascii_is_digit(ch))
			return number(d, ret);
		return unexpected(d, "looking for beginning of value", true);
	}
}

int fn_json_decode(struct tmpl_call *c, str text, val *ret, str *error)
{
	CLEANUP(buf_done) struct buf why = tmpl_buf(c);
	struct decoder d = { .c = c, .s = text, .why = &why };
	str message = { NULL, 0 };
	val v = val_null();
	bool ok = value(&d, &v);

	if (ok) {
		skip_space(&d);
		if (d.at < text.n)
			ok = unexpected(&d, "after top-level value", true);
	}
	if (d.failed < 0)
		return d.failed;
	if (!ok || d.range) {
		message = arena_str(&c->mem->arena, buf_str(&why));
		if (why.error || !message.p)
			return tmpl_nomem(c);
	}
	*ret = ok ? v : (val){ 0 };
	*error = message;
	return 0;
}
