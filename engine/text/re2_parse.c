/* The syntax of Go's regexp/syntax with the Perl flags, and its errors.
 *
 * Like the original this is one pass over the text with a stack of what has been read; parentheses open a frame. Literals
 * side by side become one node, and alternatives of single characters one class, because the height limit counts nodes. */
#include "text/re2_internal.h"

#include "base/utf8.h"

#include <errno.h>

enum { FLAG_FOLD = 1, FLAG_MULTI_LINE = 2, FLAG_DOT_NL = 4, FLAG_UNGREEDY = 8 };

struct frame {
	unsigned flags;    /* to restore at its end */
	uint32_t cap;      /* 0: does not capture */
	size_t first_item; /* where its current branch begins in items */
	size_t first_alt;  /* where its finished branches begin in alts */
};

struct parser {
	struct re2 *re;
	str rest; /* not read yet */
	unsigned flags;
	VEC(struct frame) frames;
	VEC(struct re2_node *) items; /* of the branches being read */
	VEC(struct re2_node *) alts;  /* finished branches of open groups */
	VEC(str) names;
	struct buf *message;
	struct err *err;
};

static int syntax_error(struct parser *p, const char *what, str where)
{
	if (p->message)
		buf_printf(p->message, "error parsing regexp: %s: `", what);
	if (p->message) {
		buf_add_str(p->message, where);
		buf_add_byte(p->message, '`');
	}
	return err_set(p->err, EBADMSG, "error parsing regexp: %s: `%.*s`", what, STR_ARG(where));
}

static int out_of_memory(struct parser *p)
{
	return err_nomem(p->err);
}

/* From where @from begins to where @to begins, both tails of the pattern. */
static str between(str from, str to)
{
	return (str){ from.p, from.n - to.n };
}

static str tail(str s, size_t n)
{
	return str_sub(s, n, s.n);
}

/* The next code point of *s, which moves behind it. */
static int next_rune(struct parser *p, str *s, uint32_t *c)
{
	size_t n;

	*c = utf8_decode(*s, &n);
	if (*c == UTF8_REPLACEMENT && n < 3)
		return syntax_error(p, "invalid UTF-8", *s);
	*s = tail(*s, n);
	return 0;
}

static int check_utf8(struct parser *p, str s)
{
	size_t ok = utf8_valid_prefix(s);

	return ok == s.n ? 0 : syntax_error(p, "invalid UTF-8", tail(s, ok));
}

/* ---- nodes ---- */

static struct re2_node *node_new(struct parser *p, enum re2_op op)
{
	struct re2_node *n = arena_zalloc(&p->re->arena, sizeof(*n));

	if (!n)
		return NULL;
	n->op = (uint8_t)op;
	n->height = 1;
	n->size = 1;
	n->nullable = op != RE2_LITERAL && op != RE2_CLASS && op != RE2_ANY && op != RE2_ANY_NOT_NL;
	return n;
}

static uint64_t repeat_size(int32_t min, int32_t max, bool counted, uint64_t sub)
{
	if (!counted)
		return sub + (min == 0 && max < 0 ? 2 : 1);
	if (max < 0)
		return min == 0 ? sub + 2 : (uint64_t)min * sub + 1;
	return (uint64_t)max * sub + (uint64_t)(max > min ? max - min : 0);
}

/* Derive height, size and the flags of @n from its subs, and hold it to the limits. */
static int node_finish(struct parser *p, struct re2_node *n)
{
	uint64_t size = 0;
	unsigned height = 0;
	bool all = true, some = false;

	for (uint32_t i = 0; i < n->n; i++) {
		const struct re2_node *sub = n->sub[i];

		size += sub->size;
		height = sub->height > height ? sub->height : height;
		all &= sub->nullable;
		some |= sub->nullable;
		n->loops |= sub->loops;
	}
	n->nullable = n->op == RE2_ALTERNATE ? some : all;
	if (n->op == RE2_CAPTURE)
		size += 2;
	if (n->op == RE2_ALTERNATE)
		size += n->n - 1;
	if (n->op == RE2_REPEAT) {
		n->loops |= n->nullable && n->max < 0;
		n->nullable |= n->min == 0;
		size = repeat_size(n->min, n->max, n->counted, size);
	}
	n->size = size > 0 ? size : 1;
	n->height = (uint16_t)(height + 1);
	if (n->size > RE2_MAX_SIZE)
		return syntax_error(p, "expression too large", p->re->pattern);
	if (height + 1 > RE2_MAX_HEIGHT)
		return syntax_error(p, "expression nests too deeply", p->re->pattern);
	return 0;
}

