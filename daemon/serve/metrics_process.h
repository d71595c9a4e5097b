/* The metrics that every process exports, by the names of Prometheus' client libraries. */
#ifndef DAEMON_SERVE_METRICS_PROCESS_H
#define DAEMON_SERVE_METRICS_PROCESS_H

#include "daemon/serve/exposition.h"

/* @started_at: Unix time. */
void metrics_process(struct exposition *e, double started_at);

#endif
