/* driftd record: records the answers of the API servers, for driftd replay. */
#include "daemon/app/configuration.h"
#include "daemon/commands/commands.h"
#include "daemon/findings/findings.h"
#include "daemon/recording/recorder.h"
#include "daemon/watch/cluster/cluster.h"
#include "go/duration.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define TICK_MS 1000

struct record_options {
	const char *config_path, *out, *cluster;
	int64_t duration_ns; /* 0: until it is stopped */
	bool raw, force;
};

struct recording {
	struct record_options o;
	uv_loop_t loop;
	struct limits limits;
	struct key_table *keys;
	struct cfg *cfg;
	const struct cfg_cluster *only; /* the only cluster to record; NULL: all */
	struct sink *sink;
	struct findings *findings;
	struct recorder *recorder;
	struct cluster **clusters;
	size_t n_clusters;
	uv_signal_t term, interrupt;
	uv_timer_t tick, end;
	bool stopping;
};

static int take_duration(const struct given *g, void *to)
{
	CLEANUP(buf_done) struct buf why = BUF_INIT(1024);
	int64_t *ret = to;

	if (go_duration_parse(str_from(g->value), ret, &why) && *ret >= GO_SECOND / 1000)
		return COMMAND_GOES_ON;
	fprintf(stderr, "driftd record: '%s' is not a duration: 90s, 15m, 8h\n", g->value);
	return EXIT_USAGE;
}

#define AT(member) offsetof(struct record_options, member)

static const struct command_option option_table[] = {
	CONFIG_OPTION(AT(config_path), ""),
	{ "output", 'o', "FILE", option_text, AT(out),
	  .help = "the recording (default driftd-TIME.recording in this folder)" },
	{ "cluster", 0, "NAME", option_text, AT(cluster), .help = "this cluster of the configuration only" },
	{ "duration", 0, "TIME", take_duration, AT(duration_ns),
	  .help = "end after so long, as 90s or 8h (default: on SIGINT or SIGTERM)" },
	{ "raw", 0, NULL, option_truth, AT(raw),
	  .help = "with the values of Secrets and sensitive fields; else keyed digests stand for them" },
	{ "force", 0, NULL, option_truth, AT(force), .help = "take the place of a file that is there" },
	OPTION_HELP,
};

static const struct command_line line = {
	.program = "driftd record",
	.synopsis = "Usage: driftd record [-c FILE] [options]\n"
		    "Watch what 'driftd run' would watch and write down what the API servers say, for driftd replay.\n"
		    "It needs no running driftd, and keeps nothing but the recording (mode 0600).\n\n",
	.notes = "\nExit status: 0 done, 1 an error, 78 mistakes in the configuration, 2 wrong usage.\n",
	OPTIONS(option_table),
	.column = 23,
};

/* ---- what is said on standard error ---- */

/* Take an emission. Nothing is judged here: only findings about what cannot be watched are true. */
static void take(void *ctx, const struct emission *t)
{
	(void)ctx;
	if (t->record && (!t->finding || t->finding->kind == FINDING_GAP))
		fprintf(stderr, "driftd record: %.*s\n", STR_ARG(t->record->text));
}

static void wake(void *ctx)
{
	(void)ctx;
}

/* ---- the loop ---- */

static void close_handle(uv_handle_t *h, void *ctx)
{
	(void)ctx;
	if (!uv_is_closing(h))
		uv_close(h, NULL);
}

static void stop(struct recording *x)
{
	if (x->stopping)
		return;
	x->stopping = true;
	recorder_end(x->recorder);
	for (size_t i = 0; i < x->n_clusters; i++)
		cluster_close(x->clusters[i], NULL, NULL);
	close_handle((uv_handle_t *)&x->term, NULL);
	close_handle((uv_handle_t *)&x->interrupt, NULL);
	close_handle((uv_handle_t *)&x->tick, NULL);
	close_handle((uv_handle_t *)&x->end, NULL);
}

static void on_signal(uv_signal_t *signal, int number)
{
	(void)number;
	stop(signal->data);
}

static void on_end(uv_timer_t *timer)
{
	stop(timer->data);
}

static void on_tick(uv_timer_t *timer)
{
	struct recording *x = timer->data;
	size_t next = 0;

	for (size_t i = 0; i < x->n_clusters; i++)
		cluster_tick(x->clusters[i]);
	while (clusters_work(x->clusters, x->n_clusters, &next, UINT64_MAX)) /* there are no objects */
		;
	recorder_tick(x->recorder);
	if (recorder_error(x->recorder))
		stop(x);
}

/* Start the handles. It fails only for want of memory; a handle that was not started does not belong to the loop. */
static int start_handles(struct recording *x, struct err *err)
{
	int r = uv_signal_init(&x->loop, &x->term);

	if (r == 0)
		r = uv_signal_init(&x->loop, &x->interrupt);
	if (r == 0)
		r = uv_timer_init(&x->loop, &x->tick);
	if (r == 0)
		r = uv_timer_init(&x->loop, &x->end);
	x->term.data = x->interrupt.data = x->tick.data = x->end.data = x;
	if (r == 0)
		r = uv_signal_start(&x->term, on_signal, SIGTERM);
	if (r == 0)
		r = uv_signal_start(&x->interrupt, on_signal, SIGINT);
	if (r == 0)
		r = uv_timer_start(&x->tick, on_tick, TICK_MS, TICK_MS);
	if (r == 0 && x->o.duration_ns)
		r = uv_timer_start(&x->end, on_end, (uint64_t)x->o.duration_ns / 1000000, 0);
	return r < 0 ? err_set(err, -r, "prepare the event loop: %s", uv_strerror(r)) : 0;
}

