/* The Alertmanagers of a configuration, asked before a start. */
#ifndef DAEMON_PREFLIGHT_ALERTMANAGERS_H
#define DAEMON_PREFLIGHT_ALERTMANAGERS_H

#include "config/cfg.h"
#include "daemon/preflight/checks.h"

#include <uv.h>

/* Ask all of them at once, with their credentials; runs the loop. Nothing is posted. Fails: ENOMEM. */
CHECKED int alertmanagers_check(uv_loop_t *loop, const struct cfg_alertmanager *from, struct checks *out,
				struct err *err);

#endif
