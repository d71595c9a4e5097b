/* Sorts in slices: by any number of calls, each of which takes a bounded time. */
#ifndef BASE_SLICE_SORT_H
#define BASE_SLICE_SORT_H

#include "base/defs.h"

struct slice_sort {
	unsigned char *from, *to; /* the array with sorted runs, and the array that they are merged to */
	void *made;               /* which of the two arrays the sort has allocated */
	size_t n, size;           /* number of elements, bytes of each */
	size_t run, at;           /* elements in a run (0: there are no runs yet), and elements that are done */
	int (*compare)(const void *a, const void *b);
};

/* The number of elements that one step handles at least. */
#define SLICE_SORT_STEP 512

/* Begin to sort the @n elements of @size bytes at @p. Nobody may move or free any of them until slice_sort_done. It
 * is a merge sort: it is stable, and takes as much memory again. False without memory. */
CHECKED bool slice_sort_begin(struct slice_sort *s, void *p, size_t n, size_t size,
			      int (*compare)(const void *a, const void *b));
/* Do one step. True: there is more to do; false: the elements are sorted, at their old place. */
bool slice_sort_step(struct slice_sort *s);
/* Release the sort. Call it after each slice_sort_begin; it does nothing to a zeroed sort. When it is called too
 * early the elements are in no order, and some may be missing. */
void slice_sort_done(struct slice_sort *s);

#endif
