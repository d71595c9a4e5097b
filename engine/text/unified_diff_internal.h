/* The stages of a unified diff: number the lines, find which lines changed, slide the marks, print. */
#ifndef TEXT_UNIFIED_DIFF_INTERNAL_H
#define TEXT_UNIFIED_DIFF_INTERNAL_H

#include "text/unified_diff.h"

#define DIFF_CONTEXT 3

/* One of the two texts. Line i consists of the bytes from start[i] to start[i + 1]. */
struct diff_side {
	str text;
	size_t n;
	size_t *start;  /* n + 1 offsets */
	uint32_t *line; /* equal numbers for equal lines of both texts; below diff_pair.classes */
	char *changed_; /* n + 2 bytes: a zero on both sides */
	char *changed;  /* changed_ + 1; nonzero for a line that is not common */
};

struct diff_pair {
	struct diff_side side[2];
	uint32_t classes;
	size_t prefix; /* common lines at the start that take no part in the search */
	size_t suffix;
	uint64_t steps; /* the most steps of the search */
};

/* Mark the lines that are not common. */
int diff_mark_changes(struct diff_pair *d, struct err *err);
/* Slide runs of marks to where GNU diff shows them. */
void diff_shift_marks(struct diff_pair *d);
void diff_print(const struct diff_pair *d, struct buf *out);

#endif
