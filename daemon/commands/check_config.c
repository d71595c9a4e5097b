/* driftd check-config: reports every mistake of a configuration, without starting anything. */
#include "config/web_config.h"
#include "daemon/app/app.h"
#include "daemon/app/configuration.h"
#include "daemon/commands/commands.h"
#include "daemon/control/output.h"
#include "daemon/preflight/account.h"
#include "daemon/preflight/files.h"
#include "daemon/preflight/preflight.h"
#include "daemon/watch/source/kube_source.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define OUTPUT_MAX ((size_t)64 << 20)

struct check_options {
	const char *path, *web;
	bool connect;
	enum output_form form; /* OUTPUT_TEXT: a table */
	const char *account;   /* the argument of --user; NULL: the service's account, for its files */
};

static int print_settings(const struct given *g, void *to)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(1u << 20);

	(void)g, (void)to;
	cfg_print_settings(&out);
	fputs(buf_str(&out).p, stdout);
	return 0;
}

#define AT(member) offsetof(struct check_options, member)

static const struct option_word forms[] = { { "table", OUTPUT_TEXT }, { "json", OUTPUT_JSON }, { 0 } };

static const struct command_option option_table[] = {
	CONFIG_OPTION(AT(path), ""),
	{ "web.config.file", 0, "FILE", option_text, AT(web),
	  .help = "the file that run is given for TLS and users, checked as well" },
	{ "connect", 0, NULL, option_truth, AT(connect), .help = "ask the API servers; nothing is written to them" },
	{ "user", 0, "NAME", option_text, AT(account),
	  .help = "read files, and connect, as this user; for root, whose default for what is in " SERVICE_FOLDER "\n"
		  "is " SERVICE_ACCOUNT ", if there is one (default: who calls)" },
	{ "output", 'o', "FORM", option_word_take, AT(form), .help = "of --connect: table (default) or json",
	  .words = forms },
	{ "settings", 0, NULL, print_settings, 0, .help = "print every setting with its meaning instead" },
	OPTION_HELP,
};

static const struct command_line line = {
	.program = "driftd check-config",
	.synopsis = "Usage: driftd check-config [-c FILE] [--web.config.file FILE] [--user NAME] [--connect]\n"
		    "       driftd check-config --settings\n"
		    "Check a configuration with all references, rules and kubeconfig files that it names; print every "
		    "mistake.\nRun by root, what the service's user cannot read is one.\n"
		    "With --connect, and without a mistake, also what a start would meet, as a table: the files, and "
		    "of each cluster\nits version, how long credentials last, each kind that is watched and whether it "
		    "may be.\n\n",
	.notes = "\nExit status: 0 nothing wrong, 78 mistakes found, 1 a check of --connect failed, 2 wrong usage.\n",
	OPTIONS(option_table),
	.column = 21,
};

static void warn(void *ctx, const char *message)
{
	const char *path = ctx;

	fprintf(stderr, "%s: warning: %s\n", path, message);
}

/* Warn of a plugin that cannot be run. The kubeconfig of @c was read before. */
static void warn_of_plugin(const struct cfg_cluster *c)
{
	CLEANUP(kubeconfig_unrefp) struct kubeconfig *kubeconfig = NULL;
	struct kube_target target;
	const struct kube_exec *x;
	struct err err;

	if (kube_source_target(c, &kubeconfig, &target, &err) < 0)
		return;
	x = target.user->exec;
	if (x && !file_can_run(x->command))
		fprintf(stderr,
			"%.*s: warning: cluster '%.*s': the credential plugin '%s' is %s; driftd.service looks in "
			"%s%s%s\n",
			STR_ARG(c->where), STR_ARG(c->name), x->command,
			strchr(x->command, '/') ? "no program that can be run" : "not in PATH", SERVICE_PATH,
			x->install_hint ? "; " : "", x->install_hint ? x->install_hint : "");
}

static void print_warnings(const struct cfg *cfg)
{
	for (size_t i = 0; i < cfg->n_warnings; i++)
		fprintf(stderr, "warning: %.*s\n", STR_ARG(cfg->warnings[i]));
	for (size_t i = 0; i < cfg->n_clusters; i++)
		warn_of_plugin(&cfg->clusters[i]);
}

/* ---- mistakes ---- */

/* Check the files. Return the exit status. */
static int check_files(const struct check_options *o, const struct limits *limits, struct key_table *keys,
		       struct cfg **ret, struct problems *problems)
{
	CLEANUP(web_config_unrefp) struct web_config *web = NULL;
	struct err err;
	int status = configuration_read(o->path, limits, keys, configuration_check_cluster, NULL, NULL, ret, problems);

