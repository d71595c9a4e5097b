/* Writes the members of JSON objects one after the other, with a comma before all but the first. */
#ifndef VALUE_JSON_OUT_H
#define VALUE_JSON_OUT_H

#include "base/buf.h"

void json_key(struct buf *out, const char *name);
/* Begin a member that is an object or an array; @bracket: '{' or '['. @name NULL: begin the next element of an
 * array. */
void json_open(struct buf *out, const char *name, char bracket);
/* Write a text; nothing when @value is empty. */
void json_text(struct buf *out, const char *name, str value);
void json_number(struct buf *out, const char *name, uint64_t value);
void json_bool(struct buf *out, const char *name, bool value);
/* Write a Unix time as RFC 3339, in seconds and UTC; nothing when it is 0. */
void json_time(struct buf *out, const char *name, int64_t usec);
/* Write the next text of an array, or an array of the lines of a text; nothing when there are none. */
void json_item(struct buf *out, str value);
void json_lines(struct buf *out, const char *name, str lines);

#endif
