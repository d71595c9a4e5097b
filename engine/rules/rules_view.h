/* What of an object the rules of its kind can see. An object of which that is the same, and against which they had
 * nothing, passes them again. */
#ifndef RULES_RULES_VIEW_H
#define RULES_RULES_VIEW_H

#include "rules/kind_rules.h"
#include "value/object_ways.h"

/* Of @k, which may go. It is not known when a rule compares with an older value, or there was no memory. @keys is that
 * of the texts that are picked from. *ret is for object_ways_done(). */
void rules_view_init(struct object_ways *ret, const struct kind_rules *k, struct key_table *keys);

#endif
