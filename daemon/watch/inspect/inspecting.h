/* Inspection rules, as the watching side uses them. */
#ifndef DAEMON_WATCH_INSPECTING_H
#define DAEMON_WATCH_INSPECTING_H

#include "daemon/inspection/effects.h"
#include "daemon/watch/snapshot/watch_inspector.h"

/* Who makes inspectors by the rules of @context, which outlives them. */
struct watch_inspector_maker inspecting_by(struct inspection_context *context);

#endif
