/* Members of JSON objects, written one after the other: a comma goes before all but the first. */
#ifndef VALUE_JSON_OUT_H
#define VALUE_JSON_OUT_H

#include "base/buf.h"

void json_key(struct buf *out, const char *name);
/* The beginning of a member, an object or an array: '{' or '['. @name NULL: of the next element of an array. */
void json_open(struct buf *out, const char *name, char bracket);
/* Nothing when @value is empty. */
void json_text(struct buf *out, const char *name, str value);
void json_number(struct buf *out, const char *name, uint64_t value);
void json_bool(struct buf *out, const char *name, bool value);
/* Unix time as RFC 3339, in seconds and UTC; nothing when it is 0. */
void json_time(struct buf *out, const char *name, int64_t usec);
/* The next text of an array, and an array of the lines of a text; nothing when there are none. */
void json_item(struct buf *out, str value);
void json_lines(struct buf *out, const char *name, str lines);

#endif
