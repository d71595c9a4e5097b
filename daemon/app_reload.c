/* Loading the configuration, and replacing it while the daemon runs. */
#include "base/assert.h"
#include "config/exit_status.h"
#include "daemon/app_internal.h"
#include "daemon/findings/clock.h"
#include "daemon/findings/notice.h"
#include "daemon/findings/output.h"
#include "daemon/notify.h"
#include "daemon/watch/kube_source.h"

#include <errno.h>
#include <stdio.h>

static int read_config(const char *config_path, const struct limits *limits, struct key_table *keys,
		       cfg_cluster_check *check, struct cfg **ret, struct problems *problems)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	const char *const *files;
	struct err err;
	size_t n;
	int r;

	r = cfg_files(config_path, &a, &files, &n, &err);
	if (r == 0)
		r = cfg_load_checked(files, n, limits, keys, check, ret, problems, &err);
	if (r < 0 && !problems_any(problems))
		problems_add(problems, "%s", err.msg);
	return r == 0 ? 0 : EXIT_CONFIG;
}

int app_read_config(const char *config_path, const struct limits *limits, struct key_table *keys, struct cfg **ret,
		    struct problems *problems)
{
	return read_config(config_path, limits, keys, NULL, ret, problems);
}

static void check_target(const struct cfg_cluster *c, struct problems *problems)
{
	struct err err;

	if (kube_source_check(c, &err) < 0)
		problems_add(problems, "%.*s: cluster '%.*s': %s", STR_ARG(c->where), STR_ARG(c->name), err.msg);
}

int app_load_config(const char *config_path, const struct limits *limits, struct key_table *keys, struct cfg **ret,
		    struct problems *problems)
{
	return read_config(config_path, limits, keys, check_target, ret, problems);
}

void app_print_problems(const struct problems *problems)
{
	CLEANUP(freep) char *text = problems_text(problems);

	fprintf(stderr, "%s\n", text ? text : "out of memory");
}

enum cfg_output app_output(const struct app *app)
{
	return app->options.has_output ? app->options.output : app->cfg->output;
}

/* ---- clusters ---- */

static const struct cluster *find_cluster(const struct app *app, str name)
{
	for (size_t i = 0; i < app->n_clusters; i++) {
		if (str_eq(cluster_name(app->clusters[i]), name))
			return app->clusters[i];
	}
	return NULL;
}

/* The one called @name, taken out of @clusters; NULL: there is none. */
static struct cluster *take_cluster(struct cluster **clusters, size_t n, str name)
{
	for (size_t i = 0; i < n; i++) {
		if (clusters[i] && str_eq(cluster_name(clusters[i]), name))
			return TAKE(clusters[i]);
	}
	return NULL;
}

static bool is_configured(void *ctx, str cluster)
{
	const struct cfg *cfg = ctx;

	for (size_t i = 0; i < cfg->n_clusters; i++) {
		if (str_eq(cfg->clusters[i].name, cluster))
			return true;
	}
	return false;
}

void app_start_clusters(struct app *app)
{
	struct cluster **running = app->clusters;
	size_t n_running = app->n_clusters;
	struct cluster_context context = {
		.loop = &app->loop,
		.sink = app->sink,
		.findings = app->findings,
		.keys = app->keys,
		.limits = &app->limits,
		.in_hand = app->in_hand,
		.wake = app_wake,
		.last_seen_usec = app_last_seen,
		.ctx = app,
	};
	struct cluster **all = calloc(app->cfg->n_clusters + 1, sizeof(struct cluster *));
	struct err err;

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
	findings_name_clusters(app->findings, app->cfg->n_clusters > 1);
	findings_set_flapping(app->findings, app->cfg->flapping_changes, (uint64_t)app->cfg->flapping_window_ns);
	findings_end_unwatched(app->findings, is_configured, app->cfg);
	app_wake(app);
}

static void swap_config(struct app *app);

/* A cluster that could not be started before gets another chance. */
static void finish_retarget(struct app *app)
{
	app_start_clusters(app);
	if (app->retarget_again) {
		app->retarget_again = false;
		app_retarget(app);
	}
}

static void on_cluster_closed(void *ctx)
{
	struct app *app = ctx;

	ASSERT(app->n_closing > 0);
	if (--app->n_closing > 0 || app->stopping)
		return;
	if (app->next_cfg)
		swap_config(app);
	else
		finish_retarget(app);
}

/* The number of @c in @cfg; n_clusters: it is not there. */
static size_t cluster_index(const struct cfg *cfg, const struct cluster *c)
{
	size_t i = 0;

	while (i < cfg->n_clusters && !str_eq(cfg->clusters[i].name, cluster_name(c)))
		i++;
	return i;
}

static bool ends(struct app *app, struct cluster *c)
{
	(void)app;
	(void)c;
	return false;
}

/* The next configuration leaves it as it is. */
static bool stays(struct app *app, struct cluster *c)
{
	size_t i = cluster_index(app->next_cfg, c);

	if (i == app->next_cfg->n_clusters || !cluster_is_unchanged(c, app->next_cfg, &app->next_cfg->clusters[i]))
		return false;
	cluster_reread_credentials(c);
	return true;
}

/* So does its kubeconfig, which also does when it cannot be used. */
static bool stays_there(struct app *app, struct cluster *c)
{
	size_t i = cluster_index(app->cfg, c);
	const struct cfg_cluster *config = &app->cfg->clusters[i];
	struct err err;

	ASSERT(i < app->cfg->n_clusters);
	if (kube_source_check(config, &err) < 0) {
		app_tell_kubeconfig(app, i, &err);
		return true;
	}
	app_forget_kubeconfig(app, i);
	if (cluster_is_unchanged(c, app->cfg, config))
		return true;
	record_notice(app->sink, config->name, SEVERITY_INFO, NULL,
		      "the kubeconfig changed: the cluster is watched anew");
	return false;
}

