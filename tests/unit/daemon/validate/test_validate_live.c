/* "driftd validate" over a cluster: tests/data/validate/triples. The program is the options and, in the lines below,
 * the file rules.yaml; the input is what the server answers (support/answers.h). What is said of progress and verdicts
 * comes out, first what stands on standard error, and the status. */
#include "daemon/validate/commands.h"

#include "support/answers.h"
#include "support/triples.h"
#include "support/turned.h"

#include <getopt.h>

#define ARGS_MAX 12

static int validate(char *options)
{
	char name[] = "validate", at[] = "--kubeconfig", file[] = "kubeconfig";
	char *argv[ARGS_MAX + 1] = { name, at, file }, *rest = NULL;
	int argc = 3;

	for (char *word = strtok_r(options, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		ASSERT(argc < ARGS_MAX);
		argv[argc++] = word;
	}
	optind = 0;
	return cmd_validate(argc, argv);
}

static int run_live(const struct triple *t, struct arena *a, struct buf *out)
{
	static char out_text[1 << 16], err_text[1 << 16];
	char folder[] = "/tmp/validate-XXXXXX";
	str rules = t->program, options = { 0 };
	struct turned turned_out, turned_err;
	struct answers server;
	int status;

	(void)str_next_part(&rules, '\n', &options);
	options = arena_str(a, options);
	ASSERT(options.p && mkdtemp(folder) && chdir(folder) == 0);
	answers_begin(&server, t->input);
	answers_kubeconfig(&server, folder, "{token: t}");
	answers_file(folder, "rules.yaml", rules);
	turn(&turned_out, stdout);
	turn(&turned_err, stderr);
	status = validate((char *)(uintptr_t)options.p);
	turn_back(&turned_err, err_text, sizeof(err_text));
	turn_back(&turned_out, out_text, sizeof(out_text));
	buf_printf(out, "%s%s%d\n", err_text, out_text, status);
	answers_end(&server);
	ASSERT(chdir("/") == 0);
	answers_remove(folder);
	return 0;
}

static const struct triple_file files[] = {
	{ "live", run_live },
};

int main(void)
{
	return triples_main(TEST_DATA "/validate/triples", files, ARRAY_LEN(files));
}
