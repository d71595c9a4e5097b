/* Families of metrics that have files of their own. */
#ifndef DAEMON_SERVE_METRICS_INTERNAL_H
#define DAEMON_SERVE_METRICS_INTERNAL_H

#include "daemon/findings/findings.h"
#include "daemon/serve/exposition.h"

struct alertmanager_status;
struct inspection_context;
struct source_state;

/* The metrics of inspection rules. @inspection NULL: nothing was inspected. */
void metrics_inspection(struct exposition *e, const struct inspection_context *inspection);

/* The metrics of references that are published elsewhere. Without such a reference there are no families. */
void metrics_sources(struct exposition *e, const struct source_state *views, size_t n);

/* The metrics of the Alertmanagers that alerts are posted to. Without an Alertmanager there are no families. */
void metrics_alerts(struct exposition *e, const struct alertmanager_status *views, size_t n);

/* A series for each object that drifts, if the configuration asks for it, because the labels come from clusters. The
 * worst come first, then the oldest: at most @limit. Adds to *dropped how many are left out. */
void metrics_objects(struct exposition *e, struct findings *f, const struct cfg *cfg, unsigned limit,
		     uint64_t *dropped);

/* Open findings by type, severity, reference and namespace, if the configuration asks for it, because the labels
 * come from clusters. At most metrics.by_namespace_limit series, and one more for each type and severity of a
 * cluster. */
void metrics_namespaces(struct exposition *e, struct findings *f, const struct cfg *cfg);

/* The metrics that every process exports, by the names of Prometheus' client libraries. @started_at: Unix time. */
void metrics_process(struct exposition *e, double started_at);

#endif
