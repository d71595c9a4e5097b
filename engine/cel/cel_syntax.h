/* What is wrong with a text that is no expression, in the words of the API server, whose parser is a generated one that
 * goes on behind a mistake.   ANTLR 4 DefaultErrorStrategy; cel-go parser/gen/CEL.g4 */
#ifndef CEL_SYNTAX_H
#define CEL_SYNTAX_H

#include "cel/cel_issues.h"

/* Add the mistakes of @is->source, a text that the parser has refused, to @is. Without memory is->no_memory is set. */
void cel_syntax_report(struct cel_issues *is);

#endif
