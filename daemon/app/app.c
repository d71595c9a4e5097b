/* The process as a whole: what it starts, what it does once a second, and how it ends. */
#include "daemon/app/app.h"

#include "config/exit_status.h"
#include "config/part.h"
#include "config/web_config.h"
#include "daemon/app/accepting.h"
#include "daemon/app/alerting.h"
#include "daemon/app/answers.h"
#include "daemon/app/app_internal.h"
#include "daemon/app/configuration.h"
#include "daemon/app/followed.h"
#include "daemon/app/keeping.h"
#include "daemon/app/kubeconfigs.h"
#include "daemon/app/leadership.h"
#include "daemon/app/listeners.h"
#include "daemon/app/notify.h"
#include "daemon/app/published.h"
#include "daemon/app/reload.h"
#include "daemon/app/remembered.h"
#include "daemon/app/renaming.h"
#include "daemon/findings/clock.h"
#include "daemon/findings/finding_record.h"
#include "daemon/findings/notice.h"
#include "daemon/watch/cluster/cluster.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

/* the time for judging in one turn of the loop, so that events are read in between */
#define WORK_SLICE_NS (3 * UINT64_C(1000000))
#define TICK_MS 1000

struct process {
	struct app app; /* the first member, so that a pointer to it is one to the process */
	uv_signal_t signals[3];
	uv_timer_t tick;
	uv_idle_t work;
	size_t next_to_work; /* index into the clusters */
	/* nothing more is judged until some of the waiting records are written */
	bool paused;
	uint64_t watchdog_ns;                     /* half of $WATCHDOG_USEC; 0: no watchdog */
	uint64_t last_watchdog_ns, last_progress; /* the sum of cluster_progress at that time */
	char status[256];
};

/* ---- work ---- */

static void on_work(uv_idle_t *idle)
{
	struct process *p = idle->data;
	struct app *app = &p->app;

	if (renaming_go_on(app, uv_hrtime() + WORK_SLICE_NS))
		return;
	if ((app->inspecting && app->inspecting->go_on(app)) || leadership_go_on(app, uv_hrtime() + WORK_SLICE_NS))
		return;
	if (writer_is_full(app->writer)) {
		p->paused = true;
		uv_idle_stop(idle);
		return;
	}
	if (accepting_go_on(app, uv_hrtime() + WORK_SLICE_NS) || clusters_end_unwatched(app))
		return;
	if (!clusters_work(app->clusters.p, app->clusters.n, &p->next_to_work, uv_hrtime() + WORK_SLICE_NS))
		uv_idle_stop(idle);
}

static void wake(void *ctx)
{
	struct process *p = ctx;

	if (!p->app.stopping)
		(void)uv_idle_start(&p->work, on_work);
}

static void go_on_after_pause(struct process *p)
{
	if (!p->paused || writer_is_full(p->app.writer))
		return;
	p->paused = false;
	wake(p);
}

/* ---- once a second ---- */

/* "4 clusters, 3 synced, 12 drifted (1 critical)" */
static void update_status(struct process *p)
{
	struct app *app = &p->app;
	CLEANUP(buf_done) struct buf stuck = BUF_INIT(65536);
	size_t ready = 0, drifted = 0, critical = 0;
	char text[sizeof(p->status)];
	int n;

	for (size_t i = 0; i < app->clusters.n; i++) {
		const struct finding_counters *c = findings_counters(app->findings, cluster_name(app->clusters.p[i]));

		ready += cluster_synced(app->clusters.p[i]);
		drifted += c ? findings_open(c, FINDING_DRIFT) : 0;
		critical += c ? c->open[FINDING_DRIFT][SEVERITY_CRITICAL] : 0;
	}
	if (cfg_nothing(app->cfg))
		n = snprintf(text, sizeof(text), "%s", cfg_nothing(app->cfg));
	else
		n = snprintf(text, sizeof(text), "%zu cluster%s, %zu synced, %zu drifted (%zu critical)",
			     app->cfg->n_clusters, plural_s(app->cfg->n_clusters), ready, drifted, critical);
	keeping_stuck_steps(app, &stuck);
	if (stuck.n && n >= 0 && (size_t)n < sizeof(text)) /* one line, about the first stuck cluster */
		(void)snprintf(text + n, sizeof(text) - (size_t)n, "; %.*s", (int)strcspn(stuck.p, "\n"), stuck.p);
	if (strcmp(text, p->status) == 0)
		return;
	memcpy(p->status, text, sizeof(text));
	notify_status(text);
}

