/* The texts about references that are published elsewhere, for all outputs. */
#ifndef DAEMON_VIEW_SOURCE_WORDS_H
#define DAEMON_VIEW_SOURCE_WORDS_H

#include "base/buf.h"
#include "config/source_shown.h"
#include "daemon/serve/source_state.h"

#define SOURCE_LATE_SECONDS 3600

/* The one of @n that is called so, or NULL. */
const struct source_state *source_state_find(const struct source_state *views, size_t n, str name);
/* How many of them have nothing in force. */
size_t sources_absent(const struct source_state *views, size_t n);

/* Whether nothing was fetched for an hour, or for twice its interval, where that is longer. @now: Unix time. */
bool source_is_late(const struct source_state *v, int64_t now);
/* Append what is not as it should be, a line each; nothing when all is. */
void source_problem(const struct source_state *v, int64_t now, struct buf *out);

#endif
