/* The objects of a live cluster that "driftd compare --last-applied" looks at. */
#ifndef DAEMON_COMPARE_APPLIED_LIVE_H
#define DAEMON_COMPARE_APPLIED_LIVE_H

#include "daemon/compare/input.h"
#include "daemon/live/live.h"

/* Read the objects of each of @kinds, and what definitions say about them. A kind looks like "Deployment.apps",
 * "Deployment.v1.apps" or "ConfigMap"; without a version it is read in the one that the server prefers. @namespace:
 * only objects in it; empty: all. A kind that the cluster does not have, refuses or does not list is a problem of
 * @in. Fails: EIO when nothing could be listed; ENOKEY and transport errors; ENOMEM. */
CHECKED int applied_live_load(struct live *l, const struct string_list *kinds, str namespace, struct compare_input *in,
			      struct err *err);

#endif
