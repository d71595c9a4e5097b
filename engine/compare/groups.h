/* Component groups: which of its templates a component must, may and must not find. Behaviour: spec/compare.md. */
#ifndef COMPARE_GROUPS_H
#define COMPARE_GROUPS_H

#include "reference/ref.h"

/* ORDER component_problem */
enum component_problem {
	COMPONENT_SATISFIED,
	COMPONENT_MISSING,      /* templates that must be matched are not: "Missing CRs" */
	COMPONENT_ONE_REQUIRED, /* "One of the following is required" */
	COMPONENT_TOO_MANY,     /* "Should only match one but matched" */
	COMPONENT_FORBIDDEN,    /* "These should not have been matched" */
	COMPONENT_UNKNOWN,      /* "Not known": whether there are objects for these could not be found out */
	COMPONENT_PROBLEMS,
};

struct component_verdict {
	const struct ref_part *part;
	const struct ref_component *component;
	enum component_problem problem;
	const struct ref_template **templates; /* those the problem is about */
	size_t n_templates;
	size_t n_missing; /* how many CRs count as missing */
};

const char *component_problem_text(enum component_problem p); /* "" when satisfied */

/* Judge one component given which templates are matched (@matched[template->index]). The result's list lives in @a.
 * Fails: ENOMEM. */
CHECKED int component_judge(const struct ref_part *part, const struct ref_component *c, const bool *matched,
			    struct arena *a, struct component_verdict *ret, struct err *err);

/* Whether it cannot be known what to say of @c, because one of its templates is unknown (@unknown[template->index]): it
 * may be matched, or not. Then *ret says which are. 1: so it is, 0: it is not. Fails: ENOMEM. */
CHECKED int component_why_unknown(const struct ref_part *part, const struct ref_component *c, const bool *unknown,
				  struct arena *a, struct component_verdict *ret, struct err *err);

#endif
