/* Compares values that are written differently but mean the same: "equal" of event rules. */
#ifndef RULES_EVENT_EQUAL_H
#define RULES_EVENT_EQUAL_H

#include "base/arena.h"
#include "rules/event_set.h"

/* Whether @equal finds the two values the same: quantities ("1000m" and 1), durations ("60s" and "1m"), numbers
 * ("1.0" and 1), lists of the same elements whatever their order and how often. A value that is not of this kind is
 * the same as no other. @a is for the work; without memory the values differ. */
bool event_values_equal(enum event_equal equal, val before, val after, struct arena *a);

#endif
