/* driftd replay: shows which records a recording would have caused. */
#include "daemon/recording/replay.h"
#include "config/exit_status.h"
#include "config/part.h"
#include "daemon/app/configuration.h"
#include "daemon/commands/commands.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct replay_options {
	const char *config_path;
	enum cfg_output form;
	const char *rules;
};

#define AT(member) offsetof(struct replay_options, member)

static const struct option_word forms[] = { { "text", CFG_OUTPUT_TEXT }, { "json", CFG_OUTPUT_JSON }, { 0 } };

static const struct command_option option_table[] = {
	CONFIG_OPTION(AT(config_path), "; its kubeconfigs are not read"),
	{ "inspection-rules", 0, "FILE", option_text, AT(rules),
	  .help = "inspection rules besides those of the configuration" },
	{ "output", 'o', "FORMAT", option_word_take, AT(form), .help = "text (default) or json", .words = forms },
	OPTION_HELP,
};

static const struct command_line line = {
	.program = "driftd replay",
	.synopsis =
		"Usage: driftd replay [-c FILE] [options] RECORDING\n"
		"Print the records that 'driftd run' with this configuration would have written of what driftd record\n"
		"wrote down, in the time of the recording. Inspection rules make no calls.\n\n",
	.notes = "\nExit status: 0 done, 1 the recording is damaged (what could be read was printed) or an error,\n"
		 "78 mistakes in the configuration, 2 wrong usage.\n",
	OPTIONS(option_table),
	.column = 23,
	.arguments_most = 1,
};

static void summarize(const struct replay_summary *s)
{
	fprintf(stderr, "%" PRIu64 " begin, %" PRIu64 " change, %" PRIu64 " end", s->reported.begins,
		s->reported.changes, s->reported.ends);
	if (s->unrecorded)
		fprintf(stderr, "; %zu kinds were not recorded", s->unrecorded);
	fputc('\n', stderr);
}

static int replay(FILE *from, struct cfg *cfg, const struct limits *limits, struct key_table *keys,
		  struct replay_inspection *inspection, enum cfg_output form, const char *path)
{
	struct replay_summary s;
	struct err err;

	if (replay_run(from, cfg, limits, keys, inspection, form, &s, &err) < 0) {
		fprintf(stderr, "driftd replay: %s: %s\n", path, err.msg);
		return 1;
	}
	summarize(&s);
	if (s.damage.code)
		fprintf(stderr, "driftd replay: %s: %s\n", path, s.damage.msg);
	if (s.reported.failed)
		fputs("driftd replay: records could not be written\n", stderr);
	return s.damage.code || s.reported.failed;
}

static int replay_file(const char *path, struct cfg *cfg, const struct limits *limits, struct key_table *keys,
		       struct replay_inspection *inspection, enum cfg_output form)
{
	FILE *from = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
	int status;

	if (!from) {
		fprintf(stderr, "driftd replay: %s: %s\n", path, strerror(errno));
		return 1;
	}
	status = replay(from, cfg, limits, keys, inspection, form, path);
	(void)fclose(from);
	return status;
}

static int read_rules(const struct cfg *cfg, const char *more, const struct limits *limits,
		      struct replay_inspection **ret)
{
	struct problems problems = { 0 };
	struct err err;
	int r = HAS_INSPECTION ? replay_inspection_new(cfg, more, limits, ret, &problems, &err) : 0;

	if (r < 0 && !problems_any(&problems))
		problems_add(&problems, "%s", err.msg);
	if (r < 0)
		configuration_print(&problems);
	problems_done(&problems);
	return r < 0 ? EXIT_CONFIG : 0;
}

static int run(const struct replay_options *o, const char *path)
{
	const struct limits limits = limits_of_a_loop();
	CLEANUP(key_table_freep) struct key_table *keys = key_table_new();
	CLEANUP(cfg_unrefp) struct cfg *cfg = NULL;
	struct replay_inspection *inspection = NULL;
	int status;

	if (!keys)
		return 1;
	if (!HAS_INSPECTION && o->rules) {
		fputs("driftd replay: " NOT_BUILT("inspection", "DRIFTD_INSPECTION") "\n", stderr);
		return 2;
	}
	status = configuration_need(o->config_path, &limits, keys, &cfg);
	if (status == 0)
		status = read_rules(cfg, o->rules, &limits, &inspection);
	if (status)
		return status;
	status = replay_file(path, cfg, &limits, keys, inspection, o->form);
	if (HAS_INSPECTION)
		replay_inspection_free(inspection);
	return status;
}

int cmd_replay(int argc, char **argv)
{
	struct replay_options o = { .config_path = CONFIG_PATH_DEFAULT, .form = CFG_OUTPUT_TEXT };
	struct arguments recording;
	int status = command_line_read(&line, argc, argv, &o, &recording);

	if (status != COMMAND_GOES_ON)
		return status;
	if (recording.n == 1)
		return run(&o, recording.p[0]);
	fputs("driftd replay: a recording is expected\n", stderr);
	return command_line_see_help(&line);
}
