/* The reader of test cases (tests/support/triples.h): what it takes for a case, and what it refuses. */
#include "support/triples.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* "program|input", or an error when the program is "fail". */
static int echo(const struct triple *t, struct arena *a, struct buf *out)
{
	(void)a;
	buf_add_str(out, t->program);
	if (t->has_input)
		buf_printf(out, "|%.*s", STR_ARG(t->input));
	return str_eq(t->program, STR("fail")) ? -1 : 0;
}

static size_t run(const char *text, size_t *cases)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);

	*cases = 0;
	return triples_run_text("test", str_from(text), echo, &a, cases);
}

static void test_accepted(void **state)
{
	static const struct {
		const char *text;
		size_t cases;
	} cases[] = {
		{ "%% a\n%%= a\n", 1 },
		{ "%%# c\n\n%% a\n%%< b\n%%= a|b\n\n%% c\n%%= c", 2 },
		{ "%%< i\n%%# c\n%% a\n%%= a|i\n%% a\n%%<\n%%= a|\n", 2 },
		{ "%%\na\n\nb\n\n\n%%<\n%%=\\ a\\n\\nb\\n|\n", 1 },
		{ "%%\\ a\\x00\\t\\\\\n%%=\\ a\\x00\\x09\\x5c\n", 1 },
		{ "%%\n%%=\n%%# c\n%%#d\n%% fail\n%%FAIL\nfail\n\n", 2 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		size_t n, failed = run(cases[i].text, &n);

		if (failed || n != cases[i].cases)
			fail_msg("%s: %zu cases, %zu failed", cases[i].text, n, failed);
	}
}

static void test_refused(void **state)
{
	static const char *const texts[] = {
		"",
		"%%# only a comment\n",
		"%%< only an input\n",
		"text\n%% a\n%%= a\n",
		"%% a\n",
		"%% a\n%%< b\n",
		"%% a\n%%= a\n%%= a\n",
		"%% a\n%%< b\n%%< b\n%%= a|b\n",
		"%%a\n%%= a\n",
		"%%\\ \\q\n%%= q\n",
		"%%\\ \\x0g\n%%= q\n",
		"%% a\n%%= b\n",
		"%% a\n%%FAIL a\n",
		"%% fail\n%%= fail\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		size_t n;

		if (run(texts[i], &n) == 0)
			fail_msg("accepted: %s", texts[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_accepted), cmocka_unit_test(test_refused) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
