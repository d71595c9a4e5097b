/* One condition or action of an inspection rule, which is read once. */
#ifndef RULES_INSPECTION_OP_H
#define RULES_INSPECTION_OP_H

#include "rules/inspection/insp_value.h"

/* ORDER insp_code: conditions, then actions. */
enum insp_code {
	INSP_IS_TRUE,
	INSP_IS_FALSE,
	INSP_IS_NONE,
	INSP_IS_EMPTY,
	INSP_EQ,
	INSP_LT,
	INSP_GT,
	INSP_IN_NET,
	INSP_CONTAINS,
	INSP_MATCHES,
	INSP_ONE_OF,
	INSP_FAIL,
	INSP_LOG,
	INSP_SET_PLUGIN_DATA,
	INSP_EXTEND_PLUGIN_DATA,
	INSP_UNSET_PLUGIN_DATA,
	INSP_SET_ATTRIBUTE,
	INSP_EXTEND_ATTRIBUTE,
	INSP_DEL_ATTRIBUTE,
	INSP_SET_PORT_ATTRIBUTE,
	INSP_EXTEND_PORT_ATTRIBUTE,
	INSP_DEL_PORT_ATTRIBUTE,
	INSP_SET_CAPABILITY,
	INSP_UNSET_CAPABILITY,
	INSP_ADD_TRAIT,
	INSP_REMOVE_TRAIT,
	INSP_API_CALL,
	INSP_CODES,
};

enum insp_multiple { INSP_ANY, INSP_ALL, INSP_FIRST, INSP_LAST };

#define INSP_PARAMS_MAX 6

struct insp_op {
	enum insp_code code;
	bool inverted;
	enum insp_multiple multiple;
	bool looped;
	struct insp_value loop;
	/* the arguments in the order of the parameters; one that is not given is the constant VAL_NULL */
	struct insp_value args[INSP_PARAMS_MAX];
	bool given[INSP_PARAMS_MAX];
	bool spread;            /* for eq, lt, gt: the arguments were a list, and args[0] is that list */
	struct py_regex *regex; /* a constant expression that compiles; insp_op_done releases it */
	str error;              /* why the operation cannot be run; {NULL, 0}: it can */
};

/* Callback for a mistake in a rule, with its place: the @field of the rule (NULL: the rule itself), the @index of
 * the item if that is a list (else -1), and the @key of the item's member (or NULL). */
struct insp_report {
	void (*mistake)(void *ctx, const char *field, int64_t index, const char *key, const char *text);
	void *ctx;
};

/* Read @v, an item of "conditions" or "actions" in a rule whose phase is early (@early) or not. The result views @v;
 * the rest lives in @a. Mistakes go to @report and to ret->error, and are no failures. Fails: E2BIG, ENOMEM. */
CHECKED int insp_condition_read(val v, uint32_t index, struct arena *a, const struct insp_report *report,
				struct insp_op *ret, struct err *err);
CHECKED int insp_action_read(val v, uint32_t index, bool early, struct arena *a, const struct insp_report *report,
			     struct insp_op *ret, struct err *err);
void insp_op_done(struct insp_op *op);

/* The name of an operation. */
const char *insp_code_name(enum insp_code code);
/* The index in insp_op.args of the parameter @name, which the operation must have. */
size_t insp_param(enum insp_code code, const char *name);

#endif
