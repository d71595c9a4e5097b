/* One process: what it starts, what it does once a second, how it reloads and ends. */
#include "daemon/app.h"

#include "config/exit_status.h"

#include "daemon/findings/clock.h"
#include "daemon/findings/notice.h"
#include "daemon/findings/state_file.h"
#include "daemon/notify.h"
#include "daemon/serve/metrics.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>

#define WORK_SLICE_NS (5 * UINT64_C(1000000)) /* judging per turn of the loop: events are read in between */
#define TICK_MS 1000
#define SAVE_INTERVAL_NS (5 * UINT64_C(1000000000))

/* ---- configuration ---- */

int app_load_config(const char *config_path, const struct limits *limits, struct key_table *keys, struct cfg **ret,
		    struct problems *problems)
{
	CLEANUP(cfg_unrefp) struct cfg *cfg = NULL;
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	const char *const *files;
	struct err err;
	size_t n;
	int r;

	r = cfg_files(config_path, &a, &files, &n, &err);
	if (r == 0)
		r = cfg_load(files, n, limits, keys, &cfg, problems, &err);
	if (r < 0 && !problems_any(problems))
		problems_add(problems, "%s", err.msg);
	for (size_t i = 0; r == 0 && i < cfg->n_clusters; i++) {
		const struct cfg_cluster *c = &cfg->clusters[i];
		CLEANUP(freep) char *path = c->kubeconfig.n ? str_dup(c->kubeconfig) : NULL;
		CLEANUP(freep) char *context = c->context.n ? str_dup(c->context) : NULL;
		CLEANUP(kubeconfig_unrefp) struct kubeconfig *kubeconfig = NULL;
		struct kubeconfig_source source;
		struct kube_target target;

		kubeconfig_source_env(path, &source);
		if (kubeconfig_load(&source, &kubeconfig, &err) < 0 ||
		    kubeconfig_target(kubeconfig, context, &target, &err) < 0)
			problems_add(problems, "%.*s: cluster '%.*s': %s", STR_ARG(c->where), STR_ARG(c->name),
				     err.msg);
	}
	if (problems_any(problems))
		return EXIT_CONFIG;
	if (ret)
		*ret = TAKE(cfg);
	return 0;
}

static enum cfg_output output_of(const struct app *app)
{
	return app->options.has_output ? app->options.output : app->cfg->output;
}

/* ---- HTTP ---- */

static void not_ready_reason(struct app *app, struct buf *out)
{
	for (size_t i = 0; i < app->n_clusters; i++) {
		if (!cluster_synced(app->clusters[i]))
			buf_printf(out, "cluster %.*s: waits for %s\n", STR_ARG(cluster_name(app->clusters[i])),
				   cluster_waits_for(app->clusters[i]));
	}
	if (app->n_closing)
		buf_add_cstr(out, "reloading\n");
}

static void answer_ready(struct app *app, struct http_response *r)
{
	r->status = 200;
	not_ready_reason(app, &r->body);
	if (r->body.n)
		r->status = 503;
	else
		buf_add_cstr(&r->body, "ready\n");
}

static void answer_landing(const char *telemetry_path, struct http_response *r)
{
	r->status = 200;
	r->content_type = "text/html; charset=utf-8";
	buf_printf(
		&r->body,
		"<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>driftd</title></head><body>\n"
		"<h1>driftd</h1><p>Kubernetes configuration drift watcher, version " DRIFTD_VERSION "</p>\n<ul>\n"
		"<li><a href=\"%s\">Metrics</a></li>\n<li><a href=\"/-/healthy\">Healthy</a></li>\n"
		"<li><a href=\"/-/ready\">Ready</a></li>\n</ul></body></html>\n",
		telemetry_path);
}

static void answer_metrics(struct app *app, const char *accept, struct http_response *r)
{
	bool openmetrics = strstr(accept, "application/openmetrics-text") != NULL;
	struct metrics_view view = {
		.cfg = app->cfg,
		.clusters = app->clusters,
		.n_clusters = app->n_clusters,
		.findings = app->findings,
		.sink = app->sink,
		.latency = &app->latency,
		.reloaded_ok = app->reloaded_ok,
		.reloaded_at = app->reloaded_at,
		.started_at = app->started_at,
	};

	r->status = 200;
	r->content_type = openmetrics ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
				      : "text/plain; version=0.0.4; charset=utf-8";
	metrics_render(&view, openmetrics, &r->body);
}

static void on_http(void *ctx, const char *path, const char *accept, struct http_response *r)
{
	struct app *app = ctx;
	CLEANUP(freep) char *configured = str_dup(app->cfg->telemetry_path);
	const char *telemetry_path = app->options.telemetry_path ? app->options.telemetry_path : configured;

	if (!telemetry_path)
		return;
	if (strcmp(path, telemetry_path) == 0) {
		answer_metrics(app, accept, r);
	} else if (strcmp(path, "/") == 0) {
		answer_landing(telemetry_path, r);
	} else if (strcmp(path, "/-/healthy") == 0) {
		r->status = 200;
		buf_add_cstr(&r->body, "healthy\n");
	} else if (strcmp(path, "/-/ready") == 0) {
		answer_ready(app, r);
	}
}

