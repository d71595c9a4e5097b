/* The two ways through a YAML text: the parser's shortcut for ordinary texts, and its grammar over tokens. */
#ifndef SUPPORT_YAML_WAYS_H
#define SUPPORT_YAML_WAYS_H

#include "value/yaml_parse.h"

#include <string.h>

static inline bool yaml_same_nodes(const struct yaml_tree *a, const struct yaml_tree *b)
{
	if (a->nodes.n != b->nodes.n)
		return false;
	for (size_t i = 0; i < a->nodes.n; i++) {
		const struct yaml_node *x = &a->nodes.p[i], *y = &b->nodes.p[i];

		if (x->kind != y->kind || x->tag != y->tag || x->implicit != y->implicit || x->line != y->line ||
		    x->next != y->next || x->target != y->target || !str_eq(x->text, y->text))
			return false;
	}
	return true;
}

/* Whether both come to the same nodes, or to the same error. */
static inline bool yaml_ways_agree(str text)
{
	struct limits limits = LIMITS_DEFAULT;
	struct buf scratch = BUF_INIT(text.n * 2 + 64);
	struct yaml_tree one = { 0 }, other = { 0 };
	struct err err_one = { 0 }, err_other = { 0 };
	struct arena a;
	int r, s;
	bool same;

	arena_init(&a, 0, 0);
	r = yaml_parse(text, &limits, &a, &scratch, &one, &err_one);
	s = yaml_parse_tokens(text, &limits, &a, &scratch, &other, &err_other);
	same = r == s && yaml_same_nodes(&one, &other) && (r == 0 || strcmp(err_one.msg, err_other.msg) == 0);
	yaml_tree_done(&one);
	yaml_tree_done(&other);
	buf_done(&scratch);
	arena_done(&a);
	return same;
}

#endif
