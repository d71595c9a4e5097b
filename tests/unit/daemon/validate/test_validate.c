/* What "driftd validate" ends with: 0 only when an object was held against a rule. */
#include "daemon/validate/commands.h"

#include "base/defs.h"
#include "support/turned.h"

#include <fcntl.h>
#include <getopt.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define DATA TEST_DATA "/validate/"
#define ARGS_MAX 12

static char out_text[4096], err_text[4096];

/* The exit status with @args, which are separated by blanks; a name with a dot is a file of the test. */
static int validate(const char *args)
{
	char line[256], paths[ARGS_MAX][512], name[] = "validate", *argv[ARGS_MAX + 1] = { name };
	struct turned out, err;
	int argc = 1, status;
	char *rest = NULL;

	(void)snprintf(line, sizeof(line), "%s", args);
	for (char *word = strtok_r(line, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		assert_true(argc < ARGS_MAX);
		(void)snprintf(paths[argc], sizeof(paths[0]), "%s%s", strchr(word, '.') ? DATA : "", word);
		argv[argc] = paths[argc];
		argc++;
	}
	optind = 0;
	turn(&out, stdout);
	turn(&err, stderr);
	status = cmd_validate(argc, argv);
	turn_back(&err, err_text, sizeof(err_text));
	turn_back(&out, out_text, sizeof(out_text));
	return status;
}

#define NOTHING "driftd validate: nothing was judged"

static const struct exit_case {
	const char *args;
	int status;
	const char *said; /* on standard error; NULL: nothing at all */
} cases[] = {
	{ "-f rules.yaml -f on.yaml", 0, NULL },
	{ "-f rules.yaml -f off.yaml", 1, NULL },
	{ "-f rules.yaml -f on.yaml -f other-kind.yaml", 0, "other-kind.yaml: no rule is for v1 Secret d/settings" },
	{ "-f rules.yaml -f off.yaml -f other-name.yaml", 1, "other-name.yaml: no rule is for v1 ConfigMap d/other" },
	{ "-f rules.yaml -f other-kind.yaml", 2, NOTHING },
	{ "-f rules.yaml -f other-name.yaml", 2, NOTHING },
	{ "-f rules.yaml -f on.yaml -f forged-kind.yaml", 0,
	  "forged-kind.yaml: no rule is for v1 Evil\n    rules.yaml: no rule\\x1b[2J a\n" },
	{ "-f rules.yaml -f other-kind.yaml -o json", 2, NOTHING },
	{ "-f rules.yaml -f other-name.yaml", 2,
	  "rules.yaml:1:1: no object is for these rules: there is no ConfigMap of v1 called settings*\n" },
	{ "-f rules.yaml -f crd.yaml -f on.yaml", 0, "1 of 1 definition is for no object: widgets.e.x\n" },
	{ "-f crd.yaml -f widget-v1.yaml --old widget-v2.yaml", 2,
	  "--old: 1 of 1 object is the state before of no object: Widget w\n" },
	{ "-f crd.yaml -f widget-v1.yaml --old widget-v1.yaml --old on.yaml --old off.yaml", 0,
	  "--old: 2 of 3 objects are the state before of no object: ConfigMap d/settings, ConfigMap d/settings\n" },
	{ "-f crd.yaml -f widget-v3.yaml --old widget-v1.yaml -f on.yaml", 2, "on.yaml: no rule is for" },
	{ "-f rules.yaml -f empty-list.yaml", 2, "no file holds an object to validate" },
	{ "-f on.yaml", 2, "no file holds rules" },
	{ "-f crd.yaml -f widget-v1.yaml", 2, NOTHING },
	{ "-f crd.yaml -f widget-v1.yaml", 2, "widget-v1.yaml: only rules with oldSelf are for e.x/v1 Widget w" },
	{ "-f crd.yaml -f widget-v1.yaml --old widget-v1.yaml", 0, NULL },
	{ "-f crd.yaml -f widget-v2.yaml", 2, NOTHING },
	{ "-f crd.yaml -f widget-v2.yaml", 2, "widget-v2.yaml: no rule is for e.x/v2 Widget w" },
	{ "-f crd.yaml -f widget-v3.yaml", 0, NULL },
	{ "-f crd.yaml -f widget-without.yaml", 0, NULL },
};

/* Folders, patterns, and what is wrong with them. */
static const struct exit_case path_cases[] = {
	{ "--rules rules.yaml -f on.yaml", 0, NULL },
	{ "--rules rules.yaml -f off.yaml", 1, NULL },
	{ "--rules rule?.yaml -f off.yaml", 1, NULL },
	{ "--rules ru*.yaml --rules rules.yaml -f o[nf]*.yaml", 1, NULL }, /* the file counts once: one failure */
	{ "--rules rules.yml -f on.yaml", 2, "rules.yml': No such file" },
	{ "--rules *.yml -f on.yaml", 2, "*.yml' matches no file; there is crd.yaml, " },
	{ "--rules off.yaml -f on.yaml", 2, "off.yaml:1:1: " },
	{ "--rules rules.yaml -f tree.d", 1, "tree.d/values.yaml: skipped what is not an object" },
	{ "--rules rules.yaml -f tree.d/none", 2, "none' holds no *.yaml, *.yml or *.json; -R reads" },
	{ "--rules rules.yaml -R -f tree.d", 2, "deep/broken.yaml" },
	{ "-f rules.yaml -f tree.d/o*.yaml", 1, NULL },
	{ "--rules rules.yaml -f absent.yaml", 2, "absent.yaml\" does not exist" },
	{ "-n shop -f rules.yaml", 2, "are for a cluster" },
	{ "", 2, "no files given" },
	{ "-f on.yaml word", 2, "unexpected argument" },
	{ "--rules rules.yaml --kubeconfig absent.kubeconfig", 2, "absent.kubeconfig" },
};

static void check_case(const struct exit_case *t)
{
	int status = validate(t->args);

	if (status != t->status)
		fail_msg("%s: status %d instead of %d: %s", t->args, status, t->status, err_text);
	if (t->said ? !strstr(err_text, t->said) : err_text[0] != '\0')
		fail_msg("%s: said is '%s' instead of '%s'", t->args, err_text, t->said ? t->said : "");
}

static void test_paths(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(path_cases); i++)
		check_case(&path_cases[i]);
	validate("--rules ru*.yaml --rules rules.yaml -R -f tree.d -o json");
	assert_non_null(strstr(out_text, "\"objects\":5,\"judged\":4,\"rulesInvalid\":0,\"unread\":1}"));
	assert_non_null(strstr(out_text, "tree.d/a.json"));
	assert_true(strstr(out_text, "tree.d/a.json") < strstr(out_text, "tree.d/deep/z.yml"));
}

