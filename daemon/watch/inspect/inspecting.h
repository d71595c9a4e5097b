/* Inspection rules, as the watching side uses them. */
#ifndef DAEMON_WATCH_INSPECTING_H
#define DAEMON_WATCH_INSPECTING_H

#include "daemon/inspection/effects.h"
#include "daemon/watch/snapshot/watch_inspector.h"

/* Who makes inspectors by the rules of @context, which outlives them. */
struct watch_inspector_maker inspecting_by(struct inspection_context *context);

/* For commands that end: read the built-in rules of @cfg, and those of @n further @files, into context->rules, which
 * inspection_rules_free frees. Calls are never made, since *context is zeroed beside them. Fails: EINVAL (see
 * @problems), ENOMEM. */
CHECKED int inspecting_by_files(const struct cfg *cfg, const char *const *files, size_t n, const struct limits *limits,
				struct inspection_context *context, struct problems *problems, struct err *err);

#endif
