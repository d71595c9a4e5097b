/* Why one reference says of an object what it says. */
#ifndef DAEMON_API_EXPLAIN_DOC_H
#define DAEMON_API_EXPLAIN_DOC_H

#include "daemon/watch/cluster/cluster.h"

/* Append an Explanation (docs/api.md) of @o by the reference of cluster_judges()[@judge]. It holds places, names and
 * scores, and what templates say, which may quote values: for who is trusted. Fails: ENOMEM. */
CHECKED int explain_doc(struct cluster *c, size_t judge, const struct object *o, struct buf *out, struct err *err);

#endif
