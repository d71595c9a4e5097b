/* Running actions.   spec/inspection-rules.md, section 6 */
#ifndef RULES_INSPECTION_ACTION_H
#define RULES_INSPECTION_ACTION_H

#include "rules/inspection/insp_call.h"
#include "rules/inspection/insp_rule.h"

/* ORDER insp_level */
enum insp_level { INSP_DEBUG, INSP_INFO, INSP_WARNING, INSP_ERROR, INSP_CRITICAL, INSP_LEVELS };

/* "debug", "info", "warning", "error", "critical" */
const char *insp_level_name(enum insp_level level);

/* A message of a rule. */
struct insp_text {
	str text;
	bool secret; /* it was made of what may not be shown */
};

/* Callbacks for what an evaluation does beside its edits. Texts and values are valid for the call. Each may be NULL. */
struct insp_effects {
	/* The conditions of @rule hold: its actions follow. */
	void (*ran)(void *ctx, const struct insp_rule *rule);
	/* A rule logs; also a sensitive one, as its author asked for it. */
	void (*log)(void *ctx, const struct insp_rule *rule, enum insp_level level, struct insp_text message);
	/* A request that is allowed, and to be sent when the evaluation is over. */
	void (*call)(void *ctx, const struct insp_rule *rule, const struct insp_call *call);
	void *ctx;
};

struct insp_actor {
	struct insp_scope *scope; /* its node, ports and plugin_data become their edited copies */
	const struct insp_rule *rule;
	const struct insp_effects *effects;
	const str *call_prefixes; /* URLs that api-call may be for */
	size_t n_call_prefixes;
	str failed;  /* set by "fail" */
	bool secret; /* what is said of it was made of what may not be shown: that message, or the error */
};

/* Run @op. 1: it was "fail", and its message is in actor->failed. 0: done. Fails: EINVAL with what is wrong; E2BIG,
 * ENOMEM. Effects and edits of iterations before stay. */
CHECKED int insp_act(struct insp_actor *actor, const struct insp_op *op, struct err *err);

#endif