static int start_http(struct app *app, struct err *err)
{
	size_t n = app->options.n_listen ? app->options.n_listen : app->cfg->n_listen;

	app->servers = calloc(n + 1, sizeof(struct http_server *));
	if (!app->servers)
		return err_nomem(err);
	for (size_t i = 0; i < n; i++) {
		str listen = app->options.n_listen ? str_from(app->options.listen[i]) : app->cfg->listen[i];
		CLEANUP(freep) char *address = str_dup(listen);
		int r = address ? http_server_new(&app->loop, address, on_http, app, &app->servers[i], err)
				: err_nomem(err);

		if (r < 0)
			return r;
		app->n_servers++;
	}
	return 0;
}

/* ---- work ---- */

static void on_work(uv_idle_t *idle)
{
	struct app *app = idle->data;
	uint64_t until = uv_hrtime() + WORK_SLICE_NS;
	bool more = false;

	for (size_t i = 0; i < app->n_clusters; i++)
		more |= cluster_work(app->clusters[i], until);
	if (!more)
		uv_idle_stop(idle);
}

static void wake(void *ctx)
{
	struct app *app = ctx;

	if (!app->stopping)
		(void)uv_idle_start(&app->work, on_work);
}

/* ---- clusters ---- */

/* The one called @name, taken out of @clusters; NULL: there is none. */
static struct cluster *take_cluster(struct cluster **clusters, size_t n, str name)
{
	for (size_t i = 0; i < n; i++) {
		if (clusters[i] && str_eq(cluster_name(clusters[i]), name))
			return TAKE(clusters[i]);
	}
	return NULL;
}

/* One for each of the configuration, in its order: those that still run, and new ones. */
static void start_clusters(struct app *app)
{
	struct cluster **running = app->clusters;
	size_t n_running = app->n_clusters;
	struct cluster_context context = {
		.loop = &app->loop,
		.sink = app->sink,
		.findings = app->findings,
		.keys = app->keys,
		.limits = &app->limits,
		.wake = wake,
		.ctx = app,
	};
	struct err err;

	struct cluster **all = calloc(app->cfg->n_clusters + 1, sizeof(struct cluster *));

	if (!all) {
		record_lifecycle(app->sink, MESSAGE_NOTICE, SEVERITY_CRITICAL, "no cluster is started: out of memory");
		return;
	}
	app->clusters = all;
	app->n_clusters = 0;
	for (size_t i = 0; i < app->cfg->n_clusters; i++) {
		const struct cfg_cluster *config = &app->cfg->clusters[i];
		struct cluster **next = &all[app->n_clusters];

		*next = take_cluster(running, n_running, config->name);
		if (*next || cluster_new(&context, app->cfg, config, next, &err) == 0)
			app->n_clusters++;
		else
			record_notice(app->sink, config->name, SEVERITY_CRITICAL, NULL, err.msg);
	}
	free(running);
	wake(app);
}

static void swap_config(struct app *app);

static void on_cluster_closed(void *ctx)
{
	struct app *app = ctx;

	if (--app->n_closing == 0 && !app->stopping)
		swap_config(app);
}

static bool stays(const struct cluster *c, const struct cfg *next)
{
	for (size_t i = 0; next && i < next->n_clusters; i++) {
		if (str_eq(next->clusters[i].name, cluster_name(c)))
			return cluster_is_unchanged(c, next, &next->clusters[i]);
	}
	return false;
}

/* All but those that @next (NULL: none) leaves as they are. */
static void close_clusters(struct app *app, const struct cfg *next)
{
	size_t n = app->n_clusters;

	app->n_clusters = 0;
	for (size_t i = 0; i < n; i++) {
		if (stays(app->clusters[i], next)) {
			app->clusters[app->n_clusters++] = app->clusters[i];
		} else {
			app->n_closing++;
			cluster_close(app->clusters[i], on_cluster_closed, app);
		}
	}
}

/* ---- reload ---- */

/* The clusters that were changed are gone, their findings are not: what is seen again under the new configuration makes
 * no record. */
static void swap_config(struct app *app)
{
	cfg_unref(app->cfg);
	app->cfg = TAKE(app->next_cfg);
	app->reloaded_ok = true;
	app->reloaded_at = clock_seconds();
	start_clusters(app);
	record_lifecycle(app->sink, MESSAGE_RELOADED, SEVERITY_INFO,
			 "configuration reloaded: %zu clusters, %zu references", app->cfg->n_clusters,
			 app->cfg->n_references);
	notify_ready();
}

