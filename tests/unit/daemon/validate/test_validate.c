/* What "driftd validate" ends with: 0 only when an object was held against a rule. */
#include "daemon/validate/commands.h"

#include "base/defs.h"

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

/* What a run wrote to @stream's descriptor while it was turned to a file. */
struct turned {
	FILE *stream, *file;
	int saved;
};

static void turn(struct turned *t, FILE *stream)
{
	*t = (struct turned){ .stream = stream, .file = tmpfile() };
	fflush(stream);
	t->saved = dup(fileno(stream));
	dup2(fileno(t->file), fileno(stream));
}

static void turn_back(struct turned *t, char *text, size_t size)
{
	size_t n;

	fflush(t->stream);
	dup2(t->saved, fileno(t->stream));
	close(t->saved);
	rewind(t->file);
	n = fread(text, 1, size - 1, t->file);
	text[n] = '\0';
	fclose(t->file);
}

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
	{ "-f rules.yaml -f other-kind.yaml -o json", 2, NOTHING },
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

static void test_exit_status(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct exit_case *t = &cases[i];
		int status = validate(t->args);

		if (status != t->status)
			fail_msg("%s: status %d instead of %d: %s", t->args, status, t->status, err_text);
		if (t->said ? !strstr(err_text, t->said) : err_text[0] != '\0')
			fail_msg("%s: said is '%s' instead of '%s'", t->args, err_text, t->said ? t->said : "");
	}
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
		cmocka_unit_test(test_nothing_judged_is_not_valid),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
