/* The objects of a live cluster for "driftd compare". */
#ifndef DAEMON_COMPARE_LIVE_H
#define DAEMON_COMPARE_LIVE_H

#include "daemon/compare/input.h"
#include "daemon/live/live.h"
#include "reference/ref.h"

/* Connect with live_open; warnings are lines of klog. */
CHECKED int compare_live_open(const struct compare_options *o, const struct limits *limits, struct key_table *keys,
			      struct live **ret, struct err *err);

/* List into @in with live_list; an object that cannot be read is a problem of @in. */
CHECKED int compare_live_list(struct live *l, const struct live_collection *what, struct compare_input *in,
			      struct err *err);

/* Read the objects that @ref has templates for, and those that its templates look up: the same that the daemon would
 * watch (watch_plan.h). A whole kind that is refused is listed as narrowly as the daemon would, so that the roles
 * that "driftd rbac" prints suffice and lead to the same result as those of an administrator. Of a kind whose
 * version a template leaves open, all objects are read in each version that the cluster serves. @whole: all objects
 * of all kinds in all versions, whatever version the templates name, and also those that no template is for. The
 * caller is warned about kinds that the cluster does not know. A kind that it refuses, or does not list, is a
 * problem of @in and unknown in in->known, and the others are listed. Fails: ENOENT when no kind is known; EIO when
 * nothing could be listed; ENOKEY and transport errors; ENOMEM. */
CHECKED int compare_live_load(struct live *l, const struct reference *ref, bool whole, struct compare_input *in,
			      struct err *err);

/* Read the definitions of the kinds that @ref has templates for, and note what they say. The roles that "driftd
 * rbac" prints suffice; an account that may not read definitions compares without them, and other failures are
 * warned about. Fails: ENOKEY and transport errors; ENOMEM. */
CHECKED int compare_live_define(struct live *l, const struct reference *ref, struct compare_input *in, struct err *err);

/* Read the definitions of one kind, whatever its group and version, as compare_live_define does. */
CHECKED int compare_live_define_kind(struct live *l, str kind, struct compare_input *in, struct err *err);

/* Create in->known, before the first list. Fails: ENOMEM. */
CHECKED int compare_live_begin(struct compare_input *in, struct err *err);
/* Whether other lists are pointless after the end @r of one list. */
bool compare_live_is_over(struct live *l, int r);

#endif