static int push(struct parser *p, struct re2_node *n)
{
	return n && vec_push(&p->items, n) ? 0 : out_of_memory(p);
}

static int push_op(struct parser *p, enum re2_op op)
{
	return push(p, node_new(p, op));
}

static int push_literal(struct parser *p, uint32_t c)
{
	struct re2_node *n = node_new(p, RE2_LITERAL);
	uint32_t *rune = arena_alloc(&p->re->arena, sizeof(*rune));

	if (!n || !rune)
		return out_of_memory(p);
	n->fold = (p->flags & FLAG_FOLD) != 0 && unicode_simple_fold(c) != c;
	/* The smallest of its orbit stands for it, so that equal literals look equal. */
	*rune = c;
	for (uint32_t f = unicode_simple_fold(c); n->fold && f != c; f = unicode_simple_fold(f))
		*rune = f < *rune ? f : *rune;
	n->runes = rune;
	n->n = 1;
	return push(p, n);
}

/* @c becomes a class node; it is emptied. */
static int class_node(struct parser *p, struct re2_class *c, struct re2_node **ret)
{
	struct re2_node *n = node_new(p, RE2_CLASS);
	struct re2_range *ranges;

	re2_class_clean(c);
	ranges = arena_array(&p->re->arena, c->v.n, sizeof(*ranges));
	if (!n || !ranges)
		return out_of_memory(p);
	if (c->v.n)
		memcpy(ranges, c->v.p, c->v.n * sizeof(*ranges));
	n->set = (struct re2_set){ ranges, (uint32_t)c->v.n };
	*ret = n;
	return 0;
}

static int push_class(struct parser *p, struct re2_class *c)
{
	struct re2_node *n;
	int r = class_node(p, c, &n);

	return r < 0 ? r : push(p, n);
}

/* ---- branches and groups ---- */

/* Literals of a branch side by side become one; returns how many items are left. */
static int merge_literals(struct parser *p, struct re2_node **items, size_t n, size_t *left)
{
	size_t out = 0;

	for (size_t i = 0, end; i < n; i = end) {
		struct re2_node *first = items[i];
		uint32_t *runes;

		for (end = i + 1; end < n && first->op == RE2_LITERAL; end++) {
			if (items[end]->op != RE2_LITERAL || items[end]->fold != first->fold)
				break;
		}
		items[out++] = first;
		if (end - i == 1)
			continue;
		/* Items of a branch that are literals came from push_literal or from a group that held one branch only. */
		size_t total = 0;
		for (size_t k = i; k < end; k++)
			total += items[k]->n;
		runes = arena_array(&p->re->arena, total, sizeof(*runes));
		if (!runes)
			return out_of_memory(p);
		total = 0;
		for (size_t k = i; k < end; k++) {
			const struct re2_node *from = k == i ? first : items[k];

			memcpy(runes + total, from->runes, from->n * sizeof(*runes));
			total += from->n;
		}
		first->runes = runes;
		first->n = (uint32_t)total;
		first->size = total;
	}
	*left = out;
	return 0;
}

