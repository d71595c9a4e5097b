/* Inspection rules: what one is, and reading it.   spec/inspection-rules.md, section 1 */
#ifndef RULES_INSPECTION_RULE_H
#define RULES_INSPECTION_RULE_H

#include "rules/inspection/insp_op.h"

/* ORDER insp_phase */
enum insp_phase { INSP_EARLY, INSP_PREPROCESS, INSP_MAIN, INSP_PHASES };

#define INSP_UUID_MAX 36
#define INSP_OPS_MAX 1000 /* conditions of a rule, or its actions */

/* Compiled, immutable; it holds all that it views. */
struct insp_rule {
	struct arena arena;
	val source; /* a map of all fields, with their defaults; "uuid" is null when none was given */
	str uuid;   /* "": none yet */
	int64_t priority;
	str scope; /* {NULL, 0}: none */
	bool sensitive, built_in;
	bool reads_dependents; /* what it does may depend on the object's dependents ("ports") */
	bool reads_previous;   /* on what the object was before */
	enum insp_phase phase;
	struct insp_op *conditions, *actions;
	size_t n_conditions, n_actions;
};

/* "early", "preprocess", "main". */
bool insp_phase_parse(str name, enum insp_phase *ret);
const char *insp_phase_name(enum insp_phase phase);

/* Read the rule @v (of the API, or of the file of built-in rules), which is copied. Mistakes go to @report and are
 * counted in *mistakes: a rule with mistakes is for showing what comes of running it (an error), and nobody stores or
 * loads it. Fails: E2BIG, ENOMEM. */
CHECKED int insp_rule_new(val v, bool built_in, const struct limits *limits, const struct insp_report *report,
			  size_t *mistakes, struct insp_rule **ret, struct err *err);
void insp_rule_free(struct insp_rule *r);
DEFINE_CLEANUP(struct insp_rule *, insp_rule_free)

/* Give the rule, which has none, a uuid. @uuid lives as long as the rule. -ENOMEM. */
CHECKED int insp_rule_name(struct insp_rule *r, str uuid, struct err *err);

/* A uuid in its canonical form, in any case. */
bool insp_uuid_valid(str s);

#endif
