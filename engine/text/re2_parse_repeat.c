/* Parses repetition,
 *
 * + ? {n,m}, and checks its limits. */
#include "text/re2_parse_internal.h"

#include "base/ascii.h"

/* Whether the innermost element is repeated at most @n times. Only counted repetitions of 2 and more are walked, and
 * those nest at most 9 deep before they fail, so the walk is not quadratic. */
static bool repeat_is_valid(const struct re2_node *node, int n)
{
	if (node->op == RE2_LITERAL || node->op == RE2_CLASS)
		return true;
	if (node->op == RE2_REPEAT && node->counted) {
		int m = node->max;

		if (m == 0)
			return true;
		if (m < 0)
			m = node->min;
		if (m > n)
			return false;
		if (m > 0)
			n /= m;
	}
	for (uint32_t i = 0; i < node->n; i++) {
		if (!repeat_is_valid(node->sub[i], n))
			return false;
	}
	return true;
}

/* Whether @a and @b, one directly inside the other, repeat alike, so that one of them adds nothing: (?:x*)* is x*. */
static bool repeats_alike(const struct re2_node *a, const struct re2_node *b)
{
	return b->op == RE2_REPEAT && !a->counted && !b->counted && a->min == b->min && a->max == b->max &&
	       a->lazy == b->lazy;
}

struct repeat {
	int32_t min, max;
	bool counted;
};

/* @before: the tail that begins with the operator; p->rest is behind it. */
static int apply_repeat(struct re2_parser *p, struct repeat rep, str before, str last_repeat)
{
	struct re2_frame *f = &p->frames.p[p->frames.n - 1];
	struct re2_node *n, *sub;
	bool lazy = (p->flags & RE2_FLAG_UNGREEDY) != 0;
	int r;

	if (p->rest.n > 0 && p->rest.p[0] == '?') {
		p->rest = re2p_tail(p->rest, 1);
		lazy = !lazy;
	}
	if (last_repeat.n > 0)
		return re2p_error(p, "invalid nested repetition operator", re2p_between(last_repeat, p->rest));
	if (p->items.n == f->first_item)
		return re2p_error(p, "missing argument to repetition operator", re2p_between(before, p->rest));
	sub = p->items.p[p->items.n - 1];
	n = re2p_node(p, RE2_REPEAT);
	if (n)
		n->sub = arena_array(&p->re->arena, 1, sizeof(struct re2_node *));
	if (!n || !n->sub)
		return re2p_nomem(p);
	n->lazy = lazy;
	n->counted = rep.counted;
	n->min = rep.min;
	n->max = rep.max;
	if (repeats_alike(n, sub))
		sub = sub->sub[0];
	n->sub[0] = sub;
	n->n = 1;
	p->items.p[p->items.n - 1] = n;
	r = re2p_node_finish(p, n);
	if (r < 0)
		return r;
	if (rep.counted && (rep.min >= 2 || rep.max >= 2) && !repeat_is_valid(n, RE2_MAX_REPEAT))
		return re2p_error(p, "invalid repeat count", re2p_between(before, p->rest));
	return 0;
}

int re2p_repeat(struct re2_parser *p, str last_repeat)
{
	str before = p->rest;
	struct repeat rep = { .min = before.p[0] == '+', .max = before.p[0] == '?' ? 1 : -1 };

	p->rest = re2p_tail(p->rest, 1);
	return apply_repeat(p, rep, before, last_repeat);
}

/* Read a decimal without leading zeros; -1 when it is far too large. */
static bool parse_int(str *s, int32_t *ret)
{
	int32_t n = 0;
	size_t i;

	if (s->n == 0 || s->p[0] < '0' || s->p[0] > '9')
		return false;
	if (s->n >= 2 && s->p[0] == '0' && ascii_is_digit(s->p[1]))
		return false;
	for (i = 0; i < s->n && ascii_is_digit(s->p[i]); i++) {
		if (n >= 0)
			n = n >= 100000000 ? -1 : n * 10 + (s->p[i] - '0');
	}
	*s = re2p_tail(*s, i);
	*ret = n;
	return true;
}

/* Read {n}, {n,} or {n,m}: false when the text is something else, and { stands for itself. Too large a number gives
 * min -1. */
static bool parse_counts(str s, struct repeat *rep, str *rest)
{
	s = re2p_tail(s, 1);
	if (!parse_int(&s, &rep->min) || s.n == 0)
		return false;
	rep->max = rep->min;
	if (s.p[0] == ',') {
		s = re2p_tail(s, 1);
		if (s.n == 0)
			return false;
		if (s.p[0] == '}')
			rep->max = -1;
		else if (!parse_int(&s, &rep->max))
			return false;
		else if (rep->max < 0)
			rep->min = -1;
	}
	if (s.n == 0 || s.p[0] != '}')
		return false;
	rep->counted = true;
	*rest = re2p_tail(s, 1);
	return true;
}

int re2p_braces(struct re2_parser *p, str last_repeat, bool *repeated)
{
	struct repeat rep;
	str before = p->rest, rest;

	*repeated = parse_counts(p->rest, &rep, &rest);
	if (!*repeated) {
		p->rest = re2p_tail(p->rest, 1);
		return re2p_push_literal(p, '{');
	}
	p->rest = rest;
	if (rep.min < 0 || rep.min > RE2_MAX_REPEAT || rep.max > RE2_MAX_REPEAT || (rep.max >= 0 && rep.min > rep.max))
		return re2p_error(p, "invalid repeat count", re2p_between(before, rest));
	return apply_repeat(p, rep, before, last_repeat);
}
