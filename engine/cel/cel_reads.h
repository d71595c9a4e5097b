/* Finds the places of a value that its rules read. As long as these places stay the same, each rule gives the same
 * result, unless it compares with an older value. */
#ifndef CEL_READS_H
#define CEL_READS_H

#include "cel/cel_rules.h"

#define CEL_READ_NAMES 32 /* the most names of a way; what lies deeper counts as read as a whole */

/* Called with the way through maps to a value that is read, with all below it; no name: the whole value. Returning
 * false ends the walk. */
typedef bool cel_read_fn(void *ctx, const str *names, size_t n);

/* Call @each for the places that the rules of @r read, for some perhaps twice. False: a call returned false. */
CHECKED bool cel_rules_reads(const struct cel_rules *r, cel_read_fn *each, void *ctx);
/* Whether any rule that has compiled compares with an older value. */
bool cel_rules_transition(const struct cel_rules *r);

#endif
