/* Kubeconfig files that change while the daemon runs: which ones they are, and what became of their clusters. */
#include "daemon/app_internal.h"
#include "daemon/findings/notice.h"

void app_tell_kubeconfig(struct app *app, size_t i, struct err *err)
{
	struct err *told = app->kubeconfig_told ? &app->kubeconfig_told[i] : NULL;

	(void)err_wrap(err, "the kubeconfig changed, the cluster is watched as before");
	if (told && told->code && strcmp(told->msg, err->msg) == 0)
		return; /* another change, the same mistake */
	if (told)
		*told = *err;
	record_notice(app->sink, app->cfg->clusters[i].name, SEVERITY_WARNING, NULL, err->msg);
}

void app_forget_kubeconfig(struct app *app, size_t i)
{
	if (app->kubeconfig_told)
		app->kubeconfig_told[i].code = 0;
}

/* The paths of one cluster's kubeconfig, behind those that *all holds. */
static int add_paths(const struct cfg_cluster *c, struct arena *a, const char *const **all, size_t *n, struct err *err)
{
	struct kubeconfig_source source;
	const char *const *paths = NULL;
	const char **longer;
	size_t more = 0;
	int r;

	kubeconfig_source_env(c->kubeconfig.n ? arena_str(a, c->kubeconfig).p : NULL, &source);
	if (c->kubeconfig.n && !source.path)
		return err_nomem(err);
	r = kubeconfig_source_paths(&source, a, &paths, &more, err);
	if (r < 0)
		return r;
	longer = arena_array(a, *n + more, sizeof(*longer));
	if (!longer)
		return err_nomem(err);
	for (size_t i = 0; i < *n + more; i++)
		longer[i] = i < *n ? (*all)[i] : paths[i - *n];
	*all = longer;
	*n += more;
	return 0;
}

void app_watch_kubeconfigs(struct app *app)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	const char *const *paths = NULL;
	struct err err;
	size_t n = 0;
	int r = 0;

	free(app->kubeconfig_told);
	app->kubeconfig_told = calloc(app->cfg->n_clusters + 1, sizeof(*app->kubeconfig_told));
	for (size_t i = 0; r == 0 && i < app->cfg->n_clusters; i++)
		r = add_paths(&app->cfg->clusters[i], &a, &paths, &n, &err);
	if (r < 0)
		record_lifecycle(app->sink, MESSAGE_NOTICE, SEVERITY_ERROR, "kubeconfigs are not watched: %s", err.msg);
	else
		kc_files_watch(&app->kubeconfigs, paths, n);
}
