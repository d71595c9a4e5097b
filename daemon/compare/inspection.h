/* Inspection rules of "driftd compare": the files of "--inspection-rules", and what they find. Each object is inspected
 * as the daemon does when it sees the object for the first time; calls are never made, and what rules log goes to
 * standard error. A build without inspection has none of this (HAS_INSPECTION).
 *
 *   compare_inspection_add     compare_inspect()                compare_inspected()
 *   all objects are known ---> early --> preprocess ---> what is compared ---> main */
#ifndef DAEMON_COMPARE_INSPECTION_H
#define DAEMON_COMPARE_INSPECTION_H

#include "daemon/compare/input.h"
#include "daemon/compare/options.h"
#include "report/report.h"

struct compare_inspection;

/* Read the rules that @o names. @limits are those of the input. *mistakes: those in the files, a line each, for the
 * caller to free; NULL: there are none. Fails: EINVAL, ENOMEM. */
CHECKED int compare_inspection_load(const struct compare_options *o, const struct limits *limits,
				    struct key_table *keys, struct compare_inspection **ret, char **mistakes,
				    struct err *err);
void compare_inspection_free(struct compare_inspection *x);

/* Add all objects of @in, which outlives it: rules may look at the dependents of each. Fails: ENOMEM. */
CHECKED int compare_inspection_add(struct compare_inspection *x, const struct compare_input *in, struct err *err);

/* The templates that may be for an object. */
struct compare_candidates {
	size_t n;                        /* 0: the reference is not for it */
	const struct ref_template *only; /* the template, if there is only one; else NULL */
	const struct reference *of;      /* NULL: manifests have none */
};

/* One object at a time. Run the phases before the comparison: *ret, valid until the end, is the object as it is
 * compared, which is @object itself unless a rule has edited it. @name: of the object in the report, which it outlives.
 * Fails: ENOMEM. */
CHECKED int compare_inspect(struct compare_inspection *x, val object, str name, const struct compare_candidates *c,
			    val *ret, struct err *err);
/* Run the last phase and note what was found. @v: a zeroed one where nothing was compared. NULL: the verdict is
 * unknown, and nothing is noted. Fails: ENOMEM. */
CHECKED int compare_inspected(struct compare_inspection *x, const struct verdict *v, struct err *err);

/* Put what was found so far into @rep, in the order of the inspections. It lives as long as @x. */
void compare_inspection_report(const struct compare_inspection *x, struct report *rep);

#endif
