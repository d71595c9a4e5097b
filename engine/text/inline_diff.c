/* Regular expressions and capture groups in the values of a reference. */
#include "text/inline_diff.h"

#include "base/utf8.h"
#include "text/dmp.h"
#include "text/re2.h"

#include <errno.h>

#define FIRST_PLACEHOLDER 0xF0000u /* code points for private use, which replace groups while texts are compared */

bool inline_func_from_name(str name, enum inline_func *ret)
{
	if (str_eq(name, STR("regex")))
		*ret = INLINE_REGEX;
	else if (str_eq(name, STR("capturegroups")))
		*ret = INLINE_CAPTUREGROUPS;
	else
		return false;
	return true;
}

/* ---- captures ---- */

void inline_captures_done(struct inline_captures *c)
{
	for (size_t i = 0; i < c->groups.n; i++)
		vec_done(&c->groups.p[i].values);
	vec_done(&c->groups);
}

static struct inline_capture *find_capture(const struct inline_captures *c, str name)
{
	for (size_t i = 0; i < c->groups.n; i++) {
		if (str_eq(c->groups.p[i].name, name))
			return &c->groups.p[i];
	}
	return NULL;
}

static struct inline_capture *new_capture(struct inline_captures *c, str name)
{
	struct inline_capture group = { .name = arena_str(c->arena, name) };

	return group.name.p && vec_push(&c->groups, group) ? &c->groups.p[c->groups.n - 1] : NULL;
}

static int add_capture(struct inline_captures *c, str name, str value, struct err *err)
{
	struct inline_capture *group = find_capture(c, name);

	for (size_t i = 0; group && i < group->values.n; i++) {
		if (str_eq(group->values.p[i], value))
			return 0;
	}
	value = arena_str(c->arena, value);
	if (!group)
		group = new_capture(c, name);
	if (!value.p || !group || !vec_push(&group->values, value))
		return err_nomem(err);
	return 0;
}

/* Write the capture of a group. False, and nothing is written, when the group captured nothing, or only the empty
 * text. */
static bool write_capture(const struct inline_captures *c, str name, struct buf *out)
{
	const struct inline_capture *group = find_capture(c, name);

	if (!group)
		return false;
	if (group->values.n == 1) {
		buf_add_str(out, group->values.p[0]);
		return group->values.p[0].n > 0;
	}
	buf_printf(out, "(?<%.*s>=%.*s)", STR_ARG(name), STR_ARG(group->values.p[0]));
	return true;
}

static void write_warnings(const struct inline_captures *c, struct buf *out)
{
	for (size_t i = 0; i < c->groups.n; i++) {
		const struct inline_capture *group = &c->groups.p[i];

		if (group->values.n < 2)
			continue;
		buf_printf(out, "\nWARNING: Capturegroup (?<%.*s>…) matched multiple values: « ", STR_ARG(group->name));
		for (size_t k = 0; k < group->values.n; k++) {
			if (k > 0)
				buf_add_cstr(out, " | ");
			buf_add_str(out, group->values.p[k]);
		}
		buf_add_cstr(out, " »");
	}
}

static int out_of_bounds(struct err *err, ptrdiff_t at)
{
	return err_set(err, EINVAL, "inline diff: offset %td of a capture group is outside of the matched text", at);
}

/* ---- regex ---- */

struct top_level {
	str name;
	ptrdiff_t start, end;
};

struct top_levels {
	VEC(struct top_level) v;
};

/* Add a group, unless it is inside another one. When a group replaces several, each removal moves the ones behind it
 * as in the original, which does not allow for that. */
static int add_top_level(struct top_levels *t, struct top_level group, struct err *err)
{
	VEC(size_t) replaced = { 0 };
	bool inside = false, ok = true;
	int r = 0;

	for (size_t i = 0; i < t->v.n && ok; i++) {
		const struct top_level *other = &t->v.p[i];

		if (group.start >= other->start && group.end <= other->end)
			inside = true;
		else if (group.start <= other->start && group.end >= other->end)
			ok = vec_push(&replaced, i);
	}
	if (ok && (!inside || replaced.n > 0))
		ok = vec_push(&t->v, group);
	for (size_t i = 0; ok && i < replaced.n && r == 0; i++) {
		size_t at = replaced.p[i];

		if (at >= t->v.n) {
			r = out_of_bounds(err, (ptrdiff_t)at);
			break;
		}
		t->v.n--;
		memmove(t->v.p + at, t->v.p + at + 1, (t->v.n - at) * sizeof(*t->v.p));
	}
	vec_done(&replaced);
	return ok ? r : err_nomem(err);
}

