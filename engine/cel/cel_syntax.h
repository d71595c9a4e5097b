/* Reports what is wrong with a text that is no expression, in the words of the API server, whose generated parser
 * continues after a mistake.   ANTLR 4 DefaultErrorStrategy; cel-go parser/gen/CEL.g4 */
#ifndef CEL_SYNTAX_H
#define CEL_SYNTAX_H

#include "cel/cel_issues.h"

/* Add the mistakes of @is->source, which the parser has refused, to @is. Sets is->no_memory without memory. */
void cel_syntax_report(struct cel_issues *is);

#endif
