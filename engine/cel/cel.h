/* The Common Expression Language: compile an expression, evaluate it over documents.
 *
 *   struct cel_variable self = { STR("self"), &cel_type_dyn };
 *   struct cel_env env = { .dialect = CEL_KUBERNETES, .variables = &self, .n_variables = 1 };
 *   CLEANUP(cel_program_freep) struct cel_program *p = NULL;
 *   r = cel_compile(STR("self.replicas <= 5"), &env, &lim, &p, &text, &err);
 *   cv v = cel_value(&arena, doc->root, NULL);
 *   r = cel_evaluate(p, &v, &(struct cel_run){ .arena = &arena, .limits = &lim }, &result, &err);
 *
 * No I/O, no globals, no clock. A program is immutable; an evaluation uses the arena of the caller, which it may reset
 * when it has done with the result. Evaluating copies nothing of the document and allocates only for values that it
 * builds. */
#ifndef CEL_CEL_H
#define CEL_CEL_H

#include "cel/cel_check.h"
#include "cel/cel_schema.h"
#include "cel/cel_value.h"

#define CEL_CALL_COST 1000000   /* the most cost units of one expression in Kubernetes */
#define CEL_TOTAL_COST 10000000 /* the most cost units of all rules of one object */

struct cel_program;

/* Compile @source for @env. The program keeps nothing of @env but types and schemas, which must outlive it.
 * Fails: EBADMSG with all mistakes in @issues as cel-go prints them (the first also in @err); E2BIG; ENOMEM. */
CHECKED int cel_compile(str source, const struct cel_env *env, const struct limits *lim, struct cel_program **ret,
			struct buf *issues, struct err *err);
void cel_program_free(struct cel_program *p);
DEFINE_CLEANUP(struct cel_program *, cel_program_free)

/* The type of the result that the checker has found; dyn when the expression is unchecked. */
const struct cel_type *cel_program_type(const struct cel_program *p);
/* Whether the expression mentions variable number @i. */
bool cel_program_uses(const struct cel_program *p, uint32_t i);
/* The most that it may cost, when the environment asked for an estimate (cel_estimate.h). */
uint64_t cel_program_estimate(const struct cel_program *p);

struct cel_run {
	struct arena *arena; /* required: for results and intermediate values; its ceiling is the memory limit */
	const struct limits *limits;  /* required: regex_match_limit */
	const struct go_zones *zones; /* NULL: no zone names but UTC */
	uint64_t cost_limit;          /* 0: CEL_CALL_COST; UINT64_MAX: none */
	bool free_of_charge;          /* a cost limit of 0 is meant as such */
	bool places;                  /* errors say where they arose (cel_error_format); this takes time */
	uint64_t cost;                /* out: the cost of the evaluation */
};

/* Evaluate with one value per variable of the environment, in its order (CV_ERROR with err NULL: unbound). An
 * evaluation error is a result: CV_ERROR, with err->cost when the limit ended it. The result points into the variables,
 * the program and the arena. Fails: ENOMEM. */
CHECKED int cel_evaluate(const struct cel_program *p, const cv *variables, struct cel_run *run, cv *ret,
			 struct err *err);

/* A value of a document for use as a variable. */
static inline cv cel_value(struct arena *a, val v, const struct cel_schema *schema)
{
	return cv_from_val(a, v, schema);
}

/* Print a result for people: as JSON if JSON can express it, else as the literal that makes it. */
void cel_print(cv v, struct arena *a, struct buf *out);

/* ---- what there is, out of the tables that the checker and the parser use ---- */

/* Overload number @i of all; NULL behind the last. */
const struct cel_overload *cel_function_at(size_t i);
/* Append "string.charAt(int) -> string", or "size(list(A)) -> int". */
void cel_signature_format(const struct cel_overload *o, struct arena *a, struct buf *out);

#endif