static void sort_from_end(struct top_levels *t)
{
	for (size_t i = 1; i < t->v.n; i++) {
		struct top_level moved = t->v.p[i];
		size_t at = i;

		for (; at > 0 && t->v.p[at - 1].start < moved.start; at--)
			t->v.p[at] = t->v.p[at - 1];
		t->v.p[at] = moved;
	}
}

static int collect_groups(const struct re2_search *s, struct inline_captures *caps, struct top_levels *top,
			  struct err *err)
{
	int r = 0;

	for (uint32_t i = 1; i <= re2_groups(s->re) && r == 0; i++) {
		str name = re2_group_name(s->re, i);
		/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): a search has a span for each group */
		struct top_level group = { name, s->spans[i].start, s->spans[i].end };

		if (name.n == 0)
			continue;
		if (group.start < 0)
			return out_of_bounds(err, group.start);
		r = add_capture(caps, name, re2_group(s, i), err);
		if (r == 0)
			r = add_top_level(top, group, err);
	}
	return r;
}

/* Write the matched text with its groups replaced, from the last to the first. */
static int substitute(str matched, struct top_levels *top, const struct inline_captures *caps, struct buf *out,
		      struct err *err)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(out->max);

	sort_from_end(top);
	buf_add_str(&text, matched);
	for (size_t i = 0; i < top->v.n && !text.error; i++) {
		CLEANUP(buf_done) struct buf next = BUF_INIT(out->max);
		const struct top_level *g = &top->v.p[i];
		str s = buf_str(&text);

		if (g->end > (ptrdiff_t)s.n)
			return out_of_bounds(err, g->end);
		buf_add_str(&next, str_sub(s, 0, (size_t)g->start));
		(void)write_capture(caps, g->name, &next);
		buf_add_str(&next, str_sub(s, (size_t)g->end, s.n));
		if (next.error)
			return buf_error(&next, "inline diff", err);
		buf_clear(&text);
		buf_add_str(&text, buf_str(&next));
	}
	buf_add_str(out, buf_str(&text));
	return buf_error(&text, "inline diff", err);
}

static int diff_regex(str pattern, str value, const struct limits *lim, struct inline_captures *caps, struct buf *out,
		      struct err *err)
{
	CLEANUP(re2_freep) struct re2 *re = NULL;
	CLEANUP(re2_search_done) struct re2_search s = { 0 };
	struct top_levels top = { 0 };
	struct err syntax;
	int r = re2_compile(pattern, lim, &re, NULL, &syntax);

	if (r < 0 && r != -EBADMSG) {
		*err = syntax;
		return r;
	}
	if (r == 0)
		r = re2_search_init(&s, re, value, err);
	if (r == 0)
		r = re2_search_from(&s, 0, err);
	if (r == 0 || r == -EBADMSG) {
		buf_add_str(out, pattern);
		return buf_error(out, "inline diff", err);
	}
	if (r > 0)
		r = collect_groups(&s, caps, &top, err);
	if (r == 0)
		r = substitute(re2_group(&s, 0), &top, caps, out, err);
	vec_done(&top.v);
	if (r < 0)
		return r;
	write_warnings(caps, out);
	return buf_error(out, "inline diff", err);
}

/* ---- capturegroups ---- */

/* The end of a group that was opened before @at: the place behind its parenthesis, or 0. */
static size_t group_end(str pattern, size_t at)
{
	int parens = 0, brackets = 0;

	for (; at < pattern.n; at++) {
		switch (pattern.p[at]) {
		case '\\':
			at++;
			break;
		case '(':
			parens += brackets <= 0;
			break;
		case ')':
			parens -= brackets <= 0;
			break;
		case '[':
			brackets++;
			break;
		case ']':
			brackets--;
			break;
		default:
			break;
		}
		if (parens < 0)
			return at + 1;
	}
	return 0;
}

bool inline_groups(str pattern, struct inline_groups *ret)
{
	size_t at = 0;

	*ret = (struct inline_groups){ 0 };
	for (;;) {
		ptrdiff_t found = at < pattern.n ? str_find(str_sub(pattern, at, pattern.n), STR("(?<")) : -1;
		struct inline_group group = { .name = STR("") };

		if (found < 0)
			return true;
		group.start = at + (size_t)found;
		for (at = group.start + 3; at < pattern.n && pattern.p[at] != '>'; at++)
			at += pattern.p[at] == '\\';
		if (at < pattern.n)
			group.name = str_sub(pattern, group.start + 3, at++);
		group.end = group_end(pattern, at);
		if (group.end == 0)
			return true;
		if (!vec_push(&ret->v, group))
			return false;
		at = group.end;
	}
}

