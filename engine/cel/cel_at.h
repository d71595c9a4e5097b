/* Where in an object a rule of a rule file applies: ".spec.containers[*].ports", ".data.*", "['a.b'].c"; empty for the
 * object.
 *
 * "[*]" walks the items of a list, ".*" the values of a map. Old values are followed through maps only: without a
 * schema nothing says which items of two lists belong together. */
#ifndef CEL_AT_H
#define CEL_AT_H

#include "base/err.h"
#include "cel/cel_where.h"

#define CEL_AT_STEPS 64

struct cel_at_step {
	bool items;  /* [*] */
	bool values; /* .* */
	str name;    /* else this member */
};

struct cel_at {
	struct cel_at_step steps[CEL_AT_STEPS];
	uint32_t n;
};

/* Views @path, which must outlive *ret. A first "." may be left out. Fails: EBADMSG, E2BIG (steps). */
CHECKED int cel_at_parse(str path, struct cel_at *ret, struct err *err);

/* Call @visit for each value of @object that is there, with the old value at the same place (VAL_ABSENT: not known) and
 * its path (valid during the call). A negative return of @visit ends the walk and is returned. Fails: ENOMEM. */
typedef int (*cel_at_visit)(void *ctx, val self, val old, const struct cel_where *path, struct err *err);
CHECKED int cel_at_walk(const struct cel_at *at, val object, val old, cel_at_visit visit, void *ctx, struct err *err);

#endif
