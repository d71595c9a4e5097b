/* The clauses of string.format(), for the function itself and for the check of its literals.
 *   cel-go ext/formatting.go */
#ifndef CEL_FORMAT_H
#define CEL_FORMAT_H

#include "cel/cel_ast.h"
#include "cel/cel_issues.h"

#define CEL_PRECISION_NONE (-1)

struct cel_clause {
	char verb;
	int precision; /* CEL_PRECISION_NONE: not given; INT_MAX: that much or more */
};

/* Read the clause of @format whose "%" is at *@at, and move *@at behind it. False with the reason in @why. "%%" is
 * no clause, nor is a "%" at the end: the caller handles both. */
bool cel_clause_read(str format, size_t *at, struct cel_clause *ret, struct buf *why);

/* The error for an argument of a wrong type, such as "decimal clause can only be used on integers".
 * cel_clause_read() has accepted @verb. */
const char *cel_clause_expects(char verb);

/* Report what is wrong with a checked call of format() whose text and list are literals, as Kubernetes reports it
 * when the rule is written. Other calls are not examined. */
void cel_format_check(const struct cel_ast *call, struct cel_issues *is);

#endif
