/* Sorts short runs at once, and then merges two neighbouring runs into one, from one array into the other and back. */
#include "base/slice_sort.h"

#include "base/assert.h"

#include <stdlib.h>
#include <string.h>

bool slice_sort_begin(struct slice_sort *s, void *p, size_t n, size_t size,
		      int (*compare)(const void *a, const void *b))
{
	ASSERT(size > 0 && compare);
	*s = (struct slice_sort){ .from = p, .n = n, .size = size, .compare = compare };
	if (n > SLICE_SORT_STEP) {
		s->made = calloc(n, size);
		s->to = s->made;
	}
	return n <= SLICE_SORT_STEP || s->made;
}

void slice_sort_done(struct slice_sort *s)
{
	free(s->made);
	*s = (struct slice_sort){ 0 };
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static unsigned char *element(const struct slice_sort *s, unsigned char *p, size_t i)
{
	return p + i * s->size;
}

/* Sort the run that begins at @at. */
static void make_run(struct slice_sort *s)
{
	size_t n = least(SLICE_SORT_STEP, s->n - s->at);

	qsort(element(s, s->from, s->at), n, s->size, s->compare);
	s->at += n;
}

/* ---- merging ---- */

/* How many of the first @k elements of two runs together, which are @a and @b long, come from the first run. */
static size_t split(const struct slice_sort *s, unsigned char *p, size_t a, size_t b, size_t k)
{
	size_t low = k > b ? k - b : 0, high = least(a, k);

	while (low < high) {
		size_t i = low + (high - low) / 2, j = k - i;

		/* Equal elements keep their order: those of the first run come first. */
		if (s->compare(element(s, p, i), element(s, p, a + j - 1)) <= 0)
			low = i + 1;
		else
			high = i;
	}
	return low;
}

/* Merge some elements of the pair of runs in which @at is. */
static void merge_some(struct slice_sort *s)
{
	size_t begin = s->at / (2 * s->run) * (2 * s->run), k = s->at - begin;
	size_t a = least(s->run, s->n - begin), b = least(s->run, s->n - begin - a);
	size_t end = least(k + SLICE_SORT_STEP, a + b);
	unsigned char *p = element(s, s->from, begin), *out = element(s, s->to, s->at);
	size_t i = split(s, p, a, b, k), j = k - i;

	for (; k < end; k++, out += s->size) {
		bool first = i < a && (j == b || s->compare(element(s, p, i), element(s, p, a + j)) <= 0);

		memcpy(out, first ? element(s, p, i++) : element(s, p, a + j++), s->size);
	}
	s->at = begin + end;
}

static void begin_pass(struct slice_sort *s, size_t run)
{
	s->run = run;
	s->at = 0;
}

/* End a pass, after which all runs are twice as long. */
static void end_pass(struct slice_sort *s)
{
	unsigned char *was = s->from;

	s->from = s->to;
	s->to = was;
	begin_pass(s, s->run * 2);
}

/* Copy the elements back to their old place. */
static bool copy_back(struct slice_sort *s)
{
	size_t n = least(16 * SLICE_SORT_STEP, s->n - s->at);

	memcpy(element(s, s->to, s->at), element(s, s->from, s->at), n * s->size);
	s->at += n;
	return s->at < s->n;
}

bool slice_sort_step(struct slice_sort *s)
{
	if (s->run >= s->n)
		return s->from == s->made && s->at < s->n && copy_back(s);
	if (!s->run) {
		make_run(s);
		if (s->at == s->n)
			begin_pass(s, SLICE_SORT_STEP);
	} else {
		merge_some(s);
		if (s->at == s->n)
			end_pass(s);
	}
	return s->run < s->n || s->from == s->made;
}
