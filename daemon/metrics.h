/* The metrics of the daemon. docs/metrics.md lists them. */
#ifndef DAEMON_METRICS_H
#define DAEMON_METRICS_H

#include "daemon/app.h"

void metrics_render(struct app *app, bool openmetrics, struct buf *out);

#endif
