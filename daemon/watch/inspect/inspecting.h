/* What the files that watch need of inspection rules. */
#ifndef DAEMON_WATCH_INSPECTING_H
#define DAEMON_WATCH_INSPECTING_H

#include "daemon/inspection/effects.h"
#include "daemon/watch/snapshot/watch_inspector.h"

/* A maker of inspectors with the rules of @context, which outlives them. */
struct watch_inspector_maker inspecting_by(struct inspection_context *context);

/* For commands that end by themselves: read the built-in rules of @cfg, and those of @n further @files, into
 * context->rules, which inspection_rules_free frees. Everything else in *context is zeroed, so that calls are never
 * made. Fails: EINVAL (see @problems), ENOMEM. */
CHECKED int inspecting_by_files(const struct cfg *cfg, const char *const *files, size_t n, const struct limits *limits,
				struct inspection_context *context, struct problems *problems, struct err *err);

#endif
