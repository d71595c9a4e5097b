/* Makes the actual value in which everything that is no change is put back as the reference has it. */
#ifndef RULES_EVENT_RESTORE_H
#define RULES_EVENT_RESTORE_H

#include "rules/event_tree.h"

/* The new value of @x without its dropped leaves; VAL_ABSENT: nothing is left. It lives in @a and shares with both
 * sides. *no_memory is set when memory is short. */
val event_restore(const struct event_node *x, struct arena *a, bool *no_memory);

#endif
