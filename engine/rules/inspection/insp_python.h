/* Values as Python sees them: their text, their truth, what is equal and what is less. */
#ifndef RULES_INSPECTION_PYTHON_H
#define RULES_INSPECTION_PYTHON_H

#include "rules/inspection/insp_work.h"

/* str(v) appended: texts as they are, all else as repr. Fails: E2BIG, ENOMEM. */
CHECKED int py_text(struct insp_work *w, val v, struct buf *out, struct err *err);
/* repr(v) appended; ascii(v) when @ascii. Fails likewise. */
CHECKED int py_repr(struct insp_work *w, val v, bool ascii, struct buf *out, struct err *err);
/* str(v) in w->arena, or the text of @v itself. Uses w->text. Fails likewise. */
CHECKED int py_text_of(struct insp_work *w, val v, str *ret, struct err *err);

/* bool(v): not null, not zero, not empty. */
bool py_true(val v);
/* The value as a number: booleans are 0 and 1. False: it is none. */
bool py_number(val v, val *ret);

/* a == b: numbers by their values, booleans are numbers. 1, 0, or fails: E2BIG. */
CHECKED int py_equal(struct insp_work *w, val a, val b, struct err *err);
/* Below, equal or above 0 in *ret: numbers, texts, and lists of them. Fails: EINVAL "cannot compare"; E2BIG. */
CHECKED int py_compare(struct insp_work *w, val a, val b, int *ret, struct err *err);

#endif
