/* Waiting times: growth, jitter, the server's own wishes. */
#include "kubeclient/kc_backoff.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static struct kc_backoff fresh(void)
{
	return (struct kc_backoff){ .first_ms = 800, .max_ms = 30000, .reset_ms = 120000 };
}

static void test_doubles_to_max(void **state)
{
	static const uint64_t expected[] = { 800, 1600, 3200, 6400, 12800, 25600, 30000, 30000 };
	struct kc_backoff b = fresh();
	uint64_t now = 1000;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(expected); i++) {
		uint64_t wait = kc_backoff_next(&b, now, 0);

		assert_int_equal(wait, expected[i]);
		now += wait;
	}
}

static void test_jitter_stays_below_twice(void **state)
{
	(void)state;
	for (uint64_t random = 0; random < 5000; random++) {
		struct kc_backoff b = fresh();
		uint64_t wait = kc_backoff_next(&b, 0, random * 0x9E3779B97F4A7C15u);

		assert_in_range(wait, 800, 1600);
	}
}

static void test_resets_after_quiet(void **state)
{
	struct kc_backoff b = fresh();

	(void)state;
	assert_int_equal(kc_backoff_next(&b, 0, 0), 800);
	assert_int_equal(kc_backoff_next(&b, 1000, 0), 1600);
	assert_int_equal(kc_backoff_next(&b, 100000, 0), 3200);
	assert_int_equal(kc_backoff_next(&b, 100000 + 3200 * 2 + 120001, 0), 800);
}

static void test_success_starts_from_first(void **state)
{
	struct kc_backoff b = fresh();

	(void)state;
	for (int i = 0; i < 6; i++)
		(void)kc_backoff_next(&b, 1000, 0);
	kc_backoff_clear(&b);
	assert_int_equal(kc_backoff_next(&b, 1000, 0), 800);
	assert_int_equal(kc_backoff_next(&b, 1000, 0), 1600);
}

static void test_the_server_is_obeyed(void **state)
{
	(void)state;
	for (uint64_t random = 0; random < 5000; random++)
		assert_in_range(kc_backoff_asked(8000, random), 8000, 9000);
	assert_int_equal(kc_backoff_asked(0, 12345), 0);
}

static void test_bucket(void **state)
{
	struct kc_bucket b;

	(void)state;
	kc_bucket_init(&b, 5, 10, 1000);
	for (int i = 0; i < 10; i++)
		assert_int_equal(kc_bucket_take(&b, false, 1000), 0);
	assert_in_range(kc_bucket_take(&b, false, 1000), 200, 201);
	assert_int_equal(kc_bucket_take(&b, false, 1201), 0);
	assert_int_not_equal(kc_bucket_take(&b, false, 1210), 0);
	for (int i = 0; i < 10; i++)
		assert_int_equal(kc_bucket_take(&b, false, 100000), 0);
	assert_int_not_equal(kc_bucket_take(&b, false, 100000), 0);
}

static void test_what_may_wait_leaves_half(void **state)
{
	struct kc_bucket b;

	(void)state;
	kc_bucket_init(&b, 5, 10, 1000);
	for (int i = 0; i < 5; i++)
		assert_int_equal(kc_bucket_take(&b, true, 1000), 0);
	assert_in_range(kc_bucket_take(&b, true, 1000), 200, 201);
	for (int i = 0; i < 5; i++)
		assert_int_equal(kc_bucket_take(&b, false, 1000), 0);
	assert_int_not_equal(kc_bucket_take(&b, false, 1000), 0);
	kc_bucket_refund(&b);
	assert_int_equal(kc_bucket_take(&b, false, 1000), 0);
	kc_bucket_widen(&b, 1, 4);
	for (int i = 0; i < 4; i++)
		assert_int_equal(kc_bucket_take(&b, false, 1000), 0);
	kc_bucket_widen(&b, -1, -4);
	assert_int_not_equal(kc_bucket_take(&b, false, 1000), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_doubles_to_max),
		cmocka_unit_test(test_jitter_stays_below_twice),
		cmocka_unit_test(test_resets_after_quiet),
		cmocka_unit_test(test_success_starts_from_first),
		cmocka_unit_test(test_the_server_is_obeyed),
		cmocka_unit_test(test_bucket),
		cmocka_unit_test(test_what_may_wait_leaves_half),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