/* The branch that is being read ends: its items become one node. */
static int end_branch(struct parser *p, struct re2_node **ret)
{
	size_t first = p->frames.p[p->frames.n - 1].first_item;
	struct re2_node **items = p->items.p ? p->items.p + first : NULL, *node;
	size_t n = p->items.n - first;
	int r = merge_literals(p, items, n, &n);

	if (r < 0)
		return r;
	p->items.n = first;
	if (n == 1) {
		*ret = items[0];
		return 0;
	}
	node = node_new(p, n == 0 ? RE2_EMPTY : RE2_CONCAT);
	if (!node)
		return out_of_memory(p);
	*ret = node;
	if (n == 0)
		return 0;
	node->sub = arena_array(&p->re->arena, n, sizeof(struct re2_node *));
	if (!node->sub)
		return out_of_memory(p);
	memcpy(node->sub, items, n * sizeof(struct re2_node *));
	node->n = (uint32_t)n;
	return node_finish(p, node);
}

static bool is_single(const struct re2_node *n)
{
	return (n->op == RE2_LITERAL && n->n == 1) || n->op == RE2_CLASS || n->op == RE2_ANY || n->op == RE2_ANY_NOT_NL;
}

static bool add_single(struct re2_class *c, const struct re2_node *n)
{
	bool ok = true;

	if (n->op == RE2_ANY)
		return re2_class_add(c, 0, UNICODE_MAX);
	if (n->op == RE2_ANY_NOT_NL)
		return re2_class_add(c, 0, '\n' - 1) && re2_class_add(c, '\n' + 1, UNICODE_MAX);
	if (n->op == RE2_LITERAL)
		return n->fold ? re2_class_add_folded(c, n->runes[0], n->runes[0]) :
				 re2_class_add(c, n->runes[0], n->runes[0]);
	for (uint32_t i = 0; ok && i < n->set.n; i++)
		ok = re2_class_add(c, n->set.ranges[i].lo, n->set.ranges[i].hi);
	return ok;
}

/* Neighbouring branches of one character each choose alike in any order: one class. */
static int merge_singles(struct parser *p, struct re2_node **alts, size_t n, size_t *left)
{
	size_t out = 0;
	int r = 0;

	for (size_t i = 0, end; i < n && r == 0; i = end) {
		struct re2_class c = { 0 };

		for (end = i; end < n && is_single(alts[end]); end++)
			;
		if (end <= i + 1) {
			alts[out++] = alts[i];
			end = i + 1;
			continue;
		}
		for (size_t k = i; k < end && r == 0; k++)
			r = add_single(&c, alts[k]) ? 0 : out_of_memory(p);
		if (r == 0)
			r = class_node(p, &c, &alts[out++]);
		vec_done(&c.v);
	}
	*left = out;
	return r;
}

/* The innermost group ends: its branches become one node. */
static int end_alternation(struct parser *p, struct re2_node **ret)
{
	struct frame *f = &p->frames.p[p->frames.n - 1];
	struct re2_node *last, *node;
	struct re2_node **alts;
	size_t n;
	int r = end_branch(p, &last);

	if (r < 0)
		return r;
	if (!vec_push(&p->alts, last))
		return out_of_memory(p);
	alts = p->alts.p + f->first_alt;
	r = merge_singles(p, alts, p->alts.n - f->first_alt, &n);
	if (r < 0)
		return r;
	p->alts.n = f->first_alt;
	if (n == 1) {
		*ret = alts[0];
		return 0;
	}
	node = node_new(p, RE2_ALTERNATE);
	if (node)
		node->sub = arena_array(&p->re->arena, n, sizeof(struct re2_node *));
	if (!node || !node->sub)
		return out_of_memory(p);
	memcpy(node->sub, alts, n * sizeof(struct re2_node *));
	node->n = (uint32_t)n;
	*ret = node;
	return node_finish(p, node);
}

static int open_group(struct parser *p, bool captures, str name)
{
	struct frame f = { .flags = p->flags, .first_item = p->items.n, .first_alt = p->alts.n };

	if (captures) {
		f.cap = ++p->re->groups;
		if (!vec_push(&p->names, name))
			return out_of_memory(p);
	}
	return vec_push(&p->frames, f) ? 0 : out_of_memory(p);
}

