/* The JSON decoder: one pass, values built from the leaves up. */
#include "value/json.h"

#include "base/ascii.h"
#include "base/number.h"
#include "base/utf8.h"
#include "value/json_scan.h"

#include <errno.h>
#include <math.h>

/* Containers under construction live on two stacks of the decoder, one for items and one for members; a finished
 * container is copied to the arena in its final size. The first part of each stack is on the C stack: most objects
 * need no more. */
#define INLINE_ITEMS 64
#define INLINE_MEMBERS 256

struct decoder {
	const char *start;
	const char *p;
	const char *end;
	const struct json_options *o;
	struct arena *arena;
	struct err *err;
	uint32_t depth;
	size_t nodes;
	val *items;
	size_t n_items, cap_items;
	struct member *members;
	size_t n_members, cap_members;
	const struct json_skip *skip_path; /* the skip on whose path the current place is, or NULL */
	const struct json_pick *pick;      /* the pick of the next value; NULL: all of it is built */
	val inline_items[INLINE_ITEMS];
	struct member inline_members[INLINE_MEMBERS];
};

static bool decode_any(struct decoder *d, val *ret);

/* ---- failures: each returns false, so that a check and its report are one expression ---- */

static bool fail_at(struct decoder *d, const char *at, const char *what)
{
	size_t line = 1;
	const char *bol = d->start;

	for (const char *q = d->start; (q = memchr(q, '\n', (size_t)(at - q))); q++) {
		line++;
		bol = q + 1;
	}
	err_set(d->err, EBADMSG, "line %zu column %zu: %s", line, (size_t)(at - bol) + 1, what);
	return false;
}

static bool fail(struct decoder *d, const char *what)
{
	return fail_at(d, d->p, d->p == d->end ? "unexpected end" : what);
}

static bool no_memory(struct decoder *d)
{
	if (d->arena->full)
		err_set(d->err, E2BIG, "document needs more than %zu bytes of memory", d->arena->max);
	else
		(void)!err_nomem(d->err);
	return false;
}

static bool enter(struct decoder *d)
{
	if (++d->depth <= d->o->limits->depth)
		return true;
	err_set(d->err, E2BIG, "nesting deeper than %u levels", d->o->limits->depth);
	return false;
}

/* ---- the stacks ---- */

static bool grow_items(struct decoder *d)
{
	size_t cap = d->cap_items * 2;
	val *p = reallocarray(d->items == d->inline_items ? NULL : d->items, cap, sizeof(*p));

	if (!p)
		return no_memory(d);
	if (d->items == d->inline_items)
		memcpy(p, d->items, d->n_items * sizeof(*p));
	d->items = p;
	d->cap_items = cap;
	return true;
}

static bool grow_members(struct decoder *d)
{
	size_t cap = d->cap_members * 2;
	struct member *p = reallocarray(d->members == d->inline_members ? NULL : d->members, cap, sizeof(*p));

	if (!p)
		return no_memory(d);
	if (d->members == d->inline_members)
		memcpy(p, d->members, d->n_members * sizeof(*p));
	d->members = p;
	d->cap_members = cap;
	return true;
}

static void decoder_init(struct decoder *d, str text, const struct json_options *o, struct arena *a, struct err *err)
{
	d->start = d->p = text.p ? text.p : "";
	d->end = d->start + text.n;
	d->o = o;
	d->arena = a;
	d->err = err;
	d->depth = 0;
	d->nodes = 0;
	d->items = d->inline_items;
	d->n_items = 0;
	d->cap_items = INLINE_ITEMS;
	d->members = d->inline_members;
	d->n_members = 0;
	d->cap_members = INLINE_MEMBERS;
	d->skip_path = NULL;
	d->pick = o->pick;
}

static void decoder_done(struct decoder *d)
{
	if (d->items != d->inline_items)
		free(d->items);
	if (d->members != d->inline_members)
		free(d->members);
}

/* ---- tokens ---- */

