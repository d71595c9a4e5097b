/* Runs the checks in their order. */
#include "daemon/preflight/preflight.h"

#include "daemon/preflight/account.h"
#include "daemon/preflight/alertmanagers.h"
#include "daemon/preflight/files.h"
#include "daemon/preflight/server.h"

#include <pwd.h>
#include <unistd.h>

/* Become the account for the check. */
static int take_account(const struct preflight_options *o, struct checks *out, struct err *err)
{
	const struct passwd *p;

	if (o->account) {
		int r = account_become(o->account, err);

		if (r < 0)
			return r;
	}
	p = getpwuid(geteuid());
	if (o->account)
		checks_add(out, STR(""), CHECK_OK, STR("account"), "checked as user %s", o->account);
	else
		checks_add(out, STR(""), CHECK_WARNING, STR("account"),
			   "checked as user %s, with this shell's environment: root checks as another with --user, and "
			   "what is in %s as the service's user, %s, if there is one",
			   p ? p->pw_name : "?", SERVICE_FOLDER, SERVICE_ACCOUNT);
	return 0;
}

/* Read the configuration again as the account, which also reads the files that other files name, such as the
 * templates of references. */
static void read_again(const struct preflight_options *o, struct checks *out)
{
	struct problems problems = { 0 };

	o->read_again(o->ctx, &problems);
	for (size_t i = 0; i < problems.list.n; i++)
		checks_add(out, STR(""), CHECK_FAILED, STR("configuration"), "%s", problems.list.p[i]);
	problems_done(&problems);
}

static int check_files(const struct preflight_options *o, struct checks *out, struct err *err)
{
	struct files files;
	size_t failed;
	int r = files_gather(o->cfg, o->config_path, o->web_path, &files, err);

	if (r == 0)
		r = take_account(o, out, err);
	failed = out->n_failed;
	if (r == 0)
		files_check(&files, o->account, out);
	if (r == 0 && o->account && out->n_failed == failed)
		read_again(o, out);
	files_done(&files);
	return r;
}

static int check_servers(const struct preflight_options *o, uv_loop_t *loop, struct checks *out, struct err *err)
{
	size_t n = o->cfg->n_clusters;
	struct server **servers = calloc(n + 1, sizeof(*servers));
	int r = servers ? 0 : err_nomem(err);

	for (size_t i = 0; r == 0 && i < n; i++) {
		servers[i] = server_new(loop, o->cfg, &o->cfg->clusters[i], o->limits, o->keys, out);
		r = servers[i] ? 0 : err_nomem(err);
	}
	for (size_t i = 0; r == 0 && i < n; i++)
		r = server_check(servers[i], err);
	for (size_t i = 0; servers && i < n; i++)
		server_close(servers[i]);
	free(servers);
	return r;
}

int preflight_files(const struct preflight_options *o, struct checks *ret, struct err *err)
{
	*ret = (struct checks){ 0 };
	return check_files(o, ret, err);
}

int preflight_run(const struct preflight_options *o, struct checks *ret, struct err *err)
{
	uv_loop_t loop;
	int r = preflight_files(o, ret, err);

	if (r < 0)
		return r;
	if (uv_loop_init(&loop) < 0)
		return err_nomem(err);
	r = check_servers(o, &loop, ret, err);
	(void)uv_run(&loop, UV_RUN_DEFAULT);
	if (r == 0)
		r = alertmanagers_check(&loop, &o->cfg->alertmanager, ret, err);
	(void)uv_loop_close(&loop);
	checks_sort(ret);
	return r;
}
