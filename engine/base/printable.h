/* Text of others on a terminal: nothing in it may move the cursor, change the order of what is read, or hide. */
#ifndef BASE_PRINTABLE_H
#define BASE_PRINTABLE_H

#include "base/buf.h"

/* Append @s with everything but letters, marks, numbers, punctuation, symbols and the space escaped: \x1b for control
 * characters and for bytes that are no UTF-8, \u202e and \U000e0001 for the others. Each newline becomes @newline. */
void printable_add(struct buf *out, str s, const char *newline);

/* Whether an escape (\n, \x1b, \u202e, \U000e0001) of @s goes on at @i. */
bool printable_is_inside(str s, size_t i);
/* As utf8_cut, and within no escape. */
str printable_cut(str s, size_t max);

/* Append @json, a JSON text, with escapes of JSON for the same, which mean what was there; newlines stay. @yaml: one of
 * YAML's double-quoted strings, which has \U000e0001 where JSON has two escapes. */
void printable_json_add(struct buf *out, str json, bool yaml);

#endif
