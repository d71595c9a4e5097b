/* x-kubernetes-validations: every rule of a schema compiled once, then objects validated against them.
 *   Kubernetes apiextensions-apiserver/pkg/apiserver/schema/cel (compilation.go, validation.go) */
#ifndef CEL_RULES_H
#define CEL_RULES_H

#include "cel/cel.h"
#include "cel/cel_where.h"

struct cel_rules;

/* ORDER cel_reason */
enum cel_reason { CEL_INVALID, CEL_FORBIDDEN, CEL_REQUIRED, CEL_DUPLICATE, CEL_REASONS };

enum cel_failure_kind {
	CEL_FAILED,  /* the rule is false */
	CEL_RUNTIME, /* its evaluation failed */
	CEL_COMPILE, /* it was never compiled */
	CEL_COST,    /* it, or the rules of this object so far, cost too much; nothing more was evaluated */
};

struct cel_rule {
	str rule; /* as written; these point into the schema or rules given */
	str message;
	str message_expression;
	str field_path;
	uint8_t reason; /* enum cel_reason */
	bool optional_old;
	bool transition; /* it mentions oldSelf */
	bool empty;      /* nothing but white space: never evaluated */
	str error;       /* why it was refused; {NULL, 0}: it was not */
	str mistake;     /* why an API server would not take a definition with it, which is judged by it all the same */
	const char *mistaken; /* the field that has the mistake */
	str dear;             /* why a server would not take a definition with it for what it may cost; with a schema */
	const char *dear_in;  /* the field that may cost so much */
	str message_error;    /* why its messageExpression is ignored */
	str where;            /* its place: "selfType.spec.list.@idx"; "dyn" without a schema */
	struct cel_where sub_path; /* what its fieldPath adds to the path of a failure; text.p NULL: nobody knows */
	struct cel_program *program;
	struct cel_program *message_program;
};

/* Compile the rules of @schema at all levels; with VAL_ABSENT, those of the list @rules for values without a schema. A
 * rule that does not compile does not fail the set: see its error. @resource: the schema is of a whole resource. The
 * set points into
 * @schema and @rules, which must outlive it; it is immutable and may be shared by threads.
 * Fails: EINVAL (a schema that is no object), E2BIG, ENOMEM. */
CHECKED int cel_rules_compile(val schema, val rules, bool resource, const struct limits *lim, struct cel_rules **ret,
			      struct err *err);
void cel_rules_free(struct cel_rules *r);
DEFINE_CLEANUP(struct cel_rules *, cel_rules_free)

size_t cel_rules_count(const struct cel_rules *r);
const struct cel_rule *cel_rules_at(const struct cel_rules *r, size_t i);
const struct cel_schema *cel_rules_schema(const struct cel_rules *r); /* NULL without a schema */

struct cel_failure {
	struct cel_where path; /* its keys are those of the object */
	str message;
	const struct cel_rule *rule; /* NULL: no single one */
	val value;
	val old;      /* of a transition rule; VAL_ABSENT: none */
	uint8_t kind; /* enum cel_failure_kind */
	uint8_t reason;
	bool warning;        /* ratcheted: the value has not changed since it was accepted */
	str message_problem; /* why messageExpression did not give the message; {NULL, 0}: it did, or there is none */
	struct cel_failure *next;
};

struct cel_validation {
	val object;
	val old;                     /* VAL_ABSENT: none is known */
	struct cel_where root;       /* of the object; may be empty */
	bool ratchet;                /* failures of unchanged values are warnings */
	struct arena *arena;         /* required: the failures; evaluations have one of their own */
	const struct limits *limits; /* required */
	const struct go_zones *zones;
	/* Cost units for the whole object; start with CEL_TOTAL_COST. out: what is left, -1: overdrawn. */
	int64_t budget;
	int64_t call_limit;            /* cost units of one expression; start with CEL_CALL_COST */
	struct cel_failure *failures;  /* out, in the order of evaluation */
	size_t n_failures, n_warnings; /* out */
	uint64_t evaluated;            /* out: expressions evaluated */
};

/* Validate one object. Failures are results. Fails: ENOMEM. */
CHECKED int cel_rules_validate(const struct cel_rules *r, struct cel_validation *v, struct err *err);

/* "FieldValueInvalid", … */
const char *cel_reason_name(enum cel_reason r);

/* Resolve a fieldPath against a schema: what it adds to a path (".a.b[k]", without the first "."). Lives in @a and in
 * @path. Fails: EINVAL with Kubernetes' text, ENOMEM. */
CHECKED int cel_field_path(str path, const struct cel_schema *schema, struct arena *a, struct cel_where *ret,
			   struct err *err);

#endif
