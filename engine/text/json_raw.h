/* JSON as raw text, checked and split as Go's encoding/json does it: values remain text until someone looks inside. */
#ifndef TEXT_JSON_RAW_H
#define TEXT_JSON_RAW_H

#include "base/arena.h"
#include "base/buf.h"

/* ORDER json_raw_kind */
enum json_raw_kind {
	JSON_RAW_NULL,
	JSON_RAW_BOOL,
	JSON_RAW_NUMBER,
	JSON_RAW_STRING,
	JSON_RAW_ARRAY,
	JSON_RAW_OBJECT,
	JSON_RAW_KINDS,
};

/* Check the whole of @s (one value, white space around it). Fails: EBADMSG with Go's text; E2BIG. */
CHECKED int json_raw_check(str s, uint32_t max_depth, struct err *err);

/* The functions below are for checked text only. */

str json_raw_trim(str s);                             /* @s without the white space around it */
enum json_raw_kind json_raw_kind(str s);              /* the kind of a trimmed text */
const char *json_raw_kind_name(enum json_raw_kind k); /* the name of a kind in Go's errors */
/* Walk the members of an object or the items of an array: start with *at = 0. False at the end. @key is the quoted
 * text. */
bool json_raw_next(str s, size_t *at, str *key, str *value);
/* The content of a quoted string, in @a; {NULL, 0} without memory. */
str json_raw_unquote(str s, struct arena *a);
/* Append @s without white space; with @html also with <, >, &, U+2028 and U+2029 escaped. */
void json_raw_compact(str s, bool html, struct buf *out);

#endif
