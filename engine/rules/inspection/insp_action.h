/* Runs the actions of inspection rules. See spec/inspection-rules.md, section 6. */
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
	bool secret; /* the text was made of something that may not be shown */
};

/* Callbacks for what an evaluation does besides its edits. Texts and values are valid during the call. Each callback
 * may be NULL. */
struct insp_effects {
	/* The conditions of @rule hold, and its actions run next. */
	void (*ran)(void *ctx, const struct insp_rule *rule);
	/* A rule logs a text. Sensitive rules log as well, because their author asked for it. */
	void (*log)(void *ctx, const struct insp_rule *rule, enum insp_level level, struct insp_text message);
	/* A rule makes a request, which is allowed; send it when the evaluation is over. */
	void (*call)(void *ctx, const struct insp_rule *rule, const struct insp_call *call);
	void *ctx;
};

struct insp_actor {
	struct insp_scope *scope; /* what actions edit: node, ports and plugin_data become edited copies */
	const struct insp_rule *rule;
	const struct insp_effects *effects;
	const str *call_prefixes; /* prefixes of the URLs that api-call may use */
	size_t n_call_prefixes;
	bool leaves_calls_out; /* api-call does nothing, whatever is allowed */
	str failed;            /* the message of "fail" */
	bool secret;           /* the message of "fail", or the error, was made of something that may not be shown */
};

/* Run @op. Returns 1 if it was "fail", whose message is then in actor->failed; 0 if it is done. Fails: EINVAL with
 * what is wrong; E2BIG, ENOMEM. After a failure the effects and edits of earlier iterations remain. */
CHECKED int insp_act(struct insp_actor *actor, const struct insp_op *op, struct err *err);

#endif
