/* Finds what "driftd compare" was given without effect: a reference without templates, objects that no template is
 * for, pairs and overrides without an object. Without a warning the absence of differences would look like a good
 * result. */
#ifndef DAEMON_COMPARE_IDLE_H
#define DAEMON_COMPARE_IDLE_H

#include "daemon/compare/run.h"

/* Warn about input without effect, once all objects are judged. */
void compare_warn_idle(const struct compare_run *run);

/* Whether @ref asks for nothing but that there are no objects of some kinds. */
bool compare_only_forbids(const struct reference *ref);
/* Whether a template before the @i-th is for a kind of the same name. */
bool compare_kind_before(const struct reference *ref, size_t i);

#endif
