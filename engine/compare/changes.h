/* Finds the field-level differences between the rendered reference and the object. */
#ifndef COMPARE_CHANGES_H
#define COMPARE_CHANGES_H

#include "base/err.h"
#include "compare/change.h"
#include "mask/mask.h"

/* List the differences in path order, at the smallest place that differs: a member of a map, an item of a list.
 * Items of lists that have keys (topology/topology.h) are matched by their keys as list_pairs.h says, so that one
 * inserted item is one change; if only their order differs, the list itself is one change whose values are the lists
 * of keys. Other lists are matched by index. Numbers are equal if their values are exactly equal (1 and 1.0). If one
 * side is absent, everything on the other side is created or deleted, as one change at the root. Except for sorting
 * items by their keys, the time is linear in the size of both sides, whatever differs. @schema is that of the
 * objects (topo_root). @mask (may be NULL) says what else may not be shown. The result lives in @a; values are
 * shared with @expected and @actual. Fails: ENOMEM. */
CHECKED int changes_find(val expected, val actual, val schema, const struct mask_fields *mask, struct arena *a,
			 struct changes *ret, struct err *err);

/* Whether there is any difference; needs no memory. */
bool changes_any(val expected, val actual);

/* Count the bytes (val_bytes) of all values that changes_find would list with the same @schema. @a is for the walk.
 * Fails: ENOMEM. */
CHECKED int changes_weigh(val expected, val actual, val schema, struct arena *a, size_t *ret, struct err *err);

#endif
