/* The checker: finds what each name of the tree means, which overloads a call may reach, and the type of every node.
 *   CEL langdef, Gradual Type Checking; cel-go checker/ */
#ifndef CEL_CHECK_H
#define CEL_CHECK_H

#include "cel/cel_func.h"
#include "cel/cel_parse.h"

struct cel_variable {
	str name; /* the name, which may be dotted */
	const struct cel_type *type;
};

struct cel_declared_function {
	str name;
	bool member;
	struct cel_signature signature;
};

struct cel_env {
	enum cel_dialect dialect;
	bool unchecked; /* resolve names only: types are found at run time */
	str container;  /* name space in which names are looked up */
	const struct cel_variable *variables;
	uint32_t n_variables;
	const struct cel_declared_function *functions;
	uint32_t n_functions;
	/* the schema of self, to estimate what the expression may cost; NULL: do not estimate */
	const struct cel_schema *estimate;
};

/* Check @root in place; *locals gets the number of local slots that its evaluation needs. False when there
 * are issues. */
bool cel_check(struct cel_ast *root, const struct cel_env *env, struct cel_issues *is, uint32_t *locals);

/* Whether calls of a dialect are checked against @o. */
bool cel_function_enabled(const struct cel_overload *o, enum cel_dialect dialect);

/* The @i-th name of a type in a dialect, NULL behind the last. */
const char *cel_type_name_at(enum cel_dialect dialect, size_t i);

/* Literals that Kubernetes refuses early: lists and maps of mixed types, malformed durations, timestamps, patterns and
 * formats (cel_validate.c; cel-go cel/validator.go). */
void cel_validate(struct cel_ast *root, const struct cel_env *env, struct cel_issues *is);

#endif
