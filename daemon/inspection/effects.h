/* What inspection rules do besides coming to a verdict: entries in the journal and calls, within the quota of each
 * rule. */
#ifndef DAEMON_INSPECTION_EFFECTS_H
#define DAEMON_INSPECTION_EFFECTS_H

#include "daemon/findings/finding.h"
#include "daemon/findings/sink.h"
#include "daemon/inspection/rules.h"

struct calls;
struct call_origin;

enum inspection_effect { INSPECTION_LOG, INSPECTION_CALL, INSPECTION_EFFECTS };

/* The name of the effect: "log" or "api-call". */
const char *inspection_effect_name(enum inspection_effect e);

/* The counters of the process, over all clusters. */
struct inspection_counters {
	uint64_t inspections;           /* inspections of objects */
	uint64_t failures[INSP_PHASES]; /* inspections that ended with a failure in the phase */
	uint64_t dropped[INSPECTION_EFFECTS];
};

/* The state that all clusters share. All that it points to outlives them. */
struct inspection_context {
	struct inspection_rules *rules;
	struct sink *sink;
	struct calls *calls; /* NULL: no calls are made */
	bool follows;        /* another host has the effects, so that this one has none */
	struct inspection_counters counters;
};

/* A rule that runs for an object, as the origin of effects. */
struct effect_origin {
	const struct insp_rule *rule;
	const struct finding_subject *about; /* the object, the rule and its phase */
	unsigned per_minute;                 /* the quota */
	const struct insp_config *config;    /* the configuration that says which calls are allowed */
};

/* Log @message, which must be fit to be shown. */
void effects_log(struct inspection_context *c, const struct effect_origin *o, enum insp_level level, str message);
void effects_call(struct inspection_context *c, const struct effect_origin *o, const struct insp_call *call);

/* Report a call that has failed, or cannot be made. @url: without parts that may be secret. */
void effects_call_failed(struct inspection_context *c, const struct call_origin *o, str url, const char *why);

#endif
