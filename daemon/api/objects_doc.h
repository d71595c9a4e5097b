/* The watched objects that a user of kubectl names by kind and name. */
#ifndef DAEMON_API_OBJECTS_DOC_H
#define DAEMON_API_OBJECTS_DOC_H

#include "daemon/serve/http_types.h"
#include "daemon/serve/metrics.h"

/* From the parameters kind and name, both due, namespace and cluster; each may stand once. */
struct object_query {
	str cluster, kind, namespace, name;
};

/* Append an ObjectList (docs/api.md): each object with who judges it and what is open against it, and, where there is
 * none, why it is not known. */
void objects_doc(const struct metrics_view *view, const struct object_query *q, struct buf *out);

#endif
