/* The parse tree of a template, and how Go prints it: error texts quote nodes, and a reference is hashed by
 * its trees. */
#ifndef TEMPLATE_TMPL_NODE_H
#define TEMPLATE_TMPL_NODE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/strmap.h"

enum tnode_type {
	NODE_TEXT,
	NODE_ACTION,
	NODE_BOOL,
	NODE_CHAIN, /* a term followed by fields: (pipeline).a.b */
	NODE_COMMAND,
	NODE_DOT,
	NODE_ELSE, /* while parsing only */
	NODE_END,  /* while parsing only */
	NODE_FIELD,
	NODE_IDENTIFIER,
	NODE_IF,
	NODE_LIST,
	NODE_NIL,
	NODE_NUMBER,
	NODE_PIPE,
	NODE_RANGE,
	NODE_STRING,
	NODE_TEMPLATE,
	NODE_VARIABLE,
	NODE_WITH,
	NODE_BREAK,
	NODE_CONTINUE,
};

struct re2;
struct tmpl_fn;
struct ttree;
struct tnode;

struct tnode_list {
	struct tnode **items;
	size_t n;
};

struct tident_list {
	const str *items;
	size_t n;
};

/* A constant under all the types that can represent it, as Go's untyped constants work. */
struct tnumber {
	bool is_int, is_uint, is_float, is_complex;
	int64_t i;
	uint64_t u;
	double f;
	double c[2];
};

struct tnode {
	enum tnode_type type;
	size_t pos; /* byte offset in the text of the tree */
	const struct ttree *tree;
	str text; /* TEXT: the text; STRING and NUMBER: their source; IDENTIFIER and TEMPLATE: the name */
	union {
		bool is_true;           /* BOOL */
		str string;             /* STRING: its value */
		struct tnumber *number; /* NUMBER */
		struct {
			const struct tmpl_fn *fn;
			const struct re2 *pattern; /* the first argument, where it is a constant expression */
		} function;                        /* IDENTIFIER */
		struct tident_list ident;          /* FIELD; VARIABLE: the name with its $, then fields */
		struct tnode_list list;            /* LIST; COMMAND: its words */
		struct {
			struct tnode *node;
			struct tident_list field;
		} chain;
		struct {
			struct tnode_list cmds;
			struct tnode_list decl; /* VARIABLE nodes */
			bool is_assign;
		} pipe;
		struct {
			struct tnode *pipe; /* TEMPLATE: may be NULL */
			struct tnode *list;
			struct tnode *else_list; /* may be NULL */
		} branch;                        /* ACTION, IF, RANGE, WITH, TEMPLATE */
	};
};

/* One named template. */
struct ttree {
	str name;
	str parse_name; /* the name of the source that defines it, for messages */
	str text;       /* the text of that source */
	struct tnode *root;
};

struct tmpl {
	struct arena arena;
	struct strmap trees;        /* name -> struct ttree */
	struct strmap patterns;     /* text -> struct re2: constant expressions, compiled once */
	uint32_t regex_match_limit; /* the limit that they were compiled with */
	str name;                   /* the name of the main template */
	const struct ttree *main;
};

/* Append the node as Go's String() does. The recursion is as deep as the parser's limit allows. */
void tnode_print(const struct tnode *n, struct buf *out);

/* "name:line:column" of the node. */
void tnode_location(const struct tnode *n, struct buf *out);

/* Nothing but white space and definitions. */
bool tnode_is_empty(const struct tnode *n);

#endif
