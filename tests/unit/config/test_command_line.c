/* Reading options by a table, what is said of those that are wrong, and what --help says of all. */
#include "config/command_line.h"

#include "base/str.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

struct command {
	const char *namespace, *name;
	bool all;
	unsigned form;
};

#define AT(member) offsetof(struct command, member)

static const struct option_word forms[] = { { "wide", 1 }, { "json", 2 }, { "yaml", 3 }, { 0 } };

static const struct command_option option_table[] = {
	{ "namespace", 'n', "NS", option_text, AT(namespace), .help = "of the object,\nor of all" },
	{ "name", 0, "NAME", option_text, AT(name), .help = "" },
	{ .help = "\nMore:", .column = 30 },
	{ "all", 0, NULL, option_truth, AT(all), .help = "each", .group = 1 },
	{ "output", 'o', "FORM", option_word_take, AT(form), .help = "wide, json or yaml", .words = forms },
	{ "what-is-very-long", 0, "VALUE", option_text, AT(name), .help = "below", .group = 2 },
	{ NULL, 'v', "NAME", option_text, AT(name), .group = 1 },
	{ "hidden", 0, NULL, option_truth, AT(all), .help = NULL },
	OPTION_HELP,
};

static const struct command_line line = {
	.program = "driftd x",
	.synopsis = "Usage: driftd x\n\n",
	.notes = "\nThe end.\n",
	OPTIONS(option_table),
	.column = 22,
	.arguments_most = 2,
	.groups = 1,
};

/* What the command line @words makes of a command, in @ret: "status namespace name all form | arguments", and what was
 * said. */
static void read_words(const char *words, char *ret, size_t size)
{
	char copy[256], *argv[16] = { copy }, program[] = "x", *rest = copy;
	FILE *reported = tmpfile();
	int saved = dup(STDERR_FILENO), argc = 1, status;
	struct command c = { .namespace = "-", .name = "-" };
	struct arguments arguments = { 0 };
	size_t n;

	argv[0] = program;
	(void)snprintf(copy, sizeof(copy), "%s", words);
	for (char *w; (w = strtok_r(rest, " ", &rest));)
		argv[argc++] = w;
	assert_non_null(reported);
	assert_true(dup2(fileno(reported), STDERR_FILENO) >= 0);
	status = command_line_read(&line, argc, argv, &c, &arguments);
	assert_true(dup2(saved, STDERR_FILENO) >= 0);
	close(saved);
	n = (size_t)snprintf(ret, size, "%d %s %s %d %u |", status, c.namespace, c.name, c.all, c.form);
	for (size_t i = 0; status == COMMAND_GOES_ON && i < arguments.n; i++)
		n += (size_t)snprintf(ret + n, size - n, " %s", arguments.p[i]);
	n += (size_t)snprintf(ret + n, size - n, "\n");
	rewind(reported);
	n += fread(ret + n, 1, size - n - 1, reported);
	ret[n] = '\0';
	fclose(reported);
}

#define WRONG "2 - - 0 0 |\ndriftd x: "
#define SEE "\nSee 'driftd x --help'.\n"

static void test_mistakes(void **state)
{
	static const struct {
		const char *words, *expected;
	} cases[] = {
		{ "--all -n a --name=b c -o json d", "-1 a b 1 2 | c d\n" },
		{ "-na -v b -- -q --all", "-1 a b 0 0 | -q --all\n" },
		{ "--a --names a", "-1 a - 1 0 |\n" },
		{ "a b c d", WRONG "unexpected argument 'c'" SEE },
		{ "--namespce a", WRONG "unknown option '--namespce'; did you mean '--namespace'?" SEE },
		{ "--zzz", WRONG "unknown option '--zzz'" SEE },
		{ "--zzz=secret", WRONG "unknown option '--zzz'" SEE },
		{ "--what-is-very-long a", WRONG "unknown option '--what-is-very-long'" SEE },
		{ "--nam a", WRONG "option '--nam' may be '--namespace' or '--name'" SEE },
		{ "--all=1", WRONG "option '--all' takes no value" SEE },
		{ "--help=1", WRONG "option '--help' takes no value" SEE },
		{ "--name", WRONG "option '--name' needs a value" SEE },
		{ "-n", WRONG "option '-n' needs a value" SEE },
		{ "-q", WRONG "unknown option '-q'" SEE },
		{ "--all -oyamlq", "2 - - 1 0 |\ndriftd x: 'yamlq' is not a valid output: wide, json or yaml\n" },
		{ "--all -q", "2 - - 1 0 |\ndriftd x: unknown option '-q'" SEE },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char got[1024] = "";

		read_words(cases[i].words, got, sizeof(got));
		assert_string_equal(got, cases[i].expected);
	}
}

static void test_help(void **state)
{
	char got[1024] = "";
	FILE *to = fmemopen(got, sizeof(got), "w");

	(void)state;
	assert_non_null(to);
	command_line_help(&line, to);
	fclose(to);
	assert_string_equal(got, "Usage: driftd x\n\n"
				 "  -n, --namespace NS  of the object,\n"
				 "                      or of all\n"
				 "      --name NAME\n"
				 "\nMore:\n"
				 "      --all                   each\n"
				 "  -o, --output FORM           wide, json or yaml\n"
				 "      --what-is-very-long VALUE\n"
				 "                              below\n"
				 "  -h, --help                  this text\n"
				 "\nThe end.\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mistakes),
		cmocka_unit_test(test_help),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