static int close_group(struct parser *p)
{
	struct re2_node *node, *cap;
	struct frame f;
	int r = end_alternation(p, &node);

	if (r < 0)
		return r;
	if (p->frames.n == 1)
		return syntax_error(p, "unexpected )", p->re->pattern);
	f = p->frames.p[--p->frames.n];
	p->flags = f.flags;
	if (f.cap == 0)
		return push(p, node);
	cap = node_new(p, RE2_CAPTURE);
	if (cap)
		cap->sub = arena_array(&p->re->arena, 1, sizeof(struct re2_node *));
	if (!cap || !cap->sub)
		return out_of_memory(p);
	cap->sub[0] = node;
	cap->n = 1;
	cap->cap = f.cap;
	r = node_finish(p, cap);
	return r < 0 ? r : push(p, cap);
}

static int next_branch(struct parser *p)
{
	struct re2_node *node;
	int r = end_branch(p, &node);

	if (r < 0)
		return r;
	return vec_push(&p->alts, node) ? 0 : out_of_memory(p);
}

/* ---- repetition ---- */

/* Whether the copies of the innermost thing stay within @n. Only counted repetitions of 2 and more are walked, and those nest
 * at most 9 deep before they fail, so the walk is not quadratic. */
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

/* (?:x*)* is x*, and so on: a repetition of the same kind directly inside adds nothing. */
static bool repeats_alike(const struct re2_node *a, const struct re2_node *b)
{
	return b->op == RE2_REPEAT && !a->counted && !b->counted && a->min == b->min && a->max == b->max && a->lazy == b->lazy;
}

struct repeat {
	int32_t min, max;
	bool counted;
};

/* @before: the tail that begins with the operator; p->rest is behind it. */
static int apply_repeat(struct parser *p, struct repeat rep, str before, str last_repeat)
{
	struct frame *f = &p->frames.p[p->frames.n - 1];
	struct re2_node *n, *sub;
	bool lazy = (p->flags & FLAG_UNGREEDY) != 0;
	int r;

	if (p->rest.n > 0 && p->rest.p[0] == '?') {
		p->rest = tail(p->rest, 1);
		lazy = !lazy;
	}
	if (last_repeat.n > 0)
		return syntax_error(p, "invalid nested repetition operator", between(last_repeat, p->rest));
	if (p->items.n == f->first_item)
		return syntax_error(p, "missing argument to repetition operator", between(before, p->rest));
	sub = p->items.p[p->items.n - 1];
	n = node_new(p, RE2_REPEAT);
	if (n)
		n->sub = arena_array(&p->re->arena, 1, sizeof(struct re2_node *));
	if (!n || !n->sub)
		return out_of_memory(p);
	n->lazy = lazy;
	n->counted = rep.counted;
	n->min = rep.min;
	n->max = rep.max;
	if (repeats_alike(n, sub))
		sub = sub->sub[0];
	n->sub[0] = sub;
	n->n = 1;
	p->items.p[p->items.n - 1] = n;
	r = node_finish(p, n);
	if (r < 0)
		return r;
	if (rep.counted && (rep.min >= 2 || rep.max >= 2) && !repeat_is_valid(n, RE2_MAX_REPEAT))
		return syntax_error(p, "invalid repeat count", between(before, p->rest));
	return 0;
}

/* A decimal without leading zeros; -1 when it is far too large. */
static bool parse_int(str *s, int32_t *ret)
{
	int32_t n = 0;
	size_t i;

	if (s->n == 0 || s->p[0] < '0' || s->p[0] > '9')
		return false;
	if (s->n >= 2 && s->p[0] == '0' && s->p[1] >= '0' && s->p[1] <= '9')
		return false;
	for (i = 0; i < s->n && s->p[i] >= '0' && s->p[i] <= '9'; i++) {
		if (n >= 0)
			n = n >= 100000000 ? -1 : n * 10 + (s->p[i] - '0');
	}
	*s = tail(*s, i);
	*ret = n;
	return true;
}

