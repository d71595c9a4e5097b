/* Who last wrote a field: read from metadata.managedFields (server-side apply's record of field managers).
 * https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management */
#ifndef COMPARE_BLAME_H
#define COMPARE_BLAME_H

#include "value/path.h"

/* Strings point into the managed fields; p NULL: unknown. */
struct blame {
	str manager;
	str operation;   /* "Apply" or "Update" */
	str subresource; /* may be empty */
	str time;        /* RFC 3339 */
};

/* Who wrote an entry of managedFields, as far as it says so. */
struct blame blame_from(val entry);

#define BLAME_STEPS 50000 /* for all fields of one object */

/* The entry that owns the field at @p of @object, the one with the longest matching path and, of these, the latest
 * time. A field that is gone has no owner: false
 * (compare/writers.h knows who may have removed it). @managed_fields is the decoded list. Lists of it are searched item
 * by item: each takes from *steps, and without any left nobody is known to own the field. */
bool blame_field(val managed_fields, val object, struct path p, uint64_t *steps, struct blame *ret);

/* Whether one of the owners of the field at @p is a manager that @is names: of several the entries with the longest
 * matching path, whenever they wrote. */
bool blame_owned_by(val managed_fields, val object, struct path p, uint64_t *steps,
		    bool (*is)(const void *ctx, str manager), const void *ctx);

/* Whether the members of the map at @p have owners each: to the server that keeps the record it is not one value. */
bool blame_by_member(val managed_fields, val object, struct path p, uint64_t *steps);

#endif
