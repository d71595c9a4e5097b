/* driftd replay: which records would have been written of a recording. */
#include "config/command_line.h"
#include "daemon/app.h"
#include "daemon/commands.h"
#include "daemon/recording/replay.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void usage(FILE *to)
{
	fputs("Usage: driftd replay [-c FILE] [options] RECORDING\n"
	      "Print the records that 'driftd run' with this configuration would have written of what driftd record\n"
	      "wrote down, in the time of the recording.\n\n"
	      "  -c, --config FILE    configuration (default " CONFIG_PATH_DEFAULT "); its kubeconfigs are not read\n"
	      "  -o, --output FORMAT  text (default) or json\n"
	      "  -h, --help           this text\n\n"
	      "Exit status: 0 done, 1 the recording is damaged (what could be read was printed) or an error,\n"
	      "78 mistakes in the configuration, 2 wrong usage.\n",
	      to);
}

static void summarize(const struct replay_summary *s)
{
	fprintf(stderr, "%" PRIu64 " begin, %" PRIu64 " change, %" PRIu64 " end", s->told.begins, s->told.changes,
		s->told.ends);
	if (s->unrecorded)
		fprintf(stderr, "; %zu kinds were not recorded", s->unrecorded);
	fputc('\n', stderr);
}

static int replay(FILE *from, struct cfg *cfg, const struct limits *limits, struct key_table *keys,
		  enum cfg_output form, const char *path)
{
	struct replay_summary s;
	struct err err;

	if (replay_run(from, cfg, limits, keys, form, &s, &err) < 0) {
		fprintf(stderr, "driftd replay: %s: %s\n", path, err.msg);
		return 1;
	}
	summarize(&s);
	if (s.damage.code)
		fprintf(stderr, "driftd replay: %s: %s\n", path, s.damage.msg);
	if (s.told.failed)
		fputs("driftd replay: records could not be written\n", stderr);
	return s.damage.code || s.told.failed;
}

static int run(const char *config_path, const char *path, enum cfg_output form)
{
	const struct limits limits = limits_of_a_loop();
	CLEANUP(key_table_freep) struct key_table *keys = key_table_new();
	CLEANUP(cfg_unrefp) struct cfg *cfg = NULL;
	struct problems problems = { 0 };
	FILE *from;
	int status;

	if (!keys)
		return 1;
	status = app_read_config(config_path, &limits, keys, &cfg, &problems);
	if (status)
		app_print_problems(&problems);
	problems_done(&problems);
	if (status)
		return status;
	from = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
	if (!from) {
		fprintf(stderr, "driftd replay: %s: %s\n", path, strerror(errno));
		return 1;
	}
	status = replay(from, cfg, &limits, keys, form, path);
	(void)fclose(from);
	return status;
}

int cmd_replay(int argc, char **argv)
{
	static const struct option options[] = {
		{ "config", required_argument, NULL, 'c' },
		{ "output", required_argument, NULL, 'o' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	const char *config_path = CONFIG_PATH_DEFAULT;
	enum cfg_output form = CFG_OUTPUT_TEXT;
	int c;

	while ((c = command_line_next("driftd replay", argc, argv, "c:o:h", options, NULL)) != -1) {
		switch (c) {
		case 'c':
			config_path = optarg;
			break;
		case 'o':
			if (cfg_output_parse(str_from(optarg), &form) &&
			    (form == CFG_OUTPUT_TEXT || form == CFG_OUTPUT_JSON))
				break;
			fprintf(stderr, "driftd replay: '%s' is no output: text or json\n", optarg);
			return EXIT_USAGE;
		case 'h':
			usage(stdout);
			return 0;
		default:
			return command_line_see_help("driftd replay");
		}
	}
	if (optind + 1 == argc)
		return run(config_path, argv[optind], form);
	if (optind < argc)
		return command_line_unexpected("driftd replay", argv[optind + 1]);
	fputs("driftd replay: a recording is expected\n", stderr);
	return command_line_see_help("driftd replay");
}
