/* An expression, compiled: immutable, for any number of threads. */
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
	OP_IN_SET, /* args[0] in a constant list */
	OP_APPEND, /* accu + [args[1]] of a comprehension, args[0] the accu */
	OP_INSERT, /* cel.@mapInsert */
	OP_OPT_OR,
	OP_OPT_VALUE,
	OP_FAIL, /* text: a name or function that is not there */
	OP_COUNT,
};

struct cel_node;

/* Evaluates a node; called by cel_eval_node only. */
typedef cv (*cel_eval_fn)(struct cel_ctx *c, const struct cel_node *n);

struct cel_qualifier {
	const struct key *raw;       /* a name: as written, */
	const struct key *unescaped; /* as the property is called; NULL: no property */
	struct cel_field_hint hint;
	const struct cel_node *index; /* or an index: a constant or computed, */
	const struct key *key;        /* and the name that a constant one is */
	uint32_t at;
	bool index_is_attribute; /* charged like a qualifier, not like an expression */
	bool optional;
};

struct cel_attribute {
	int32_t slot; /* -1: of operand */
	bool test;    /* has() */
	uint32_t n;
	const struct cel_node *operand;
	const struct cel_qualifier *qualifiers;
	str name;
};

struct cel_candidate {
	const struct cel_overload *overload;
	uint32_t masks[8]; /* kinds that each argument may be of */
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
	uint32_t slot; /* accu, then the variables */
	uint8_t quick; /* enum cel_fold_kind */
	bool two;
	bool builds; /* the accu is a list or map that only this fold can see */
};

struct cel_node {
	cel_eval_fn run; /* of its form (cel_form), else of its op */
	uint8_t op;
	bool direct; /* an attribute that a ternary picks: not charged itself */
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
	uint64_t estimate; /* what it may cost at most; 0: not asked for */
	uint64_t used;     /* bit per variable (those below 64) that the expression names */
	bool kubernetes;
	VEC(struct re2 *) patterns;
};

/* Make nodes of the checked tree @root in @p->arena. False with an issue or without memory. */
bool cel_plan(struct cel_program *p, struct cel_ast *root, const struct cel_env *env, const struct limits *lim,
	      struct cel_issues *is);

/* Kinds that a type of the overload notation accepts, as a bit set. */
uint32_t cel_kind_mask(const struct cel_type *t);

#endif
