/* Reads and checks constraints on versions. The library finds them with regular expressions. These are unambiguous,
 * because a version ends at the first character that no version can have, so a scanner that never goes back accepts
 * the same texts. */
#include "text/semver_internal.h"

#include "base/vec.h"

#include <errno.h>

#define REWRITTEN_MAX (1u << 20)

enum op { OP_NONE, OP_EQ, OP_NE, OP_GT, OP_LT, OP_GE, OP_LE, OP_TILDE, OP_CARET };

/* The operators; longer ones come first. */
static const struct {
	str text;
	enum op op;
} ops[] = {
	{ { "!=", 2 }, OP_NE }, { { ">=", 2 }, OP_GE },    { { "=>", 2 }, OP_GE },   { { "<=", 2 }, OP_LE },
	{ { "=<", 2 }, OP_LE }, { { "~>", 2 }, OP_TILDE }, { { "=", 1 }, OP_EQ },    { { ">", 1 }, OP_GT },
	{ { "<", 1 }, OP_LT },  { { "~", 1 }, OP_TILDE },  { { "^", 1 }, OP_CARET },
};

/* A version in which parts may be x, X or * ("wildcards" such as "1.x" and "1" leave it open: dirty). */
struct pattern {
	str whole;
	str major, minor, patch; /* minor and patch without their dot; empty when missing */
	str pre;                 /* the pre-release with its '-' */
};

struct constraint {
	enum op op;
	struct semver v;
	bool dirty, minor_dirty, patch_dirty;
};

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r' && c != '\v');
}

static size_t spaces(str s)
{
	size_t n = 0;

	while (n < s.n && is_space(s.p[n]))
		n++;
	return n;
}

static bool is_part(char c)
{
	return ascii_is_digit(c) || c == 'x' || c == 'X' || c == '*' || c == '|';
}

static str part_at(str s)
{
	size_t n = 0;

	while (n < s.n && is_part(s.p[n]))
		n++;
	return str_sub(s, 0, n);
}

/* Read -idents or +idents at @at, which moves behind it. */
static str extra_at(str s, char sign, size_t *at)
{
	size_t n, start = *at;

	if (start >= s.n || s.p[start] != sign)
		return STR("");
	n = semver_idents(str_sub(s, start + 1, s.n));
	if (n == 0)
		return STR("");
	*at = start + 1 + n;
	return str_sub(s, start, *at);
}

/* Read the longest pattern at the start of @s. Returns its length, 0 when there is none. */
static size_t pattern_at(str s, struct pattern *ret)
{
	struct pattern p = { .minor = STR(""), .patch = STR("") };
	str *more[] = { &p.minor, &p.patch };
	size_t at = s.n > 0 && s.p[0] == 'v';

	p.major = part_at(str_sub(s, at, s.n));
	if (p.major.n == 0)
		return 0;
	at += p.major.n;
	for (size_t i = 0; i < 2 && at < s.n && s.p[at] == '.'; i++) {
		*more[i] = part_at(str_sub(s, at + 1, s.n));
		if (more[i]->n == 0)
			break;
		at += 1 + more[i]->n;
	}
	p.pre = extra_at(s, '-', &at);
	(void)extra_at(s, '+', &at);
	p.whole = str_sub(s, 0, at);
	*ret = p;
	return at;
}

static bool is_wildcard(str part)
{
	return part.n == 0 || (part.n == 1 && (part.p[0] == 'x' || part.p[0] == 'X' || part.p[0] == '*'));
}

/* Make the constraint of a pattern; open parts are 0 in its version. */
static int make_constraint(enum op op, const struct pattern *p, struct constraint *ret, struct err *err)
{
	struct constraint c = { .op = op };
	struct semver v = { .pre = STR(""), .metadata = STR(""), .original = p->whole };
	bool ok = true;
	struct err ignored;

	c.minor_dirty = !is_wildcard(p->major) && is_wildcard(p->minor);
	c.patch_dirty = !is_wildcard(p->major) && !c.minor_dirty && is_wildcard(p->patch);
	c.dirty = is_wildcard(p->major) || c.minor_dirty || c.patch_dirty;
	if (!c.dirty) {
		ok = semver_parse(p->whole, &v, &ignored) == 0;
	} else {
		str pre = STR("0.0.0");
		struct semver parsed;

		/* Parts may be missing or wildcards; only a pre-release is checked as in a whole version. */
		ok = p->pre.n == 0 || p->pre.p[0] == '-';
		if (!is_wildcard(p->major))
			ok = ok && semver_number(p->major, &v.major);
		if (c.patch_dirty)
			ok = ok && semver_number(p->minor, &v.minor);
		if (p->pre.n > 0) {
			CLEANUP(buf_done) struct buf text = BUF_INIT(REWRITTEN_MAX);

			buf_add_str(&text, pre);
			buf_add_str(&text, p->pre);
			ok = ok && !text.error && semver_parse(buf_str(&text), &parsed, &ignored) == 0;
			v.pre = str_sub(p->pre, 1, p->pre.n);
		}
	}
	if (!ok)
		return err_set(err, EBADMSG, "constraint Parser Error");
	c.v = v;
	*ret = c;
	return 0;
}

