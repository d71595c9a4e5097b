/* Finds, in a CustomResourceDefinition, the schemas that rules are compiled against. */
#ifndef RULES_CRD_SCHEMA_H
#define RULES_CRD_SCHEMA_H

#include "cel/cel_at.h"
#include "topology/crd.h"

/* The part of @schema that describes the values at @at, without its own rules and with @rules at its root; VAL_ABSENT
 * when nothing there is described. Lives in @a and points into @schema and @rules. */
val schema_with_rules(val schema, const struct cel_at *at, val rules, struct key_table *keys, struct arena *a);

#endif
