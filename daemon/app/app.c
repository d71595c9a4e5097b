/* One process: what it starts, what it does once a second, how it ends. */
#include "daemon/app/app.h"

#include "config/exit_status.h"
#include "daemon/app/app_internal.h"
#include "daemon/app/configuration.h"
#include "daemon/app/notify.h"
#include "daemon/findings/clock.h"
#include "daemon/findings/finding_record.h"
#include "daemon/findings/notice.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#define WORK_SLICE_NS (5 * UINT64_C(1000000)) /* judging per turn of the loop: events are read in between */
#define TICK_MS 1000

/* ---- work ---- */

static void on_work(uv_idle_t *idle)
{
	struct app *app = idle->data;

	if (app_change_rules(app) || app_go_on_adopting(app, uv_hrtime() + WORK_SLICE_NS))
		return;
	if (writer_is_full(app->writer)) {
		app->paused = true;
		uv_idle_stop(idle);
		return;
	}
	if (app_end_unwatched(app))
		return;
	if (!round_work(app->clusters, app->n_clusters, &app->next_to_work, uv_hrtime() + WORK_SLICE_NS))
		uv_idle_stop(idle);
}

void app_wake(void *ctx)
{
	struct app *app = ctx;

	if (!app->stopping)
		(void)uv_idle_start(&app->work, on_work);
}

/* ---- once a second ---- */

/* "4 clusters, 3 synced, 12 drifted (1 critical)" */
static void update_status(struct app *app)
{
	CLEANUP(buf_done) struct buf stuck = BUF_INIT(65536);
	size_t ready = 0, drifted = 0, critical = 0;
	char text[sizeof(app->status)];
	int n;

	for (size_t i = 0; i < app->n_clusters; i++) {
		const struct finding_counters *c = findings_counters(app->findings, cluster_name(app->clusters[i]));

		ready += cluster_synced(app->clusters[i]);
		drifted += c ? findings_open(c, FINDING_DRIFT) : 0;
		critical += c ? c->open[FINDING_DRIFT][SEVERITY_CRITICAL] : 0;
	}
	if (cfg_nothing(app->cfg))
		n = snprintf(text, sizeof(text), "%s", cfg_nothing(app->cfg));
	else
		n = snprintf(text, sizeof(text), "%zu cluster%s, %zu synced, %zu drifted (%zu critical)",
			     app->cfg->n_clusters, plural_s(app->cfg->n_clusters), ready, drifted, critical);
	app_stuck_steps(app, &stuck);
	if (stuck.n && n >= 0 && (size_t)n < sizeof(text)) /* one line, of the first */
		(void)snprintf(text + n, sizeof(text) - (size_t)n, "; %.*s", (int)strcspn(stuck.p, "\n"), stuck.p);
	if (strcmp(text, app->status) == 0)
		return;
	memcpy(app->status, text, sizeof(text));
	notify_status(text);
}

/* Time passes without what waits becoming less: then systemd ends the process. Where there is no room for more records
 * that is no fault of ours. */
static bool makes_progress(struct app *app)
{
	uint64_t progress = 0;
	size_t waiting = 0;
	bool moved;

	for (size_t i = 0; i < app->n_clusters; i++) {
		progress += cluster_progress(app->clusters[i]);
		waiting += uv_is_active((uv_handle_t *)&app->work) ? cluster_queue_length(app->clusters[i]) : 0;
	}
	moved = progress != app->last_progress;
	app->last_progress = progress;
	return moved || waiting == 0 || app->paused;
}

/* One that needs more of what other shards tell of lists it. */
static void tick_clusters(struct app *app)
{
	bool all_keep_enough = true;

	for (size_t i = 0; i < app->n_clusters; i++) {
		cluster_tick(app->clusters[i]);
		all_keep_enough &= cluster_keeps_enough(app->clusters[i]);
	}
	if (!all_keep_enough)
		app_retarget(app);
}

static void on_woke(void *ctx, const struct nap *n)
{
	struct app *app = ctx;
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);

	record_lifecycle(app->sink, MESSAGE_NOTICE, SEVERITY_WARNING,
			 "driftd did not run between %.*s and %.*s (%s): what happened meanwhile is told with these "
			 "times, and all connections are tested",
			 STR_ARG(time_text(&a, n->from.usec)), STR_ARG(time_text(&a, n->to.usec)), nap_cause(n));
	for (size_t i = 0; i < app->n_clusters; i++)
		cluster_woke(app->clusters[i], n);
}

