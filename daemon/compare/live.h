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
CHECKED int compare_live_list(struct live *l, const struct live_collection *what, struct compare_input *in,
			      struct err *err);

/* Take in what @ref has templates for, and what these look up: what the daemon would watch (watch_plan.h), and where
 * the whole kind is refused it is asked for as narrowly, so that the roles that "driftd rbac" prints are enough and
 * come to the same end as those of an administrator; of kinds whose version a template leaves open all objects, in each
 * version that the cluster serves. @whole: all objects of all kinds in all versions, whatever version the templates
 * name: also those that no template is for. Kinds that the cluster does not know are warned about. What it refuses, or
 * does not list, is a problem of @in and not known in in->known, and the others are listed. Fails: ENOENT when none is
 * known; EIO when nothing could be listed; ENOKEY and transport errors; ENOMEM. */
CHECKED int compare_live_load(struct live *l, const struct reference *ref, bool whole, struct compare_input *in,
			      struct err *err);

/* Take in what the definitions of the kinds that @ref has templates for say. What "driftd rbac" prints is enough; who
 * may not read them compares without, and other failures are warned about. Fails: ENOKEY and transport errors; ENOMEM.
 */
CHECKED int compare_live_define(struct live *l, const struct reference *ref, struct compare_input *in, struct err *err);

/* The same of one kind, whatever its group and version. */
CHECKED int compare_live_define_kind(struct live *l, str kind, struct compare_input *in, struct err *err);

/* in->known, before something is listed. Fails: ENOMEM. */
CHECKED int compare_live_begin(struct compare_input *in, struct err *err);
/* Whether nothing else need be asked after the end @r of one list. */
bool compare_live_is_over(struct live *l, int r);

#endif