/* Whether the clusters make progress, or have none to make. When the queues do not get shorter, systemd ends the
 * process. Waiting for room for more records does not count as being stuck. */
static bool makes_progress(struct process *p)
{
	const struct app *app = &p->app;
	uint64_t progress = 0;
	size_t waiting = 0;
	bool moved;

	for (size_t i = 0; i < app->clusters.n; i++) {
		progress += cluster_progress(app->clusters.p[i]);
		waiting += uv_is_active((uv_handle_t *)&p->work) ? cluster_queue_length(app->clusters.p[i]) : 0;
	}
	moved = progress != p->last_progress;
	p->last_progress = progress;
	return moved || waiting == 0 || p->paused;
}

/* Tick the clusters. A cluster that needs more objects of other shards is listed again. */
static void tick_clusters(struct app *app)
{
	bool all_keep_enough = true;

	for (size_t i = 0; i < app->clusters.n; i++) {
		cluster_tick(app->clusters.p[i]);
		all_keep_enough &= cluster_keeps_enough(app->clusters.p[i]);
	}
	if (!all_keep_enough)
		reload_retarget(app);
}

static void on_woke(void *ctx, const struct nap *n)
{
	struct app *app = ctx;
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);

	record_lifecycle(
		app->sink, MESSAGE_NOTICE, SEVERITY_WARNING,
		"driftd did not run between %.*s and %.*s (%s): what happened meanwhile is reported with these "
		"times, and all connections are tested",
		STR_ARG(time_text(&a, n->from.usec)), STR_ARG(time_text(&a, n->to.usec)), nap_cause(n));
	for (size_t i = 0; i < app->clusters.n; i++)
		cluster_woke(app->clusters.p[i], n);
	alerting_woke(app);
}

static void on_tick(uv_timer_t *timer)
{
	struct process *p = timer->data;
	struct app *app = &p->app;
	uint64_t now = uv_hrtime();

	awake_look(&app->awake);
	tick_clusters(app);
	findings_tick(app->findings, now);
	accepting_apply(app);
	listeners_tick(app);
	kubeconfigs_tick(app);
	followed_tick(app);
	published_tick(app);
	if (remembered_tick(app))
		renaming_keep(app);
	leadership_tick(app);
	keeping_tick(app, p->paused);
	alerting_tick(app);
	go_on_after_pause(p);
	update_status(p);
	if (p->watchdog_ns && now - p->last_watchdog_ns >= p->watchdog_ns && makes_progress(p)) {
		p->last_watchdog_ns = now;
		notify_watchdog();
	}
}

/* ---- start and stop ---- */

static void stop(struct process *p)
{
	struct app *app = &p->app;

	if (app->stopping)
		return;
	app->stopping = true;
	notify_stopping();
	remembered_keep_seen(app);
	listeners_close(app); /* clients that wait for a dry run go with their connections */
	reload_close(app);
	(void)clusters_close(app, NULL, NULL);
	remembered_keep_inspected(app);
	if (app->inspecting)
		app->inspecting->stop(app);
	alerting_stop(app);
	store_client_close(app->store_client);
	history_close(app->history);
	leadership_leave_loop(app);
	kubeconfigs_close(app);
	followed_close(app);
	for (size_t i = 0; i < ARRAY_LEN(p->signals); i++)
		uv_close((uv_handle_t *)&p->signals[i], NULL);
	uv_close((uv_handle_t *)&p->tick, NULL);
	uv_close((uv_handle_t *)&p->work, NULL);
	turns_close(&app->turns);
}

static const int answered[] = { SIGTERM, SIGINT, SIGHUP };

static void on_signal(uv_signal_t *signal, int number)
{
	struct process *p = signal->data;

	if (number == SIGHUP)
		reload_begin(&p->app);
	else
		stop(p);
}

/* Initialize all handles of the app, so that stop() may close them. */
static int init_handles(struct process *p, struct err *err)
{
	struct app *app = &p->app;
	int r = kubeconfigs_open(app, reload_retarget, err);

	if (r == 0)
		r = followed_open(app, reload_follow, err);
	if (r < 0)
		return r;
	kc_pace_init(&app->pace, &app->loop);
	for (size_t i = 0; r == 0 && i < ARRAY_LEN(p->signals); i++) {
		r = uv_signal_init(&app->loop, &p->signals[i]);
		p->signals[i].data = p;
	}
	if (r == 0)
		r = uv_timer_init(&app->loop, &p->tick);
	if (r == 0)
		r = uv_idle_init(&app->loop, &p->work);
	if (r == 0)
		r = turns_init(&app->turns, &app->loop);
	app->awake = (struct awake){ .woke = on_woke, .ctx = app };
	p->tick.data = p->work.data = p;
	return r < 0 ? err_set(err, -r, "prepare the event loop: %s", uv_strerror(r)) : 0;
}

