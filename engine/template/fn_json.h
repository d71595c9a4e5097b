/* JSON as Go's encoding/json reads it. */
#ifndef TEMPLATE_FN_JSON_H
#define TEMPLATE_FN_JSON_H

#include "template/fn.h"

/* json.Unmarshal into an interface {}: 0 with a tree in the arena in which every number is a double; 1 with Go's error appended to
 * @why (*ret is then what Unmarshal leaves: null after a syntax error, the tree with null for the number after a number out of
 * range); negative when the call failed. */
CHECKED int go_json_decode(struct tmpl_call *c, str text, val *ret, struct buf *why);
/* The same with the error as a result: *error is its text in the arena, NUL-terminated, or {NULL, 0}; *ret is VAL_ABSENT after a
 * syntax error. */
CHECKED int fn_json_decode(struct tmpl_call *c, str text, val *ret, str *error);

#endif
