/* Remembering which records were shown. */
#include "daemon/events/seen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#define KEPT 65536

static bool before(struct seen *s, unsigned n)
{
	char id[33];

	(void)snprintf(id, sizeof(id), "%032x", n);
	return seen_before(s, str_from(id));
}

static void test_the_last_are_kept(void **state)
{
	struct seen *s = seen_new();

	(void)state;
	assert_non_null(s);
	for (unsigned round = 0; round < 2; round++) {
		for (unsigned i = 0; i < KEPT; i++)
			assert_false(before(s, i));
		assert_true(before(s, 0));
		assert_true(before(s, KEPT - 1));
		assert_false(before(s, KEPT)); /* in the place of the first */
		assert_false(before(s, 0));
		assert_true(before(s, 2));
		seen_clear(s);
	}
	seen_free(s);
}

static void test_what_is_no_id(void **state)
{
	struct seen *s = seen_new();

	(void)state;
	assert_non_null(s);
	for (size_t i = 0; i < 2; i++) {
		assert_false(seen_before(s, (str){ NULL, 0 }));
		assert_false(seen_before(s, STR("1")));
	}
	seen_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_last_are_kept),
		cmocka_unit_test(test_what_is_no_id),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
