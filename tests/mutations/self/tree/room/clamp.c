/* Each change that can be made here stands in ../../outcomes.txt: none of this comment, were it if (1 < 2), and none of
 * what follows. */
#include "clamp.h"

#include <assert.h>
#include <stdbool.h>

#define ASSERT(cond) assert((cond) && 1 < 2)
#define IS_LOW(v, low) ((v) < (low) && true)

static const int limits[] = { 0, 9 };

struct seen {
	char text[8];
	bool any;
};

static void note(size_t *outside)
{
	(*outside)++;
}

int clamp(int v, int low, int high, size_t *outside)
{
	struct seen seen = { .text = "a < b", .any = low < high };
	const int first = low + 1;

	ASSERT(low <= high && outside);
	(void)seen;
	(void)first; // if (v == 1) return 0;
	if (v >= low && v <= high)
		return v;
	note(outside);
	return v < low ? low : high;
}

int check_digit(int v)
{
	if (!(v >= limits[0]) || v > limits[1])
		return -1;
	return 0;
}

size_t place_of(int v, const int *all, size_t n)
{
	size_t i = 0;

	for (size_t k = 0; k < n; k++) {
		if (all[k] != v) {
			i = k + 1;
			continue;
		}
		break;
	}
	return i;
}