void app_signals(sigset_t *ret)
{
	sigemptyset(ret);
	for (size_t i = 0; i < ARRAY_LEN(answered); i++)
		sigaddset(ret, answered[i]);
}

/* Unblock the signals: those that are pending are handled now. */
static void release_signals(void)
{
	sigset_t blocked;

	app_signals(&blocked);
	(void)pthread_sigmask(SIG_UNBLOCK, &blocked, NULL);
}

/* Open the history. Without a state directory there is none, and answers say so. */
static int start_history(struct app *app, struct err *err)
{
	app->history = history_new(&app->loop);
	return app->history ? history_set_folder(app->history, app->cfg->state_dir, err) : err_nomem(err);
}

static int start_handles(struct process *p, struct err *err)
{
	struct app *app = &p->app;
	int r = 0;

	for (size_t i = 0; r == 0 && i < ARRAY_LEN(p->signals); i++)
		r = uv_signal_start(&p->signals[i], on_signal, answered[i]);
	if (r == 0)
		r = uv_timer_start(&p->tick, on_tick, TICK_MS, TICK_MS);
	if (r < 0)
		return err_set(err, -r, "watch for signals: %s", uv_strerror(r));
	release_signals();
	r = store_client_new(&app->loop, app->writer, &app->store_client, err);
	if (r == 0)
		r = start_history(app, err);
	if (r == 0 && app->inspecting)
		r = app->inspecting->start(app, err);
	return r < 0 ? r : leadership_start(app, err);
}

/* The notice has several lines, since users are to copy them into a configuration. */
static void announce_nothing(struct app *app)
{
	CLEANUP(buf_done) struct buf beginning = BUF_INIT(RECORD_VALUE_MAX / 2);

	cfg_add_beginning(app->cfg, &beginning);
	record_lifecycle(app->sink, MESSAGE_NOTICE, SEVERITY_WARNING, "%s; %.*s", cfg_nothing(app->cfg),
			 STR_ARG(str_trim(buf_str(&beginning))));
}

static void announce(struct app *app)
{
	char space[SHARD_TEXT_SIZE];
	const char *shard = shard_text(app->options.shard, space);

	record_lifecycle(app->sink, MESSAGE_STARTED, SEVERITY_INFO,
			 "driftd " DRIFTD_VERSION " started%s%s: %zu cluster%s, %zu reference%s, metrics on %s%s%s, "
			 "control socket %s",
			 shard[0] ? " as shard " : "", shard, app->cfg->n_clusters, plural_s(app->cfg->n_clusters),
			 app->cfg->n_references, plural_s(app->cfg->n_references), listeners_scheme(app),
			 listeners_address(app, false), answers_metrics_path(app), listeners_address(app, true));
	if (cfg_nothing(app->cfg))
		announce_nothing(app);
}

static void report_warnings(struct app *app)
{
	for (size_t i = 0; i < app->cfg->n_warnings; i++)
		record_notice(app->sink, (str){ 0 }, SEVERITY_WARNING, NULL, app->cfg->warnings[i].p);
}

static void follow_published(struct app *app)
{
	struct err err;

	if (published_configure(app, &err) < 0)
		record_lifecycle(app->sink, MESSAGE_NOTICE, SEVERITY_CRITICAL,
				 "published references are not followed: %s; reload the configuration", err.msg);
}

/* Apply the settings of the whole process, which a new configuration may change. */
static void on_configured(struct app *app, struct web_config *web)
{
	struct err err;

	keeping_configure(app);
	if (web)
		listeners_set_web(app, web);
	if (listeners_open(app, &err) > 0)
		listeners_tick(app); /* which reports what cannot be listened on */
	accepting_configure(app);
	report_warnings(app);
	kubeconfigs_watch(app);
	followed_watch(app);
	follow_published(app);
	alerting_configure(app);
}

/* Open the parts that depend on no other part. They take over @web. */
static int open_parts(struct app *app, struct web_config *web, struct err *err)
{
	app->listeners = listeners_new(web);
	app->answers = answers_new();
	app->remembered = remembered_new();
	if (!app->listeners || !app->answers || !app->remembered)
		return err_nomem(err);
	return published_open(app, err);
}

