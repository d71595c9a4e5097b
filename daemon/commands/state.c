/* driftd state: moves the knowledge of a driftd from one state folder to others. */
#include "base/number.h"
#include "daemon/app/configuration.h"
#include "daemon/commands/commands.h"
#include "daemon/transfer/export.h"
#include "daemon/transfer/import.h"

#include <errno.h>
#include <stdio.h>

struct state_options {
	const char *config_path, *dir, *output;
	int64_t shard, total; /* negative: not given */
	bool force;
};

static int take_number(const struct given *g, const char *what, int64_t min, int64_t max, int64_t *ret)
{
	if (int64_parse(str_from(g->value), ret) && *ret >= min && *ret <= max)
		return COMMAND_GOES_ON;
	return command_line_wrong(g->line, what, g->value);
}

static int take_shard(const struct given *g, void *to)
{
	return take_number(g, "--shard: no number of a shard:", 0, SHARDS_MAX - 1, to);
}

static int take_total(const struct given *g, void *to)
{
	return take_number(g, "--total-shards: no number of shards:", 1, SHARDS_MAX, to);
}

#define AT(member) offsetof(struct state_options, member)

static const struct command_option option_table[] = {
	{ "config", 'c', "FILE", option_text, AT(config_path),
	  .help = "its state_dir is the folder (default " CONFIG_PATH_DEFAULT ")" },
	{ "state-dir", 0, "DIR", option_text, AT(dir), .help = "the folder" },
	{ "output", 'o', "FILE", option_text, AT(output),
	  .help = "of an export, made with mode 0600 (default, and \"-\": standard output)" },
	{ "shard", 0, "N", take_shard, AT(shard), .help = "of an import: only what the shard N, from 0, of" },
	{ "total-shards", 0, "M", take_total, AT(total), .help = "M shards owns" },
	{ "force", 0, NULL, option_truth, AT(force),
	  .help = "of an import: files that are older than what the folder knows, too" },
	OPTION_HELP,
};

static const struct command_line line = {
	.program = "driftd state",
	.synopsis = "Usage: driftd state export [options]\n"
		    "       driftd state import [options] FILE...\n"
		    "Move the state of a driftd to other state folders: open findings with their ids and history, "
		    "records that\n"
		    "wait to be sent, acceptances, inspection rules. For another host, or another number of shards. No "
		    "driftd may\n"
		    "be running on the folder.\n\n",
	.notes = "\nAn export is as confidential as the folder. An import adds to what is there, all of it or nothing; "
		 "\"-\" is\nstandard input. What is known already stays as it is.\n\n"
		 "Exit status: 0 done; 1 it cannot be done: nothing was exported or imported; 2 wrong usage; 78 a "
		 "mistake "
		 "in\nthe configuration.\n",
	OPTIONS(option_table),
	.column = 26,
	.arguments_most = ARGUMENTS_ANY,
};

/* Find the folder. *ret is to be freed by free(). Return 0, or the exit status. */
static int find_folder(const struct state_options *o, char **ret)
{
	struct limits limits = LIMITS_DEFAULT;
	CLEANUP(key_table_freep) struct key_table *keys = key_table_new();
	CLEANUP(cfg_unrefp) struct cfg *cfg = NULL;
	int status = 0;

	if (!keys)
		return 1;
	if (!o->dir) {
		status = configuration_need(o->config_path, &limits, keys, &cfg);
		if (status)
			return status;
		if (!cfg->state_dir.n) {
			fputs("driftd state: the configuration has no state_dir\n", stderr);
			return 1;
		}
	}
	*ret = str_dup(o->dir ? str_from(o->dir) : cfg->state_dir);
	return *ret ? 0 : 1;
}

static int fail(const struct err *err)
{
	fprintf(stderr, "driftd state: %s%s\n", err->msg,
		err->code == EBUSY    ? "; stop it first"
		: err->code == ESTALE ? "; --force imports it all the same"
				      : "");
	return 1;
}

static void print_counts(const char *verb, const struct state_counts *n)
{
	fprintf(stderr, "driftd state: %zu finding%s, %zu record%s that wait%s, %zu line%s of history %s\n",
		n->findings, plural_s(n->findings), n->records, plural_s(n->records), n->records == 1 ? "s" : "",
		n->lines, plural_s(n->lines), verb);
	if (n->left_out)
		fprintf(stderr, "driftd state: %zu row%s that cannot be read %s left out\n", n->left_out,
			plural_s(n->left_out), n->left_out == 1 ? "is" : "are");
}

static int export_to(const struct state_options *o, const char *dir)
{
	struct state_counts counts;
	struct err err;

	if (state_export(dir, o->output, DRIFTD_VERSION, &counts, &err) < 0)
		return fail(&err);
	print_counts("exported", &counts);
	return 0;
}

static int import_from(const struct state_options *o, const char *dir, char **files, int n)
{
	struct state_terms terms = {
		.shard = { (uint32_t)(o->shard < 0 ? 0 : o->shard), (uint32_t)(o->total < 0 ? 0 : o->total) },
		.force = o->force,
	};
	struct state_counts counts;
	struct err err;

	if (state_import_files(dir, (const char *const *)files, (size_t)n, &terms, &counts, &err) < 0)
		return fail(&err);
	print_counts("imported", &counts);
	return 0;
}

/* Check the options. Return 0, or the exit status. */
static int check(const struct state_options *o, bool imports, char **arguments, int n)
{
	if (!imports && n > 0)
		return command_line_wrong(&line, "unexpected argument", arguments[0]);
	if (!imports && (o->shard >= 0 || o->total >= 0))
		return command_line_wrong(&line,
					  "of no use to an export:", o->shard >= 0 ? "--shard" : "--total-shards");
	if (!imports && o->force)
		return command_line_wrong(&line, "of no use to an export:", "--force");
	if (imports && o->output)
		return command_line_wrong(&line, "of no use to an import:", "--output");
	if (imports && n == 0)
		return command_line_wrong(&line, "a FILE is expected behind", "import");
	if ((o->shard >= 0) != (o->total >= 0))
		return command_line_wrong(&line, "--shard and --total-shards belong together:",
					  o->shard >= 0 ? "--shard" : "--total-shards");
	if (o->shard >= 0 && o->shard >= o->total) {
		fputs("driftd state: --shard is from 0, and below --total-shards\n", stderr);
		return command_line_see_help(&line);
	}
	return 0;
}

static int run(const struct state_options *o, char **arguments, int n)
{
	const char *verb = n > 0 ? arguments[0] : "";
	bool imports = strcmp(verb, "import") == 0;
	CLEANUP(freep) char *dir = NULL;
	int status;

	if (!imports && strcmp(verb, "export") != 0)
		return n > 0 ? command_line_wrong(&line, "unknown command", verb)
			     : command_line_wrong(&line, "'export' or 'import' is expected behind", "state");
	status = check(o, imports, arguments + 1, n - 1);
	if (status == 0)
		status = find_folder(o, &dir);
	if (status)
		return status;
	return imports ? import_from(o, dir, arguments + 1, n - 1) : export_to(o, dir);
}

int cmd_state(int argc, char **argv)
{
	struct state_options o = { .config_path = CONFIG_PATH_DEFAULT, .shard = -1, .total = -1 };
	struct arguments words;
	int status = command_line_read(&line, argc, argv, &o, &words);

	return status == COMMAND_GOES_ON ? run(&o, words.p, (int)words.n) : status;
}
