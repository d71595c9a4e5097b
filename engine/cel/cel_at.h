/* The places in an object to which a rule of a rule file applies: ".spec.containers[*].ports", ".data.*", "['a.b'].c";
 * an empty path means the whole object.
 *
 * "[*]" walks the items of a list, ".*" the values of a map. Old values are followed through maps only: without a
 * schema nothing says which items of two lists belong together. */
#ifndef CEL_AT_H
#define CEL_AT_H

#include "base/err.h"
#include "cel/cel_where.h"

#define CEL_AT_STEPS 64

struct cel_at_step {
	bool items;  /* [*]: all items of a list */
	bool values; /* .*: all values of a map */
	str name;    /* otherwise the name of a member */
};

struct cel_at {
	struct cel_at_step steps[CEL_AT_STEPS];
	uint32_t n;
};

/* Parse @path, which must outlive *ret. A first "." may be left out. Fails: EBADMSG; E2BIG: too many steps. */
CHECKED int cel_at_parse(str path, struct cel_at *ret, struct err *err);

/* Call @visit for each existing value of @object, with the old value at the same place (VAL_ABSENT: unknown) and its
 * path (valid during the call). A negative return of @visit ends the walk and is returned. Fails: ENOMEM. */
typedef int (*cel_at_visit)(void *ctx, val self, val old, const struct cel_where *path, struct err *err);
CHECKED int cel_at_walk(const struct cel_at *at, val object, val old, cel_at_visit visit, void *ctx, struct err *err);

#endif