static void test_standard_input(void **state)
{
	static const struct {
		const char *file, *args, *out;
		int status;
	} inputs[] = {
		{ DATA "on.yaml", "-f rules.yaml -f -", "", 0 },
		{ DATA "off.yaml", "-f rules.yaml -f -", "ConfigMap d/", 1 },
		{ DATA "rules.yaml", "--rules - -f off.yaml", "ConfigMap d/", 1 },
		{ DATA "widget-v1.yaml", "-f crd.yaml -f widget-v1.yaml --old -", "", 0 },
	};
	int before = dup(STDIN_FILENO);

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(inputs); i++) {
		int fd = open(inputs[i].file, O_RDONLY), status;

		assert_true(fd >= 0);
		assert_int_equal(dup2(fd, STDIN_FILENO), STDIN_FILENO);
		clearerr(stdin);
		status = validate(inputs[i].args);
		if (status != inputs[i].status || strncmp(out_text, inputs[i].out, strlen(inputs[i].out)) != 0)
			fail_msg("%s: status %d, '%s', '%s'", inputs[i].args, status, out_text, err_text);
		close(fd);
	}
	(void)dup2(before, STDIN_FILENO);
	close(before);
}

/* An object cannot write another one's verdict. */
static void test_text_of_others(void **state)
{
	(void)state;
	assert_int_equal(validate("-f hostile-rules.yaml -f hostile.yaml"), 1);
	assert_string_equal(out_text,
			    "ConfigMap d/a\\x1b[31m\n    ConfigMap b: data: no \\u202e (FieldValueInvalid)\n");
}

static void test_exit_status(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		check_case(&cases[i]);
}

/* Whoever reads the JSON alone must not take silence for success. */
static void test_nothing_judged_is_not_valid(void **state)
{
	(void)state;
	validate("-f rules.yaml -f other-kind.yaml -o json");
	assert_non_null(strstr(out_text, "\"valid\":false,\"objects\":1,\"judged\":0,"));
	validate("-f rules.yaml -f on.yaml -f other-kind.yaml -o json");
	assert_non_null(strstr(out_text, "\"valid\":true,\"objects\":2,\"judged\":1,"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exit_status),
		cmocka_unit_test(test_paths),
		cmocka_unit_test(test_standard_input),
		cmocka_unit_test(test_text_of_others),
		cmocka_unit_test(test_nothing_judged_is_not_valid),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
