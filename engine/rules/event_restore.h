/* The actual value with what is no change put back as the reference has it. */
#ifndef RULES_EVENT_RESTORE_H
#define RULES_EVENT_RESTORE_H

#include "rules/event_tree.h"

/* What @x came to be without its dropped leaves; VAL_ABSENT: nothing is left. Lives in @a and shares with both sides.
 * *no_memory is set when that is short. */
val event_restore(const struct event_node *x, struct arena *a, bool *no_memory);

#endif
