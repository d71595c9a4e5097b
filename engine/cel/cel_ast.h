/* The syntax tree, with the macros already expanded. The checker fills in types and what names mean. */
#ifndef CEL_AST_H
#define CEL_AST_H

#include "cel/cel_type.h"
#include "cel/cel_value.h"

enum cel_ast_kind {
	AST_LITERAL,       /* @value */
	AST_IDENT,         /* name; a leading "." makes it absolute */
	AST_SELECT,        /* target, name; test: has() */
	AST_CALL,          /* name, target or NULL, args */
	AST_LIST,          /* args */
	AST_MAP,           /* args: key, value, key, value, … */
	AST_STRUCT,        /* name; args: the field values, fields: the fields that they are for */
	AST_COMPREHENSION, /* fold */
};

struct cel_ast;
struct cel_node;
struct cel_overload;

/* A fold of @init over @range while @condition holds; its value is @result.   CEL langdef, Macros */
struct cel_fold {
	str iter, iter2, accu; /* @iter2: {NULL, 0} in one-variable folds */
	struct cel_ast *range, *init, *condition, *step, *result;
};

struct cel_field {
	str name;
	uint32_t at; /* the offset of the colon, where mistakes in the field are reported */
};

struct cel_ast {
	uint8_t kind;
	bool test;
	bool *optional; /* for each arg of a list or pair of a map, whether it is marked "?"; NULL: none is */
	uint32_t at;    /* byte offset in the source */
	uint32_t n_args;
	str name;
	cv value;
	struct cel_ast *target;
	struct cel_ast **args;
	struct cel_field *fields;
	struct cel_fold *fold;

	/* ---- set by the checker ---- */
	const struct cel_type *type;
	int32_t variable; /* number of the declared variable that this (possibly dotted) name is; -1: none */
	int32_t local;    /* number of the local that this name is; -1: none */
	const struct cel_overload **overloads; /* the candidate overloads of a call */
	uint32_t n_overloads;
	bool is_constant; /* a name (of a type) whose value is in @value */
	bool finished;    /* the type is final */
	bool validated;
	uint32_t message;      /* which well-known message a struct literal makes */
	uint32_t slots;        /* the first of the local slots of a comprehension */
	struct cel_node *node; /* the node that the planner made */
	struct cel_note *note; /* what the estimate knows about the node (cel_estimate.c) */
};

#endif