static void on_tick(uv_timer_t *timer)
{
	struct app *app = timer->data;
	uint64_t now = uv_hrtime();

	awake_look(&app->awake);
	tick_clusters(app);
	findings_tick(app->findings, now);
	app_apply_accepted(app);
	app_listen_again(app);
	app_tell_unwatched(app);
	app_tick_store(app);
	update_status(app);
	if (app->watchdog_ns && now - app->last_watchdog_ns >= app->watchdog_ns && makes_progress(app)) {
		app->last_watchdog_ns = now;
		notify_watchdog();
	}
}

/* ---- start and stop ---- */

static void ignore_closed(void *ctx)
{
	(void)ctx;
}

static void stop(struct app *app)
{
	if (app->stopping)
		return;
	app->stopping = true;
	notify_stopping();
	app_keep_seen(app);
	app_stop_listening(app); /* who waits for a dry run is gone with it */
	rehearsal_close(TAKE(app->rehearsal));
	app_close_clusters(app);
	app_keep_inspected(app);
	app_stop_inspecting(app);
	desk_close(app->desk);
	app_leave_loop_leader(app);
	kc_files_close(&app->kubeconfigs, ignore_closed);
	uv_close((uv_handle_t *)&app->term, NULL);
	uv_close((uv_handle_t *)&app->interrupt, NULL);
	uv_close((uv_handle_t *)&app->hangup, NULL);
	uv_close((uv_handle_t *)&app->tick, NULL);
	uv_close((uv_handle_t *)&app->work, NULL);
	turns_close(&app->turns);
}

static void on_stop(uv_signal_t *signal, int number)
{
	(void)number;
	stop(signal->data);
}

static void on_hangup(uv_signal_t *signal, int number)
{
	(void)number;
	app_reload(signal->data);
}

/* All handles of the app, so that stop() may close them. */
static int init_handles(struct app *app, struct err *err)
{
	int r;

	kc_pace_init(&app->pace, &app->loop);
	kc_files_init(&app->kubeconfigs, &app->loop, app_retarget, app);
	r = uv_signal_init(&app->loop, &app->term);
	if (r == 0)
		r = uv_signal_init(&app->loop, &app->interrupt);
	if (r == 0)
		r = uv_signal_init(&app->loop, &app->hangup);
	if (r == 0)
		r = uv_timer_init(&app->loop, &app->tick);
	if (r == 0)
		r = uv_idle_init(&app->loop, &app->work);
	if (r == 0)
		r = turns_init(&app->turns, &app->loop);
	app->awake = (struct awake){ .woke = on_woke, .ctx = app };
	app->term.data = app->interrupt.data = app->hangup.data = app->tick.data = app->work.data = app;
	return r < 0 ? err_set(err, -r, "prepare the event loop: %s", uv_strerror(r)) : 0;
}

void app_signals(sigset_t *ret)
{
	sigemptyset(ret);
	sigaddset(ret, SIGTERM);
	sigaddset(ret, SIGINT);
	sigaddset(ret, SIGHUP);
}

/* Those that came before are answered now. */
static void release_signals(void)
{
	sigset_t held;

	app_signals(&held);
	(void)pthread_sigmask(SIG_UNBLOCK, &held, NULL);
}

static int start_handles(struct app *app, struct err *err)
{
	int r = uv_signal_start(&app->term, on_stop, SIGTERM);

	if (r == 0)
		r = uv_signal_start(&app->interrupt, on_stop, SIGINT);
	if (r == 0)
		r = uv_signal_start(&app->hangup, on_hangup, SIGHUP);
	if (r == 0)
		r = uv_timer_start(&app->tick, on_tick, TICK_MS, TICK_MS);
	if (r < 0)
		return err_set(err, -r, "watch for signals: %s", uv_strerror(r));
	release_signals();
	r = app_open_desk(app, err);
	if (r == 0)
		r = app_begin_inspecting(app, err);
	return r < 0 ? r : app_start_leader(app, err);
}

static void announce(struct app *app)
{
	char space[SHARD_TEXT_SIZE];
	const char *shard = shard_text(app->options.shard, space);

	record_lifecycle(app->sink, MESSAGE_STARTED, SEVERITY_INFO,
			 "driftd " DRIFTD_VERSION " started%s%s: %zu cluster%s, %zu reference%s, metrics on %s%s%s, "
			 "control socket %s",
			 shard[0] ? " as shard " : "", shard, app->cfg->n_clusters, plural_s(app->cfg->n_clusters),
			 app->cfg->n_references, plural_s(app->cfg->n_references), app_scheme(app), app_address(app),
			 app->telemetry_path, app_control_address(app));
	if (cfg_nothing(app->cfg))
		record_lifecycle(app->sink, MESSAGE_NOTICE, SEVERITY_WARNING, "%s; see driftd.yaml(5)",
				 cfg_nothing(app->cfg));
}