void inline_quote(str pattern, const struct inline_groups *groups, struct buf *out)
{
	size_t last = 0;

	for (size_t i = 0; i < groups->v.n; i++) {
		const struct inline_group *g = &groups->v.p[i];

		re2_quote_meta(str_sub(pattern, last, g->start), out);
		if (g->start == 0)
			buf_add_byte(out, '^');
		else if (pattern.p[g->start - 1] == ' ')
			buf_add_cstr(out, "\\b");
		buf_add_str(out, str_sub(pattern, g->start, g->end));
		if (g->end == pattern.n)
			buf_add_byte(out, '$');
		else if (pattern.p[g->end] == ' ')
			buf_add_cstr(out, "\\b");
		last = g->end;
	}
	re2_quote_meta(str_sub(pattern, last, pattern.n), out);
}

static void add_rune(struct buf *out, uint32_t c)
{
	char *to = buf_reserve(out, UTF8_MAX_BYTES);

	if (to)
		buf_commit(out, utf8_encode(c, to));
}

/* @pattern with a placeholder for each group, so that none is cut by the comparison. */
static void with_placeholders(str pattern, const struct inline_groups *groups, struct buf *out)
{
	size_t last = 0;

	for (size_t i = 0; i < groups->v.n; i++) {
		buf_add_str(out, str_sub(pattern, last, groups->v.p[i].start));
		add_rune(out, FIRST_PLACEHOLDER + (uint32_t)i);
		last = groups->v.p[i].end;
	}
	buf_add_str(out, str_sub(pattern, last, pattern.n));
}

static void without_placeholders(const struct dmp_diff *diff, str pattern, const struct inline_groups *groups,
				 struct buf *out)
{
	for (size_t i = 0; i < diff->n; i++) {
		uint32_t c = diff->runes[i];

		if (c >= FIRST_PLACEHOLDER && c - FIRST_PLACEHOLDER < groups->v.n) {
			const struct inline_group *g = &groups->v.p[c - FIRST_PLACEHOLDER];

			buf_add_str(out, str_sub(pattern, g->start, g->end));
		} else {
			add_rune(out, c);
		}
	}
}

/* Add what the groups of @deleted capture in @inserted. A pattern that does not compile captures nothing. */
static int capture_pair(str deleted, str inserted, const struct limits *lim, struct inline_captures *caps,
			struct err *err)
{
	CLEANUP(buf_done) struct buf quoted = BUF_INIT(lim->object_bytes);
	CLEANUP(re2_freep) struct re2 *re = NULL;
	CLEANUP(re2_search_done) struct re2_search s = { 0 };
	struct inline_groups groups;
	struct err syntax;
	bool any, ok = inline_groups(deleted, &groups);
	int r;

	any = groups.v.n > 0;
	if (ok && any)
		inline_quote(deleted, &groups, &quoted);
	vec_done(&groups.v);
	if (!ok)
		return err_nomem(err);
	if (!any)
		return 0;
	if (quoted.error)
		return buf_error(&quoted, "inline diff", err);
	if (caps->pair)
		caps->pair(caps->ctx, deleted, inserted);
	r = re2_compile(buf_str(&quoted), lim, &re, NULL, &syntax);
	if (r < 0 && r != -EBADMSG)
		*err = syntax;
	if (r < 0)
		return r == -EBADMSG ? 0 : r;
	r = re2_search_init(&s, re, inserted, err);
	if (r == 0)
		r = re2_search_from(&s, 0, err);
	if (r <= 0)
		return r;
	r = 0;
	for (uint32_t i = 1; i <= re2_groups(re) && r == 0; i++) {
		if (re2_group_name(re, i).n > 0)
			r = add_capture(caps, re2_group_name(re, i), re2_group(&s, i), err);
	}
	return r;
}

static int capture_all(str pattern, str value, const struct inline_groups *groups, const struct limits *lim,
		       struct inline_captures *caps, struct err *err)
{
	CLEANUP(buf_done) struct buf escaped = BUF_INIT(lim->object_bytes);
	struct dmp_diffs diffs;
	int r;

