/* The objects of a live cluster that manifests are about. */
#ifndef DAEMON_COMPARE_MANIFEST_LIVE_H
#define DAEMON_COMPARE_MANIFEST_LIVE_H

#include "daemon/compare/manifests.h"
#include "daemon/live/live.h"

/* Read the objects of each kind that @m has, and the definitions of custom resources: all objects of a kind with one
 * request or, where that is refused, one by one. What the cluster refuses, or does not list, is a problem of @in and
 * unknown in in->known. Fails: EIO when nothing could be listed; ENOKEY and transport errors; ENOMEM. */
CHECKED int manifest_live_load(struct live *l, const struct compare_manifests *m, struct compare_input *in,
			       struct err *err);

#endif
