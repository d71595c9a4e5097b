/* metadata.managedFields: who wrote which field last, by comparing the object before and after a write. */
#ifndef APISIM_MANAGED_FIELDS_H
#define APISIM_MANAGED_FIELDS_H

#include "base/defs.h"

#include <jansson.h>

struct field_write {
	const char *manager;
	const char *api_version;
	const char *subresource; /* NULL: none */
	const char *time;        /* RFC 3339 */
	bool custom;             /* a custom resource: spec and status are maps of their own ("." is owned) */
};

/* Sets @now's metadata.managedFields from those of @old (NULL for a create) and what differs between the two. Fields
 * that changed go to this writer, fields that are gone leave everybody's set. False without memory. */
CHECKED bool managed_fields_update(json_t *now, json_t *old, const struct field_write *w);

#endif
