/* Writes the status: clusters, watches and findings. */
#include "daemon/api/api_internal.h"

#include "daemon/alertmanager/alertmanager_status.h"
#include "daemon/findings/clock.h"
#include "value/json_out.h"

static int64_t usec_of(double seconds)
{
	return (int64_t)(seconds * 1e6);
}

/* ---- watches ---- */

static void watch_doc(const struct cluster_kind *k, const struct cluster_watch *w, struct buf *out)
{
	json_open(out, NULL, '{');
	json_text(out, "apiVersion", k->kind->api_version);
	json_text(out, "kind", k->kind->name);
	json_text(out, "resource", k->kind->resource);
	json_text(out, "namespace", w->scope.namespace);
	json_text(out, "name", w->scope.name);
	json_text(out, "state", str_from(cluster_watch_state_name(w)));
	json_time(out, "lastSync", usec_of(w->last_sync));
	if (w->watch) {
		const struct kc_watch_counters *c = cluster_watch_counters(w);

		json_time(out, "lastHeard", clock_usec_of(c->last_heard_ns));
		json_number(out, "events", c->events);
	}
	if (cluster_watch_fails(w)) {
		json_time(out, "failingSince", clock_usec_of(w->since_ns));
		json_text(out, "why", str_from(w->why.code ? w->why.msg : ""));
	}
	buf_add_byte(out, '}');
}

static void watches_doc(const struct cluster *c, struct buf *out)
{
	size_t n;
	struct cluster_kind *const *kinds = cluster_kinds(c, &n);

	json_open(out, "watches", '[');
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < kinds[i]->n_watches; k++)
			watch_doc(kinds[i], &kinds[i]->watches[k], out);
	}
	buf_add_byte(out, ']');
}

/* ---- clusters ---- */

static void open_doc(const struct finding_counters *counters, struct buf *out)
{
	json_open(out, "open", '{');
	for (int kind = 0; counters && kind < FINDING_KINDS; kind++) {
		json_open(out, finding_type((enum finding_kind)kind), '{');
		for (int s = SEVERITY_CRITICAL; s <= SEVERITY_INFO; s++) {
			if (counters->open[kind][s])
				json_number(out, severity_name((enum severity)s), counters->open[kind][s]);
		}
		buf_add_byte(out, '}');
	}
	buf_add_byte(out, '}');
}

static void state_doc(const struct cluster *c, struct buf *out)
{
	CLEANUP(buf_done) struct buf why = BUF_INIT(4096);

	cluster_state_why(c, &why);
	json_text(out, "state", str_from(cluster_state_name(cluster_state(c))));
	json_text(out, "why", buf_str(&why));
	json_time(out, "since", cluster_state_since(c));
	json_time(out, "lastSeen", cluster_last_seen(c));
}

static void cluster_doc(const struct metrics_view *view, const struct cluster *c, struct buf *out)
{
	const struct finding_counters *counters = findings_counters(view->findings, cluster_name(c));

	json_open(out, NULL, '{');
	json_text(out, "name", cluster_name(c));
	state_doc(c, out);
	json_bool(out, "up", cluster_up(c));
	json_bool(out, "synced", cluster_synced(c));
	json_bool(out, "seen", cluster_seen(c));
	json_text(out, "waitsFor", str_from(cluster_waits_for(c)));
	json_number(out, "objects", cluster_objects(c));
	json_number(out, "queue", cluster_queue_length(c));
	open_doc(counters, out);
	json_number(out, "flapping", counters ? counters->flapping : 0);
	watches_doc(c, out);
	buf_add_byte(out, '}');
}

static void absent_doc(const struct metrics_view *view, struct buf *out)
{
	json_open(out, "absent", '[');
	for (size_t i = 0; i < view->n_sources; i++) {
		if (!*view->sources[i].in_force)
			json_item(out, view->sources[i].source->name);
	}
	buf_add_byte(out, ']');
}

void completeness_doc(const struct metrics_view *view, bool known, struct buf *out)
{
	const char *nothing = cfg_nothing(view->cfg);
	size_t unknown = 0, absent = sources_absent(view->sources, view->n_sources);

	for (size_t i = 0; i < view->n_clusters; i++)
		unknown += !cluster_synced(view->clusters[i]);
	/* A cluster that is closed for a reload is in no list. */
	json_bool(out, "complete",
		  unknown == 0 && view->n_clusters == view->cfg->n_clusters && !absent && !nothing && known);
	if (nothing)
		json_text(out, "nothing", str_from(nothing));
	if (absent)
		absent_doc(view, out);
	if (!unknown)
		return;
	json_open(out, "unknown", '[');
	for (size_t i = 0; i < view->n_clusters; i++) {
		const struct cluster *c = view->clusters[i];

		if (cluster_synced(c))
			continue;
		json_open(out, NULL, '{');
		json_text(out, "cluster", cluster_name(c));
		json_text(out, "waitsFor", str_from(cluster_waits_for(c)));
		buf_add_byte(out, '}');
	}
	buf_add_byte(out, ']');
}

