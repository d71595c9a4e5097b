/* What the rules of a kind can see of an object. If that stays the same, an object that has passed the rules passes
 * them again. */
#ifndef RULES_RULES_READS_H
#define RULES_RULES_READS_H

#include "rules/kind_rules.h"
#include "value/object_ways.h"

/* The read set of the rules of @k, which may be freed afterwards. The read set is not known when a rule compares with
 * an older value, or when there was no memory. @keys is the table of the texts that are picked from. Release *ret with
 * object_ways_done(). */
void rules_reads_init(struct object_ways *ret, const struct kind_rules *k, struct key_table *keys);

#endif
