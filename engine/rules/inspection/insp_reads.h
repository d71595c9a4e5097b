/* What a condition or action reads, known from its text. */
#ifndef RULES_INSPECTION_READS_H
#define RULES_INSPECTION_READS_H

#include "rules/inspection/insp_op.h"

/* False ends the walk. */
typedef bool insp_field_fn(void *ctx, const struct insp_field *f);

/* Call @each for the fields in the strings of @op, its loop's too. False: a call returned that. */
bool insp_op_fields(const struct insp_op *op, insp_field_fn *each, void *ctx);

/* Whether what @op does may depend on the object's dependents: "ports", "port_groups", a port's attributes. */
bool insp_op_reads_dependents(const struct insp_op *op);
/* Whether it may read what the object was before: "inventory[previous]", or all of the inventory. */
bool insp_op_reads_previous(const struct insp_op *op);

#endif
