/* Python's dialect: what its escapes mean here, what it refuses, and that no pattern runs away. Expected values are
 * those of Python 3.11. */
#include "text/py_regex.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define ENOUGH (10u * 1000 * 1000)

/* What search and fullmatch find: "01" is found, not matched; "e": an error. */
static const struct {
	const char *pattern, *text, *want;
} cases[] = {
	{ "", "", "11" },
	{ "", "a", "10" },
	{ "a|ab", "ab", "11" },
	{ "a$", "a\n", "10" },
	{ "a\\Z", "a\n", "00" },
	{ "^b", "a\nb", "00" },
	{ "(?m)^b$", "a\nb\nc", "10" },
	{ ".", "\n", "00" },
	{ "(?s).", "\n", "11" },
	{ "(?i)É", "é", "11" },
	{ "\\d", "١", "11" },
	{ "(?a)\\d", "١", "00" },
	{ "\\v", "\n", "00" },
	{ "\\v", "\x0b", "11" },
	{ "a{,2}", "aa", "11" },
	{ "a{,2}", "a{,2}", "10" },
	{ "a{", "a{", "11" },
	{ "a{1,x}", "a{1,x}", "11" },
	{ "[[:alpha:]]", "a]", "11" },
	{ "[[:alpha:]]", "b", "00" },
	{ "[]a]+", "]a", "11" },
	{ "\\u00e9\\x41", "éA", "11" },
	{ "(?P<x>a)(?P=x)", "aa", "11" },
	{ "(a)?(?(1)b|c)", "ab", "11" },
	{ "(?P<x>a)?(?(x)b|c)", "c", "11" },
	{ "(?<=a)b", "ab", "10" },
	{ "(?x) a # b\n c", "ac", "11" },
	{ "a(?#b)c", "ac", "11" },
	{ "(?u)a", "a", "11" },
	{ "(a)\\1", "aa", "11" },
	{ "(a)\\10", "aa0", "e" },
	{ "\\141\\0", "a", "00" },
	{ "\\141", "a", "11" },
	{ "\\477", "", "e" },
	{ "\\11", "\t", "e" },
	{ "(", "", "e" },
	{ "*", "", "e" },
	{ "a(?i)", "", "e" },
	{ "(*UTF)a", "", "e" },
	{ "(?R)", "", "e" },
	{ "(?C1)", "", "e" },
	{ "(?(R)a)", "", "e" },
	{ "(?<x>a)", "", "e" },
	{ "(?|a)", "", "e" },
	{ "\\K", "", "e" },
	{ "\\Qa\\E", "", "e" },
	{ "\\p{L}", "", "e" },
	{ "\\z", "", "e" },
	{ "\\x4", "", "e" },
	{ "a\\", "", "e" },
	{ "[a", "", "e" },
	{ "\xff", "", "e" },
};

static char match(const struct py_regex *re, str text, bool full)
{
	struct py_regex_scratch s = { 0 };
	uint64_t steps = ENOUGH;
	struct err err;
	int r = py_regex_match(re, &s, text, full, &steps, &err);

	py_regex_scratch_done(&s);
	return r < 0 ? 'e' : r ? '1' : '0';
}

static void test_cases(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(py_regex_freep) struct py_regex *re = NULL;
		char got[3] = "e";
		struct err err;

		if (py_regex_compile(str_from(cases[i].pattern), &re, &err) == 0) {
			got[0] = match(re, str_from(cases[i].text), false);
			got[1] = match(re, str_from(cases[i].text), true);
		}
		if (strcmp(got, cases[i].want) != 0)
			fail_msg("'%s' in '%s': expected %s, got %s", cases[i].pattern, cases[i].text, cases[i].want,
				 got);
	}
}

/* A search that goes back without end is stopped by its steps, and takes them all. */
static void test_no_catastrophe(void **state)
{
	static const char *const patterns[] = { "^(a+)+$", "(a|aa)+$", "(a*)*b", "(.*)(.*)(.*)(.*)x\\1" };
	struct py_regex_scratch s = { 0 };
	char text[2001];

	(void)state;
	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = '!';
	for (size_t i = 0; i < ARRAY_LEN(patterns); i++) {
		CLEANUP(py_regex_freep) struct py_regex *re = NULL;
		uint64_t steps = ENOUGH;
		struct err err;
		int r;

		assert_int_equal(py_regex_compile(str_from(patterns[i]), &re, &err), 0);
		r = py_regex_match(re, &s, (str){ text, sizeof(text) }, false, &steps, &err);
		assert_true(r == 0 || r == -E2BIG);
		assert_true(steps < ENOUGH);
	}
	py_regex_scratch_done(&s);
}

/* Searches that find nothing are paid too. */
static void test_steps_are_taken(void **state)
{
	CLEANUP(py_regex_freep) struct py_regex *re = NULL;
	struct py_regex_scratch s = { 0 };
	uint64_t steps = 10;
	struct err err;

	(void)state;
	assert_int_equal(py_regex_compile(STR("x"), &re, &err), 0);
	assert_int_equal(py_regex_match(re, &s, STR("abcd"), false, &steps, &err), 0);
	assert_int_equal(steps, 5);
	assert_int_equal(py_regex_match(re, &s, STR("abcdefgh"), false, &steps, &err), -E2BIG);
	assert_int_equal(py_regex_match(re, &s, STR(""), false, &(uint64_t){ 1 }, &err), 0);
	py_regex_scratch_done(&s);
}

static void test_size(void **state)
{
	static char text[PY_REGEX_MAX + 1];
	struct py_regex *re = NULL;
	struct err err;

	(void)state;
	memset(text, '(', sizeof(text));
	assert_int_equal(py_regex_compile((str){ text, sizeof(text) }, &re, &err), -E2BIG);
	assert_int_equal(py_regex_compile((str){ text, sizeof(text) - 1 }, &re, &err), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_no_catastrophe),
		cmocka_unit_test(test_steps_are_taken),
		cmocka_unit_test(test_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