static void skip_space(struct decoder *d)
{
	while (d->p < d->end && (*d->p == ' ' || *d->p == '\n' || *d->p == '\r' || *d->p == '\t'))
		d->p++;
}

static bool expect_word(struct decoder *d, const char *word, size_t n)
{
	if ((size_t)(d->end - d->p) < n || memcmp(d->p, word, n) != 0)
		return fail(d, "invalid token");
	d->p += n;
	return true;
}

/* Read four hex digits at d->p. */
static bool hex4(struct decoder *d, uint32_t *ret)
{
	uint32_t c = 0;

	*ret = 0;
	for (int i = 0; i < 4; i++, d->p++) {
		int h = d->p < d->end ? ascii_hex_value(*d->p) : -1;

		if (h < 0)
			return fail(d, "invalid escape");
		c = c << 4 | (uint32_t)h;
	}
	*ret = c;
	return true;
}

/* Read the code point of a \u escape, behind its "\u"; surrogates come in pairs. */
static bool unicode_escape(struct decoder *d, uint32_t *ret)
{
	uint32_t hi, lo;

	if (!hex4(d, &hi))
		return false;
	if (hi >= 0xDC00 && hi <= 0xDFFF)
		return fail(d, "invalid Unicode escape: lone surrogate");
	if (hi >= 0xD800 && hi <= 0xDBFF) {
		if (d->end - d->p < 2 || d->p[0] != '\\' || d->p[1] != 'u')
			return fail(d, "invalid Unicode escape: lone surrogate");
		d->p += 2;
		if (!hex4(d, &lo))
			return false;
		if (lo < 0xDC00 || lo > 0xDFFF)
			return fail(d, "invalid Unicode escape: lone surrogate");
		hi = 0x10000 + ((hi - 0xD800) << 10) + (lo - 0xDC00);
	}
	*ret = hi;
	return true;
}

/* Read the escape whose backslash is at d->p; writes its UTF-8 and puts the length into *n. */
static bool escape(struct decoder *d, char out[UTF8_MAX_BYTES], size_t *n)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	_Static_assert(sizeof(from) == sizeof(to), "each escape stands for a character");
	const char *at;
	uint32_t c = 0;

	d->p++;
	if (d->p == d->end)
		return fail(d, "");
	if (*d->p == 'u') {
		d->p++;
		if (!unicode_escape(d, &c))
			return false;
		*n = utf8_encode(c, out);
		return true;
	}
	at = *d->p ? strchr(from, *d->p) : NULL;
	if (!at)
		return fail(d, "invalid escape");
	out[0] = to[at - from];
	*n = 1;
	d->p++;
	return true;
}

/* Step over a longer UTF-8 sequence at d->p. */
static bool multibyte(struct decoder *d)
{
	size_t len;

	(void)utf8_decode((str){ d->p, (size_t)(d->end - d->p) }, &len);
	if (len < 2)
		return fail(d, "invalid UTF-8");
	d->p += len;
	return true;
}

/* Advance from behind the opening quote to the closing one or to the first escape. */
static bool scan_unescaped(struct decoder *d)
{
	for (;;) {
		d->p = json_plain_end(d->p, d->end);
		if (d->p == d->end)
			return fail(d, "");
		if (*d->p == '"' || *d->p == '\\')
			return true;
		if ((unsigned char)*d->p < 0x20)
			return fail(d, "control character in string");
		if (!multibyte(d))
			return false;
	}
}

/* Decode the rest of a string from its first escape, which is at d->p; the text begins at @from. The decoded text is
 * never longer than its source, which bounds the allocation. */
