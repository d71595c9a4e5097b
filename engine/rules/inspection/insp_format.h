/* Python's mini-language of formats: [[fill]align][sign][z][#][0][width][grouping][.precision][type]. */
#ifndef RULES_INSPECTION_FORMAT_H
#define RULES_INSPECTION_FORMAT_H

#include "rules/inspection/insp_work.h"

#define INSP_WIDTH_MAX 65536 /* the largest width or precision */

/* Append format(v, spec); @spec is not empty. *ok is false, and nothing is appended, when @spec is no format, or
 * none for @v. Fails: E2BIG, ENOMEM. */
CHECKED int insp_format(struct insp_work *w, val v, str spec, struct buf *out, bool *ok, struct err *err);

#endif
