/* The path of a failed rule as a path of the document model. */
#ifndef RULES_RULE_PATH_H
#define RULES_RULE_PATH_H

#include "value/path.h"

/* Rules name places as "spec.list[2].m[key]": property names, list indices and map keys stand there without quotes. Of
 * several readings the one that @object has is taken. The segments live in @a; what cannot be read is left away at the
 * end. */
struct path rule_path(str text, val object, struct arena *a);

#endif