static bool decode_escaped(struct decoder *d, const char *from, str *ret)
{
	const char *mark = d->p;
	size_t n = (size_t)(d->p - from);
	char *out;

	for (; *d->p != '"';) { /* find the end of the string, which gives the size to allocate */
		char scratch[UTF8_MAX_BYTES];
		size_t len;

		if (!escape(d, scratch, &len) || !scan_unescaped(d))
			return false;
	}
	out = arena_alloc(d->arena, (size_t)(d->p - from));
	if (!out)
		return no_memory(d);
	memcpy(out, from, n);
	d->p = mark;
	while (*d->p != '"') {
		const char *plain;
		size_t len;

		(void)escape(d, out + n, &len);
		n += len;
		plain = d->p;
		(void)scan_unescaped(d);
		memcpy(out + n, plain, (size_t)(d->p - plain));
		n += (size_t)(d->p - plain);
	}
	d->p++;
	*ret = (str){ out, n };
	return true;
}

/* Read the string whose opening quote is at d->p. *copied: *ret is already in the arena. */
static bool scan_string(struct decoder *d, str *ret, bool *copied)
{
	const char *from = ++d->p;

	if (!scan_unescaped(d))
		return false;
	*copied = *d->p == '\\';
	if (*copied)
		return decode_escaped(d, from, ret);
	*ret = (str){ from, (size_t)(d->p - from) };
	d->p++;
	return true;
}

static const char *digits_end(const char *p, const char *end)
{
	while (p < end && ascii_is_digit(*p))
		p++;
	return p;
}

/* number = [ "-" ] ( "0" | digit1-9 *digit ) [ "." 1*digit ] [ e [ sign ] 1*digit ]     RFC 8259, section 6 */
static bool scan_number(struct decoder *d, bool *integral)
{
	const char *first = *d->p == '-' ? d->p + 1 : d->p;
	const char *p = digits_end(first, d->end);

	*integral = true;
	if (p == first || (*first == '0' && p > first + 1))
		return fail(d, "invalid number");
	if (p < d->end && *p == '.') {
		const char *fraction = p + 1;

		p = digits_end(fraction, d->end);
		if (p == fraction)
			return fail(d, "invalid number");
		*integral = false;
	}
	if (p < d->end && (*p == 'e' || *p == 'E')) {
		const char *exponent = p + 1;

		if (exponent < d->end && (*exponent == '+' || *exponent == '-'))
			exponent++;
		p = digits_end(exponent, d->end);
		if (p == exponent)
			return fail(d, "invalid number");
		*integral = false;
	}
	d->p = p;
	return true;
}

static bool decode_number(struct decoder *d, val *ret)
{
	const char *from = d->p;
	bool integral;
	double real;
	int64_t i;
	str text;

	if (!scan_number(d, &integral))
		return false;
	text = (str){ from, (size_t)(d->p - from) };
	if (integral && int64_parse(text, &i)) {
		*ret = val_int(i);
		return true;
	}
	if (!double_parse(text, &real))
		return no_memory(d);
	if (isinf(real))
		return fail_at(d, from, "number out of range");
	*ret = val_double(real);
	return true;
}

/* ---- checking without building ---- */

static bool skip_string(struct decoder *d, bool is_key)
{
	d->p++;
	for (;;) {
		char c[UTF8_MAX_BYTES] = { 0 };
		size_t n = 0;

		if (!scan_unescaped(d))
			return false;
		if (*d->p == '"')
			break;
		if (!escape(d, c, &n))
			return false;
		if (is_key && n == 1 && c[0] == '\0' && !d->o->nul_in_keys)
			return fail(d, "NUL in an object key");
	}
	d->p++;
	return true;
}

static bool skip_number(struct decoder *d)
{
	val v;

	return decode_number(d, &v);
}

static bool skip_any(struct decoder *d);

static bool expect_key_start(struct decoder *d)
{
	skip_space(d);
	return d->p < d->end && *d->p == '"' ? true : fail(d, "expected a string as object key");
}

static bool expect_colon(struct decoder *d)
{
	skip_space(d);
	if (d->p == d->end || *d->p != ':')
		return fail(d, "expected ':'");
	d->p++;
	skip_space(d);
	return true;
}

/* Read what follows an element: a comma (*more) or @close. */
static bool next_element(struct decoder *d, char close, bool *more)
{
	skip_space(d);
	if (d->p == d->end || (*d->p != ',' && *d->p != close))
		return fail(d, close == ']' ? "expected ',' or ']'" : "expected ',' or '}'");
	*more = *d->p == ',';
	d->p++;
	return true;
}

