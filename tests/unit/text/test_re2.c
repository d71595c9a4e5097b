/* What the corpus of the RE2 dialect does not show: limits, sharing between calls, and that both engines agree. */
#include "text/re2.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const struct limits lim = LIMITS_DEFAULT;

static struct re2 *compile(const char *pattern)
{
	struct re2 *re = NULL;
	struct err err;

	if (re2_compile(str_from(pattern), &lim, &re, NULL, &err) < 0)
		fail_msg("%s: %s", pattern, err.msg);
	return re;
}

/* Patterns on which backtracking alone takes exponential time still answer. */
static void test_no_catastrophe(void **state)
{
	static const char *const patterns[] = { "^(a+)+$", "^(a|aa)+$", "(a*)*b", "(?:a?){30}a{30}b",
						"^(?:(?:a|b)*c|a*b*)*d$" };
	char text[5001];

	(void)state;
	memset(text, 'a', sizeof(text) - 2);
	text[sizeof(text) - 2] = '!';
	for (size_t i = 0; i < ARRAY_LEN(patterns); i++) {
		CLEANUP(re2_freep) struct re2 *re = compile(patterns[i]);
		struct err err;

		assert_int_equal(re2_matches(re, (str){ text, sizeof(text) - 1 }, &err), 0);
	}
}

static void test_step_limit(void **state)
{
	struct limits small = lim;
	CLEANUP(re2_freep) struct re2 *re = NULL;
	char text[4000];
	struct err err;

	(void)state;
	small.regex_match_limit = 10;
	memset(text, 'a', sizeof(text));
	assert_int_equal(re2_compile(STR("(?:a*)*b|(?:a|a)*c"), &small, &re, NULL, &err), 0);
	assert_int_equal(re2_matches(re, (str){ text, sizeof(text) }, &err), -E2BIG);
}

/* The ceiling of memory is one of the pattern, not a lack of memory, wherever it is met. */
static void test_memory_limit(void **state)
{
	const str pattern = STR("(?i)(a|bc|[^\\d_x-z[:alpha:]]{2,9})+\\pL{3}|(?P<name>x*y?)$");
	struct limits small = lim;
	size_t refused = 0;

	(void)state;
	for (small.arena_bytes = 8; small.arena_bytes < 16384; small.arena_bytes += 8) {
		CLEANUP(re2_freep) struct re2 *re = NULL;
		struct err err;
		int r = re2_compile(pattern, &small, &re, NULL, &err);

		if (r == 0) /* its program is made when it is needed */
			r = re2_matches(re, STR("\xC3\xA4"), &err);
		refused += r == -E2BIG;
		assert_true(r >= 0 || r == -E2BIG);
	}
	assert_true(refused > 0);
}

static void test_error_text(void **state)
{
	CLEANUP(buf_done) struct buf message = BUF_INIT(4096);
	struct re2 *re = NULL;
	struct err err;

	(void)state;
	assert_int_equal(re2_compile(STR("a(b"), &lim, &re, &message, &err), -EBADMSG);
	assert_string_equal(err.msg, "error parsing regexp: missing closing ): `a(b`");
	assert_string_equal(message.p, err.msg);
	assert_null(re);
}

static void test_groups(void **state)
{
	CLEANUP(re2_freep) struct re2 *re = compile("(?P<year>\\d{4})-(\\d\\d)");
	CLEANUP(buf_done) struct buf out = BUF_INIT(4096);
	struct err err;

	(void)state;
	assert_int_equal(re2_groups(re), 2);
	assert_int_equal(re2_group_index(re, STR("year")), 1);
	assert_int_equal(re2_group_index(re, STR("month")), 0);
	assert_int_equal(re2_replace_all(re, STR("on 2024-05 or 1999-12"), STR("$2/${year}$$"), false, &out, &err), 0);
	assert_string_equal(out.p, "on 05/2024$ or 12/1999$");
}

/* Loops over what may be empty, where Perl and RE2 differ: group 1 of the first match. */
static void test_empty_loops(void **state)
{
	static const struct {
		const char *pattern, *text, *whole, *group;
	} cases[] = {
		{ "(a*)*", "aa", "aa", "aa" }, { "(a*)+", "b", "", "" },          { "(|a)*", "aa", "", "" },
		{ "(|a)+", "aa", "", "" },     { "(a|b?)*c", "abc", "abc", "b" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(re2_freep) struct re2 *re = compile(cases[i].pattern);
		CLEANUP(re2_search_done) struct re2_search s = { 0 };
		struct err err;

		assert_int_equal(re2_search_init(&s, re, str_from(cases[i].text), &err), 0);
		assert_int_equal(re2_search_next(&s, &err), 1);
		assert_true(str_eq(re2_group(&s, 0), str_from(cases[i].whole)));
		assert_true(str_eq(re2_group(&s, 1), str_from(cases[i].group)));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_catastrophe), cmocka_unit_test(test_step_limit),
		cmocka_unit_test(test_memory_limit),   cmocka_unit_test(test_error_text),
		cmocka_unit_test(test_groups),         cmocka_unit_test(test_empty_loops),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
