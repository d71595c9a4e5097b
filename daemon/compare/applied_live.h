/* The objects of a live cluster that "driftd compare --last-applied" looks at. */
#ifndef DAEMON_COMPARE_APPLIED_LIVE_H
#define DAEMON_COMPARE_APPLIED_LIVE_H

#include "daemon/compare/input.h"
#include "daemon/live/live.h"

/* Take in the objects of each of @kinds: "Deployment.apps", "Deployment.v1.apps", "ConfigMap"; without a version in
 * the one that the server prefers. @namespace: only those in it; empty: all. And what definitions say of them. What the
 * cluster does not have, refuses or does not list is a problem of @in. Fails: EIO when nothing could be listed; ENOKEY
 * and transport errors; ENOMEM. */
CHECKED int applied_live_load(struct live *l, const struct string_list *kinds, str namespace, struct compare_input *in,
			      struct err *err);

#endif