/* Whether the container whose opening bracket was just read is empty; then its closing bracket is read too. */
static bool empty_container(struct decoder *d, char close)
{
	skip_space(d);
	if (d->p == d->end || *d->p != close)
		return false;
	d->p++;
	return true;
}

static bool skip_container(struct decoder *d, char close)
{
	bool more = true;

	d->p++;
	if (!enter(d))
		return false;
	if (empty_container(d, close))
		more = false;
	while (more) {
		if (close == '}' && (!expect_key_start(d) || !skip_string(d, true) || !expect_colon(d)))
			return false;
		if (!skip_any(d) || !next_element(d, close, &more))
			return false;
	}
	d->depth--;
	return true;
}

static bool skip_any(struct decoder *d)
{
	skip_space(d);
	switch (d->p < d->end ? *d->p : 0) {
	case '{':
		return skip_container(d, '}');
	case '[':
		return skip_container(d, ']');
	case '"':
		return skip_string(d, false);
	case 't':
		return expect_word(d, "true", 4);
	case 'f':
		return expect_word(d, "false", 5);
	case 'n':
		return expect_word(d, "null", 4);
	case '-':
	case '0' ... '9':
		return skip_number(d);
	default:
		return fail(d, "invalid token");
	}
}

/* ---- building ---- */

/* Copy @s, a part of the input, to @to, a piece of the arena. Both may be accessed up to a multiple of 8 bytes (the
 * input no further than @end). Most strings are short, and copies of a fixed size need no call. */
static void copy_text(char *to, str s, const char *end)
{
	_Static_assert(ARENA_ALIGN == 8, "pieces are padded to 8 bytes");
	if (s.n <= 16 && s.n > 0 && end - s.p >= 16) {
		memcpy(to, s.p, 8);
		if (s.n > 8)
			memcpy(to + 8, s.p + 8, 8);
	} else if (s.n) {
		memcpy(to, s.p, s.n);
	}
}

static bool decode_string(struct decoder *d, val *ret)
{
	bool copied;
	str s;

	if (!scan_string(d, &s, &copied))
		return false;
	if (!copied) {
		char *p = arena_alloc(d->arena, s.n);

		if (!p)
			return no_memory(d);
		copy_text(p, s, d->end);
		s.p = p;
	}
	*ret = val_string(s);
	return true;
}

static bool decode_list(struct decoder *d, val *ret)
{
	size_t base = d->n_items;
	bool more = true;

	d->p++;
	if (!enter(d))
		return false;
	if (empty_container(d, ']'))
		more = false;
	while (more) {
		val v;

		if (!decode_any(d, &v) || !next_element(d, ']', &more))
			return false;
		if (d->n_items == d->cap_items && !grow_items(d))
			return false;
		d->items[d->n_items++] = v;
	}
	*ret = val_list(d->arena, d->items + base, d->n_items - base);
	d->n_items = base;
	d->depth--;
	return val_exists(*ret) ? true : no_memory(d);
}

static inline bool scan_key(struct decoder *d, str *ret)
{
	bool copied = false;

	if (!expect_key_start(d) || !scan_string(d, ret, &copied))
		return false;
	if (copied && !d->o->nul_in_keys && memchr(ret->p, '\0', ret->n))
		return fail(d, "NUL in an object key");
	return true;
}

static bool decode_key(struct decoder *d, const struct key **ret)
{
	str s = { "", 0 };

	if (!scan_key(d, &s))
		return false;
	*ret = key_make(d->o->keys, d->arena, s);
	return *ret ? true : no_memory(d);
}

