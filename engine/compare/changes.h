/* The field-level differences between the rendered reference and the object. */
#ifndef COMPARE_CHANGES_H
#define COMPARE_CHANGES_H

#include "base/err.h"
#include "compare/change.h"
#include "mask/mask.h"

/* The differences in path order, at the smallest place that differs: a member of a map, an item of a list. Items of
 * lists that have keys (topology/topology.h) are matched by these as list_pairs.h says, so that one inserted item is
 * one change; if only their order differs, the list itself is one change whose values are the lists of keys. Other
 * lists are matched by index. Numbers are equal by value (1 and 1.0), exactly. An absent side counts as nothing:
 * everything of the other is created or deleted, at its root. Time is linear in the size of both, but for sorting items
 * by their keys, whatever differs. @schema: of the objects (topo_root). @mask (may be NULL): what may not be shown
 * besides the usual. The result lives in @a; values are shared with @expected and @actual. Fails: ENOMEM. */
CHECKED int changes_find(val expected, val actual, val schema, const struct mask_fields *mask, struct arena *a,
			 struct changes *ret, struct err *err);

/* Whether there is any difference; needs no memory. */
bool changes_any(val expected, val actual);

/* The bytes of all that differs (val_bytes), in *ret: of what changes_find would list with the same @schema. @a is for
 * the walk. Fails: ENOMEM. */
CHECKED int changes_weigh(val expected, val actual, val schema, struct arena *a, size_t *ret, struct err *err);

#endif
