/* What is said of options that are wrong. */
#include "config/command_line.h"

#include "base/str.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

static const struct option options[] = {
	{ "namespace", required_argument, NULL, 'n' },
	{ "name", required_argument, NULL, 256 },
	{ "all", no_argument, NULL, 257 },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

/* What the command line @words gives until its first mistake, in @ret: the options, and the message. */
static void read_words(const char *words, char *ret, size_t size)
{
	char copy[256], *argv[16] = { copy }, program[] = "x", *rest = copy;
	FILE *told = tmpfile();
	int saved = dup(STDERR_FILENO), argc = 1, o;
	size_t n = 0;

	argv[0] = program;
	(void)snprintf(copy, sizeof(copy), "%s", words);
	for (char *w; (w = strtok_r(rest, " ", &rest));)
		argv[argc++] = w;
	assert_non_null(told);
	assert_true(dup2(fileno(told), STDERR_FILENO) >= 0);
	optind = 0;
	while ((o = command_line_next("driftd x", argc, argv, "n:h", options, NULL)) != -1 && o != '?')
		n += (size_t)snprintf(ret + n, size - n, "%d%s%s ", o, optarg ? "=" : "", optarg ? optarg : "");
	assert_true(dup2(saved, STDERR_FILENO) >= 0);
	close(saved);
	rewind(told);
	n += fread(ret + n, 1, size - n - 1, told);
	ret[n] = '\0';
	fclose(told);
}

static void test_mistakes(void **state)
{
	static const struct {
		const char *words, *expected;
	} cases[] = {
		{ "--all -n a --name=b c -h", "257 110=a 256=b 104 " },
		{ "--namespce a", "driftd x: unknown option '--namespce'; did you mean '--namespace'?\n" },
		{ "--zzz", "driftd x: unknown option '--zzz'\n" },
		{ "--zzz=secret", "driftd x: unknown option '--zzz'\n" },
		{ "--nam a", "driftd x: option '--nam' may be '--namespace' or '--name'\n" },
		{ "--all=1", "driftd x: option '--all' takes no value\n" },
		{ "--help=1", "driftd x: option '--help' takes no value\n" },
		{ "--name", "driftd x: option '--name' needs a value\n" },
		{ "-n", "driftd x: option '-n' needs a value\n" },
		{ "-q", "driftd x: unknown option '-q'\n" },
		{ "--all -hq", "257 104 driftd x: unknown option '-q'\n" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char got[1024] = "";

		read_words(cases[i].words, got, sizeof(got));
		assert_string_equal(got, cases[i].expected);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_mistakes) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
