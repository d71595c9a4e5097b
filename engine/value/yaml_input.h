/* The bytes under the YAML scanner: UTF-8 that has been checked, with zero bytes behind it.
 *
 * YAML allows a subset of Unicode, and no zero byte, so a zero byte always means that the text ends here. */
#ifndef VALUE_YAML_INPUT_H
#define VALUE_YAML_INPUT_H

#include "base/arena.h"
#include "base/err.h"

#define YAML_INPUT_PAD 16 /* zero bytes behind the text, so that the scanner can look ahead without checks */

struct yaml_input {
	const char *text; /* @n bytes and the padding, in the arena */
	size_t n;
	bool ascii;          /* the text has no bytes above 127 */
	const char *problem; /* the mistake at the end of the text, or NULL when the text is whole */
	size_t mark_until;   /* see yaml_input_load */
};

/* Copy @raw into @a as UTF-8 (a byte order mark chooses UTF-16) and check it. A text that is broken somewhere is cut
 * before the block of 512 bytes that holds the mistake, and the problem is set: the original reads in such blocks, so a
 * syntax error before that place is reported instead of the mistake.
 * A second byte order mark right behind the first puts the original into a state in which it drops the first character
 * of each line until the next block; mark_until is where that ends, 0 for every ordinary text.
 * Fails: ENOMEM. */
CHECKED int yaml_input_load(struct yaml_input *in, str raw, struct arena *a, struct err *err);

#endif
