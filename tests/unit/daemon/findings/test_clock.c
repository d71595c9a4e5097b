/* The clock: the system's where nothing stands in for it, and what the steady one has not counted. */
#include "daemon/findings/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#define SECOND_NS INT64_C(1000000000)

static int64_t system_ns(clockid_t id)
{
	struct timespec t;

	assert_int_equal(clock_gettime(id, &t), 0);
	return (int64_t)t.tv_sec * SECOND_NS + t.tv_nsec;
}

static void test_system_time(void **state)
{
	int64_t real = system_ns(CLOCK_REALTIME), boot = system_ns(CLOCK_BOOTTIME), steady = system_ns(CLOCK_MONOTONIC);
	struct clock_moment now = clock_now();
	int64_t boot_usec = clock_boot_usec();
	double seconds = clock_seconds();

	(void)state;
	assert_in_range(now.usec, real / 1000, system_ns(CLOCK_REALTIME) / 1000 + 1); /* each may round */
	assert_in_range(now.boot_ns, boot, system_ns(CLOCK_BOOTTIME));
	assert_in_range(now.ns, steady, system_ns(CLOCK_MONOTONIC));
	assert_in_range(boot_usec, boot / 1000, system_ns(CLOCK_BOOTTIME) / 1000 + 1);
	assert_in_range((int64_t)(seconds * 1e6), real / 1000 - 1, system_ns(CLOCK_REALTIME) / 1000 + 1);
}

/* Naps that are known count for what was before them. */
static void test_naps(void **state)
{
	static const struct {
		uint64_t ns;
		int64_t usec;
	} cases[] = {
		{ 0, 0 },                             /* not known */
		{ 10 * SECOND_NS, 5000 * 1000000LL }, /* just now */
		{ 8 * SECOND_NS, 4998 * 1000000LL },  /* since the last nap */
		{ 7 * SECOND_NS + 1, 4997 * 1000000LL },
		{ 6 * SECOND_NS, (4996 - 100) * 1000000LL }, /* before it, at 7 s */
		{ 4 * SECOND_NS, (4994 - 100) * 1000000LL },
		{ 2 * SECOND_NS, (4992 - 130) * 1000000LL }, /* before both */
	};

	(void)state;
	clock_set(5000 * 1000000LL, 10 * SECOND_NS);
	clock_slept(3 * SECOND_NS, 30 * SECOND_NS);
	clock_slept(5 * SECOND_NS, 0); /* none */
	clock_slept(7 * SECOND_NS, 100 * SECOND_NS);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_int_equal((clock_usec_of(cases[i].ns) + 500) / 1000, cases[i].usec / 1000);
	for (int i = 0; i < 40; i++) /* the first ones are forgotten */
		clock_slept(7 * SECOND_NS, SECOND_NS);
	assert_int_equal(clock_usec_of(8 * SECOND_NS), 4998 * 1000000LL);
	assert_int_equal(clock_usec_of(9 * SECOND_NS), 4999 * 1000000LL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_system_time), /* before another one stands in for it */
		cmocka_unit_test(test_naps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
