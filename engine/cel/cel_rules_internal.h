/* The state that compiling and applying the rules of a schema share. */
#ifndef CEL_RULES_INTERNAL_H
#define CEL_RULES_INTERNAL_H

#include "base/vec.h"
#include "cel/cel_rules.h"

/* The rules of one place. */
struct cel_place {
	const struct cel_schema *schema;
	uint32_t first; /* the index of its first rule in the list of rules */
	uint32_t n;
};

struct cel_rules {
	struct arena arena;
	const struct cel_schema *schema; /* NULL: values have the types of their kinds */
	VEC(struct cel_rule) rules;
	struct cel_place *places; /* indexed by schema->number; a single one without a schema */
};

#endif
