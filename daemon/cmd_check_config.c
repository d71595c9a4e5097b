/* driftd check-config: every mistake of a configuration, without starting anything. */
#include "config/command_line.h"
#include "config/web_config.h"
#include "daemon/app.h"
#include "daemon/commands.h"

#include <stdio.h>

static void usage(FILE *to)
{
	fputs("Usage: driftd check-config [-c FILE] [--web.config.file FILE] [--settings]\n"
	      "Check a configuration with all references, rules and kubeconfig files that it names; print every "
	      "mistake.\n\n"
	      "  -c, --config FILE  configuration (default " CONFIG_PATH_DEFAULT ")\n"
	      "      --web.config.file FILE\n"
	      "                     the file that run is given for TLS and users, checked as well\n"
	      "      --settings     print every setting with its meaning instead\n"
	      "  -h, --help         this text\n\n"
	      "Exit status: 0 nothing wrong, 78 mistakes found, 2 wrong usage.\n",
	      to);
}

static void warn(void *ctx, const char *message)
{
	const char *path = ctx;

	fprintf(stderr, "%s: warning: %s\n", path, message);
}

static int check(const char *path, const char *web_path)
{
	struct limits limits = LIMITS_DEFAULT;
	CLEANUP(key_table_freep) struct key_table *keys = key_table_new();
	CLEANUP(cfg_unrefp) struct cfg *cfg = NULL;
	CLEANUP(web_config_unrefp) struct web_config *web = NULL;
	struct problems problems = { 0 };
	struct err err;
	int status;

	if (!keys)
		return 1;
	status = app_load_config(path, &limits, keys, &cfg, &problems);
	if (status == 0 && cfg->n_clusters == 0) { /* the daemon starts all the same, and says so */
		problems_add(&problems, "%s: no cluster is configured: nothing would be watched", path);
		status = EXIT_CONFIG;
	}
	if (web_path && app_load_web(web_path, &web, &problems) != 0)
		status = EXIT_CONFIG;
	if (cfg && app_exposed_kubeconfigs(cfg, warn, (void *)(uintptr_t)path, &err) < 0)
		problems_add(&problems, "%s", err.msg);
	if (status)
		app_print_problems(&problems);
	else
		printf("%s: ok\n", path);
	problems_done(&problems);
	return status;
}

static int print_settings(void)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(1u << 20);

	cfg_print_settings(&out);
	fputs(buf_str(&out).p, stdout);
	return 0;
}

int cmd_check_config(int argc, char **argv)
{
	enum { SETTINGS = 256, WEB_CONFIG };
	static const struct option options[] = {
		{ "config", required_argument, NULL, 'c' },
		{ "web.config.file", required_argument, NULL, WEB_CONFIG },
		{ "settings", no_argument, NULL, SETTINGS },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	const char *path = CONFIG_PATH_DEFAULT, *web = NULL;
	int c;

	while ((c = command_line_next("driftd check-config", argc, argv, "c:h", options, NULL)) != -1) {
		switch (c) {
		case 'c':
			path = optarg;
			break;
		case WEB_CONFIG:
			web = optarg;
			break;
		case SETTINGS:
			return print_settings();
		case 'h':
			usage(stdout);
			return 0;
		default:
			usage(stderr);
			return EXIT_USAGE;
		}
	}
	return check(path, web);
}
