/* Inspection rules, and how they are read. See spec/inspection-rules.md, section 1. */
#ifndef RULES_INSPECTION_RULE_H
#define RULES_INSPECTION_RULE_H

#include "rules/inspection/insp_op.h"
#include "rules/inspection/insp_phase.h"

#define INSP_UUID_MAX 36
#define INSP_OPS_MAX 1000 /* conditions, or actions, of one rule */

/* A compiled rule, which is immutable and owns all that it views. */
struct insp_rule {
	struct arena arena;
	val source; /* a map of all fields, with their defaults; "uuid" is null when none was given */
	str uuid;   /* "": it has none yet */
	int64_t priority;
	str scope; /* {NULL, 0}: none */
	bool sensitive, built_in;
	bool numbered;         /* the uuid says the rule's place, because the rule was given none */
	bool reads_dependents; /* the result may depend on the object's dependents ("ports") */
	bool reads_previous;   /* the result may depend on the former state of the object */
	bool reads_verdict;    /* the result may depend on what the comparison found */
	enum insp_phase phase;
	struct insp_op *conditions, *actions;
	size_t n_conditions, n_actions;
};

/* Read "early", "preprocess" or "main". */
bool insp_phase_parse(str name, enum insp_phase *ret);
const char *insp_phase_name(enum insp_phase phase);

/* Read the rule @v (from the API, or from the file of built-in rules), which is copied. Mistakes go to @report and
 * are counted in *mistakes. A rule with mistakes may be run to show the error that this gives, but never stored or
 * loaded. Fails: E2BIG, ENOMEM. */
CHECKED int insp_rule_new(val v, bool built_in, const struct limits *limits, const struct insp_report *report,
			  size_t *mistakes, struct insp_rule **ret, struct err *err);
void insp_rule_free(struct insp_rule *r);
DEFINE_CLEANUP(struct insp_rule *, insp_rule_free)

/* Give a uuid to a rule that has none. @uuid lives as long as the rule. Fails: ENOMEM. */
CHECKED int insp_rule_name(struct insp_rule *r, str uuid, struct err *err);

/* Whether a text is a uuid in its canonical form, in upper or lower case. */
bool insp_uuid_valid(str s);

#endif