static int start_clusters(struct recording *x, struct err *err)
{
	const struct cluster_context context = {
		.loop = &x->loop,
		.sink = x->sink,
		.findings = x->findings,
		.keys = x->keys,
		.limits = &x->limits,
		.source = recorder_source(x->recorder),
		.wake = wake,
	};
	int r = 0;

	x->clusters = calloc(x->cfg->n_clusters + 1, sizeof(struct cluster *));
	if (!x->clusters)
		return err_nomem(err);
	for (size_t i = 0; r == 0 && i < x->cfg->n_clusters; i++) {
		if (x->only && x->only != &x->cfg->clusters[i])
			continue;
		r = cluster_new(&context, x->cfg, &x->cfg->clusters[i], &x->clusters[x->n_clusters], err);
		x->n_clusters += r == 0;
	}
	return r;
}

static int record_on(struct recording *x, int fd, struct err *err)
{
	const struct sink_taker taker = { .take = take };
	const struct recorder_options o = {
		.fd = fd, .cfg = x->cfg, .only = x->only, .raw = x->o.raw, .version = DRIFTD_VERSION
	};
	int r;

	x->sink = sink_new(&taker);
	r = x->sink ? findings_new(x->sink, &x->findings, err) : err_nomem(err);
	if (r == 0)
		r = recorder_new(&o, &x->recorder, err);
	if (r < 0)
		return r;
	r = start_clusters(x, err);
	if (r == 0)
		r = start_handles(x, err);
	if (r < 0) {
		for (size_t i = 0; i < x->n_clusters; i++)
			cluster_close(x->clusters[i], NULL, NULL);
		uv_walk(&x->loop, close_handle, NULL);
	}
	(void)uv_run(&x->loop, UV_RUN_DEFAULT);
	if (r == 0 && recorder_error(x->recorder)) {
		*err = *recorder_error(x->recorder);
		r = -err->code;
	}
	return r;
}

/* ---- the file ---- */

static int create(const struct record_options *o, const char *path, int *ret, struct err *err)
{
	if (o->force && unlink(path) < 0 && errno != ENOENT)
		return err_set(err, errno, "%s: %s", path, strerror(errno));
	*ret = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (*ret < 0)
		return err_set(err, errno, "%s: %s%s", path, strerror(errno),
			       errno == EEXIST ? " (--force takes its place)" : "");
	return 0;
}

static int record_to(struct recording *x, const char *path, struct err *err)
{
	int fd = -1, r = create(&x->o, path, &fd, err);

	if (r < 0)
		return r;
	if (x->o.raw)
		fprintf(stderr, "driftd record: %s will hold the values of Secrets as they are\n", path);
	r = record_on(x, fd, err);
	if (fsync(fd) < 0 && r == 0)
		r = err_set(err, errno, "%s: %s", path, strerror(errno));
	if (close(fd) < 0 && r == 0)
		r = err_set(err, errno, "%s: %s", path, strerror(errno));
	if (r == 0)
		fprintf(stderr, "driftd record: %s: %llu lines\n", path,
			(unsigned long long)recorder_lines(x->recorder));
	return r;
}

static void tear_down(struct recording *x)
{
	recorder_free(x->recorder);
	findings_free(x->findings);
	sink_free(x->sink);
	free(x->clusters);
	cfg_unref(x->cfg);
	key_table_free(x->keys);
}

/* Choose the cluster. Return the exit status. */
static int choose_cluster(struct recording *x)
{
	const char *name = x->o.cluster;

	x->only = name ? cfg_find_cluster(x->cfg, str_from(name)) : NULL;
	if (name ? x->only != NULL : x->cfg->n_clusters > 0)
		return 0;
	fprintf(stderr, "driftd record: the configuration has no cluster%s%s\n", name ? " called " : "",
		name ? name : "");
	return EXIT_USAGE;
}

static int run(const struct record_options *o)
{
	struct recording x = { .o = *o, .limits = limits_of_a_loop(), .keys = key_table_new() };
	time_t now = time(NULL);
	char path[64];
	struct tm tm;
	struct err err;
	int status;

	(void)signal(SIGPIPE, SIG_IGN);
	if (!x.keys || uv_loop_init(&x.loop) < 0)
		return 1;
	status = configuration_need(o->config_path, &x.limits, x.keys, &x.cfg);
	if (!status)
		status = choose_cluster(&x);
	gmtime_r(&now, &tm);
	(void)strftime(path, sizeof(path), "driftd-%Y%m%dT%H%M%SZ.recording", &tm);
	if (!status && record_to(&x, o->out ? o->out : path, &err) < 0) {
		fprintf(stderr, "driftd record: %s\n", err.msg);
		status = 1;
	}
	(void)uv_loop_close(&x.loop);
	tear_down(&x);
	return status;
}

int cmd_record(int argc, char **argv)
{
	struct record_options o = { .config_path = CONFIG_PATH_DEFAULT };
	struct arguments none;
	int status = command_line_read(&line, argc, argv, &o, &none);

	return status == COMMAND_GOES_ON ? run(&o) : status;
}
