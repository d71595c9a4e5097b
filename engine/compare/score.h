/* Measures how much the two sides of a comparison differ, to choose between templates. spec/compare.md,
 * "Correlation". */
#ifndef COMPARE_SCORE_H
#define COMPARE_SCORE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "value/val.h"

/* Keeps the text of the live value, because mostly several expected values are compared with it. Zeroed but for the
 * limits at first. */
struct scorer {
	bool managed_fields;
	struct limits limits;
	struct buf live; /* the text that was printed of @of, */
	val of;          /* which is a value that outlives the scorer; VAL_ABSENT: nothing yet */
};
void scorer_done(struct scorer *s);

/* The score as kube-compare counts it: how many bytes the text difference of both sides deletes and inserts. @a is
 * for the printed texts. Fails: ENOMEM; as k8s_print and dmp_score. */
CHECKED int score_text(struct scorer *s, val expected, val actual, struct arena *a, size_t *ret, struct err *err);

/* A lower limit for score_text. It is computed from the differences only, without printing what both sides have. It
 * is 0 if nothing is known: for what may be printed differently, and where printing fails. Fails: ENOMEM. */
CHECKED int score_least(val expected, val actual, size_t *ret, struct err *err);

#endif
