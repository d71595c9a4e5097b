/* Texts about published references, for all outputs. */
#ifndef DAEMON_VIEW_SOURCE_WORDS_H
#define DAEMON_VIEW_SOURCE_WORDS_H

#include "base/buf.h"
#include "config/source_shown.h"
#include "daemon/serve/source_state.h"

#define SOURCE_LATE_SECONDS 3600

/* The one of @n references with this name, or NULL. */
const struct source_state *source_state_find(const struct source_state *views, size_t n, str name);
/* How many references have no revision in force. */
size_t sources_absent(const struct source_state *views, size_t n);

/* Whether nothing was fetched for an hour, or for twice the interval if that is longer. @now: Unix time. */
bool source_is_late(const struct source_state *v, int64_t now);
/* Append what is wrong with the reference, a line each; nothing when all is well. */
void source_problem(const struct source_state *v, int64_t now, struct buf *out);

#endif
