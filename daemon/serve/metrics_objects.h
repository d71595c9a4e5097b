/* A series for each object that drifts, for who asks for it: the only family whose labels come from clusters. */
#ifndef DAEMON_SERVE_METRICS_OBJECTS_H
#define DAEMON_SERVE_METRICS_OBJECTS_H

#include "daemon/findings/findings.h"
#include "daemon/serve/exposition.h"

/* The worst come first, and of those the oldest: at most @limit. Adds to *dropped how many are left out. */
void metrics_objects(struct exposition *e, struct findings *f, const struct cfg *cfg, unsigned limit,
		     uint64_t *dropped);

#endif
