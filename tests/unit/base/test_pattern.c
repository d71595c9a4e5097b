/* Patterns in which "*" is any text. */
#include "base/pattern.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_one(void **state)
{
	static const struct {
		const char *pattern, *text;
		bool matches;
	} cases[] = {
		{ "", "", true },
		{ "", "a", false },
		{ "a", "", false },
		{ "*", "", true },
		{ "*", "a.b/c", true },
		{ "**", "a", true },
		{ "a*", "a", true },
		{ "a*", "ba", false },
		{ "*a", "aa", true },
		{ "*a", "ab", false },
		{ "a*c", "abcbc", true },
		{ "a*b*c", "abc", true },
		{ "a*b*c", "acb", false },
		{ "a.b", "axb", false },
		{ "*ab*ab*ab*ab*x", "abababababababababababababababababababab", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		if (pattern_matches(str_from(cases[i].pattern), str_from(cases[i].text)) != cases[i].matches)
			fail_msg("'%s' and '%s'", cases[i].pattern, cases[i].text);
	}
}

static void test_several(void **state)
{
	static const str patterns[] = { { "a", 1 }, { "b*", 2 } };

	(void)state;
	assert_true(pattern_any_matches(patterns, 2, STR("a")));
	assert_true(pattern_any_matches(patterns, 2, STR("bc")));
	assert_false(pattern_any_matches(patterns, 2, STR("c")));
	assert_false(pattern_any_matches(NULL, 0, STR("")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one),
		cmocka_unit_test(test_several),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
