/* The field-level differences between the rendered reference and the object. */
#ifndef COMPARE_CHANGES_H
#define COMPARE_CHANGES_H

#include "base/err.h"
#include "compare/change.h"
#include "mask/mask.h"

/* The differences in path order, at the smallest place that differs: a member of a map, an item of a list. Lists in
 * which every item is a map with a "name" of its own are matched by name, so that one inserted item is one change; if
 * only their order differs, the list itself is one change whose values are the lists of names. Other lists are matched
 * by index. Numbers are equal by value (1 and 1.0), exactly. An absent side counts as nothing: everything of the other
 * is created or deleted, at its root. Time is linear in the size of both, whatever differs. @mask (may be NULL): what
 * may not be shown besides the usual. The result lives in @a; values are shared with @expected and @actual. Fails:
 * ENOMEM. */
CHECKED int changes_find(val expected, val actual, const struct mask_fields *mask, struct arena *a, struct changes *ret,
			 struct err *err);

/* Whether there is any difference; needs no memory. */
bool changes_any(val expected, val actual);

/* The bytes of all that differs (val_bytes), in *ret. @a is for the walk. Fails: ENOMEM. */
CHECKED int changes_weigh(val expected, val actual, struct arena *a, size_t *ret, struct err *err);

#endif
