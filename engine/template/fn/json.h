/* JSON as Go's encoding/json reads it. */
#ifndef TEMPLATE_FN_JSON_H
#define TEMPLATE_FN_JSON_H

#include "template/fn/fn.h"

/* json.Unmarshal into an interface {}: a tree in the arena in which every number is a double. An error of Go is a
 * result: *error is its text (in the arena, NUL-terminated), or {NULL, 0}. After a syntax error *ret is VAL_ABSENT;
 * a number out of range is null in the tree that remains. Negative when the call failed. */
CHECKED int fn_json_decode(struct tmpl_call *c, str text, val *ret, str *error);

#endif
