/* Parses escapes and classes: all syntax for one character that begins with a backslash or a bracket. */
#include "text/re2_parse_internal.h"

#include "base/ascii.h"

#include <errno.h>

/* Read two digits, or {digits}, behind \x. 1 with *ret; 0 when it is neither; negative: an error. *t moves over the
 * text that was examined. */
static int parse_hex(struct re2_parser *p, str *t, uint32_t *ret)
{
	uint32_t c, value = 0;
	int r, x, y, digits = 0;

	if (t->n == 0)
		return 0;
	r = re2p_next_rune(p, t, &c);
	if (r < 0)
		return r;
	if (c != '{') {
		x = ascii_hex_value((int)c);
		if (t->n == 0)
			return 0;
		r = re2p_next_rune(p, t, &c);
		if (r < 0)
			return r;
		y = ascii_hex_value((int)c);
		*ret = (uint32_t)(x * 16 + y);
		return x >= 0 && y >= 0;
	}
	for (;; digits++) {
		if (t->n == 0)
			return 0;
		r = re2p_next_rune(p, t, &c);
		if (r < 0)
			return r;
		if (c == '}')
			break;
		x = ascii_hex_value((int)c);
		if (x < 0)
			return 0;
		value = value * 16 + (uint32_t)x;
		if (value > UNICODE_MAX)
			return 0;
	}
	*ret = value;
	return digits > 0;
}

static uint32_t parse_octal(uint32_t first, str *t)
{
	uint32_t value = first - '0';

	for (int i = 1; i < 3 && t->n > 0 && t->p[0] >= '0' && t->p[0] <= '7'; i++) {
		value = value * 8 + (uint32_t)(t->p[0] - '0');
		*t = re2p_tail(*t, 1);
	}
	return value;
}

/* Read one escaped character; *s begins with the backslash and moves behind it. */
static int parse_escape(struct re2_parser *p, str *s, uint32_t *ret)
{
	static const char from[] = "afnrtv", to[] = "\a\f\n\r\t\v";
	_Static_assert(sizeof(from) == sizeof(to), "each escape stands for a character");
	str t = re2p_tail(*s, 1);
	const char *at;
	uint32_t c;
	int r;

	if (t.n == 0)
		return re2p_error(p, "trailing backslash at end of expression", STR(""));
	r = re2p_next_rune(p, &t, &c);
	if (r < 0)
		return r;
	if (c == '0' || (c >= '1' && c <= '7' && t.n > 0 && t.p[0] >= '0' && t.p[0] <= '7')) {
		*ret = parse_octal(c, &t);
	} else if (c == 'x') {
		r = parse_hex(p, &t, ret);
		if (r < 0)
			return r;
		if (r == 0)
			return re2p_error(p, "invalid escape sequence", re2p_between(*s, t));
	} else if (c < 0x80 && !re2p_is_alnum(c)) {
		*ret = c;
	} else if (c < 0x80 && (at = strchr(from, (int)c)) != NULL && c != 0) {
		*ret = (uint32_t)to[at - from];
	} else {
		return re2p_error(p, "invalid escape sequence", re2p_between(*s, t));
	}
	*s = t;
	return 0;
}

/* Add a named set to @c; it is folded before it is negated. */
static int add_group(struct re2_parser *p, struct re2_class *c, struct re2_class *group, bool negate)
{
	bool ok = true;

	if (p->flags & RE2_FLAG_FOLD)
		ok = re2_class_fold(group);
	if (ok && negate)
		ok = re2_class_negate(group);
	return ok && re2_class_add_class(c, group) ? 0 : re2p_nomem(p);
}

/* Read \pN, \p{Name}, \P… or {^Name}: 1 when there was one; 0 when there is none; negative: an error. */
static int parse_unicode_class(struct re2_parser *p, str *s, struct re2_class *c)
{
	struct re2_class group = { 0 };
	ptrdiff_t end;
	str t, seq, name;
	bool negate;
	uint32_t rune;
	int r;

	if (s->n < 2 || s->p[0] != '\\' || (s->p[1] != 'p' && s->p[1] != 'P'))
		return 0;
	negate = s->p[1] == 'P';
	t = re2p_tail(*s, 2);
	if (t.n == 0)
		return re2p_error(p, "invalid character class range", *s);
	r = re2p_next_rune(p, &t, &rune);
	if (r < 0)
		return r;
	seq = re2p_between(*s, t);
	name = re2p_tail(seq, 2);
	if (rune == '{') {
		end = str_find_byte(*s, '}');
		if (end < 0) {
			r = re2p_check_utf8(p, *s);
			return r < 0 ? r : re2p_error(p, "invalid character class range", *s);
		}
		seq = str_sub(*s, 0, (size_t)end + 1);
		t = re2p_tail(*s, (size_t)end + 1);
		name = str_sub(*s, 3, (size_t)end);
		r = re2p_check_utf8(p, name);
		if (r < 0)
			return r;
	}
	if (name.n > 0 && name.p[0] == '^') {
		negate = !negate;
		name = re2p_tail(name, 1);
	}
	r = re2_class_add_unicode(&group, name);
	if (r == 0)
		r = re2p_error(p, "invalid character class range", seq);
	else if (r < 0)
		r = re2p_nomem(p);
	else
		r = add_group(p, c, &group, negate);
	vec_done(&group.v);
	if (r < 0)
		return r;
	*s = t;
	return 1;
}

