/* The parser: turns tokens into a syntax tree, with macros expanded.   CEL langdef, Syntax and Macros
 *
 * Limits are cel-go's as Kubernetes runs it: 250 levels of recursion for each rule of the grammar (a chain of
 * left-associative operators counts one level each), 100,000 code points of text. */
#ifndef CEL_PARSE_H
#define CEL_PARSE_H

#include "cel/cel_ast.h"
#include "cel/cel_issues.h"

#define CEL_RECURSION_MAX 250
#define CEL_SOURCE_MAX 100000

enum cel_dialect {
	CEL_STANDARD,   /* the whole language with every extension */
	CEL_KUBERNETES, /* what Kubernetes 1.36 enables */
};

struct cel_parser;

/* The tree in @is->arena, or NULL with at least one issue. */
struct cel_ast *cel_parse(str source, enum cel_dialect dialect, struct cel_issues *is);

/* ---- shared with the macros (cel_macro.c) ---- */

struct cel_builder {
	struct arena *arena;
	struct cel_issues *issues;
	enum cel_dialect dialect;
};

struct cel_ast *cel_ast_new(struct cel_builder *b, enum cel_ast_kind kind, uint32_t at);
struct cel_ast *cel_ast_ident(struct cel_builder *b, uint32_t at, str name);
struct cel_ast *cel_ast_literal(struct cel_builder *b, uint32_t at, cv value);
/* Make a call with @n arguments, which follow. When any of them is NULL, the result is NULL. */
struct cel_ast *cel_ast_call(struct cel_builder *b, uint32_t at, const char *name, uint32_t n, ...);
struct cel_ast *cel_ast_member(struct cel_builder *b, uint32_t at, const char *name, struct cel_ast *target);

/* Expand the call if @name with this target and arguments is a macro: 1 with its expansion in *ret (NULL when it was
 * misused, which is reported); 0: it is no macro. @at: the opening parenthesis. */
int cel_macro_expand(struct cel_builder *b, uint32_t at, str name, struct cel_ast *target, struct cel_ast **args,
		     uint32_t n_args, struct cel_ast **ret);

/* Macro number @i of a dialect: its name with the number of arguments, such as "_.all/2" for a member and "has/1"
 * for a function; "*" is any number. False behind the last. */
bool cel_macro_at(enum cel_dialect dialect, size_t i, struct buf *out);

#endif
