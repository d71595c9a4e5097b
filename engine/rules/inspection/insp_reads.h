/* Finds out from the text of a condition or action what it reads. */
#ifndef RULES_INSPECTION_READS_H
#define RULES_INSPECTION_READS_H

#include "rules/inspection/insp_op.h"

/* A callback for one field; false ends the walk. */
typedef bool insp_field_fn(void *ctx, const struct insp_field *f);

/* Call @each for the fields in the strings of @op, including those of its loop. False: @each has returned false. */
bool insp_op_fields(const struct insp_op *op, insp_field_fn *each, void *ctx);

/* Whether what @op does may depend on the object's dependents: "ports", "port_groups", a port's attributes. */
bool insp_op_reads_dependents(const struct insp_op *op);
/* Whether @op may read the former state of the object (INSP_OF_FORMER), or all of the inventory. */
bool insp_op_reads_previous(const struct insp_op *op);
/* Whether @op may read what the comparison found (INSP_OF_VERDICT), or all of the inventory. */
bool insp_op_reads_verdict(const struct insp_op *op);

#endif
