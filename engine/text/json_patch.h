/* JSON merge patches (RFC 7386) and JSON patches (RFC 6902) on JSON texts, as evanphx/json-patch 5.9.11 (its v4 API)
 * applies them, with its error texts. Parts that no operation touches keep their text (numbers, key order) apart from
 * white space and HTML escaping; objects that an operation reaches into get sorted keys.
 *
 * Limits: object_bytes for each text, depth, arena_bytes. Fails: EBADMSG with the library's text; E2BIG; ENOMEM.
 * Where the library would panic the error is EINVAL. */
#ifndef TEXT_JSON_PATCH_H
#define TEXT_JSON_PATCH_H

#include "base/buf.h"
#include "base/limits.h"
#include "value/val.h"

/* Append the library's MergePatch(doc, patch). */
CHECKED int json_merge_patch(str doc, str patch, const struct limits *lim, struct buf *out, struct err *err);
/* Append the library's CreateMergePatch(from, to); numbers are doubles. */
CHECKED int json_create_merge_patch(str from, str to, const struct limits *lim, struct buf *out, struct err *err);
/* Check a patch with the library's DecodePatch alone. */
CHECKED int json_patch_check(str patch, const struct limits *lim, struct err *err);
/* Append the result of applying @patch to @doc. */
CHECKED int json_patch_apply(str patch, str doc, const struct limits *lim, struct buf *out, struct err *err);

/* The merge patch from one document to another: the values that differ, and null for each member to remove. @from
 * and @to are maps. VAL_ABSENT without memory. Shares values with @to. */
val json_merge_diff(struct arena *a, val from, val to);

/* Whether the merge patch from @from gives @to: a merge patch cannot put a null into a map. */
bool json_merge_expresses(val from, val to);
/* The JSON patch between two documents, which can put a null into a map: each member of the outermost map that
 * differs is added or removed as a whole. VAL_ABSENT without memory. Shares values with @to. */
val json_patch_members(struct arena *a, val from, val to);

#endif
