/* Treats values as Python does: their text, their truth, and whether they are equal or less. */
#ifndef RULES_INSPECTION_PYTHON_H
#define RULES_INSPECTION_PYTHON_H

#include "rules/inspection/insp_work.h"

/* Append str(v): texts as they are, all else as repr. Fails: E2BIG, ENOMEM. */
CHECKED int py_text(struct insp_work *w, val v, struct buf *out, struct err *err);
/* Append repr(v), or ascii(v) when @ascii. Fails: E2BIG, ENOMEM. */
CHECKED int py_repr(struct insp_work *w, val v, bool ascii, struct buf *out, struct err *err);
/* Make str(v) in w->arena, or return the text of @v itself. Uses w->text. Fails: E2BIG, ENOMEM. */
CHECKED int py_text_of(struct insp_work *w, val v, str *ret, struct err *err);

/* Whether bool(v) is true: @v is not null, not zero and not empty. */
bool py_true(val v);
/* The value as a number; booleans are 0 and 1. False: it is not a number. */
bool py_number(val v, val *ret);

/* Whether a == b: 1 or 0. Numbers are compared by their values, and booleans are numbers. Fails: E2BIG. */
CHECKED int py_equal(struct insp_work *w, val a, val b, struct err *err);
/* Compare numbers, texts, and lists of them. *ret is below, equal to or above 0. Fails: EINVAL "cannot compare";
 * E2BIG. */
CHECKED int py_compare(struct insp_work *w, val a, val b, int *ret, struct err *err);

#endif
