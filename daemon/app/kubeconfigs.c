/* Lists the paths of kubeconfigs, watches these files, and reports problems with them. */
#include "daemon/app/kubeconfigs.h"

#include "base/assert.h"
#include "daemon/app/app_internal.h"
#include "daemon/findings/notice.h"
#include "kubeclient/kc_files.h"

#include <stdio.h>
#include <sys/stat.h>

struct kubeconfigs {
	struct kc_files files;
	bool unwatched_reported; /* whether a notice said that the kernel watches no more folders */
	struct err *reported;    /* the reported problem of each cluster of the configuration */
};

int kubeconfigs_open(struct app *app, void (*changed)(void *ctx), struct err *err)
{
	ASSERT(!app->kubeconfigs);
	app->kubeconfigs = calloc(1, sizeof(*app->kubeconfigs));
	if (!app->kubeconfigs)
		return err_nomem(err);
	kc_files_init(&app->kubeconfigs->files, &app->loop, changed, app);
	return 0;
}

void kubeconfigs_close(struct app *app)
{
	kc_files_close(&app->kubeconfigs->files, NULL);
}

void kubeconfigs_free(struct app *app)
{
	if (app->kubeconfigs)
		free(app->kubeconfigs->reported);
	free(TAKE(app->kubeconfigs));
}

/* The reported problem of a cluster; NULL without memory. */
static struct err *reported_of(const struct app *app, const struct cfg_cluster *c)
{
	return app->kubeconfigs->reported ? &app->kubeconfigs->reported[c - app->cfg->clusters] : NULL;
}

void kubeconfigs_mistake(struct app *app, const struct cfg_cluster *c, struct err *err)
{
	struct err *reported = reported_of(app, c);

	(void)err_wrap(err, "the kubeconfig changed, the cluster is watched as before");
	if (reported && reported->code && strcmp(reported->msg, err->msg) == 0)
		return; /* the file has changed, but the mistake is the same */
	if (reported)
		*reported = *err;
	record_notice(app->sink, c->name, SEVERITY_WARNING, NULL, err->msg);
}

void kubeconfigs_right(struct app *app, const struct cfg_cluster *c)
{
	struct err *reported = reported_of(app, c);

	if (reported)
		reported->code = 0;
}

/* A set of paths. */
struct paths {
	struct arena arena;
	VEC(const char *) list;
};

static void paths_done(struct paths *p)
{
	vec_done(&p->list);
	arena_done(&p->arena);
}

static int add_path(struct paths *p, const char *path, struct err *err)
{
	for (size_t i = 0; i < p->list.n; i++) {
		if (strcmp(p->list.p[i], path) == 0)
			return 0;
	}
	return vec_push(&p->list, path) ? 0 : err_nomem(err);
}

/* Add the paths of one cluster's kubeconfig. */
static int add_paths(struct paths *p, const struct cfg_cluster *c, struct err *err)
{
	struct kubeconfig_source source;
	const char *const *paths = NULL;
	size_t n = 0;
	int r;

	kubeconfig_source_env(c->kubeconfig.n ? arena_str(&p->arena, c->kubeconfig).p : NULL, &source);
	if (c->kubeconfig.n && !source.path)
		return err_nomem(err);
	r = kubeconfig_source_paths(&source, &p->arena, &paths, &n, err);
	for (size_t i = 0; r == 0 && i < n; i++)
		r = add_path(p, paths[i], err);
	return r;
}

static int all_paths(struct paths *p, const struct cfg *cfg, struct err *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < cfg->n_clusters; i++)
		r = add_paths(p, &cfg->clusters[i], err);
	return r;
}

/* Whether everyone may read the file, by its mode and by those of all folders on the way to it. */
static bool is_exposed(const char *path)
{
	CLEANUP(freep) char *real = realpath(path, NULL);
	mode_t wanted = S_IROTH;
	struct stat st;

	while (real && *real) {
		char *name = strrchr(real, '/');

		if (stat(real, &st) < 0 || !(st.st_mode & wanted))
			return false;
		wanted = S_IXOTH;
		*name = '\0';
	}
	return real != NULL;
}

static void report_exposed(const struct paths *p, void (*report)(void *ctx, const char *message), void *ctx)
{
	char message[512];

	for (size_t i = 0; i < p->list.n; i++) {
		if (!is_exposed(p->list.p[i]))
			continue;
		(void)snprintf(message, sizeof(message), "the kubeconfig '%.400s' can be read by everyone",
			       p->list.p[i]);
		report(ctx, message);
	}
}

int kubeconfigs_exposed(const struct cfg *cfg, void (*report)(void *ctx, const char *message), void *ctx,
			struct err *err)
{
	CLEANUP(paths_done) struct paths paths = { 0 };
	int r = all_paths(&paths, cfg, err);

	if (r == 0)
		report_exposed(&paths, report, ctx);
	return r;
}

static void report_sink(void *ctx, const char *message)
{
	struct app *app = ctx;

	record_lifecycle(app->sink, MESSAGE_NOTICE, SEVERITY_WARNING, "%s", message);
}

void kubeconfigs_watch(struct app *app)
{
	CLEANUP(paths_done) struct paths paths = { 0 };
	struct kubeconfigs *k = app->kubeconfigs;
	struct err err;

	free(k->reported);
	k->reported = calloc(app->cfg->n_clusters + 1, sizeof(*k->reported));
	if (all_paths(&paths, app->cfg, &err) < 0) {
		record_lifecycle(app->sink, MESSAGE_NOTICE, SEVERITY_ERROR, "kubeconfigs are not watched: %s", err.msg);
		return;
	}
	kc_files_watch(&k->files, paths.list.p, paths.list.n);
	report_exposed(&paths, report_sink, app);
}

void kubeconfigs_tick(struct app *app)
{
	int r = kc_files_unwatched();

	if (!r || app->kubeconfigs->unwatched_reported)
		return;
	app->kubeconfigs->unwatched_reported = true;
	record_lifecycle(app->sink, MESSAGE_NOTICE, SEVERITY_WARNING,
			 "the kernel watches no more folders for driftd (%s): kubeconfigs, tokens and certificates are "
			 "looked at every %d s; see fs.inotify.max_user_watches and max_user_instances",
			 strerror(-r), KC_FILES_LOOK_MS / 1000);
}
