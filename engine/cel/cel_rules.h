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
	CEL_RUNTIME, /* evaluating the rule failed */
	CEL_COMPILE, /* the rule did not compile */
	CEL_COST,    /* the rule, or all rules of this object so far, cost too much; nothing more was evaluated */
};

struct cel_rule {
	str rule; /* the rule as written; these texts point into the schema or the list of rules */
	str message;
	str message_expression;
	str field_path;
	uint8_t reason; /* enum cel_reason */
	bool optional_old;
	bool transition; /* the rule mentions oldSelf */
	bool empty;      /* the rule is only white space, and is never evaluated */
	str error;       /* why the rule was refused; {NULL, 0}: it was not */
	/* why an API server would refuse a definition with the rule, which is evaluated all the same */
	str mistake;
	const char *mistaken; /* the field with the @mistake */
	/* why a server would refuse a definition with the rule for its possible cost; only with a schema */
	str dear;
	const char *dear_in;       /* the field that may cost so much */
	str message_error;         /* why its messageExpression is ignored */
	str where;                 /* the place of the rule: "selfType.spec.list.@idx"; "dyn" without a schema */
	struct cel_where sub_path; /* what its fieldPath adds to the path of a failure; text.p NULL: unknown */
	struct cel_program *program;
	struct cel_program *message_program;
};

/* Compile the rules of @schema at all levels or, when that is VAL_ABSENT, those of the list @rules for values
 * without a schema. A rule that does not compile does not make the set fail: see its error. @resource: the schema is
 * of a whole resource. The set points into @schema and @rules, which must outlive it; it is immutable and may be
 * shared by threads. Fails: EINVAL (a schema that is no object), E2BIG, ENOMEM. */
CHECKED int cel_rules_compile(val schema, val rules, bool resource, const struct limits *lim, struct cel_rules **ret,
			      struct err *err);
void cel_rules_free(struct cel_rules *r);
DEFINE_CLEANUP(struct cel_rules *, cel_rules_free)

size_t cel_rules_count(const struct cel_rules *r);
const struct cel_rule *cel_rules_at(const struct cel_rules *r, size_t i);
const struct cel_schema *cel_rules_schema(const struct cel_rules *r); /* NULL without a schema */

struct cel_failure {
	struct cel_where path; /* the place of the failure; its keys belong to the object */
	str message;
	const struct cel_rule *rule; /* NULL: the failure is not of a single rule */
	val value;
	val old;      /* the old value, for a transition rule; VAL_ABSENT: there is none */
	uint8_t kind; /* enum cel_failure_kind */
	uint8_t reason;
	bool warning;        /* ratcheted: the value has not changed since it was accepted */
	str message_problem; /* why messageExpression did not give the message; {NULL, 0}: it did, or there is none */
	struct cel_failure *next;
};

struct cel_validation {
	val object;
	val old;                     /* VAL_ABSENT: no old object is known */
	struct cel_where root;       /* the place of the object; may be empty */
	bool ratchet;                /* failures of unchanged values are warnings */
	struct arena *arena;         /* required: the arena of the failures; evaluations have one of their own */
	const struct limits *limits; /* required */
	const struct go_zones *zones;
	/* Cost units for the whole object; start with CEL_TOTAL_COST. out: what is left; -1: the rules cost more. */
	int64_t budget;
	int64_t call_limit;            /* cost units of one expression; start with CEL_CALL_COST */
	struct cel_failure *failures;  /* out, in the order of evaluation */
	size_t n_failures, n_warnings; /* out */
	uint64_t evaluated;            /* out: expressions evaluated */
};

/* Validate one object. Failures are results. Fails: ENOMEM. */
CHECKED int cel_rules_validate(const struct cel_rules *r, struct cel_validation *v, struct err *err);

/* The name of a reason, such as "FieldValueInvalid". */
const char *cel_reason_name(enum cel_reason r);

/* Resolve a fieldPath against a schema. The result is what it adds to a path (".a.b[k]", without the first "."), and
 * lives in @a and in @path. Fails: EINVAL with Kubernetes' text, ENOMEM. */
CHECKED int cel_field_path(str path, const struct cel_schema *schema, struct arena *a, struct cel_where *ret,
			   struct err *err);

#endif