/* {n} {n,} {n,m}: false when the text is something else, and { stands for itself. Too large a number gives min -1. */
static bool parse_counts(str s, struct repeat *rep, str *rest)
{
	s = tail(s, 1);
	if (!parse_int(&s, &rep->min) || s.n == 0)
		return false;
	rep->max = rep->min;
	if (s.p[0] == ',') {
		s = tail(s, 1);
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
	*rest = tail(s, 1);
	return true;
}

static int parse_braces(struct parser *p, str last_repeat, bool *repeated)
{
	struct repeat rep;
	str before = p->rest, rest;

	*repeated = parse_counts(p->rest, &rep, &rest);
	if (!*repeated) {
		p->rest = tail(p->rest, 1);
		return push_literal(p, '{');
	}
	p->rest = rest;
	if (rep.min < 0 || rep.min > RE2_MAX_REPEAT || rep.max > RE2_MAX_REPEAT || (rep.max >= 0 && rep.min > rep.max))
		return syntax_error(p, "invalid repeat count", between(before, rest));
	return apply_repeat(p, rep, before, last_repeat);
}

/* ---- escapes and classes ---- */

static int hex_value(uint32_t c)
{
	if (c >= '0' && c <= '9')
		return (int)(c - '0');
	if (c >= 'a' && c <= 'f')
		return (int)(c - 'a') + 10;
	if (c >= 'A' && c <= 'F')
		return (int)(c - 'A') + 10;
	return -1;
}

/* Behind \x: two digits, or {digits}. 1 with *ret, 0 when it is neither, negative error. *t moves over what was looked at. */
static int parse_hex(struct parser *p, str *t, uint32_t *ret)
{
	uint32_t c, value = 0;
	int r, x, y, digits = 0;

	if (t->n == 0)
		return 0;
	r = next_rune(p, t, &c);
	if (r < 0)
		return r;
	if (c != '{') {
		x = hex_value(c);
		if (t->n == 0)
			return 0;
		r = next_rune(p, t, &c);
		if (r < 0)
			return r;
		y = hex_value(c);
		*ret = (uint32_t)(x * 16 + y);
		return x >= 0 && y >= 0;
	}
	for (;; digits++) {
		if (t->n == 0)
			return 0;
		r = next_rune(p, t, &c);
		if (r < 0)
			return r;
		if (c == '}')
			break;
		x = hex_value(c);
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
		*t = tail(*t, 1);
	}
	return value;
}

static bool is_alnum(uint32_t c)
{
	return c - '0' < 10 || (c | 0x20) - 'a' < 26;
}

/* One escaped character; *s begins with the backslash and moves behind it. */
static int parse_escape(struct parser *p, str *s, uint32_t *ret)
{
	static const char from[] = "afnrtv", to[] = "\a\f\n\r\t\v";
	str t = tail(*s, 1);
	const char *at;
	uint32_t c;
	int r;

	if (t.n == 0)
		return syntax_error(p, "trailing backslash at end of expression", STR(""));
	r = next_rune(p, &t, &c);
	if (r < 0)
		return r;
	if (c == '0' || (c >= '1' && c <= '7' && t.n > 0 && t.p[0] >= '0' && t.p[0] <= '7')) {
		*ret = parse_octal(c, &t);
	} else if (c == 'x') {
		r = parse_hex(p, &t, ret);
		if (r < 0)
			return r;
		if (r == 0)
			return syntax_error(p, "invalid escape sequence", between(*s, t));
	} else if (c < 0x80 && !is_alnum(c)) {
		*ret = c;
	} else if (c < 0x80 && (at = strchr(from, (int)c)) != NULL && c != 0) {
		*ret = (uint32_t)to[at - from];
	} else {
		return syntax_error(p, "invalid escape sequence", between(*s, t));
	}
	*s = t;
	return 0;
}

/* A named set goes into @c, folded before it is negated. */
static int add_group(struct parser *p, struct re2_class *c, struct re2_class *group, bool negate)
{
	bool ok = true;

	if (p->flags & FLAG_FOLD)
		ok = re2_class_fold(group);
	if (ok && negate)
		ok = re2_class_negate(group);
	return ok && re2_class_add_class(c, group) ? 0 : out_of_memory(p);
}

/* \pN, \p{Name}, \P…, {^Name}: 1 when there was one, 0 when there is none, negative error. */
static int parse_unicode_class(struct parser *p, str *s, struct re2_class *c)
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
	t = tail(*s, 2);
	if (t.n == 0)
		return syntax_error(p, "invalid character class range", *s);
	r = next_rune(p, &t, &rune);
	if (r < 0)
		return r;
	seq = between(*s, t);
	name = tail(seq, 2);
	if (rune == '{') {
		end = str_find_byte(*s, '}');
		if (end < 0) {
			r = check_utf8(p, *s);
			return r < 0 ? r : syntax_error(p, "invalid character class range", *s);
		}
		seq = str_sub(*s, 0, (size_t)end + 1);
		t = tail(*s, (size_t)end + 1);
		name = str_sub(*s, 3, (size_t)end);
		r = check_utf8(p, name);
		if (r < 0)
			return r;
	}
	if (name.n > 0 && name.p[0] == '^') {
		negate = !negate;
		name = tail(name, 1);
	}
	r = re2_class_add_unicode(&group, name);
	if (r == 0)
		r = syntax_error(p, "invalid character class range", seq);
	else if (r < 0)
		r = out_of_memory(p);
	else
		r = add_group(p, c, &group, negate);
	vec_done(&group.v);
	if (r < 0)
		return r;
	*s = t;
	return 1;
}

