/* What a rule looks at besides its object, known from its text. */
#ifndef RULES_INSPECTION_READS_H
#define RULES_INSPECTION_READS_H

#include "rules/inspection/insp_op.h"

/* Whether what @op does may depend on the object's dependents: "ports", "port_groups", a port's attributes. */
bool insp_op_reads_dependents(const struct insp_op *op);

#endif