/* Do everything that can fail before the daemon is up. */
static int set_up(struct app *app, struct problems *problems, struct err *err)
{
	struct web_config *web = NULL;
	int r = reload_open(app, published_keep, on_configured, err);

	if (r < 0)
		return r;
	r = reload_read_first(app, problems);
	if (r == 0 && app->options.web_config)
		r = configuration_load_web(app->options.web_config, &web, problems);
	if (r == 0 && app->inspecting)
		r = app->inspecting->read(app, problems, err);
	if (r != 0) {
		web_config_unref(web);
		return err_set(err, EINVAL, "the configuration is refused");
	}
	r = open_parts(app, web, err);
	if (r == 0)
		r = keeping_open(app, err);
	return r;
}

static void tear_down(struct app *app)
{
	if (!keeping_close(app)) {
		/* The writer hangs in something that cannot be interrupted. All that can be committed is committed. */
		fputs("driftd: the writer of records hangs; what is not written is written at the next start\n",
		      stderr);
		_exit(1);
	}
	remembered_free(app->remembered);
	alerting_free(app);
	if (app->inspecting)
		app->inspecting->close(app);
	accepting_close(app);
	findings_free(app->findings);
	sink_free(app->sink);
	cfg_unref(app->cfg);
	reload_free(app->reload);
	key_table_free(app->keys);
	free(app->clusters.p);
	kubeconfigs_free(app);
	followed_free(app);
	published_free(app);
	answers_free(app->answers);
	listeners_free(app->listeners);
}

static void close_handle(uv_handle_t *handle, void *ctx)
{
	(void)ctx;
	if (!uv_is_closing(handle))
		uv_close(handle, NULL);
}

static int serve(struct process *p)
{
	struct app *app = &p->app;
	struct err err;
	int r = init_handles(p, &err);

	if (r < 0) { /* only some of the errors come from the loop */
		record_lifecycle(app->sink, MESSAGE_NOTICE, SEVERITY_CRITICAL, "%s", err.msg);
		uv_walk(&app->loop, close_handle, NULL);
		(void)uv_run(&app->loop, UV_RUN_DEFAULT);
		return 1;
	}
	r = start_handles(p, &err);
	if (r == 0 && app->options.systemd_socket)
		r = listeners_take_passed(app, &err);
	if (r == 0 && listeners_open(app, &err) > 0)
		r = -err.code;
	if (r < 0) {
		record_lifecycle(app->sink, MESSAGE_NOTICE, SEVERITY_CRITICAL, "%s", err.msg);
		stop(p);
	} else {
		announce(app);
		keeping_announce(app);
		report_warnings(app);
		kubeconfigs_watch(app);
		followed_watch(app);
		follow_published(app);
		alerting_configure(app);
		renaming_carry_out_kept(app);
		clusters_start(app);
		p->watchdog_ns = notify_watchdog_interval_ns() / 2;
		notify_ready();
	}
	(void)uv_run(&app->loop, UV_RUN_DEFAULT);
	kc_pace_close(&app->pace, NULL, NULL); /* no client is left that could use it */
	(void)uv_run(&app->loop, UV_RUN_DEFAULT);
	if (r == 0)
		record_lifecycle(app->sink, MESSAGE_STOPPED, SEVERITY_INFO, "driftd stopped");
	return r < 0 ? 1 : 0;
}

int app_run(const struct app_options *options)
{
	struct process process = { .app = { .options = *options,
					    .limits = limits_of_a_loop(),
					    .keys = key_table_new(),
					    .wake = wake,
					    .inspecting = HAS_INSPECTION ? &inspections_part : NULL,
					    .started_at = clock_seconds() } };
	struct app *app = &process.app;
	struct problems problems = { 0 };
	struct err err;
	int status = 1;

	status = app->keys ? uv_loop_init(&app->loop) : UV_ENOMEM;
	if (status < 0) {
		fprintf(stderr, "driftd: prepare the event loop: %s\n", uv_strerror(status));
		key_table_free(app->keys);
		return 1;
	}
	if (set_up(app, &problems, &err) < 0) {
		status = problems_any(&problems) || err.code == EPROTO ? EXIT_CONFIG : 1;
		if (problems_any(&problems))
			configuration_print(&problems);
		else
			fprintf(stderr, "%s\n", err.msg);
	} else {
		status = serve(&process);
	}
	if (uv_loop_close(&app->loop) != 0)
		fputs("driftd: a handle of the loop was left open\n", stderr);
	problems_done(&problems);
	tear_down(app);
	return status;
}