static int add_named(struct re2_parser *p, str name, bool negate, struct re2_class *c)
{
	struct re2_class group = { 0 };
	int r = re2_class_add_named(&group, name);

	if (r < 0)
		r = re2p_nomem(p);
	else if (r > 0 && add_group(p, c, &group, negate) < 0)
		r = -p->err->code;
	vec_done(&group.v);
	return r;
}

/* Read \d \D \s \S \w \W; results as those of parse_unicode_class. */
static int parse_perl_class(struct re2_parser *p, str *s, struct re2_class *c)
{
	char letter;
	int r;

	if (s->n < 2 || s->p[0] != '\\' || s->p[1] == '\0' || !strchr("dDsSwW", s->p[1]))
		return 0;
	letter = (char)(s->p[1] | 0x20);
	r = add_named(p, (str){ &letter, 1 }, s->p[1] != letter, c);
	if (r > 0)
		*s = re2p_tail(*s, 2);
	return r;
}

/* Read [:name:] or [:^name:]; results as those of parse_unicode_class. */
static int parse_posix_class(struct re2_parser *p, str *s, struct re2_class *c)
{
	ptrdiff_t end;
	str whole, name;
	bool negate;
	int r = 0;

	if (s->n < 3 || s->p[0] != '[' || s->p[1] != ':')
		return 0;
	end = str_find(re2p_tail(*s, 2), STR(":]"));
	if (end < 0)
		return 0;
	whole = str_sub(*s, 0, (size_t)end + 4);
	name = str_sub(whole, 2, (size_t)end + 2);
	negate = name.n > 0 && name.p[0] == '^';
	if (negate)
		name = re2p_tail(name, 1);
	if (name.n > 1)
		r = add_named(p, name, negate, c);
	if (r == 0)
		return re2p_error(p, "invalid character class range", whole);
	if (r > 0)
		*s = re2p_tail(*s, whole.n);
	return r;
}

static int parse_class_char(struct re2_parser *p, str *s, str whole, uint32_t *c)
{
	if (s->n == 0)
		return re2p_error(p, "missing closing ]", whole);
	return s->p[0] == '\\' ? parse_escape(p, s, c) : re2p_next_rune(p, s, c);
}

/* Read one character or range of a class. */
static int parse_class_range(struct re2_parser *p, str *t, str whole, struct re2_class *c)
{
	str before = *t;
	uint32_t lo = 0, hi;
	bool ok;
	int r = parse_class_char(p, t, whole, &lo);

	if (r < 0)
		return r;
	hi = lo;
	if (t->n >= 2 && t->p[0] == '-' && t->p[1] != ']') {
		*t = re2p_tail(*t, 1);
		r = parse_class_char(p, t, whole, &hi);
		if (r < 0)
			return r;
		if (hi < lo)
			return re2p_error(p, "invalid character class range", re2p_between(before, *t));
	}
	ok = p->flags & RE2_FLAG_FOLD ? re2_class_add_folded(c, lo, hi) : re2_class_add(c, lo, hi);
	return ok ? 0 : re2p_nomem(p);
}

static int parse_class_items(struct re2_parser *p, str *t, str whole, struct re2_class *c)
{
	bool first = true;

	for (; t->n == 0 || t->p[0] != ']' || first; first = false) {
		int r = parse_posix_class(p, t, c);

		if (r == 0)
			r = parse_unicode_class(p, t, c);
		if (r == 0)
			r = parse_perl_class(p, t, c);
		if (r == 0)
			r = parse_class_range(p, t, whole, c);
		if (r < 0)
			return r;
	}
	*t = re2p_tail(*t, 1);
	return 0;
}

int re2p_class(struct re2_parser *p)
{
	struct re2_class c = { 0 };
	str whole = p->rest, t = re2p_tail(p->rest, 1);
	bool negate = t.n > 0 && t.p[0] == '^';
	int r;

	if (negate)
		t = re2p_tail(t, 1);
	r = parse_class_items(p, &t, whole, &c);
	if (r == 0 && negate && !re2_class_negate(&c))
		r = re2p_nomem(p);
	if (r == 0)
		r = re2p_push_class(p, &c);
	vec_done(&c.v);
	p->rest = t;
	return r;
}

int re2p_escape(struct re2_parser *p)
{
	struct re2_class c = { 0 };
	uint32_t rune = 0;
	int r = parse_unicode_class(p, &p->rest, &c);

	if (r == 0)
		r = parse_perl_class(p, &p->rest, &c);
	if (r > 0) {
		r = re2p_push_class(p, &c);
	} else if (r == 0) {
		r = parse_escape(p, &p->rest, &rune);
		if (r == 0)
			r = re2p_push_literal(p, rune);
	}
	vec_done(&c.v);
	return r;
}
