/* Splits field paths of reference files ("spec.template.\"a.b\"") into their parts, as kube-compare does: a leading
 * dot is dropped, and the rest is one record of Go's encoding/csv with '.' as separator, so quotes are doubled
 * inside quotes. */
#ifndef TEXT_PATH_TO_LIST_H
#define TEXT_PATH_TO_LIST_H

#include "base/arena.h"
#include "base/err.h"

/* Put the parts into an array of *n in @a. Fails: EBADMSG with Go's text behind "failed to parse path: "; ENOMEM. */
CHECKED int path_to_list(str path, struct arena *a, str **ret, size_t *n, struct err *err);

#endif