static int add_named(struct parser *p, str name, bool negate, struct re2_class *c)
{
	struct re2_class group = { 0 };
	int r = re2_class_add_named(&group, name);

	if (r < 0)
		r = out_of_memory(p);
	else if (r > 0)
		r = add_group(p, c, &group, negate) < 0 ? -ENOMEM : 1;
	vec_done(&group.v);
	return r;
}

/* \d \D \s \S \w \W: as above. */
static int parse_perl_class(struct parser *p, str *s, struct re2_class *c)
{
	char letter;
	int r;

	if (s->n < 2 || s->p[0] != '\\' || s->p[1] == '\0' || !strchr("dDsSwW", s->p[1]))
		return 0;
	letter = (char)(s->p[1] | 0x20);
	r = add_named(p, (str){ &letter, 1 }, s->p[1] != letter, c);
	if (r > 0)
		*s = tail(*s, 2);
	return r;
}

/* [:name:] [:^name:]: as above. */
static int parse_posix_class(struct parser *p, str *s, struct re2_class *c)
{
	ptrdiff_t end;
	str whole, name;
	bool negate;
	int r = 0;

	if (s->n < 3 || s->p[0] != '[' || s->p[1] != ':')
		return 0;
	end = str_find(tail(*s, 2), STR(":]"));
	if (end < 0)
		return 0;
	whole = str_sub(*s, 0, (size_t)end + 4);
	name = str_sub(whole, 2, (size_t)end + 2);
	negate = name.n > 0 && name.p[0] == '^';
	if (negate)
		name = tail(name, 1);
	if (name.n > 1)
		r = add_named(p, name, negate, c);
	if (r == 0)
		return syntax_error(p, "invalid character class range", whole);
	if (r > 0)
		*s = tail(*s, whole.n);
	return r;
}

static int parse_class_char(struct parser *p, str *s, str whole, uint32_t *c)
{
	if (s->n == 0)
		return syntax_error(p, "missing closing ]", whole);
	return s->p[0] == '\\' ? parse_escape(p, s, c) : next_rune(p, s, c);
}

/* One character or range of a class. */
static int parse_class_range(struct parser *p, str *t, str whole, struct re2_class *c)
{
	str before = *t;
	uint32_t lo, hi;
	bool ok;
	int r = parse_class_char(p, t, whole, &lo);

	if (r < 0)
		return r;
	hi = lo;
	if (t->n >= 2 && t->p[0] == '-' && t->p[1] != ']') {
		*t = tail(*t, 1);
		r = parse_class_char(p, t, whole, &hi);
		if (r < 0)
			return r;
		if (hi < lo)
			return syntax_error(p, "invalid character class range", between(before, *t));
	}
	ok = p->flags & FLAG_FOLD ? re2_class_add_folded(c, lo, hi) : re2_class_add(c, lo, hi);
	return ok ? 0 : out_of_memory(p);
}

