/* Finds the word that was probably meant by an unknown one, for messages. */
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H

#include "base/str.h"

/* The nearest of the words that were offered. Begin with { 0 }. */
struct nearest {
	str word; /* {NULL, 0}: no word is near */
	size_t distance;
	char hint[64];
};

/* Offer the known word @known. A word of at most 32 bytes is near @given when it differs from it by two letters
 * more, less or changed. The first of equally near words is kept; it must live as long as @x. */
void nearest_offer(struct nearest *x, str given, str known);
/* "; did you mean 'word'?", or an empty text; it lives in @x. */
const char *nearest_hint(struct nearest *x);

#endif