/* The skip that names @key at depth d->depth below the root, following d->skip_path for the keys above. */
static const struct json_skip *skip_below(const struct decoder *d, const struct json_skip *above, str key)
{
	size_t level = d->depth - 1;

	if (level == 0) {
		for (size_t i = 0; i < d->o->n_skips; i++) {
			if (str_eq(key, str_from(d->o->skips[i].path[0])))
				return &d->o->skips[i];
		}
		return NULL;
	}
	return above && above->path[level] && str_eq(key, str_from(above->path[level])) ? above : NULL;
}

static bool pass_element(struct decoder *d);

/* Read a value that a skip covers, and keep its raw text. */
static bool skip_value(struct decoder *d, const struct json_skip *skip)
{
	const char *from = d->p, *end = NULL;

	if (skip->reader)
		end = skip->reader->read(skip->reader->ctx, d->p, d->end);
	if (end)
		d->p = end;
	else if (!(skip->unchecked ? pass_element(d) : skip_any(d)))
		return false;
	if (skip->raw)
		*skip->raw = (str){ from, (size_t)(d->p - from) };
	return true;
}

static bool decode_member(struct decoder *d, const struct json_skip *above)
{
	const struct key *key;
	val v;

	if (!decode_key(d, &key) || !expect_colon(d))
		return false;
	if (d->o->n_skips && (d->depth == 1 || above)) {
		const struct json_skip *skip = skip_below(d, above, key_str(key));

		if (skip && !skip->path[d->depth])
			return skip_value(d, skip);
		d->skip_path = skip;
	}
	if (!decode_any(d, &v))
		return false;
	if (d->n_members == d->cap_members && !grow_members(d))
		return false;
	d->members[d->n_members++] = (struct member){ key, v };
	return true;
}

static bool decode_map(struct decoder *d, val *ret)
{
	const struct json_skip *above = d->skip_path;
	size_t base = d->n_members;
	bool more = true;

	d->p++;
	d->skip_path = NULL;
	if (!enter(d))
		return false;
	if (empty_container(d, '}'))
		more = false;
	while (more) {
		if (!decode_member(d, above) || !next_element(d, '}', &more))
			return false;
	}
	d->skip_path = NULL;
	*ret = val_map(d->arena, d->members + base, d->n_members - base);
	d->n_members = base;
	d->depth--;
	return val_exists(*ret) ? true : no_memory(d);
}

/* ---- building a part: apart from building all, which is to stay as fast as it is ---- */

static bool push_member(struct decoder *d, const struct key *key, val v)
{
	if (d->n_members == d->cap_members && !grow_members(d))
		return false;
	d->members[d->n_members++] = (struct member){ key, v };
	return true;
}

/* Step over a value that is not picked. */
static bool pass_over(struct decoder *d)
{
	const char *end = NULL;

	if (d->p < d->end && (*d->p == '{' || *d->p == '['))
		end = json_plain_brackets_end(d->p, d->end, d->o->limits->depth - d->depth);
	if (!end)
		return skip_any(d);
	d->p = end;
	return true;
}

/* Read a member without a pick of its own; *taken: one of these stands for all of them. */
static bool decode_other(struct decoder *d, const struct json_pick *pick, str name, bool *taken)
{
	const struct key *key;
	val v = val_null();

	if (!pick->others_whole && *taken && !pick->others_named)
		return pass_over(d);
	*taken = true;
	key = key_make(d->o->keys, d->arena, name);
	if (!key)
		return no_memory(d);
	return (pick->others_whole ? decode_any(d, &v) : pass_over(d)) && push_member(d, key, v);
}

/* Decode a member that is picked. Of equal keys the last wins here too: all of them are built. */
static bool decode_picked(struct decoder *d, const struct json_skip *above, const struct json_pick *pick, bool *taken)
{
	const struct json_pick *own;
	val v = val_null();
	str name = { "", 0 };

	if (!scan_key(d, &name) || !expect_colon(d))
		return false;
	if (d->o->n_skips && (d->depth == 1 || above)) {
		const struct json_skip *skip = skip_below(d, above, name);

		if (skip && !skip->path[d->depth])
			return skip_value(d, skip);
		d->skip_path = skip;
	}
	own = json_pick_member(pick, name);
	if (!own)
		return decode_other(d, pick, name, taken);
	if (own->kind == PICK_NOTHING)
		return pass_over(d) && push_member(d, own->key, v);
	d->pick = own->kind == PICK_MEMBERS ? own : NULL;
	if (!decode_any(d, &v))
		return false;
	d->pick = NULL;
	return push_member(d, own->key, v);
}