static void close_clusters(struct app *app, bool (*goes_on)(struct app *app, struct cluster *c))
{
	size_t n = app->n_clusters;

	app->n_clusters = 0;
	for (size_t i = 0; i < n; i++) {
		if (goes_on(app, app->clusters[i])) {
			app->clusters[app->n_clusters++] = app->clusters[i];
		} else {
			app->n_closing++;
			cluster_close(app->clusters[i], on_cluster_closed, app);
		}
	}
}

void app_close_clusters(struct app *app)
{
	close_clusters(app, ends);
}

void app_retarget(void *ctx)
{
	struct app *app = ctx;

	if (app->stopping)
		return;
	if (app->n_closing > 0) {
		app->retarget_again = true;
		return;
	}
	close_clusters(app, stays_there);
	if (app->n_closing == 0 && app->n_clusters < app->cfg->n_clusters)
		finish_retarget(app);
}

/* ---- reload ---- */

static void note(struct buf *out, bool differs, const char *setting, const char *option)
{
	if (differs)
		buf_printf(out, "%s is not used: %s wins", setting, option);
}

static bool same_listen(const struct cfg *a, const struct cfg *b)
{
	bool same = a->n_listen == b->n_listen;

	for (size_t i = 0; same && i < a->n_listen; i++)
		same = str_eq(a->listen[i], b->listen[i]);
	return same;
}

/* What the new configuration says in vain, because the command line says it too. */
static void note_overruled(const struct app *app, const struct cfg *old, struct buf *out)
{
	const struct cfg *now = app->cfg;

	note(out, app->options.n_listen && !same_listen(old, now), "; metrics.listen", "--web.listen-address");
	note(out, app->options.has_output && old->output != now->output, "; output", "--output");
	note(out, app->options.telemetry_path && !str_eq(old->telemetry_path, now->telemetry_path),
	     "; metrics.telemetry_path", "--web.telemetry-path");
}

/* What is said of the whole process changes with the configuration too. */
static void apply_outside_clusters(struct app *app)
{
	struct err err;

	if (output_check(app_output(app), &err) < 0)
		record_lifecycle(app->sink, MESSAGE_NOTICE, SEVERITY_ERROR, "%s; the output stays as it was", err.msg);
	else
		writer_set_output(app->writer, app_output(app));
	if (app->next_web_config) {
		web_config_unref(app->web_config);
		app->web_config = TAKE(app->next_web_config);
	}
	if (app_listen(app, &err) > 0)
		app_listen_again(app); /* tells */
}

/* The clusters that were changed are gone, their findings are not: what is seen again under the new configuration makes
 * no record. */
static void swap_config(struct app *app)
{
	CLEANUP(buf_done) struct buf notes = BUF_INIT(4096);
	struct cfg *old = app->cfg;

	app->cfg = TAKE(app->next_cfg);
	app->reloaded_ok = true;
	free(TAKE(app->reload_mistakes));
	app->reloaded_at = clock_seconds();
	apply_outside_clusters(app);
	note_overruled(app, old, &notes);
	cfg_unref(old);
	app_watch_kubeconfigs(app);
	app->retarget_again = false; /* they are read now */
	app_start_clusters(app);
	record_lifecycle(app->sink, MESSAGE_RELOADED, SEVERITY_INFO,
			 "configuration reloaded: %zu clusters, %zu references%.*s", app->cfg->n_clusters,
			 app->cfg->n_references, STR_ARG(buf_str(&notes)));
	notify_ready();
	if (app->reload_again) {
		app->reload_again = false;
		app_reload(app);
	}
}

/* Whether the clusters that would be watched anew can be: the old ones are closed for them. */
static bool can_be_watched(struct app *app, struct cfg *next, struct problems *problems)
{
	for (size_t i = 0; i < next->n_clusters; i++) {
		const struct cfg_cluster *config = &next->clusters[i];
		const struct cluster *running = find_cluster(app, config->name);

		if (!running || !cluster_is_unchanged(running, next, config))
			check_target(config, problems);
	}
	return !problems_any(problems);
}

static void refuse_config(struct app *app, const struct problems *problems)
{
	char *text = problems_text(problems);

	app->reloaded_ok = false;
	free(app->reload_mistakes);
	app->reload_mistakes = text;
	record_lifecycle(app->sink, MESSAGE_RELOAD_FAILED, SEVERITY_ERROR,
			 "configuration refused, the old one stays in force: %s", text ? text : "out of memory");
	notify_ready();
}

/* What the command line names besides the configuration. */
static bool read_web(struct app *app, struct problems *problems)
{
	return !app->options.web_config || app_load_web(app->options.web_config, &app->next_web_config, problems) == 0;
}

void app_reload(struct app *app)
{
	struct problems problems = { 0 };

	if (app->stopping)
		return;
	if (app->next_cfg) { /* the files may have changed since they were read */
		app->reload_again = true;
		return;
	}
	notify_reloading();
	if (app_read_config(app->options.config_path, &app->limits, app->keys, &app->next_cfg, &problems) != 0 ||
	    !read_web(app, &problems) || !can_be_watched(app, app->next_cfg, &problems)) {
		cfg_unref(TAKE(app->next_cfg));
		web_config_unref(TAKE(app->next_web_config));
		refuse_config(app, &problems);
	} else {
		close_clusters(app, stays);
		if (app->n_closing == 0)
			swap_config(app);
	}
	problems_done(&problems);
}
