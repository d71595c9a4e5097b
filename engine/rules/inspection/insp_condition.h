/* Evaluates the conditions of inspection rules. See spec/inspection-rules.md, sections 4 and 5. */
#ifndef RULES_INSPECTION_CONDITION_H
#define RULES_INSPECTION_CONDITION_H

#include "rules/inspection/insp_op.h"

/* Whether a condition holds: 1 or 0. Fails: EINVAL with what is wrong with the condition or with what it reads; the
 * message may quote that, and s->secret says whether it may not be shown; E2BIG, ENOMEM. */
CHECKED int insp_condition_holds(struct insp_scope *s, const struct insp_op *op, struct err *err);

/* The items of a loop: a list, or a map, which counts as the list of itself. @one is memory for that list. Fails:
 * EINVAL, E2BIG, ENOMEM. */
CHECKED int insp_loop(struct insp_scope *s, const struct insp_op *op, val *one, val *ret, struct err *err);

#endif
