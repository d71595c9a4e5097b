/* Runs inspection rules for an object: chooses them, orders them, and returns the result. The caller performs their
 * effects. See spec/inspection-rules.md, sections 7 to 9. */
#ifndef RULES_INSPECTION_RUN_H
#define RULES_INSPECTION_RUN_H

#include "rules/inspection/insp_action.h"

enum insp_masking { INSP_MASK_ALWAYS, INSP_MASK_NEVER, INSP_MASK_SENSITIVE };

struct insp_config {
	enum insp_masking mask_secrets;
	str default_scope;                 /* the scope of user rules without one; {NULL, 0}: none */
	const struct py_regex *interfaces; /* supported_interfaces; NULL: any */
	const str *call_prefixes;          /* allow_api_call; without prefixes no call is allowed */
	size_t n_call_prefixes;
	bool leaves_calls_out;          /* calls are read, and neither allowed nor made */
	const struct mask_fields *mask; /* what may not be shown; NULL: only what is always hidden */
};

/* Rules in the order in which they run. A zeroed set is empty. */
struct insp_set {
	const struct insp_rule **rules[INSP_PHASES];
	size_t n[INSP_PHASES];
	/* the member of struct insp_rule is set for some rule */
	bool reads_dependents, reads_previous, reads_verdict;
};

/* Order the rules. @user are in the order of their creation, built-in rules in that of their file; all outlive the
 * set. Fails: ENOMEM. */
CHECKED int insp_set_init(struct insp_set *set, const struct insp_rule *const *user, size_t n_user,
			  const struct insp_rule *const *built_in, size_t n_built_in, struct err *err);
void insp_set_done(struct insp_set *set);

/* The object that rules are run for. */
struct insp_object {
	val node;
	val ports;     /* the list of its dependents */
	val inventory; /* the facts of section 10 that are known so far, as a map */
	str scope;     /* {NULL, 0}: it has none */
};

enum insp_state {
	INSP_DONE,
	INSP_FAILED, /* a rule's "fail": no further rule runs */
	INSP_BROKEN, /* a rule could not be run, and no further rule runs */
};

/* One evaluation. It points into itself, so it must not be moved. */
struct insp_run {
	struct arena *arena;
	struct arena scratch; /* for the work of conditions */
	struct insp_work work;
	struct insp_scope scope;
	const struct insp_config *config;
	const struct insp_effects *effects;
	val inventory; /* all facts; scope.inventory are those that the phase may see */
	str object_scope;
	bool supported; /* supported_interfaces matches the object */
	enum insp_state state;
	const struct insp_rule *rule; /* the rule that failed or broke; not set with INSP_DONE */
	enum insp_phase phase;
	str message;    /* for records; of a sensitive rule it only contains the uuid */
	bool secret;    /* the message was made of something that may not be shown */
	char text[768]; /* holds a message that is not the rule's own */
};

/* Begin a run with limits->evaluation_steps. The contents of @object, @config and @effects outlive the run, which
 * leaves its edited copies in run->scope.node.real, .ports.real and .plugin_data.real; all that it makes lives in
 * @a. Fails: E2BIG, ENOMEM; call insp_run_done either way. */
CHECKED int insp_run_init(struct insp_run *run, const struct insp_object *object, const struct insp_config *config,
			  const struct insp_effects *effects, const struct limits *limits, struct arena *a,
			  struct err *err);
void insp_run_done(struct insp_run *run);

/* Run the rules of @phase, unless the run has failed. Run the phases in their order. run->work.steps is what is left
 * for them. insp_run_inventory adds facts between phases. Fails: ENOMEM. */
CHECKED int insp_run_phase(struct insp_run *run, const struct insp_set *set, enum insp_phase phase, struct err *err);

/* Replace the facts that are known. @inventory outlives the run. */
void insp_run_inventory(struct insp_run *run, val inventory);

#endif
