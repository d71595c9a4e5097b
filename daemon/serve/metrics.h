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

/* What the daemon does about the configuration now: daemon/app/reload.h has the drawing. */
enum reload_state { RELOAD_IDLE, RELOAD_REHEARSING, RELOAD_REPLACING, RELOAD_RETARGETING };
/* The name of the state in metrics and the API. */
const char *reload_state_name(enum reload_state s);
/* Whether some clusters are closed and not started again yet. */
bool reload_closes(enum reload_state s);

struct configuration_status {
	enum reload_state state;
	bool accepted;  /* the last load of it was */
	char *mistakes; /* why the last configuration was refused, a line each; NULL: it was not */
	double at;      /* Unix time when a configuration was last accepted */
};

/* The view that metrics, answers and pages are made from. They only read it, except that findings make counters for
 * a cluster that has none yet. */
struct metrics_view {
	const struct cfg *cfg;
	struct cluster *const *clusters;
	size_t n_clusters;
	struct findings *findings;
	struct store_client *store_client; /* the client of the store */
	struct history *history;           /* daemon/history/history.h; NULL: there is no history */
	const char *metrics_path;          /* "/metrics" */
	const struct writer_status *writer;
	const struct inspection_context *inspection; /* NULL: nothing was inspected */
	const struct leader_status *leader;          /* NULL: there is one host only */
	const char *leader_phase;                    /* with a leader: how far this host is with taking over */
	const struct histogram *turns;               /* the turns of the loop; NULL: they are not measured */
	uint64_t *per_object_dropped;                /* a counter, used with metrics.per_object */
	struct shard shard;                          /* the part of the clusters' objects that this process reports */
	struct configuration_status configuration;
	const struct source_state *sources; /* the published references */
	size_t n_sources;
	const struct alertmanager_status *alerts; /* the Alertmanagers that alerts are posted to */
	size_t n_alerts;
	double started_at; /* Unix time */
};

void metrics_render(const struct metrics_view *view, bool openmetrics, struct buf *out);

#endif
