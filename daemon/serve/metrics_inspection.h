/* The metrics of inspection rules. */
#ifndef DAEMON_SERVE_METRICS_INSPECTION_H
#define DAEMON_SERVE_METRICS_INSPECTION_H

#include "daemon/serve/exposition.h"

struct inspection_context;

/* @inspection NULL: nothing was inspected. */
void metrics_inspection(struct exposition *e, const struct inspection_context *inspection);

#endif
