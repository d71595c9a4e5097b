/* What "driftd compare" was given and had no use for: a reference without templates, objects that no template is for,
 * pairs and overrides without an object. That nothing differs there is no news, and must not look like it. */
#ifndef DAEMON_COMPARE_IDLE_H
#define DAEMON_COMPARE_IDLE_H

#include "daemon/compare/run.h"

/* Warn about it, once all is judged. */
void compare_warn_idle(const struct compare_run *run);

/* Whether all that @ref asks for is that there are no objects of some kinds. */
bool compare_only_forbids(const struct reference *ref);
/* Whether a template before the @i-th is for a kind of the same name. */
bool compare_kind_before(const struct reference *ref, size_t i);

#endif