	with_placeholders(pattern, groups, &escaped);
	if (escaped.error)
		return buf_error(&escaped, "inline diff", err);
	r = dmp_diff(buf_str(&escaped), value, lim, &diffs, err);
	if (r < 0)
		return r;
	for (size_t i = 0; i + 1 < diffs.n && r == 0; i++) {
		CLEANUP(buf_done) struct buf deleted = BUF_INIT(lim->object_bytes);
		CLEANUP(buf_done) struct buf inserted = BUF_INIT(lim->object_bytes);
		const struct dmp_diff *x = &diffs.p[i], *y = &diffs.p[i + 1];

		if (x->op + y->op != 0 || x->op == DMP_EQUAL)
			continue;
		without_placeholders(x->op == DMP_DELETE ? x : y, pattern, groups, &deleted);
		without_placeholders(x->op == DMP_DELETE ? y : x, pattern, groups, &inserted);
		if (deleted.error || inserted.error)
			r = buf_error(deleted.error ? &deleted : &inserted, "inline diff", err);
		else
			r = capture_pair(buf_str(&deleted), buf_str(&inserted), lim, caps, err);
	}
	dmp_diffs_done(&diffs);
	return r;
}

static int diff_capturegroups(str pattern, str value, const struct limits *lim, struct inline_captures *caps,
			      struct buf *out, struct err *err)
{
	struct inline_groups groups;
	size_t last = 0;
	int r = inline_groups(pattern, &groups) ? 0 : err_nomem(err);

	if (r == 0)
		r = capture_all(pattern, value, &groups, lim, caps, err);
	for (size_t i = 0; i < groups.v.n && r == 0; i++) {
		const struct inline_group *g = &groups.v.p[i];

		buf_add_str(out, str_sub(pattern, last, g->start));
		if (!write_capture(caps, g->name, out))
			buf_add_str(out, str_sub(pattern, g->start, g->end));
		last = g->end;
	}
	vec_done(&groups.v);
	if (r < 0)
		return r;
	buf_add_str(out, str_sub(pattern, last, pattern.n));
	write_warnings(caps, out);
	return buf_error(out, "inline diff", err);
}

int inline_diff(enum inline_func func, str pattern, str value, const struct limits *lim, struct inline_captures *caps,
		struct buf *out, struct err *err)
{
	if (pattern.n > lim->object_bytes || value.n > lim->object_bytes)
		return err_set(err, E2BIG, "inline diff: a text is longer than %zu bytes", lim->object_bytes);
	if (func == INLINE_REGEX)
		return diff_regex(pattern, value, lim, caps, out, err);
	return diff_capturegroups(pattern, value, lim, caps, out, err);
}

/* ---- validation ---- */

static int compiles(str pattern, const struct limits *lim, struct buf *message, struct err *err)
{
	CLEANUP(re2_freep) struct re2 *re = NULL;

	return re2_compile(pattern, lim, &re, message, err);
}

static int validate_line(str line, size_t number, const struct limits *lim, struct buf *message, struct err *err)
{
	CLEANUP(buf_done) struct buf quoted = BUF_INIT(lim->object_bytes);
	CLEANUP(buf_done) struct buf text = BUF_INIT(lim->object_bytes);
	struct inline_groups groups;
	bool ok = inline_groups(line, &groups);
	int r;

	if (ok)
		inline_quote(line, &groups, &quoted);
	vec_done(&groups.v);
	if (!ok || quoted.error == -ENOMEM)
		return err_nomem(err);
	r = compiles(buf_str(&quoted), lim, &text, err);
	if (r != -EBADMSG)
		return r;
	if (message->n > 0)
		buf_add_byte(message, '\n');
	buf_printf(message, "line %zu ", number);
	buf_add_str(message, buf_str(&text));
	return text.error == -ENOMEM || message->error == -ENOMEM ? err_nomem(err) : 0;
}

int inline_validate(enum inline_func func, str pattern, const struct limits *lim, struct buf *message, struct err *err)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(lim->object_bytes);
	str line;
	size_t number = 1;
	int r = 0;

	if (func == INLINE_CAPTUREGROUPS) {
		for (; r == 0 && str_next_part(&pattern, '\n', &line); number++)
			r = validate_line(line, number, lim, message, err);
		return r;
	}
	r = compiles(pattern, lim, &text, err);
	if (r != -EBADMSG)
		return r;
	buf_add_cstr(message, "invalid regex passed to inline regex diff function: ");
	buf_add_str(message, buf_str(&text));
	return text.error == -ENOMEM || message->error == -ENOMEM ? err_nomem(err) : 0;
}