	if (status == 0 && cfg_nothing(*ret)) { /* the daemon would start nevertheless, and report this */
		problems_add(problems, "%s: %s", o->path, cfg_nothing(*ret));
		status = EXIT_CONFIG;
	}
	if (o->web && configuration_load_web(o->web, &web, problems) != 0)
		status = EXIT_CONFIG;
	if (*ret)
		print_warnings(*ret);
	if (*ret && kubeconfigs_exposed(*ret, warn, (void *)(uintptr_t)o->path, &err) < 0)
		problems_add(problems, "%s", err.msg);
	return status;
}

/* ---- what a start would meet ---- */

struct again {
	const struct check_options *options;
	const struct limits *limits;
	struct key_table *keys;
};

static void read_again(void *ctx, struct problems *problems)
{
	const struct again *a = ctx;
	CLEANUP(cfg_unrefp) struct cfg *cfg = NULL;
	CLEANUP(web_config_unrefp) struct web_config *web = NULL;

	(void)configuration_read(a->options->path, a->limits, a->keys, configuration_check_cluster, NULL, NULL, &cfg,
				 problems);
	if (a->options->web)
		(void)configuration_load_web(a->options->web, &web, problems);
}

static bool is_in_service_folder(const char *path)
{
	return strncmp(path, SERVICE_FOLDER, strlen(SERVICE_FOLDER)) == 0;
}

/* Whether the path is in the folder of the service, also through a link from or to another place. */
static bool is_of_service(const char *path)
{
	CLEANUP(freep) char *real = realpath(path, NULL);

	return is_in_service_folder(path) || (real && is_in_service_folder(real));
}

static const char *account_of(const struct check_options *o)
{
	if (o->account || geteuid() != 0 || !is_of_service(o->path))
		return o->account;
	return account_exists(SERVICE_ACCOUNT) ? SERVICE_ACCOUNT : NULL;
}

static int print_checks(const struct checks *c, bool json, struct err *err)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(OUTPUT_MAX);
	int r = json ? checks_print_json(c, &out, err) : checks_print_table(c, &out, err);

	return r == 0 ? control_print(&out, err) : r;
}

static int failed(const struct err *err)
{
	fprintf(stderr, "driftd check-config: %s\n", err->msg);
	return 1;
}

static int connect_all(const struct check_options *o, const struct preflight_options *preflight)
{
	CLEANUP(checks_done) struct checks checks;
	struct err err;

	if (preflight_run(preflight, &checks, &err) < 0 || print_checks(&checks, o->form == OUTPUT_JSON, &err) < 0)
		return failed(&err);
	if (checks.n_denied)
		fprintf(stderr, "What is missing can be granted with what driftd rbac -c %s --connect prints.\n",
			o->path);
	return checks.n_failed ? 1 : 0;
}

/* Check as the account. A file that it cannot read is a mistake like any other. Return the exit status. */
static int check_as_account(const struct check_options *o, const struct preflight_options *preflight,
			    struct problems *problems)
{
	CLEANUP(checks_done) struct checks checks;
	struct err err;

	if (preflight_files(preflight, &checks, &err) < 0)
		return failed(&err);
	for (size_t i = 0; i < checks.rows.n; i++) {
		const struct check_row *row = &checks.rows.p[i];

		if (row->result == CHECK_FAILED)
			problems_add(problems, "%s: %.*s: %.*s", o->path, STR_ARG(row->what), STR_ARG(row->detail));
		else if (row->result == CHECK_WARNING)
			fprintf(stderr, "%s: warning: %.*s: %.*s\n", o->path, STR_ARG(row->what), STR_ARG(row->detail));
	}
	return checks.no_memory ? 1 : problems_any(problems) ? EXIT_CONFIG : 0;
}

static int check(const struct check_options *o)
{
	struct limits limits = LIMITS_DEFAULT;
	CLEANUP(key_table_freep) struct key_table *keys = key_table_new();
	CLEANUP(cfg_unrefp) struct cfg *cfg = NULL;
	struct problems problems = { 0 };
	struct again again = { o, &limits, keys };
	struct preflight_options preflight = {
		.config_path = o->path,
		.web_path = o->web,
		.account = account_of(o),
		.read_again = read_again,
		.ctx = &again,
		.limits = &limits,
		.keys = keys,
	};
	int status;

	if (!keys)
		return 1;
	status = check_files(o, &limits, keys, &cfg, &problems);
	preflight.cfg = cfg;
	if (status == 0 && preflight.account && !o->connect)
		status = check_as_account(o, &preflight, &problems);
	if (status)
		configuration_print(&problems);
	else if (o->form != OUTPUT_JSON)
		printf("%s: ok\n", o->path);
	problems_done(&problems);
	return status || !o->connect ? status : connect_all(o, &preflight);
}

int cmd_check_config(int argc, char **argv)
{
	struct check_options o = { .path = CONFIG_PATH_DEFAULT };
	struct arguments none;
	int status = command_line_read(&line, argc, argv, &o, &none);

	return status == COMMAND_GOES_ON ? check(&o) : status;
}