static bool satisfies_tilde(const struct semver *v, const struct constraint *c)
{
	if (semver_compare(v, &c->v) < 0)
		return false;
	/* ~0.0.0 and ~* accept everything from there on. */
	if (c->v.major == 0 && c->v.minor == 0 && c->v.patch == 0 && !c->minor_dirty && !c->patch_dirty)
		return true;
	return v->major == c->v.major && (v->minor == c->v.minor || c->minor_dirty);
}

static bool satisfies_caret(const struct semver *v, const struct constraint *c)
{
	if (semver_compare(v, &c->v) < 0)
		return false;
	if (c->v.major > 0 || c->minor_dirty)
		return v->major == c->v.major;
	if (v->major > 0)
		return false;
	if (c->v.minor > 0 || c->patch_dirty)
		return v->minor == c->v.minor;
	return v->minor == 0 && v->patch == c->v.patch;
}

static bool satisfies_greater(const struct semver *v, const struct constraint *c)
{
	if (!c->dirty || (v->major == c->v.major && !c->minor_dirty && !c->patch_dirty))
		return semver_compare(v, &c->v) > 0;
	if (v->major != c->v.major)
		return v->major > c->v.major;
	return !c->minor_dirty && v->minor > c->v.minor;
}

static bool satisfies_at_most(const struct semver *v, const struct constraint *c)
{
	if (!c->dirty)
		return semver_compare(v, &c->v) <= 0;
	if (v->major > c->v.major)
		return false;
	return v->major < c->v.major || v->minor <= c->v.minor || c->minor_dirty;
}

static bool satisfies_not(const struct semver *v, const struct constraint *c)
{
	if (!c->dirty)
		return semver_compare(v, &c->v) != 0;
	if (v->pre.n > 0 && c->v.pre.n == 0)
		return false;
	if (v->major != c->v.major)
		return true;
	if (c->minor_dirty)
		return false;
	if (v->minor != c->v.minor)
		return true;
	if (!c->patch_dirty)
		return v->patch != c->v.patch || semver_compare(v, &c->v) != 0;
	return (v->pre.n > 0 || c->v.pre.n > 0) && semver_compare_pre(v->pre, c->v.pre) != 0;
}

static bool satisfies(const struct semver *v, const struct constraint *c)
{
	if (c->op == OP_NE)
		return satisfies_not(v, c);
	/* A pre-release satisfies only a constraint that names one. */
	if (v->pre.n > 0 && c->v.pre.n == 0)
		return false;
	switch (c->op) {
	case OP_GT:
		return satisfies_greater(v, c);
	case OP_LT:
		return semver_compare(v, &c->v) < 0;
	case OP_GE:
		return semver_compare(v, &c->v) >= 0;
	case OP_LE:
		return satisfies_at_most(v, c);
	case OP_TILDE:
		return satisfies_tilde(v, c);
	case OP_CARET:
		return satisfies_caret(v, c);
	default:
		return c->dirty ? satisfies_tilde(v, c) : semver_compare(v, &c->v) == 0;
	}
}

/* Read space* op space* pattern space* at *s, which moves behind it. False when there is none. */
static bool scan_one(str *s, enum op *op, struct pattern *p)
{
	str t = str_sub(*s, spaces(*s), s->n);
	size_t n;

	*op = OP_NONE;
	for (size_t i = 0; i < ARRAY_LEN(ops); i++) {
		if (str_has_prefix(t, ops[i].text)) {
			*op = ops[i].op;
			t = str_sub(t, ops[i].text.n, t.n);
			break;
		}
	}
	t = str_sub(t, spaces(t), t.n);
	n = pattern_at(t, p);
	*s = str_sub(t, n, t.n);
	return n > 0;
}

struct scanned {
	enum op op;
	struct pattern pattern;
};

