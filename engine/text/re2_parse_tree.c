/* Builds the tree: nodes within the limits, branches, groups. Adjacent literals become one node, and alternatives of
 * single characters one class, because the height limit counts nodes. */
#include "text/re2_parse_internal.h"

#include "base/assert.h"

/* ---- nodes ---- */

struct re2_node *re2p_node(struct re2_parser *p, enum re2_op op)
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

int re2p_node_finish(struct re2_parser *p, struct re2_node *n)
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
		return re2p_error(p, "expression too large", p->re->pattern);
	if (height + 1 > RE2_MAX_HEIGHT)
		return re2p_error(p, "expression nests too deeply", p->re->pattern);
	return 0;
}

static int push(struct re2_parser *p, struct re2_node *n)
{
	return n && vec_push(&p->items, n) ? 0 : re2p_nomem(p);
}

int re2p_push_op(struct re2_parser *p, enum re2_op op)
{
	return push(p, re2p_node(p, op));
}

int re2p_push_literal(struct re2_parser *p, uint32_t c)
{
	struct re2_node *n = re2p_node(p, RE2_LITERAL);
	uint32_t *rune = arena_alloc(&p->re->arena, sizeof(*rune));

	if (!n || !rune)
		return re2p_nomem(p);
	n->fold = (p->flags & RE2_FLAG_FOLD) != 0 && unicode_simple_fold(c) != c;
	/* The smallest code point of its orbit represents it, so that equal literals look equal. */
	*rune = c;
	for (uint32_t f = unicode_simple_fold(c); n->fold && f != c; f = unicode_simple_fold(f))
		*rune = f < *rune ? f : *rune;
	n->runes = rune;
	n->n = 1;
	return push(p, n);
}

/* Make a node of the set @c. */
static int class_node(struct re2_parser *p, struct re2_class *c, struct re2_node **ret)
{
	struct re2_node *n = re2p_node(p, RE2_CLASS);
	struct re2_range *ranges;

	re2_class_clean(c);
	ranges = arena_array(&p->re->arena, c->v.n, sizeof(*ranges));
	if (!n || !ranges)
		return re2p_nomem(p);
	if (c->v.n)
		memcpy(ranges, c->v.p, c->v.n * sizeof(*ranges));
	n->set = (struct re2_set){ ranges, (uint32_t)c->v.n };
	*ret = n;
	return 0;
}

int re2p_push_class(struct re2_parser *p, struct re2_class *c)
{
	struct re2_node *n = NULL;
	int r = class_node(p, c, &n);

	return r < 0 ? r : push(p, n);
}

/* ---- branches and groups ---- */

/* Merge adjacent literals of a branch; returns how many items are left. */
static int merge_literals(struct re2_parser *p, struct re2_node **items, size_t n, size_t *left)
{
	size_t out = 0;

	for (size_t i = 0, end; i < n; i = end) {
		/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): a vector that has items has memory for them */
		struct re2_node *first = items[i];
		uint32_t *runes;

		for (end = i + 1; end < n && first->op == RE2_LITERAL; end++) {
			if (items[end]->op != RE2_LITERAL || items[end]->fold != first->fold)
				break;
		}
		items[out++] = first;
		if (end - i == 1)
			continue;
		/* Items of a branch that are literals came from re2p_push_literal or from a group that held one branch
		 * only. */
		size_t total = 0;
		for (size_t k = i; k < end; k++)
			total += items[k]->n;
		runes = arena_array(&p->re->arena, total, sizeof(*runes));
		if (!runes)
			return re2p_nomem(p);
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

/* End the branch that is being read: its items become one node. */
static int end_branch(struct re2_parser *p, struct re2_node **ret)
{
	size_t first = p->frames.p[p->frames.n - 1].first_item;
	struct re2_node **items = p->items.p ? p->items.p + first : NULL, *node;
	size_t n = p->items.n - first;
	int r = merge_literals(p, items, n, &n);

	if (r < 0)
		return r;
	p->items.n = first;
	if (n == 1) {
		/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): a vector that has items has memory for them */
		*ret = items[0];
		return 0;
	}
	node = re2p_node(p, n == 0 ? RE2_EMPTY : RE2_CONCAT);
	if (!node)
		return re2p_nomem(p);
	*ret = node;
	if (n == 0)
		return 0;
	node->sub = arena_array(&p->re->arena, n, sizeof(struct re2_node *));
	if (!node->sub)
		return re2p_nomem(p);
	/* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): a vector that has items has memory for them */
	memcpy(node->sub, items, n * sizeof(struct re2_node *));
	node->n = (uint32_t)n;
	return re2p_node_finish(p, node);
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
		return n->fold ? re2_class_add_folded(c, n->runes[0], n->runes[0])
			       : re2_class_add(c, n->runes[0], n->runes[0]);
	for (uint32_t i = 0; ok && i < n->set.n; i++)
		ok = re2_class_add(c, n->set.ranges[i].lo, n->set.ranges[i].hi);
	return ok;
}

