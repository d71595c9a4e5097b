/* The parts of the YAML decoder that more than one of its files uses. */
#ifndef VALUE_YAML_DECODE_H
#define VALUE_YAML_DECODE_H

#include "base/strmap.h"
#include "value/doc.h"
#include "value/yaml_resolve.h"

struct yaml_options;

/* As yaml_decode, into @doc, which has nothing yet. The nodes of @text are put into *tree, which is zeroed before
 * and needs yaml_tree_done also after a failure. */
CHECKED int yaml_decode_tree(str text, const struct yaml_options *o, struct doc *doc, struct yaml_tree *tree,
			     struct err *err);

/* The value of a document that is one scalar node. Fails as yaml_decode. */
CHECKED int yaml_decode_leaf(const struct yaml_node *n, const struct yaml_options *o, struct arena *a, val *ret,
			     struct err *err);

/* The value of a scalar node, before it is converted to JSON. */
CHECKED int yaml_scalar_value(const struct yaml_node *n, val *ret, struct err *err);

/* Keys of one Go map: values of different types differ, NaN differs from itself. A zeroed set is empty. */
struct yaml_key_set {
	struct strmap map;
};

/* Add @key; *present: the set had it already. Fails: ENOMEM. */
CHECKED int yaml_key_set_add(struct yaml_key_set *set, val key, bool *present);
void yaml_key_set_done(struct yaml_key_set *set);

/* Append a scalar as Go's %#v prints it. */
void yaml_go_value(val v, struct buf *out);

/* Append the value of the node at @index as Go's %#v prints it; stops when @out is full. Only for messages: a node
 * that cannot be decoded is printed as its text. */
void yaml_go_node(const struct yaml_node *nodes, uint32_t index, struct buf *out);

#endif
