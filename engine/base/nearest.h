/* What was meant by a word that nothing knows, for messages. */
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H

#include "base/str.h"

/* The nearest of the words that were offered. Begin with { 0 }. */
struct nearest {
	str word; /* {NULL, 0}: none is near */
	size_t distance;
	char hint[64];
};

/* @known is a word that there is. Near are those of at most 32 bytes that two letters more, less or other make of
 * @given. The first of equally near ones is kept, and must live as long as @x. */
void nearest_offer(struct nearest *x, str given, str known);
/* "; did you mean 'word'?", or nothing; lives in @x. */
const char *nearest_hint(struct nearest *x);

#endif
