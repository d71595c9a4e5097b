/* The objects of a live cluster for "driftd compare". */
#ifndef DAEMON_COMPARE_LIVE_H
#define DAEMON_COMPARE_LIVE_H

#include "daemon/compare/input.h"
#include "daemon/live/live.h"
#include "reference/ref.h"

/* live_open; warnings are lines of klog. */
CHECKED int compare_live_open(const struct compare_options *o, const struct limits *limits, struct key_table *keys,
			      struct live **ret, struct err *err);

/* live_list into @in, whose problem it is when an object cannot be read. */
CHECKED int compare_live_list(struct live *l, str api_version, str kind, str namespace, struct compare_input *in,
			      struct err *err);

/* List every kind that @ref has templates for, in each version that the cluster serves, whatever version the templates
 * name: an object is correlated by its kind alone where a template does not fix more. Kinds that the cluster does not
 * know are warned about. A kind that the cluster refuses to list is a problem of @in, and the others are listed.
 * Fails: ENOENT when none is known; ENOKEY and transport errors; ENOMEM. */
CHECKED int compare_live_load(struct live *l, const struct reference *ref, struct compare_input *in, struct err *err);

#endif