static void refuse_config(struct app *app, const struct problems *problems)
{
	CLEANUP(freep) char *text = problems_text(problems);

	app->reloaded_ok = false;
	record_lifecycle(app->sink, MESSAGE_RELOAD_FAILED, SEVERITY_ERROR,
			 "configuration refused, the old one stays in force: %s", text ? text : "out of memory");
	notify_ready();
}

static void on_hangup(uv_signal_t *signal, int number)
{
	struct app *app = signal->data;
	struct problems problems = { 0 };

	(void)number;
	if (app->stopping || app->next_cfg)
		return;
	notify_reloading();
	if (app_load_config(app->options.config_path, &app->limits, app->keys, &app->next_cfg, &problems) != 0) {
		refuse_config(app, &problems);
	} else {
		close_clusters(app, app->next_cfg);
		if (app->n_closing == 0)
			swap_config(app);
	}
	problems_done(&problems);
}

/* ---- once a second ---- */

static bool state_changed(const struct app *app)
{
	return app->cfg->state_dir.n && app->saved_generation != findings_generation(app->findings);
}

static void report_save(struct app *app, const struct err *err)
{
	if (err->code)
		record_lifecycle(app->sink, MESSAGE_NOTICE, SEVERITY_ERROR, "%s", err->msg);
}

/* At the end, when nobody waits for the loop any more. */
static void save_state(struct app *app)
{
	CLEANUP(freep) char *dir = str_dup(app->cfg->state_dir);
	struct err err = { 0 };

	if (dir && state_changed(app) && state_file_save(dir, app->findings, &err) < 0)
		report_save(app, &err);
}

static void on_save(uv_work_t *work)
{
	struct app *app = work->data;

	(void)!state_file_write(app->save_dir, buf_str(&app->save_text), &app->save_error);
}

static void on_saved(uv_work_t *work, int status)
{
	struct app *app = work->data;

	(void)status;
	report_save(app, &app->save_error);
	app->saving = false;
	buf_done(&app->save_text);
	free(TAKE(app->save_dir));
}

/* What is not saved when the daemon dies is reported again: a few seconds' worth. */
static void save_state_soon(struct app *app)
{
	if (app->saving || !state_changed(app) || uv_hrtime() - app->saved_ns < SAVE_INTERVAL_NS)
		return;
	app->saved_ns = uv_hrtime();
	app->save_error = (struct err){ 0 };
	app->save_text = BUF_INIT(STATE_FILE_BYTES_MAX);
	app->save_dir = str_dup(app->cfg->state_dir);
	app->save.data = app;
	if (!app->save_dir || state_file_text(app->findings, &app->save_text, &app->save_error) < 0 ||
	    uv_queue_work(&app->loop, &app->save, on_save, on_saved) < 0) {
		on_saved(&app->save, 0);
		return;
	}
	app->saving = true;
	app->saved_generation = findings_generation(app->findings);
}

/* "4 clusters, 3 synced, 12 drifted (1 critical)" */
static void update_status(struct app *app)
{
	size_t at = 0, ready = 0, drifted = 0, critical = 0;
	const struct finding *x;
	char text[sizeof(app->status)];

	for (size_t i = 0; i < app->n_clusters; i++)
		ready += cluster_synced(app->clusters[i]);
	while ((x = findings_each(app->findings, &at))) {
		drifted += x->kind == FINDING_DRIFT;
		critical += x->kind == FINDING_DRIFT && x->severity == SEVERITY_CRITICAL;
	}
	(void)snprintf(text, sizeof(text), "%zu clusters, %zu synced, %zu drifted (%zu critical)", app->cfg->n_clusters,
		       ready, drifted, critical);
	if (strcmp(text, app->status) == 0)
		return;
	memcpy(app->status, text, sizeof(text));
	notify_status(text);
}

static void on_tick(uv_timer_t *timer)
{
	struct app *app = timer->data;
	uint64_t now = uv_hrtime();

	findings_tick(app->findings);
	for (size_t i = 0; i < app->n_clusters; i++)
		cluster_tick(app->clusters[i]);
	save_state_soon(app);
	update_status(app);
	if (app->watchdog_ns && now - app->last_watchdog_ns >= app->watchdog_ns) {
		app->last_watchdog_ns = now;
		notify_watchdog();
	}
}

/* ---- start and stop ---- */

static void stop(struct app *app)
{
	if (app->stopping)
		return;
	app->stopping = true;
	notify_stopping();
	close_clusters(app, NULL);
	for (size_t i = 0; i < app->n_servers; i++)
		http_server_close(app->servers[i]);
	app->n_servers = 0;
	uv_close((uv_handle_t *)&app->term, NULL);
	uv_close((uv_handle_t *)&app->interrupt, NULL);
	uv_close((uv_handle_t *)&app->hangup, NULL);
	uv_close((uv_handle_t *)&app->tick, NULL);
	uv_close((uv_handle_t *)&app->work, NULL);
}

