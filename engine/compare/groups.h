/* Judges components by their groups of templates: which templates must, may and must not match an object. Behaviour:
 * spec/compare.md. */
#ifndef COMPARE_GROUPS_H
#define COMPARE_GROUPS_H

#include "reference/ref.h"

/* ORDER component_problem */
enum component_problem {
	COMPONENT_SATISFIED,
	COMPONENT_MISSING,      /* "Missing CRs": some templates that must be matched are not */
	COMPONENT_ONE_REQUIRED, /* "One of the following is required" */
	COMPONENT_TOO_MANY,     /* "Should only match one but matched" */
	COMPONENT_FORBIDDEN,    /* "These should not have been matched" */
	/* "Not known": it could not be found out whether there are objects for these templates */
	COMPONENT_UNKNOWN,
	COMPONENT_PROBLEMS,
};

struct component_verdict {
	const struct ref_part *part;
	const struct ref_component *component;
	enum component_problem problem;
	const struct ref_template **templates; /* the templates that the problem is about */
	size_t n_templates;
	size_t n_missing; /* how many CRs count as missing */
};

/* The text of a problem; "" when the component is satisfied. */
const char *component_problem_text(enum component_problem p);

/* Judge one component, given which templates are matched (@matched[template->index]). The result's list lives in @a.
 * Fails: ENOMEM. */
CHECKED int component_judge(const struct ref_part *part, const struct ref_component *c, const bool *matched,
			    struct arena *a, struct component_verdict *ret, struct err *err);

/* Whether the problem of @c cannot be known because one of its templates is unknown (@unknown[template->index]),
 * that is may be matched or not. Returns 1, and the unknown templates in *ret, or 0. Fails: ENOMEM. */
CHECKED int component_why_unknown(const struct ref_part *part, const struct ref_component *c, const bool *unknown,
				  struct arena *a, struct component_verdict *ret, struct err *err);

#endif
