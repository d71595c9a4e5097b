/* How many records of a place go at once. */
#include "daemon/store/flood.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static struct flood flood;

static int setup(void **state)
{
	(void)state;
	flood = (struct flood){ 0 };
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	flood_done(&flood);
	return 0;
}

static bool allows(const char *cluster, const char *namespace, const char *severity, uint64_t ms)
{
	struct record r;
	bool ret;

	record_init(&r, MESSAGE_DRIFT_BEGIN, 4);
	record_add(&r, "DRIFTD_CLUSTER", str_from(cluster));
	if (namespace)
		record_add(&r, "DRIFTD_NAMESPACE", str_from(namespace));
	record_add(&r, "DRIFTD_SEVERITY", str_from(severity));
	ret = flood_allows(&flood, &r, ms);
	record_done(&r);
	return ret;
}

/* How many of @n go. */
static size_t go(size_t n, uint64_t ms)
{
	size_t gone = 0;

	for (size_t i = 0; i < n; i++)
		gone += allows("c", "n", "warning", ms);
	return gone;
}

static void a_burst_and_then_bit_by_bit(void **state)
{
	static const struct {
		uint64_t ms;
		size_t go;
	} cases[] = {
		{ 1000, FLOOD_BURST },
		{ 1000, 0 },
		{ 1000 + FLOOD_REFILL_MS - 1, 0 },
		{ 1000 + FLOOD_REFILL_MS, 1 },
		{ 1000 + 4 * FLOOD_REFILL_MS - 1, 2 }, /* a part of the next one counts */
		{ 1000 + 4 * FLOOD_REFILL_MS, 1 },
		{ 1000 + (4 + FLOOD_BURST - 1) * FLOOD_REFILL_MS, FLOOD_BURST - 1 },
		{ 1000 + (3 + 2 * FLOOD_BURST) * FLOOD_REFILL_MS, FLOOD_BURST },
		{ 1000000, FLOOD_BURST }, /* no more than that */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_int_equal(go(2 * FLOOD_BURST, cases[i].ms), cases[i].go);
}

static void each_place_has_its_own(void **state)
{
	(void)state;
	assert_int_equal(go(FLOOD_BURST, 1), FLOOD_BURST);
	assert_false(allows("c", "n", "warning", 1));
	assert_true(allows("d", "n", "warning", 1));
	assert_true(allows("c", "m", "warning", 1));
	assert_true(allows("c", NULL, "warning", 1));
	assert_true(allows("c", "n", "error", 1));
	assert_true(allows("cn", "", "warning", 1));
	assert_int_equal(flood.places.n, 6);
	assert_int_equal(go(1, 1), 0);
}

/* Of very many places one that is full is forgotten for a new one, and none that is not. */
static void very_many_places(void **state)
{
	char name[16];

	(void)state;
	for (size_t i = 0; i < FLOOD_PLACES_MAX; i++) {
		(void)snprintf(name, sizeof(name), "%zu", i);
		assert_true(allows(name, "n", "warning", 1));
	}
	assert_int_equal(flood.places.n, FLOOD_PLACES_MAX);
	assert_true(allows("one more", "n", "warning", 1)); /* none is full */
	assert_int_equal(flood.places.n, FLOOD_PLACES_MAX + 1);
	for (size_t i = 1; i < FLOOD_BURST; i++)
		assert_true(allows("one more", "n", "warning", 1));
	assert_true(allows("and one more", "n", "warning", 1 + FLOOD_REFILL_MS)); /* they are by now */
	assert_int_equal(flood.places.n, FLOOD_PLACES_MAX + 1);
	assert_true(allows("one more", "n", "warning", 1 + FLOOD_REFILL_MS));
	assert_false(allows("one more", "n", "warning", 1 + FLOOD_REFILL_MS));
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = { CASE(a_burst_and_then_bit_by_bit), CASE(each_place_has_its_own),
					    CASE(very_many_places) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
