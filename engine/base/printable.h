/* Makes foreign text safe for a terminal: nothing in it may move the cursor, change the order of what is read, or
 * hide. */
#ifndef BASE_PRINTABLE_H
#define BASE_PRINTABLE_H

#include "base/buf.h"

/* Append @s with escapes for everything but letters, marks, numbers, punctuation, symbols and the space: \x1b for
 * control characters and for bytes that are no UTF-8, \u202e and \U000e0001 for others. Each newline becomes
 * @newline. */
void printable_add(struct buf *out, str s, const char *newline);

/* Whether the byte @i of @s is inside an escape (\n, \x1b, \u202e, \U000e0001). */
bool printable_is_inside(str s, size_t i);
/* As utf8_cut, but never inside an escape. */
str printable_cut(str s, size_t max);

/* Append the JSON text @json with JSON escapes for the characters that printable_add escapes, so that its meaning
 * stays; newlines stay too. @yaml: the text is a double-quoted string of YAML, which has \U000e0001 where JSON has
 * two escapes. */
void printable_json_add(struct buf *out, str json, bool yaml);

#endif
