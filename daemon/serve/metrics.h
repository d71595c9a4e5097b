/* The metrics of the daemon. docs/metrics.md lists them. */
#ifndef DAEMON_SERVE_METRICS_H
#define DAEMON_SERVE_METRICS_H

#include "base/buf.h"
#include "daemon/leader/leader.h"
#include "daemon/store/writer.h"
#include "daemon/watch/cluster/cluster.h"

struct alertmanager_status; /* daemon/alertmanager/alertmanager_status.h */
struct inspection_context;  /* daemon/inspection/effects.h */
struct history;             /* daemon/history/history.h */
struct source_state;        /* daemon/serve/source_state.h */

/* What is done about the configuration: daemon/app/reload.h has the drawing. */
enum reload_state { RELOAD_IDLE, RELOAD_REHEARSING, RELOAD_REPLACING, RELOAD_RETARGETING };
/* The name of the state in metrics and the API. */
const char *reload_state_name(enum reload_state s);
/* Whether clusters are missing from what is watched, which were closed and are not begun again yet. */
bool reload_closes(enum reload_state s);

struct configuration_status {
	enum reload_state state;
	bool accepted;  /* the last load of it was */
	char *mistakes; /* why it was refused, a line each; NULL: it was not */
	double at;      /* Unix time of the last that was accepted */
};

/* What metrics, answers and pages are made of; all of it is only read, but for the counters that findings make for a
 * cluster that has none yet. */
struct metrics_view {
	const struct cfg *cfg;
	struct cluster *const *clusters;
	size_t n_clusters;
	struct findings *findings;
	struct store_client *store_client; /* of the store */
	struct history *history;           /* daemon/history/history.h; NULL: none can be asked */
	const char *metrics_path;          /* "/metrics" */
	const struct writer_status *writer;
	const struct inspection_context *inspection; /* NULL: nothing was inspected */
	const struct leader_status *leader;          /* NULL: there is one host only */
	const char *leader_phase;                    /* with it: how far this host is with taking another's place */
	const struct histogram *turns;               /* of the loop; NULL: there is none */
	uint64_t *per_object_dropped;                /* counted on; used with metrics.per_object */
	struct shard shard;                          /* of what the clusters have */
	struct configuration_status configuration;
	const struct source_state *sources; /* of the references that are published elsewhere */
	size_t n_sources;
	const struct alertmanager_status *alerts; /* of Alertmanagers that alerts are posted to */
	size_t n_alerts;
	double started_at; /* Unix time */
};

void metrics_render(const struct metrics_view *view, bool openmetrics, struct buf *out);

#endif
