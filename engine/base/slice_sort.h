/* Sorting in slices: what is in no order is sorted by as many calls as one likes, each of which takes a bounded time.
 */
#ifndef BASE_SLICE_SORT_H
#define BASE_SLICE_SORT_H

#include "base/defs.h"

struct slice_sort {
	unsigned char *from, *to; /* runs of it are in order; where they are merged to */
	void *made;               /* which of the two is its own */
	size_t n, size;           /* elements, bytes of each */
	size_t run, at;           /* elements in a run, 0: none is made; those that are done */
	int (*compare)(const void *a, const void *b);
};

/* The number of elements that one step handles, at least. */
#define SLICE_SORT_STEP 512

/* Sorts the @n elements at @p, of @size bytes, of which nothing moves or goes until it is over. A merge sort: stable,
 * and it takes as much memory once more. False without memory. */
CHECKED bool slice_sort_begin(struct slice_sort *s, void *p, size_t n, size_t size,
			      int (*compare)(const void *a, const void *b));
/* One step. True: there is more to do; false: the elements are in order, where they were. */
bool slice_sort_step(struct slice_sort *s);
/* Due once it was begun; zeroed, nothing. Before it is over the elements are in no order, and some may be missing. */
void slice_sort_done(struct slice_sort *s);

#endif