static void on_stop(uv_signal_t *signal, int number)
{
	(void)number;
	stop(signal->data);
}

static void start_handles(struct app *app)
{
	(void)uv_signal_init(&app->loop, &app->term);
	(void)uv_signal_init(&app->loop, &app->interrupt);
	(void)uv_signal_init(&app->loop, &app->hangup);
	(void)uv_timer_init(&app->loop, &app->tick);
	(void)uv_idle_init(&app->loop, &app->work);
	app->term.data = app->interrupt.data = app->hangup.data = app->tick.data = app->work.data = app;
	(void)uv_signal_start(&app->term, on_stop, SIGTERM);
	(void)uv_signal_start(&app->interrupt, on_stop, SIGINT);
	(void)uv_signal_start(&app->hangup, on_hangup, SIGHUP);
	(void)uv_timer_start(&app->tick, on_tick, TICK_MS, TICK_MS);
}

static void load_state(struct app *app)
{
	CLEANUP(freep) char *dir = str_dup(app->cfg->state_dir);
	struct err err;

	if (dir && *dir && state_file_load(dir, app->findings, &err) < 0)
		record_lifecycle(app->sink, MESSAGE_STATE_UNREADABLE, SEVERITY_WARNING, "%s; starting without it",
				 err.msg);
	app->saved_generation = findings_generation(app->findings);
}

static void announce(struct app *app)
{
	record_lifecycle(app->sink, MESSAGE_STARTED, SEVERITY_INFO,
			 "driftd " DRIFTD_VERSION " started: %zu clusters, %zu references, metrics on http://%s%.*s",
			 app->cfg->n_clusters, app->cfg->n_references,
			 app->n_servers ? http_server_address(app->servers[0]) : "(none)",
			 STR_ARG(app->cfg->telemetry_path));
	if (app->cfg->n_clusters == 0)
		record_lifecycle(app->sink, MESSAGE_NOTICE, SEVERITY_WARNING,
				 "no cluster is configured: nothing is watched; see driftd.yaml(5)");
}

/* Everything that can fail before the daemon is up. */
static int set_up(struct app *app, struct problems *problems, struct err *err)
{
	int r = app_load_config(app->options.config_path, &app->limits, app->keys, &app->cfg, problems);

	if (r != 0)
		return err_set(err, EINVAL, "the configuration is refused");
	app->reloaded_ok = true;
	app->reloaded_at = clock_seconds();
	r = sink_new(output_of(app), &app->sink, err);
	if (r == 0)
		r = findings_new(app->sink, &app->latency, &app->findings, err);
	return r;
}

static void tear_down(struct app *app)
{
	findings_free(app->findings);
	sink_free(app->sink);
	cfg_unref(app->next_cfg);
	cfg_unref(app->cfg);
	key_table_free(app->keys);
	free(app->clusters);
	free(app->servers);
}

static int serve(struct app *app)
{
	struct err err;
	int r = start_http(app, &err);

	start_handles(app);
	if (r < 0) {
		record_lifecycle(app->sink, MESSAGE_NOTICE, SEVERITY_CRITICAL, "%s", err.msg);
		stop(app);
	} else {
		load_state(app);
		announce(app);
		start_clusters(app);
		app->watchdog_ns = notify_watchdog_interval_ns() / 2;
		notify_ready();
	}
	(void)uv_run(&app->loop, UV_RUN_DEFAULT);
	if (r == 0) {
		save_state(app);
		record_lifecycle(app->sink, MESSAGE_STOPPED, SEVERITY_INFO, "driftd stopped");
	}
	return r < 0 ? 1 : 0;
}

int app_run(const struct app_options *options)
{
	struct app app = {
		.options = *options, .limits = LIMITS_DEFAULT, .keys = key_table_new(), .started_at = clock_seconds()
	};
	struct problems problems = { 0 };
	struct err err;
	int status = 1;

	(void)signal(SIGPIPE, SIG_IGN);
	if (!app.keys || uv_loop_init(&app.loop) < 0) {
		fputs("driftd: out of memory\n", stderr);
		key_table_free(app.keys);
		return 1;
	}
	if (set_up(&app, &problems, &err) < 0) {
		CLEANUP(freep) char *text = problems_text(&problems);

		fprintf(stderr, "%s\n", problems_any(&problems) && text ? text : err.msg);
		status = problems_any(&problems) ? EXIT_CONFIG : 1;
	} else {
		status = serve(&app);
	}
	if (uv_loop_close(&app.loop) != 0)
		fputs("driftd: a handle of the loop was left open\n", stderr);
	problems_done(&problems);
	tear_down(&app);
	return status;
}
