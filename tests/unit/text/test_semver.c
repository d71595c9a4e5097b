/* The strict reading of versions, normalising, and the next versions; the corpus covers constraints. */
#include "text/semver.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_strict(void **state)
{
	static const struct {
		const char *text, *error; /* NULL: accepted */
	} cases[] = {
		{ "1.2.3", NULL },
		{ "1.2.3-a.1+b.01", NULL },
		{ "", "Version string empty" },
		{ "1.2", "No Major.Minor.Patch elements found" },
		{ "v1.2.3", "Invalid character(s) found in major number \"v1\"" },
		{ "1.02.3", "Minor number must not contain leading zeroes \"02\"" },
		{ "1.2.3-01", "Numeric PreRelease version must not contain leading zeroes \"01\"" },
		{ "1.2.3-", "Prerelease is empty" },
		{ "1.2.3+a..b", "Build meta data is empty" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct semver v;
		struct err err;
		int r = semver_parse_strict(str_from(cases[i].text), &v, &err);

		assert_int_equal(r, cases[i].error ? -EBADMSG : 0);
		if (cases[i].error)
			assert_string_equal(err.msg, cases[i].error);
	}
}

static void test_normalize(void **state)
{
	static const struct {
		const char *text, *normal;
	} cases[] = { { "v1", "1.0.0" },
		      { "01.002", "1.2.0" },
		      { "1.2.3-rc", "1.2.3-rc" },
		      { "00", "0.0.0" },
		      { "1.0.00-x", "1.0.0-x" } };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(buf_done) struct buf out = BUF_INIT(100);
		struct err err;

		assert_int_equal(semver_normalize(str_from(cases[i].text), &out, &err), 0);
		assert_string_equal(out.p, cases[i].normal);
	}
}

static void test_next(void **state)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(100);
	struct semver v, next;
	struct err err;

	(void)state;
	assert_int_equal(semver_parse(STR("v1.2.3-rc.1+b"), &v, &err), 0);
	next = semver_inc_patch(&v);
	semver_write(&next, &out);
	buf_add_byte(&out, ' ');
	next = semver_inc_minor(&v);
	semver_write(&next, &out);
	buf_add_byte(&out, ' ');
	next = semver_inc_major(&v);
	semver_write(&next, &out);
	assert_string_equal(out.p, "1.2.3 1.3.0 2.0.0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_strict),
		cmocka_unit_test(test_normalize),
		cmocka_unit_test(test_next),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