/* Everything that can fail before the daemon is up. */
static int set_up(struct app *app, struct problems *problems, struct err *err)
{
	int r = configuration_read(app->options.config_path, &app->limits, app->keys, NULL, &app->cfg, problems);

	if (r == 0 && app->options.web_config)
		r = configuration_load_web(app->options.web_config, &app->web_config, problems);
	if (r == 0)
		r = cfg_load_builtins(app->cfg, &app->limits, &app->built_in, problems, err);
	if (r != 0)
		return err_set(err, EINVAL, "the configuration is refused");
	app->reloaded_ok = true;
	app->reloaded_at = clock_seconds();
	return app_open_store(app, err);
}

static void tear_down(struct app *app)
{
	if (!app_close_store(app)) {
		/* Something that cannot be interrupted holds the writer. All that can be is committed. */
		fputs("driftd: the writer of records hangs; what is not written is written at the next start\n",
		      stderr);
		_exit(1);
	}
	app_forget_inspected(app);
	app_close_inspection(app);
	acceptances_free(app->acceptances);
	findings_free(app->findings);
	sink_free(app->sink);
	cfg_unref(app->next_cfg);
	cfg_unref(app->cfg);
	key_table_free(app->keys);
	free(app->clusters);
	free(app->kubeconfig_told);
	free(app->telemetry_path);
	free(app->reload_mistakes);
	free(app->rehearsed);
	web_config_unref(app->web_config);
}

static void close_handle(uv_handle_t *handle, void *ctx)
{
	(void)ctx;
	if (!uv_is_closing(handle))
		uv_close(handle, NULL);
}

static int serve(struct app *app)
{
	struct err err;
	int r = init_handles(app, &err);

	if (r < 0) { /* only some of them are the loop's */
		record_lifecycle(app->sink, MESSAGE_NOTICE, SEVERITY_CRITICAL, "%s", err.msg);
		uv_walk(&app->loop, close_handle, NULL);
		(void)uv_run(&app->loop, UV_RUN_DEFAULT);
		return 1;
	}
	r = start_handles(app, &err);
	if (r == 0 && app->options.systemd_socket)
		r = app_take_passed(app, &err);
	if (r == 0 && app_listen(app, &err) > 0)
		r = -err.code;
	if (r < 0) {
		record_lifecycle(app->sink, MESSAGE_NOTICE, SEVERITY_CRITICAL, "%s", err.msg);
		stop(app);
	} else {
		announce(app);
		app_announce_store(app);
		app_tell_warnings(app);
		app_watch_kubeconfigs(app);
		app_start_clusters(app);
		app->watchdog_ns = notify_watchdog_interval_ns() / 2;
		notify_ready();
	}
	(void)uv_run(&app->loop, UV_RUN_DEFAULT);
	kc_pace_close(&app->pace, NULL, NULL); /* no client is left */
	(void)uv_run(&app->loop, UV_RUN_DEFAULT);
	if (r == 0)
		record_lifecycle(app->sink, MESSAGE_STOPPED, SEVERITY_INFO, "driftd stopped");
	return r < 0 ? 1 : 0;
}

int app_run(const struct app_options *options)
{
	struct app app = { .options = *options,
			   .limits = limits_of_a_loop(),
			   .keys = key_table_new(),
			   .started_at = clock_seconds() };
	struct problems problems = { 0 };
	struct err err;
	int status = 1;

	status = app.keys ? uv_loop_init(&app.loop) : UV_ENOMEM;
	if (status < 0) {
		fprintf(stderr, "driftd: prepare the event loop: %s\n", uv_strerror(status));
		key_table_free(app.keys);
		return 1;
	}
	if (set_up(&app, &problems, &err) < 0) {
		status = problems_any(&problems) || err.code == EPROTO ? EXIT_CONFIG : 1;
		if (problems_any(&problems))
			configuration_print(&problems);
		else
			fprintf(stderr, "%s\n", err.msg);
	} else {
		status = serve(&app);
	}
	if (uv_loop_close(&app.loop) != 0)
		fputs("driftd: a handle of the loop was left open\n", stderr);
	problems_done(&problems);
	tear_down(&app);
	return status;
}
