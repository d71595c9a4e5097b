/* The steps between rendering a template and comparing the result. */
#ifndef COMPARE_STEPS_H
#define COMPARE_STEPS_H

#include "reference/ref.h"

/* Merge @rendered into @live as a JSON merge patch, so that what the reference does not mention stays as it is in
 * the cluster. The result lives in @a and shares with both. Fails: ENOMEM, E2BIG. */
CHECKED int step_merge(val live, val rendered, const struct limits *limits, struct arena *a, val *ret, struct err *err);

/* What step_merge does to the object, without doing it. ORDER: what is certain of a part of it counts for all of it. */
enum step_effect {
	STEP_NO_CHANGE,
	STEP_UNKNOWN,
	STEP_ADDS,    /* the object gets something that it does not have; omitting fields may remove it again */
	STEP_CHANGES, /* a value of the object changes, or is removed */
};

/* The effect of step_merge on @live, from which the fields to omit are omitted. STEP_CHANGES and STEP_NO_CHANGE are
 * certain, whatever is omitted from the result. Needs no memory. */
enum step_effect step_merge_effect(val live, val rendered, const struct limits *limits);

struct step_trace {
	void (*line)(void *ctx, const char *text); /* may be NULL */
	void *ctx;
	bool values; /* values of the object may be shown */
};

/* Replace the template's fields that have functions of their own with what these make of the live values. Fails:
 * EINVAL with the complete text in @message; ENOMEM, E2BIG. */
CHECKED int step_inline(const struct ref_template *t, val rendered, val live, const struct limits *limits,
			const struct step_trace *trace, struct arena *a, val *ret, struct buf *message,
			struct err *err);

#endif
