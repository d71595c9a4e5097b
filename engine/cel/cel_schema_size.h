/* How large the values of a schema can be, as the API server reckons it: for the estimate of what rules may cost.
 *   Kubernetes apiserver/pkg/cel/common/schemas.go, apiserver/pkg/cel/limits.go */
#ifndef CEL_SCHEMA_SIZE_H
#define CEL_SCHEMA_SIZE_H

#include "cel/cel_schema.h"

/* Set the sizes of @s, which was built of @v; those of the schemas below it are set. */
void cel_schema_measure(struct cel_schema *s, val v);

/* How many values with the size of @s a request has room for. */
uint64_t cel_schema_most(const struct cel_schema *s);

#endif
