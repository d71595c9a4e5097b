/* The state of a parse, shared by its errors, tokens and nodes (tmpl_parser.c) and the grammar (tmpl_parse.c). */
#ifndef TEMPLATE_TMPL_PARSE_H
#define TEMPLATE_TMPL_PARSE_H

#include "template/tmpl_lex.h"
#include "template/tmpl_node.h"
#include "template/tmpl_value.h"

/* The state that all trees of one source share. */
struct source_parse {
	struct tmpl *set;
	struct tmpl_lexer lex;
	str name;
	str text;
	struct strmap trees; /* the trees of this source: name -> struct ttree */
	const struct tmpl_functions *functions;
	const struct limits *limits;
	uint32_t depth;
	struct buf *error_text;
	struct err *err;
	int failed; /* 0, or the negative code of the first error */
};

/* The state of one tree: text/template keeps look-ahead, variables and line of the action for each. */
struct parser {
	struct source_parse *src;
	struct ttree *tree;
	struct token token[3]; /* look-ahead */
	int peeked;
	size_t action_line; /* 0: outside an action */
	int range_depth;
	str *vars;
	size_t n_vars, cap_vars;
};

/* A growing array in the arena, for the children of a node. */
struct nodes {
	struct tnode **items;
	size_t n, cap;
};

/* ---- errors: every one ends the parse; from then on what returns a pointer returns NULL, what returns bool
 * false ---- */

void *parser_nomem(struct parser *p);
/* Fail with "template: NAME:LINE: " and @format with @n arguments (tval each). The line is that of the tree's latest
 * token. As in text/template the name is part of the format: a name with a % in it takes arguments. */
void *parser_fail(struct parser *p, int code, const char *format, size_t n, ...);
#define PARSER_TEXT(cstr) tval_string(str_from(cstr))
void *parser_fail_node(struct parser *p, const char *format, const struct tnode *n);
void *parser_unexpected(struct parser *p, struct token t, const char *context);
/* Enter one more level of nesting, which limits.template_nesting bounds. */
bool parser_enter(struct parser *p);
void parser_leave(struct parser *p);

/* ---- tokens ---- */

struct token parser_next(struct parser *p);
void parser_backup(struct parser *p);
struct token parser_peek(struct parser *p);
struct token parser_next_non_space(struct parser *p);
struct token parser_peek_non_space(struct parser *p);
bool parser_expect(struct parser *p, enum tok_type type, const char *context, struct token *ret);

/* ---- nodes ---- */

struct tnode *parser_new_node(struct parser *p, enum tnode_type type, size_t pos);
bool parser_add_node(struct parser *p, struct nodes *l, struct tnode *n);
/* A FIELD, VARIABLE or CHAIN node with a copy of @parts. */
struct tnode *parser_new_ident(struct parser *p, enum tnode_type type, size_t pos, const str *parts, size_t n);
/* Declare the variable @name, which is known from here on. */
bool parser_push_var(struct parser *p, str name);

/* Begin the tree of a {{define}} or {{block}}, which has its own look-ahead and variables on the same lexer. Call
 * parser_end_tree also after a failure. */
bool parser_start_tree(struct parser *p, struct source_parse *src);
void parser_end_tree(struct parser *p);
/* Add the tree to those of its source. Within one source, a template that is not empty can be defined once only. */
void parser_add_tree(struct parser *p);

/* Read a whole source (tmpl_parse.c); s->failed then holds the result. */
void tmpl_parse_source(struct source_parse *s);

#endif
