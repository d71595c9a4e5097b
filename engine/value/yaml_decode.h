/* Parts of the YAML decoder that are used by more than one of its files. */
#ifndef VALUE_YAML_DECODE_H
#define VALUE_YAML_DECODE_H

#include "base/strmap.h"
#include "value/yaml_resolve.h"

/* The value of a scalar node, before JSON. */
CHECKED int yaml_scalar_value(const struct yaml_node *n, val *ret, struct err *err);

/* Keys of one Go map: values of different types differ, NaN differs from itself. A zeroed set is empty. */
struct yaml_key_set {
	struct strmap map;
};

/* *present: the set had @key. -ENOMEM. */
CHECKED int yaml_key_set_add(struct yaml_key_set *set, val key, bool *present);
void yaml_key_set_done(struct yaml_key_set *set);

/* Append a scalar as Go's %#v prints it. */
void yaml_go_value(val v, struct buf *out);

/* Append the value of the node at @index as Go's %#v prints it; stops when @out is full. Only for messages: what cannot
 * be decoded is printed as its text. */
void yaml_go_node(const struct yaml_node *nodes, uint32_t index, struct buf *out);

#endif