/* Merge adjacent branches of one character each into one class: their order makes no difference. */
static int merge_singles(struct re2_parser *p, struct re2_node **alts, size_t n, size_t *left)
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
			r = add_single(&c, alts[k]) ? 0 : re2p_nomem(p);
		if (r == 0)
			r = class_node(p, &c, &alts[out++]);
		vec_done(&c.v);
	}
	*left = out;
	return r;
}

int re2p_end_alternation(struct re2_parser *p, struct re2_node **ret)
{
	struct re2_frame *f = &p->frames.p[p->frames.n - 1];
	struct re2_node *last = NULL, *node;
	struct re2_node **alts;
	size_t n;
	int r = end_branch(p, &last);

	if (r < 0)
		return r;
	if (!vec_push(&p->alts, last))
		return re2p_nomem(p);
	alts = p->alts.p + f->first_alt;
	r = merge_singles(p, alts, p->alts.n - f->first_alt, &n);
	if (r < 0)
		return r;
	p->alts.n = f->first_alt;
	if (n == 1) {
		*ret = alts[0];
		return 0;
	}
	node = re2p_node(p, RE2_ALTERNATE);
	if (node)
		node->sub = arena_array(&p->re->arena, n, sizeof(struct re2_node *));
	if (!node || !node->sub)
		return re2p_nomem(p);
	memcpy(node->sub, alts, n * sizeof(struct re2_node *));
	node->n = (uint32_t)n;
	*ret = node;
	return re2p_node_finish(p, node);
}

int re2p_open_group(struct re2_parser *p, bool captures, str name)
{
	struct re2_frame f = { .flags = p->flags, .first_item = p->items.n, .first_alt = p->alts.n };

	if (captures) {
		f.cap = ++p->re->groups;
		if (!vec_push(&p->names, name))
			return re2p_nomem(p);
	}
	return vec_push(&p->frames, f) ? 0 : re2p_nomem(p);
}

int re2p_close_group(struct re2_parser *p)
{
	struct re2_node *node = NULL, *cap;
	struct re2_frame f;
	int r = re2p_end_alternation(p, &node);

	if (r < 0)
		return r;
	if (p->frames.n == 1)
		return re2p_error(p, "unexpected )", p->re->pattern);
	ASSERT(p->frames.n > 0);
	f = p->frames.p[--p->frames.n];
	p->flags = f.flags;
	if (f.cap == 0)
		return push(p, node);
	cap = re2p_node(p, RE2_CAPTURE);
	if (cap)
		cap->sub = arena_array(&p->re->arena, 1, sizeof(struct re2_node *));
	if (!cap || !cap->sub)
		return re2p_nomem(p);
	cap->sub[0] = node;
	cap->n = 1;
	cap->cap = f.cap;
	r = re2p_node_finish(p, cap);
	return r < 0 ? r : push(p, cap);
}

int re2p_next_branch(struct re2_parser *p)
{
	struct re2_node *node = NULL;
	int r = end_branch(p, &node);

	if (r < 0)
		return r;
	return vec_push(&p->alts, node) ? 0 : re2p_nomem(p);
}
