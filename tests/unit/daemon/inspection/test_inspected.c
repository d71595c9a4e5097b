/* What was inspected, written and read. */
#include "daemon/inspection/inspected.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct inspected *read_back(str bytes)
{
	struct inspected *s = NULL;
	struct err err;

	assert_int_equal(inspected_new(bytes, &s, &err), 0);
	return s;
}

static void test_what_is_added_is_there(void **state)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(4096), again = BUF_INIT(4096);
	struct inspected *s;

	(void)state;
	inspected_add(STR("u1"), STR("1"), &out);
	inspected_add(STR("u2"), STR("22"), &out);
	inspected_add(STR("u2"), STR("22"), &out);
	s = read_back(buf_str(&out));
	assert_true(inspected_has(s, STR("u1"), STR("1")));
	assert_true(inspected_has(s, STR("u2"), STR("22")));
	assert_false(inspected_has(s, STR("u2"), STR("2")));
	assert_false(inspected_has(s, STR("u"), STR("1")));
	assert_false(inspected_has(s, STR("U1"), STR("1")));
	inspected_write(s, &again);
	assert_int_equal(again.n, sizeof("u1 1\nu2 22\n") - 1);
	inspected_free(s);
	s = read_back(buf_str(&again));
	assert_true(inspected_has(s, STR("u1"), STR("1")));
	inspected_free(s);
}

/* Neither what is not there, nor what would be read as something else. */
static void test_what_cannot_be_noted_is_not(void **state)
{
	static const struct {
		str uid, version;
	} cases[] = { { STR(""), STR("1") },    { STR("u"), STR("") },       { STR("u 1"), STR("2") },
		      { STR("u\n"), STR("2") }, { STR("u"), STR("2\nv 3") }, { { "u\0v", 3 }, STR("2") },
		      { STR("u\t"), STR("2") }, { STR("u"), STR(" 2") } };
	struct inspected *s = read_back(STR("u 1\nu 1 2\nu 2\nv 3\n 1\nu \n"));

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(buf_done) struct buf out = BUF_INIT(4096);

		inspected_add(cases[i].uid, cases[i].version, &out);
		assert_int_equal(out.n, 0);
		assert_false(inspected_has(s, cases[i].uid, cases[i].version));
	}
	inspected_free(s);
}

static void test_anything_else_is_nothing(void **state)
{
	static const str cases[] = { STR(""), STR("\n\n\n"), STR("no version"), STR("\xff\xfe\x00"), STR("u 1") };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct inspected *s = read_back(cases[i]);

		assert_false(inspected_has(s, STR("x"), STR("1")));
		assert_int_equal(inspected_has(s, STR("u"), STR("1")), i == ARRAY_LEN(cases) - 1);
		inspected_free(s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_added_is_there),
		cmocka_unit_test(test_what_cannot_be_noted_is_not),
		cmocka_unit_test(test_anything_else_is_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
