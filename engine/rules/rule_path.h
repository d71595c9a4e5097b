/* The path of a failed rule as a path of the document model. */
#ifndef RULES_RULE_PATH_H
#define RULES_RULE_PATH_H

#include "base/defs.h"
#include "topology/topology.h"

/* Rules name places as "spec.list[2].m[key]": property names, list indices and map keys stand there without quotes. Of
 * several readings the one that @object has is taken. The segments live in @a; what cannot be read is left away at the
 * end. */
struct path rule_path(str text, val object, struct arena *a);

/* The same place by what stays the same: elements of lists whose type is sure of their keys are called by these, not by
 * where they stand, in *ret, and in *text, which else stays as it is. @spend is told how much it takes: the elements
 * that were looked at; false: no more may be. False without memory, or when it said so. */
CHECKED bool rule_place(str *text, val object, const struct topo *type, bool (*spend)(void *ctx, uint64_t n), void *ctx,
			struct arena *a, struct path *ret);

#endif