/* Decode the map at d->p with d->pick. */
static bool decode_part(struct decoder *d, val *ret)
{
	const struct json_skip *above = d->skip_path;
	const struct json_pick *pick = d->pick;
	size_t base = d->n_members;
	bool more = true, taken = false;

	d->p++;
	d->skip_path = NULL;
	d->pick = NULL;
	if (!enter(d))
		return false;
	if (empty_container(d, '}'))
		more = false;
	while (more) {
		if (!decode_picked(d, above, pick, &taken) || !next_element(d, '}', &more))
			return false;
	}
	d->skip_path = NULL;
	*ret = val_map(d->arena, d->members + base, d->n_members - base);
	d->n_members = base;
	d->depth--;
	return val_exists(*ret) ? true : no_memory(d);
}

static bool decode_any(struct decoder *d, val *ret)
{
	skip_space(d);
	if (++d->nodes > d->o->limits->document_nodes) {
		err_set(d->err, E2BIG, "more than %zu values", d->o->limits->document_nodes);
		return false;
	}
	switch (d->p < d->end ? *d->p : 0) {
	case '{':
		return d->pick ? decode_part(d, ret) : decode_map(d, ret);
	case '[':
		d->skip_path = NULL;
		d->pick = NULL;
		return decode_list(d, ret);
	case '"':
		return decode_string(d, ret);
	case 't':
		*ret = val_bool(true);
		return expect_word(d, "true", 4);
	case 'f':
		*ret = val_bool(false);
		return expect_word(d, "false", 5);
	case 'n':
		*ret = val_null();
		return expect_word(d, "null", 4);
	case '-':
	case '0' ... '9':
		return decode_number(d, ret);
	default:
		return fail(d, "invalid token");
	}
}

/* ---- entry points ---- */

static int check_size(str text, const struct json_options *o, struct err *err)
{
	if (text.n > o->limits->object_bytes)
		return err_set(err, E2BIG, "JSON of %zu bytes is larger than %zu bytes", text.n,
			       o->limits->object_bytes);
	return 0;
}

static bool expect_end(struct decoder *d)
{
	skip_space(d);
	return d->p == d->end ? true : fail(d, "end of text expected");
}

/* Decode one value; with @used NULL nothing but white space may follow it. */
static int decode_text(str text, const struct json_options *o, struct arena *a, val *ret, size_t *used, struct err *err)
{
	struct decoder d;
	val v;
	bool ok;

	if (check_size(text, o, err) < 0)
		return -err->code;
	for (size_t i = 0; i < o->n_skips; i++) {
		if (o->skips[i].raw)
			*o->skips[i].raw = (str){ NULL, 0 };
	}
	decoder_init(&d, text, o, a, err);
	ok = decode_any(&d, &v) && (used || expect_end(&d));
	decoder_done(&d);
	if (!ok)
		return -err->code;
	*ret = v;
	if (used)
		*used = (size_t)(d.p - d.start);
	return 0;
}

int json_decode_value(str text, const struct json_options *o, struct arena *a, val *ret, size_t *used, struct err *err)
{
	return decode_text(text, o, a, ret, used, err);
}

int json_decode(str text, const struct json_options *o, struct doc **ret, struct err *err)
{
	/* A text without its skipped parts is usually smaller than its document, with them it is larger: begin at
	 * its size. */
	CLEANUP(doc_unrefp) struct doc *doc = doc_new(text.n < 256 ? 256 : text.n, o->limits->arena_bytes);
	int r;

	if (!doc)
		return err_nomem(err);
	r = decode_text(text, o, &doc->arena, &doc->root, NULL, err);
	if (r < 0)
		return r;
	*ret = TAKE(doc);
	return 0;
}