static int parse_class_items(struct parser *p, str *t, str whole, struct re2_class *c)
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
	*t = tail(*t, 1);
	return 0;
}

static int parse_class(struct parser *p)
{
	struct re2_class c = { 0 };
	str whole = p->rest, t = tail(p->rest, 1);
	bool negate = t.n > 0 && t.p[0] == '^';
	int r;

	if (negate)
		t = tail(t, 1);
	r = parse_class_items(p, &t, whole, &c);
	if (r == 0 && negate && !re2_class_negate(&c))
		r = out_of_memory(p);
	if (r == 0)
		r = push_class(p, &c);
	vec_done(&c.v);
	p->rest = t;
	return r;
}

/* \Q…\E: the text between stands for itself. */
static int parse_quoted(struct parser *p)
{
	str lit = tail(p->rest, 2);
	ptrdiff_t end = str_find(lit, STR("\\E"));
	int r = 0;

	p->rest = end < 0 ? (str){ lit.p + lit.n, 0 } : tail(lit, (size_t)end + 2);
	if (end >= 0)
		lit = str_sub(lit, 0, (size_t)end);
	while (r == 0 && lit.n > 0) {
		uint32_t c;

		r = next_rune(p, &lit, &c);
		if (r == 0)
			r = push_literal(p, c);
	}
	return r;
}

static int parse_class_escape(struct parser *p)
{
	struct re2_class c = { 0 };
	uint32_t rune;
	int r = parse_unicode_class(p, &p->rest, &c);

	if (r == 0)
		r = parse_perl_class(p, &p->rest, &c);
	if (r > 0) {
		r = push_class(p, &c);
	} else if (r == 0) {
		r = parse_escape(p, &p->rest, &rune);
		if (r == 0)
			r = push_literal(p, rune);
	}
	vec_done(&c.v);
	return r;
}

static int parse_backslash(struct parser *p)
{
	int op = -1;

	switch (p->rest.n >= 2 ? p->rest.p[1] : '\0') {
	case 'A':
		op = RE2_BEGIN_TEXT;
		break;
	case 'b':
		op = RE2_WORD;
		break;
	case 'B':
		op = RE2_NOT_WORD;
		break;
	case 'z':
		op = RE2_END_TEXT;
		break;
	case 'C':
		return syntax_error(p, "invalid escape sequence", str_sub(p->rest, 0, 2));
	case 'Q':
		return parse_quoted(p);
	default:
		return parse_class_escape(p);
	}
	p->rest = tail(p->rest, 2);
	return push_op(p, (enum re2_op)op);
}

/* ---- (? ---- */

static bool valid_name(str name)
{
	for (size_t i = 0; i < name.n; i++) {
		if (name.p[i] != '_' && !is_alnum((unsigned char)name.p[i]))
			return false;
	}
	return name.n > 0;
}

static int parse_named_group(struct parser *p, size_t skip)
{
	str s = p->rest, name;
	ptrdiff_t end = str_find_byte(s, '>');
	int r;

	if (end < 0) {
		r = check_utf8(p, s);
		return r < 0 ? r : syntax_error(p, "invalid named capture", s);
	}
	name = str_sub(s, skip, (size_t)end);
	r = check_utf8(p, name);
	if (r < 0)
		return r;
	if (!valid_name(name))
		return syntax_error(p, "invalid named capture", str_sub(s, 0, (size_t)end + 1));
	p->rest = tail(s, (size_t)end + 1);
	return open_group(p, true, name);
}

static unsigned flag_of(uint32_t c)
{
	switch (c) {
	case 'i':
		return FLAG_FOLD;
	case 'm':
		return FLAG_MULTI_LINE;
	case 's':
		return FLAG_DOT_NL;
	case 'U':
		return FLAG_UNGREEDY;
	default:
		return 0;
	}
}

