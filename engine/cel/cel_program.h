/* A compiled expression: immutable, and usable by any number of threads. */
#ifndef CEL_PROGRAM_H
#define CEL_PROGRAM_H

#include "base/vec.h"
#include "cel/cel_check.h"
#include "cel/cel_schema.h"

struct re2;

enum cel_op {
	OP_CONST,     /* value */
	OP_ATTRIBUTE, /* attribute */
	OP_CALL,      /* call */
	OP_EQUAL,
	OP_NOT_EQUAL,
	OP_AND,
	OP_OR,
	OP_CONDITION,
	OP_FALSY, /* @not_strictly_false */
	OP_LIST,
	OP_MAP,
	OP_STRUCT,
	OP_FOLD,
	OP_IN_SET, /* whether args[0] is in a constant list */
	OP_APPEND, /* accu + [args[1]] of a comprehension; args[0] is the accu */
	OP_INSERT, /* cel.@mapInsert */
	OP_OPT_OR,
	OP_OPT_VALUE,
	OP_FAIL, /* text: the name or function that does not exist */
	OP_COUNT,
};

struct cel_node;

/* Evaluates a node; called by cel_eval_node only. */
typedef cv (*cel_eval_fn)(struct cel_ctx *c, const struct cel_node *n);

struct cel_qualifier {
	const struct key *raw;       /* the name as written, for a name */
	const struct key *unescaped; /* the name of the property; NULL: no property can have it */
	struct cel_field_hint hint;
	const struct cel_node *index; /* the constant or computed index, for an index */
	const struct key *key;        /* the name that a constant index is */
	uint32_t at;
	bool index_is_attribute; /* the index is charged like a qualifier, not like an expression */
	bool optional;
};

struct cel_attribute {
	int32_t slot; /* -1: the attribute is one of @operand */
	bool test;    /* has() */
	uint32_t n;
	const struct cel_node *operand;
	const struct cel_qualifier *qualifiers;
	str name;
};

struct cel_candidate {
	const struct cel_overload *overload;
	uint32_t masks[8]; /* the kinds that each argument may have */
};

struct cel_call {
	const struct cel_candidate *candidates;
	uint32_t n_candidates;
	const struct re2 *pattern;
};

/* The macro that a fold stands for, where evaluation has a short cut for it. */
enum cel_fold_kind { FOLD_ANY, FOLD_ALL, FOLD_EXISTS };

struct cel_fold_node {
	const struct cel_node *range, *init, *condition, *step, *result;
	uint32_t slot; /* the slot of the accu; those of the variables follow */
	uint8_t quick; /* enum cel_fold_kind */
	bool two;
	bool builds; /* the accu is a list or map that only this fold sees */
};

struct cel_node {
	cel_eval_fn run; /* the function for its form (cel_form), else for its op */
	uint8_t op;
	bool direct; /* an attribute that a ternary selects, which is not charged itself */
	bool placed; /* @at is known */
	uint32_t at; /* byte offset in the source */
	uint32_t n;
	const struct cel_node **args;
	union {
		cv value;
		struct cel_attribute attribute;
		struct cel_call call;
		const struct cel_fold_node *fold;
		struct cv_map *set;
		struct {
			uint32_t message;
			const str *fields;
			const bool *optional;
		} make;
		str text;
	};
};

struct cel_program {
	struct arena arena;
	const struct cel_node *root;
	const struct cel_type *type;
	uint32_t n_variables;
	uint32_t n_slots;
	uint64_t estimate; /* the most that it may cost; 0: no estimate was asked for */
	uint64_t used;     /* a bit for each variable (of the first 64) that the expression names */
	bool kubernetes;
	VEC(struct re2 *) patterns;
};

/* Make nodes of the checked tree @root in @p->arena. False with an issue or without memory. */
bool cel_plan(struct cel_program *p, struct cel_ast *root, const struct cel_env *env, const struct limits *lim,
	      struct cel_issues *is);

/* The kinds that a type of the overload notation accepts, as a bit set. */
uint32_t cel_kind_mask(const struct cel_type *t);

#endif
