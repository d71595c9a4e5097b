/* Running inspection rules for an object: which, in what order, and what comes of it. Pure: effects are handed to the
 * caller, which performs them.   spec/inspection-rules.md, sections 7 to 9 */
#ifndef RULES_INSPECTION_RUN_H
#define RULES_INSPECTION_RUN_H

#include "rules/inspection/insp_action.h"

enum insp_masking { INSP_MASK_ALWAYS, INSP_MASK_NEVER, INSP_MASK_SENSITIVE };

struct insp_config {
	enum insp_masking mask_secrets;
	str default_scope;                 /* of user rules without one; {NULL, 0}: none */
	const struct py_regex *interfaces; /* supported_interfaces; NULL: any */
	const str *call_prefixes;          /* allow_api_call; none: no calls */
	size_t n_call_prefixes;
	const struct mask_fields *mask; /* what may not be shown; NULL: what is never */
};

/* Rules in the order in which they run. A zeroed one has none. */
struct insp_set {
	const struct insp_rule **rules[INSP_PHASES];
	size_t n[INSP_PHASES];
	bool reads_dependents, reads_previous; /* some of them do */
};

/* User rules in the order of their creation, built-in ones in that of their file; all outlive the set. -ENOMEM. */
CHECKED int insp_set_init(struct insp_set *set, const struct insp_rule *const *user, size_t n_user,
			  const struct insp_rule *const *built_in, size_t n_built_in, struct err *err);
void insp_set_done(struct insp_set *set);

/* One object. */
struct insp_object {
	val node;
	val ports;     /* the list of its dependents */
	val inventory; /* a map: all facts of section 10 that are known by now */
	str scope;     /* {NULL, 0}: it has none */
};

enum insp_state {
	INSP_DONE,
	INSP_FAILED, /* a rule's "fail": no further rule runs */
	INSP_BROKEN, /* a rule could not be run: the same */
};

/* One evaluation; it points into itself, and is not moved. */
struct insp_run {
	struct arena *arena;
	struct arena scratch; /* of conditions */
	struct insp_work work;
	struct insp_scope scope;
	const struct insp_config *config;
	const struct insp_effects *effects;
	val inventory; /* all of it; scope.inventory is what the phase may see */
	str object_scope;
	bool supported; /* supported_interfaces matches the object */
	enum insp_state state;
	const struct insp_rule *rule; /* unless INSP_DONE */
	enum insp_phase phase;
	str message;    /* for records; says nothing of a sensitive rule but its uuid */
	bool secret;    /* it was made of what may not be shown */
	char text[768]; /* of a message that is not the rule's */
};

/* Begin with limits->evaluation_steps. What @object holds, @config and @effects outlive the run, which leaves its
 * edited copies in run->scope.node.real, .ports.real and .plugin_data.real; all that it makes lives in @a. Fails:
 * E2BIG, ENOMEM; call insp_run_done either way. */
CHECKED int insp_run_init(struct insp_run *run, const struct insp_object *object, const struct insp_config *config,
			  const struct insp_effects *effects, const struct limits *limits, struct arena *a,
			  struct err *err);
void insp_run_done(struct insp_run *run);

/* Run the rules of @phase, each phase after those before it, unless the run has failed. run->work.steps is what is left
 * for it. Facts that come up between phases: insp_run_inventory. -ENOMEM. */
CHECKED int insp_run_phase(struct insp_run *run, const struct insp_set *set, enum insp_phase phase, struct err *err);

/* What is known from now on, in place of what was. It outlives the run. */
void insp_run_inventory(struct insp_run *run, val inventory);

#endif
