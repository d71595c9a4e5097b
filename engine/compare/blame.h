/* Who last wrote a field: read from metadata.managedFields (server-side apply's record of field managers).
 * https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management */
#ifndef COMPARE_BLAME_H
#define COMPARE_BLAME_H

#include "value/path.h"

/* Who wrote a field. The texts point into the managed fields; p NULL: unknown. */
struct blame {
	str manager;
	str operation;   /* "Apply" or "Update" */
	str subresource; /* may be empty */
	str time;        /* RFC 3339 */
};

/* Who wrote an entry of managedFields, as far as the entry says so. */
struct blame blame_from(val entry);

#define BLAME_STEPS 50000 /* for all fields of one object */

/* The entry that owns the field at @p of @object: the one with the longest matching path and, among equal ones, the
 * latest time. A field that is gone has no owner: false (compare/writers.h finds out who may have removed it).
 * @managed_fields is the decoded list. Lists in it are searched item by item. Each item takes from *steps, and when
 * none are left, no owner is found. */
bool blame_field(val managed_fields, val object, struct path p, uint64_t *steps, struct blame *ret);

/* Whether @is accepts one of the owners of the field at @p: the managers of all entries with the longest matching
 * path, whenever they wrote. */
bool blame_owned_by(val managed_fields, val object, struct path p, uint64_t *steps,
		    bool (*is)(const void *ctx, str manager), const void *ctx);

/* Whether managedFields has an owner for each member of the map at @p, so that the API server does not treat the map
 * as one value. */
bool blame_by_member(val managed_fields, val object, struct path p, uint64_t *steps);

#endif