/* (?flags) (?flags:re) (?P<name>re) (?<name>re) */
static int parse_perl_group(struct parser *p)
{
	str s = p->rest, t = tail(s, 2);
	unsigned flags = p->flags;
	bool negative = false, saw_flag = false;

	if (s.n > 4 && s.p[2] == 'P' && s.p[3] == '<')
		return parse_named_group(p, 4);
	if (s.n > 3 && s.p[2] == '<')
		return parse_named_group(p, 3);
	while (t.n > 0) {
		uint32_t c;
		int r = next_rune(p, &t, &c);

		if (r < 0)
			return r;
		if (flag_of(c)) {
			flags = negative ? flags & ~flag_of(c) : flags | flag_of(c);
			saw_flag = true;
		} else if (c == '-' && !negative) {
			negative = true;
			saw_flag = false;
		} else if ((c == ':' || c == ')') && (!negative || saw_flag)) {
			p->rest = t;
			if (c == ':')
				r = open_group(p, false, STR(""));
			p->flags = flags;
			return r;
		} else {
			break;
		}
	}
	return syntax_error(p, "invalid or unsupported Perl syntax", between(s, t));
}

/* ---- the whole ---- */

static int parse_repeat_op(struct parser *p, str last_repeat)
{
	str before = p->rest;
	struct repeat rep = { .min = before.p[0] == '+', .max = before.p[0] == '?' ? 1 : -1 };

	p->rest = tail(p->rest, 1);
	return apply_repeat(p, rep, before, last_repeat);
}

/* One element at p->rest. *repeated: it was a repetition operator. */
static int parse_element(struct parser *p, str last_repeat, bool *repeated)
{
	char c = p->rest.p[0];
	uint32_t rune;
	int op, r;

	switch (c) {
	case '(':
		if (p->rest.n >= 2 && p->rest.p[1] == '?')
			return parse_perl_group(p);
		p->rest = tail(p->rest, 1);
		return open_group(p, true, STR(""));
	case '|':
		p->rest = tail(p->rest, 1);
		return next_branch(p);
	case ')':
		p->rest = tail(p->rest, 1);
		return close_group(p);
	case '^':
		op = p->flags & FLAG_MULTI_LINE ? RE2_BEGIN_LINE : RE2_BEGIN_TEXT;
		break;
	case '$':
		op = p->flags & FLAG_MULTI_LINE ? RE2_END_LINE : RE2_END_TEXT;
		break;
	case '.':
		op = p->flags & FLAG_DOT_NL ? RE2_ANY : RE2_ANY_NOT_NL;
		break;
	case '[':
		return parse_class(p);
	case '*':
	case '+':
	case '?':
		*repeated = true;
		return parse_repeat_op(p, last_repeat);
	case '{':
		return parse_braces(p, last_repeat, repeated);
	case '\\':
		return parse_backslash(p);
	default:
		r = next_rune(p, &p->rest, &rune);
		return r < 0 ? r : push_literal(p, rune);
	}
	p->rest = tail(p->rest, 1);
	return push_op(p, (enum re2_op)op);
}

static int parse_all(struct parser *p)
{
	str last_repeat = { NULL, 0 };
	struct re2_node *root;
	int r = open_group(p, false, STR(""));

	while (r == 0 && p->rest.n > 0) {
		str before = p->rest;
		bool repeated = false;

		r = parse_element(p, last_repeat, &repeated);
		last_repeat = repeated ? before : (str){ NULL, 0 };
	}
	if (r == 0)
		r = end_alternation(p, &root);
	if (r < 0)
		return r;
	if (p->frames.n != 1)
		return syntax_error(p, "missing closing )", p->re->pattern);
	p->re->root = root;
	p->re->names = arena_array(&p->re->arena, p->names.n, sizeof(str));
	if (!p->re->names)
		return out_of_memory(p);
	if (p->names.n)
		memcpy(p->re->names, p->names.p, p->names.n * sizeof(str));
	return 0;
}

int re2_parse(struct re2 *re, struct buf *message, struct err *err)
{
	struct parser p = { .re = re, .rest = re->pattern, .message = message, .err = err };
	int r = parse_all(&p);

	vec_done(&p.frames);
	vec_done(&p.items);
	vec_done(&p.alts);
	vec_done(&p.names);
	return r;
}
