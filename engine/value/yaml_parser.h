/* The state of the YAML parser, which its two files share, and how nodes are put into the tree. */
#ifndef VALUE_YAML_PARSER_H
#define VALUE_YAML_PARSER_H

#include "base/assert.h"
#include "base/limits.h"
#include "base/strmap.h"
#include "value/yaml_scan.h"
#include "value/yaml_tree.h"

struct yaml_tag_directive {
	str handle, prefix;
};

struct yaml_parser {
	struct yaml_scanner s;
	struct yaml_tree *tree;
	const struct limits *limits;
	struct arena *arena;
	struct strmap anchors; /* name -> index + 1 */
	VEC(struct yaml_tag_directive) directives;
	uint32_t depth;
	struct err *err;
};

/* Parse the whole document at once, without tokens, when it is written as tools print objects: block style, keys on
 * one line, no anchors, tags or directives. *done is false when it is not (or a limit is reached): then the grammar
 * over tokens has to read it from the start, and reports its mistakes. Fails: ENOMEM. */
CHECKED int yaml_parse_block(struct yaml_parser *p, bool *done);

/* Parse the flow collection at the scanner's place by the grammar over tokens. */
CHECKED int yaml_parse_flow(struct yaml_parser *p);

/* Fail because of the limit of nesting; because of the limit of values, or lack of memory. */
CHECKED int yaml_depth_error(struct yaml_parser *p);
CHECKED int yaml_node_error(struct yaml_parser *p);

CHECKED static inline int yaml_add_node(struct yaml_parser *p, struct yaml_node n)
{
	size_t index = p->tree->nodes.n;

	n.next = (uint32_t)index + 1;
	if (index >= p->limits->document_nodes || index >= UINT32_MAX - 1 || !vec_push(&p->tree->nodes, n))
		return yaml_node_error(p);
	return 0;
}

CHECKED static inline int yaml_add_empty(struct yaml_parser *p, uint32_t line)
{
	return yaml_add_node(
		p, (struct yaml_node){ .kind = YAML_NODE_SCALAR, .implicit = true, .line = line, .text = { "", 0 } });
}

/* Open a collection; yaml_close_node ends it. */
CHECKED static inline int yaml_open_node(struct yaml_parser *p, struct yaml_node n, uint32_t *ret)
{
	*ret = (uint32_t)p->tree->nodes.n;
	if (p->depth >= p->limits->depth)
		return yaml_depth_error(p);
	p->depth++;
	return yaml_add_node(p, n);
}

static inline int yaml_close_node(struct yaml_parser *p, uint32_t index)
{
	ASSERT(p->depth > 0);
	p->depth--;
	ASSERT(index < p->tree->nodes.n);
	p->tree->nodes.p[index].next = (uint32_t)p->tree->nodes.n;
	return 0;
}

#endif
