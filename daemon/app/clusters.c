/* Starts, closes and finds the watched clusters. */
#include "daemon/app/clusters.h"

#include "base/assert.h"
#include "daemon/app/accepting.h"
#include "daemon/app/app_internal.h"
#include "daemon/app/remembered.h"
#include "daemon/findings/notice.h"

bool clusters_is_configured(void *ctx, str cluster)
{
	return cfg_find_cluster(ctx, cluster);
}

void clusters_find_unwatched(struct app *app)
{
	app->clusters.unwatched_end = true;
}

bool clusters_end_unwatched(struct app *app)
{
	struct clusters *c = &app->clusters;

	if (c->unwatched_end)
		c->unwatched_end = !findings_end_unwatched(app->findings, clusters_is_configured, app->cfg);
	return c->unwatched_end;
}

void clusters_start(struct app *app)
{
	struct cluster **running = app->clusters.p;
	size_t n_running = app->clusters.n;
	struct cluster_context context = {
		.loop = &app->loop,
		.pace = &app->pace,
		.sink = app->sink,
		.findings = app->findings,
		.keys = app->keys,
		.limits = &app->limits,
		.crash_marker = app->crash_marker,
		.awake = &app->awake,
		.acceptances = app->acceptances,
		.inspection = app->inspects,
		.wake = app->wake,
		.last_seen_usec = remembered_seen_usec,
		.inspected = remembered_take_inspected,
		.shard = app->options.shard,
		.ctx = app,
	};
	struct cluster **all = calloc(app->cfg->n_clusters + 1, sizeof(struct cluster *));
	struct err err;

	if (!all) {
		record_lifecycle(app->sink, MESSAGE_NOTICE, SEVERITY_CRITICAL, "no cluster is started: out of memory");
		return;
	}
	app->clusters.p = all;
	app->clusters.n = 0;
	for (size_t i = 0; i < app->cfg->n_clusters; i++) {
		const struct cfg_cluster *config = &app->cfg->clusters[i];
		struct cluster **next = &all[app->clusters.n];

		*next = cluster_find(running, n_running, config->name);
		if (*next || cluster_new(&context, app->cfg, config, next, &err) == 0)
			app->clusters.n++;
		else
			record_notice(app->sink, config->name, SEVERITY_CRITICAL, NULL, err.msg);
	}
	free(running);
	findings_name_clusters(app->findings, app->cfg->n_clusters > 1);
	findings_set_flapping(app->findings, app->cfg->flapping_changes, (uint64_t)app->cfg->flapping_window_ns);
	findings_count_namespaces(app->findings, app->cfg->by_namespace ? app->cfg->by_namespace_limit : 0);
	clusters_find_unwatched(app);
	accepting_begin(app);
	app->wake(app);
}

static void on_cluster_closed(void *ctx)
{
	struct app *app = ctx;

	ASSERT(app->clusters.n_closing > 0);
	if (--app->clusters.n_closing == 0 && !app->stopping)
		app->clusters.closed(app);
}

size_t clusters_close(struct app *app, bool (*goes_on)(struct app *app, struct cluster *c),
		      void (*closed)(struct app *app))
{
	struct clusters *all = &app->clusters;
	size_t n = all->n;

	remembered_note_seen(app); /* the clusters were watched until now */
	all->closed = closed;
	all->n = 0;
	for (size_t i = 0; i < n; i++) {
		struct cluster *c = all->p[i];

		if (goes_on && goes_on(app, c)) {
			all->p[all->n++] = c;
		} else {
			all->n_closing++;
			remembered_note_inspected(app, c);
			cluster_close(c, on_cluster_closed, app);
		}
	}
	return all->n_closing;
}
