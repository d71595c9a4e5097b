/* Shell patterns. */
#include "reference/glob.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

static void test_match(void **state)
{
	static const struct {
		const char *pattern, *name;
		bool match;
	} cases[] = {
		{ "abc", "abc", true },
		{ "*", "abc", true },
		{ "*c", "abc", true },
		{ "a*", "a", true },
		{ "a*", "abc", true },
		{ "a*", "ab/c", false },
		{ "a*/b", "abc/b", true },
		{ "a*/b", "a/c/b", false },
		{ "a*b*c*d*e*/f", "axbxcxdxe/f", true },
		{ "a*b*c*d*e*/f", "axbxcxdxexxx/fff", false },
		{ "a*b?c*x", "abxbbxdbxebxczzx", true },
		{ "ab[c]", "abc", true },
		{ "ab[b-d]", "abc", true },
		{ "ab[e-g]", "abc", false },
		{ "ab[^c]", "abc", false },
		{ "ab[^b-d]", "abc", false },
		{ "ab[^e-g]", "abc", true },
		{ "a\\*b", "a*b", true },
		{ "a\\*b", "ab", false },
		{ "a?b",
		  "a\xE2\x98\xBA"
		  "b",
		  true },
		{ "a[^a]b",
		  "a\xE2\x98\xBA"
		  "b",
		  true },
		{ "a???b",
		  "a\xE2\x98\xBA"
		  "b",
		  false },
		{ "a?b", "a/b", false },
		{ "[\\]a]", "]", true },
		{ "[x\\-]", "-", true },
		{ "", "", true },
		{ "*", "", true },
		{ "a", "", false },
		{ "", "a", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		if (glob_match(str_from(cases[i].pattern), str_from(cases[i].name)) != cases[i].match)
			fail_msg("\"%s\" and \"%s\"", cases[i].pattern, cases[i].name);
	}
}

static void test_invalid(void **state)
{
	static const char *const bad[] = { "[", "[a", "[]a]", "[-]", "[x-]", "[-x]", "[a-", "a\\", "[^", "a[" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		if (glob_valid(str_from(bad[i])))
			fail_msg("\"%s\" is valid", bad[i]);
	}
	assert_true(glob_valid(STR("a[b-c]*?\\[")));
}

/* Many stars cost no more than the product of the lengths. */
static void test_time(void **state)
{
	char pattern[2002], name[4001];

	(void)state;
	for (size_t i = 0; i < 2000; i++)
		pattern[i] = i % 2 ? 'a' : '*';
	pattern[2000] = 'b';
	memset(name, 'a', 4000);
	assert_false(glob_match((str){ pattern, 2001 }, (str){ name, 4000 }));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_match),
		cmocka_unit_test(test_invalid),
		cmocka_unit_test(test_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
