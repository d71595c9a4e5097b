/* The YAML parser: tokens to a flat tree of nodes, the first document of a text only. */
#ifndef VALUE_YAML_PARSE_H
#define VALUE_YAML_PARSE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "value/yaml_tree.h"

/* Parse the first document of @raw. Texts of nodes live in @a or in static memory. @scratch is used while parsing.
 * Limits: depth, document_nodes. Fails: EBADMSG with go-yaml's text, E2BIG, ENOMEM. */
CHECKED int yaml_parse(str raw, const struct limits *limits, struct arena *a, struct buf *scratch,
		       struct yaml_tree *ret, struct err *err);
/* As yaml_parse, without the shortcut for ordinary texts; for tests. */
CHECKED int yaml_parse_tokens(str raw, const struct limits *limits, struct arena *a, struct buf *scratch,
			      struct yaml_tree *ret, struct err *err);
void yaml_tree_done(struct yaml_tree *t);

#endif
