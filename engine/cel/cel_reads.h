/* The places of a value that its rules read. While these places are the same, each rule gives the same result, unless
 * it compares with an older value. */
#ifndef CEL_READS_H
#define CEL_READS_H

#include "cel/cel_rules.h"

#define CEL_READ_NAMES 32 /* of one way: what lies deeper is read whole */

/* The way through maps to what is read, all below it included; no name: all of the value. False ends the walk. */
typedef bool cel_read_fn(void *ctx, const str *names, size_t n);

/* Call @each for what the rules of @r read, twice for the same place perhaps. False: a call returned that. */
CHECKED bool cel_rules_reads(const struct cel_rules *r, cel_read_fn *each, void *ctx);
/* Whether a rule that compiled compares with an older value. */
bool cel_rules_transition(const struct cel_rules *r);

#endif
