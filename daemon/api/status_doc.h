/* How driftd and what it watches are (docs/api.md): no object, no value. */
#ifndef DAEMON_API_STATUS_DOC_H
#define DAEMON_API_STATUS_DOC_H

#include "daemon/serve/metrics.h"

/* Append the status as one JSON document. */
void status_doc(const struct metrics_view *view, struct buf *out);

/* Append the members "complete" and, when it is false, "unknown": clusters of which "nothing is wrong" says little,
 * each with what it waits for, or "nothing": why nothing is watched at all. @known: what was asked for is. */
void completeness_doc(const struct metrics_view *view, bool known, struct buf *out);

#endif
