/* Computes Levenshtein's distance, as far as it matters. */
#include "base/nearest.h"

#include <stdio.h>

#define WORD_MAX 32
#define NEAR_MAX 2

/* The number of letters to change, add or drop to turn one text into the other. */
static size_t distance(str a, str b)
{
	size_t row[WORD_MAX + 1];

	if (a.n > WORD_MAX || b.n > WORD_MAX)
		return SIZE_MAX;
	for (size_t j = 0; j <= b.n; j++)
		row[j] = j;
	for (size_t i = 1; i <= a.n; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= b.n; j++) {
			size_t change = diagonal + (a.p[i - 1] != b.p[j - 1]);
			size_t best = row[j] + 1 < row[j - 1] + 1 ? row[j] + 1 : row[j - 1] + 1;

			diagonal = row[j];
			row[j] = best < change ? best : change;
		}
	}
	return row[b.n];
}

void nearest_offer(struct nearest *x, str given, str known)
{
	size_t d = distance(given, known);

	if (d <= NEAR_MAX && (!x->word.p || d < x->distance)) {
		x->word = known;
		x->distance = d;
	}
}

const char *nearest_hint(struct nearest *x)
{
	if (!x->word.p)
		return "";
	(void)snprintf(x->hint, sizeof(x->hint), "; did you mean '%.*s'?", STR_ARG(x->word));
	return x->hint;
}