/* Check all constraints of one alternative. Its whole syntax is checked before any of them is evaluated. */
static int check_alternative(str s, const struct semver *v, bool *ret, struct err *err)
{
	VEC(struct scanned) all = { 0 };
	str rest = s;
	bool ok, memory = true;
	int r = 0;

	*ret = true;
	for (;;) {
		struct scanned one;
		size_t gap;

		ok = scan_one(&rest, &one.op, &one.pattern);
		if (!ok)
			break;
		memory = vec_push(&all, one);
		gap = spaces(rest);
		rest = str_sub(rest, gap, rest.n);
		if (rest.n == 0 || !memory)
			break;
		if (rest.p[0] == ',')
			rest = str_sub(rest, 1, rest.n);
		else if (gap == 0)
			ok = false;
		if (!ok)
			break;
	}
	if (!memory)
		r = err_nomem(err);
	else if (!ok)
		r = err_set(err, EBADMSG, "improper constraint: %.*s", STR_ARG(s));
	for (size_t i = 0; i < all.n && r == 0; i++) {
		struct constraint c = { 0 };

		r = make_constraint(all.p[i].op, &all.p[i].pattern, &c, err);
		if (r == 0 && v)
			*ret = *ret && satisfies(v, &c);
	}
	vec_done(&all);
	return r;
}

/* Find "a - b" in @s from @at on: its extent and its two patterns. */
static bool find_range(str s, size_t at, str *whole, struct pattern *low, struct pattern *high)
{
	for (; at < s.n; at++) {
		str t = str_sub(s, at, s.n);
		size_t n = spaces(t), gap;

		gap = pattern_at(str_sub(t, n, t.n), low);
		if (gap == 0)
			continue;
		n += gap;
		gap = spaces(str_sub(t, n, t.n));
		n += gap;
		if (gap == 0 || n >= t.n || t.p[n] != '-')
			continue;
		n++;
		gap = spaces(str_sub(t, n, t.n));
		n += gap;
		if (gap == 0)
			continue;
		gap = pattern_at(str_sub(t, n, t.n), high);
		if (gap == 0)
			continue;
		n += gap;
		n += spaces(str_sub(t, n, t.n));
		*whole = str_sub(t, 0, n);
		return true;
	}
	return false;
}

static int replace_first(struct buf *text, str old, str with, struct err *err)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(text->max);
	str s = buf_str(text);
	ptrdiff_t at = str_find(s, old);

	if (at < 0)
		return 0;
	buf_add_str(&out, str_sub(s, 0, (size_t)at));
	buf_add_str(&out, with);
	buf_add_str(&out, str_sub(s, (size_t)at + old.n, s.n));
	buf_clear(text);
	buf_add_str(text, buf_str(&out));
	return buf_error(out.error ? &out : text, "constraint", err);
}

/* Replace hyphen ranges by two comparisons. */
static int rewrite_ranges(str constraint, struct buf *out, struct err *err)
{
	CLEANUP(buf_done) struct buf with = BUF_INIT(REWRITTEN_MAX);
	struct pattern low, high;
	str whole = { constraint.p, 0 };
	size_t at = 0;
	int r = 0;

	buf_add_str(out, constraint);
	while (r == 0 && find_range(constraint, at, &whole, &low, &high)) {
		at = (size_t)(whole.p - constraint.p) + whole.n;
		buf_clear(&with);
		buf_printf(&with, ">= %.*s, <= %.*s ", STR_ARG(low.whole), STR_ARG(high.whole));
		r = buf_error(&with, "constraint", err);
		if (r == 0)
			r = replace_first(out, whole, buf_str(&with), err);
	}
	return r < 0 ? r : buf_error(out, "constraint", err);
}

/* Evaluate a constraint. @v may be NULL: only the syntax is checked. */
static int evaluate(str constraint, const struct semver *v, bool *ret, struct err *err)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(REWRITTEN_MAX);
	bool any = false, more = true;
	str rest;
	int r = rewrite_ranges(constraint, &text, err);

	rest = buf_str(&text);
	while (r == 0 && more) {
		ptrdiff_t bars = str_find(rest, STR("||"));
		bool all = false;

		more = bars >= 0;
		r = check_alternative(more ? str_sub(rest, 0, (size_t)bars) : rest, v, &all, err);
		any = any || all;
		rest = str_sub(rest, more ? (size_t)bars + 2 : 0, rest.n);
	}
	if (r == 0)
		*ret = any;
	return r;
}

int semver_compare_constraint(str constraint, str version, bool *ret, struct err *err)
{
	struct semver v = { 0 };
	bool ignored;
	int r = evaluate(constraint, NULL, &ignored, err);

	if (r == 0)
		r = semver_parse(version, &v, err);
	return r < 0 ? r : evaluate(constraint, &v, ret, err);
}
