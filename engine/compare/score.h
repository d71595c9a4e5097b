/* How much the two sides of a comparison differ, for choosing between templates. spec/compare.md, "Correlation". */
#ifndef COMPARE_SCORE_H
#define COMPARE_SCORE_H

#include "base/arena.h"
#include "base/limits.h"
#include "value/val.h"

/* As kube-compare counts it: the bytes that its text difference of both deletes and inserts. @a is for what is printed.
 * Fails: ENOMEM; as k8s_print and dmp_score. */
CHECKED int score_text(val expected, val actual, bool managed_fields, const struct limits *limits, struct arena *a,
		       size_t *ret, struct err *err);

/* A number that score_text is never below, from what differs alone: it prints nothing that both have. 0 where nothing
 * can be said: of what may be printed otherwise than it is, and where printing fails. Fails: ENOMEM. */
CHECKED int score_least(val expected, val actual, size_t *ret, struct err *err);

#endif
