/* A set of hashes that forgets the oldest ones, and never has one that was not added. */
#include "base/recent_hashes.h"

#include "base/hash.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static uint64_t hash(uint64_t i)
{
	return hash_mix(i, 7) | 1;
}

static void test_what_was_added_is_there(void **state)
{
	struct recent_hashes set = { 0 };
	unsigned kept = 0;

	(void)state;
	for (uint64_t i = 0; i < 100000; i++) {
		assert_false(recent_hashes_has(&set, hash(i)));
		recent_hashes_add(&set, hash(i));
		assert_true(recent_hashes_has(&set, hash(i)));
	}
	for (uint64_t i = 0; i < 100000; i++)
		kept += recent_hashes_has(&set, hash(i));
	assert_in_range(kept, RECENT_GROUPS * RECENT_IN_GROUP / 2, RECENT_GROUPS * RECENT_IN_GROUP);
}

/* A group is filled before one of its hashes is replaced. */
static void test_a_group_has_room(void **state)
{
	struct recent_hashes set = { 0 };

	(void)state;
	for (uint64_t i = 1; i <= RECENT_IN_GROUP; i++)
		recent_hashes_add(&set, i * RECENT_GROUPS + 3);
	for (uint64_t i = 1; i <= RECENT_IN_GROUP; i++)
		assert_true(recent_hashes_has(&set, i * RECENT_GROUPS + 3));
	recent_hashes_add(&set, 2 * RECENT_IN_GROUP * RECENT_GROUPS + 3);
	assert_true(recent_hashes_has(&set, 2 * RECENT_IN_GROUP * RECENT_GROUPS + 3));
	assert_false(recent_hashes_has(&set, 3));
	for (uint64_t i = 2; i <= RECENT_IN_GROUP; i++)
		assert_true(recent_hashes_has(&set, i * RECENT_GROUPS + 3));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_was_added_is_there),
		cmocka_unit_test(test_a_group_has_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