/* ---- the process ---- */

static void reload_doc(const struct metrics_view *view, struct buf *out)
{
	const struct configuration_status *c = &view->configuration;
	str rest = str_from(c->mistakes ? c->mistakes : ""), line;

	json_open(out, "configuration", '{');
	json_text(out, "state", str_from(reload_state_name(c->state)));
	json_bool(out, "lastReloadSuccessful", c->accepted);
	json_time(out, "loadedAt", usec_of(c->at));
	json_number(out, "references", view->cfg->n_references);
	if (c->mistakes) {
		json_open(out, "mistakes", '[');
		while (rest.n && str_next_part(&rest, '\n', &line))
			json_item(out, line);
		buf_add_byte(out, ']');
	}
	buf_add_byte(out, '}');
}

static const char *error_of(const struct step_health *h)
{
	return h->error.code ? h->error.msg : "";
}

static void steps_doc(const struct writer_status *w, struct buf *out)
{
	json_open(out, "steps", '[');
	for (int i = 0; i < STORE_STEPS; i++) {
		const struct step_health *h = &w->steps[i];

		json_open(out, NULL, '{');
		json_text(out, "name", str_from(step_name((enum store_step)i)));
		json_text(out, "state", str_from(step_state_name(step_state(h, (enum store_step)i, clock_ns()))));
		json_time(out, "lastProgress", clock_usec_of(h->progress_ns));
		json_time(out, "waitsSince", clock_usec_of(h->since_ns));
		json_number(out, "failures", h->failures);
		json_text(out, "error", str_from(error_of(h)));
		buf_add_byte(out, '}');
	}
	buf_add_byte(out, ']');
}

static void writer_doc(const struct writer_status *w, struct buf *out)
{
	json_open(out, "records", '{');
	json_number(out, "waiting", w->waiting);
	json_number(out, "deferred", w->deferred);
	json_text(out, "commitError", str_from(error_of(&w->steps[STEP_COMMIT])));
	json_text(out, "outputError", str_from(error_of(&w->steps[STEP_SEND])));
	json_text(out, "agreementError", str_from(w->agreement_error.code ? w->agreement_error.msg : ""));
	steps_doc(w, out);
	buf_add_byte(out, '}');
}

static void leader_doc(const struct leader_status *s, const char *phase, struct buf *out)
{
	json_open(out, "leaderElection", '{');
	json_text(out, "name", str_from(s->name));
	json_text(out, "state", str_from(election_state_name(s->state)));
	json_text(out, "phase", str_from(phase));
	json_bool(out, "tells", s->reports);
	json_text(out, "leader", str_from(s->holder));
	json_text(out, "error", str_from(s->error.code ? s->error.msg : ""));
	buf_add_byte(out, '}');
}

static void alerts_doc(const struct alertmanager_status *views, size_t n, struct buf *out)
{
	if (!n)
		return;
	json_open(out, "alertmanagers", '[');
	for (size_t i = 0; i < n; i++) {
		json_open(out, NULL, '{');
		json_text(out, "url", views[i].url);
		json_text(out, "state", str_from(views[i].state));
		json_bool(out, "up", views[i].up);
		json_number(out, "alerts", views[i].alerts);
		json_number(out, "undelivered", views[i].undelivered);
		json_time(out, "lastSuccess", views[i].last_success_usec);
		json_text(out, "error", str_from(views[i].why));
		buf_add_byte(out, '}');
	}
	buf_add_byte(out, ']');
}

static void shard_doc(const struct metrics_view *view, struct buf *out)
{
	if (view->shard.total <= 1)
		return;
	json_open(out, "shard", '{');
	json_number(out, "ordinal", view->shard.ordinal);
	json_number(out, "total", view->shard.total);
	buf_add_byte(out, '}');
}

static void beginning_doc(const struct cfg *cfg, struct buf *out)
{
	CLEANUP(buf_done) struct buf beginning = BUF_INIT(65536);

	cfg_add_beginning(cfg, &beginning);
	json_text(out, "beginning", buf_str(&beginning));
}

void status_doc(const struct metrics_view *view, struct buf *out)
{
	buf_add_cstr(out, "{\"apiVersion\":\"driftd/v1\",\"kind\":\"Status\"");
	json_text(out, "version", STR(DRIFTD_VERSION));
	json_time(out, "now", clock_usec());
	json_time(out, "startedAt", usec_of(view->started_at));
	shard_doc(view, out);
	reload_doc(view, out);
	writer_doc(view->writer, out);
	if (view->leader)
		leader_doc(view->leader, view->leader_phase, out);
	alerts_doc(view->alerts, view->n_alerts, out);
	completeness_doc(view, true, out);
	beginning_doc(view->cfg, out);
	sources_short_doc(view, out);
	json_open(out, "clusters", '[');
	for (size_t i = 0; i < view->n_clusters; i++)
		cluster_doc(view, view->clusters[i], out);
	buf_add_cstr(out, "]}\n");
}
