/* How much the two sides of a comparison differ, for choosing between templates. spec/compare.md, "Correlation". */
#ifndef COMPARE_SCORE_H
#define COMPARE_SCORE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "value/val.h"

/* Scores of several expected values against one live one, mostly: what was printed of that is kept. Zeroed but for the
 * limits at first. */
struct scorer {
	bool managed_fields;
	struct limits limits;
	struct buf live; /* what was printed of @of, */
	val of;          /* a value that outlives the scorer; VAL_ABSENT: nothing yet */
};
void scorer_done(struct scorer *s);

/* As kube-compare counts it: the bytes that its text difference of both deletes and inserts. @a is for what is printed.
 * Fails: ENOMEM; as k8s_print and dmp_score. */
CHECKED int score_text(struct scorer *s, val expected, val actual, struct arena *a, size_t *ret, struct err *err);

/* A number that score_text is never below, from what differs alone: it prints nothing that both have. 0 where nothing
 * can be said: of what may be printed otherwise than it is, and where printing fails. Fails: ENOMEM. */
CHECKED int score_least(val expected, val actual, size_t *ret, struct err *err);

#endif