/* ---- lists ---- */

/* Step over one element, by its quotes and brackets alone. */
static bool pass_element(struct decoder *d)
{
	const char *end;

	/* there is nothing to count, and nothing that could be deep */
	if (d->p == d->end || (*d->p != '{' && *d->p != '['))
		return skip_any(d);
	end = json_brackets_end(d->p, d->end);
	d->p = end ? end : d->end;
	return end ? true : fail(d, "");
}

struct json_list {
	struct decoder d;
	struct json_options o;
	enum { AT_START, IN_MEMBERS, IN_ITEMS, AT_END } place;
	bool has_items;
};

static bool after_member(struct json_list *l)
{
	bool more = false;

	if (!next_element(&l->d, '}', &more))
		return false;
	l->place = more ? IN_MEMBERS : AT_END;
	return true;
}

static bool open_list(struct json_list *l)
{
	struct decoder *d = &l->d;

	skip_space(d);
	if (d->p == d->end || *d->p != '{')
		return fail(d, "expected an object");
	d->p++;
	if (!enter(d))
		return false;
	l->place = empty_container(d, '}') ? AT_END : IN_MEMBERS;
	return true;
}

static bool open_items(struct json_list *l)
{
	struct decoder *d = &l->d;

	l->has_items = true;
	d->p++;
	if (!enter(d))
		return false;
	if (empty_container(d, ']')) {
		d->depth--;
		return after_member(l);
	}
	l->place = IN_ITEMS;
	return true;
}

static bool pass_member(struct json_list *l)
{
	struct decoder *d = &l->d;
	const struct key *key = NULL;
	val v;

	if (!decode_key(d, &key) || !key || !expect_colon(d))
		return false;
	if (str_eq(key_str(key), STR("items")) && d->p < d->end && *d->p == '[')
		return open_items(l);
	if (!decode_any(d, &v) || (d->n_members == d->cap_members && !grow_members(d)))
		return false;
	d->members[d->n_members++] = (struct member){ key, v };
	return after_member(l);
}

static bool pass_item(struct json_list *l, str *item)
{
	struct decoder *d = &l->d;
	const char *from;
	bool more = false;

	skip_space(d);
	from = d->p;
	if (!pass_element(d))
		return false;
	*item = (str){ from, (size_t)(d->p - from) };
	if (!next_element(d, ']', &more))
		return false;
	if (more)
		return true;
	d->depth--;
	return after_member(l);
}

struct json_list *json_list_new(str text, const struct json_options *o, struct arena *a)
{
	struct json_list *l = malloc(sizeof(*l));

	if (!l)
		return NULL;
	l->o = *o;
	l->o.n_skips = 0;
	l->o.pick = NULL;
	l->place = AT_START;
	l->has_items = false;
	decoder_init(&l->d, text, &l->o, a, NULL);
	return l;
}

bool json_list_has_items(const struct json_list *l)
{
	return l->has_items;
}

void json_list_free(struct json_list *l)
{
	if (!l)
		return;
	decoder_done(&l->d);
	free(l);
}

static int end_list(struct json_list *l, val *ret_rest, struct err *err)
{
	val rest;

	if (!expect_end(&l->d))
		return -err->code;
	rest = val_map(l->d.arena, l->d.members, l->d.n_members);
	if (!val_exists(rest))
		return err_nomem(err);
	*ret_rest = rest;
	return 0;
}

int json_list_next(struct json_list *l, str *item, val *ret_rest, struct err *err)
{
	l->d.err = err;
	for (;;) {
		switch (l->place) {
		case AT_START:
			if (!open_list(l))
				return -err->code;
			break;
		case IN_MEMBERS:
			if (!pass_member(l))
				return -err->code;
			break;
		case IN_ITEMS:
			return pass_item(l, item) ? 1 : -err->code;
		case AT_END:
			return end_list(l, ret_rest, err);
		}
	}
}
