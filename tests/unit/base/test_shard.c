/* Shards: the owners that another implementation computed, fair shares, and nothing moves but to a shard that is new.
 */
#include "base/shard.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#define NAMES 20000

static str name_of(int i, char buf[64])
{
	int n = snprintf(buf, 64, "%08x-0000-4000-8000-%012x", (unsigned)i * 2654435761u, (unsigned)i);

	return (str){ buf, (size_t)n };
}

static void test_known_owners(void **state)
{
	static const uint32_t totals[] = { 1, 2, 3, 10, 1024 };
	const struct {
		str name;
		uint32_t owners[ARRAY_LEN(totals)];
	} known[] = {
		{ STR("001fa990-09f0-ff10-abcd-ef0123456789"), { 0, 1, 1, 7, 632 } },
		{ STR("6d62c5a6-1f3a-4c5e-9f0e-7a1b2c3d4e5f"), { 0, 1, 1, 9, 495 } },
		{ STR(""), { 0, 1, 1, 1, 266 } },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(known); i++) {
		for (size_t n = 0; n < ARRAY_LEN(totals); n++)
			assert_int_equal(shard_of(known[i].name, totals[n]), known[i].owners[n]);
	}
}

static void test_names_and_texts(void **state)
{
	const str names[] = { STR("a"), STR("bc"), STR("") };
	char space[SHARD_TEXT_SIZE];

	(void)state;
	for (uint32_t total = 1; total <= 100; total++)
		assert_int_equal(shard_of_names(names, ARRAY_LEN(names), total), shard_of(STR("a\x1f"
											      "bc\x1f"),
											  total));
	assert_true(shard_owns_names((struct shard){ 0 }, names, 3));
	assert_string_equal(shard_text((struct shard){ 0 }, space), "");
	assert_string_equal(shard_text((struct shard){ 0, 1 }, space), "");
	assert_string_equal(shard_text((struct shard){ 1023, SHARDS_MAX }, space), "1023/1024");
	assert_string_equal(shard_text((struct shard){ UINT32_MAX, UINT32_MAX }, space), "4294967295/4294967295");
}

static void test_each_has_one_owner_and_shares_are_fair(void **state)
{
	int owned[7] = { 0 };
	char buf[64];

	(void)state;
	for (int i = 0; i < NAMES; i++) {
		int owners = 0;

		for (uint32_t s = 0; s < ARRAY_LEN(owned); s++) {
			bool own = shard_owns((struct shard){ s, ARRAY_LEN(owned) }, name_of(i, buf));

			owned[s] += own;
			owners += own;
		}
		assert_int_equal(owners, 1);
	}
	for (size_t s = 0; s < ARRAY_LEN(owned); s++)
		assert_in_range(owned[s], NAMES / 7 * 9 / 10, NAMES / 7 * 11 / 10);
}

static void test_only_to_the_new_one(void **state)
{
	char buf[64];

	(void)state;
	for (uint32_t total = 1; total < 20; total++) {
		int moved = 0;

		for (int i = 0; i < NAMES; i++) {
			uint32_t before = shard_of(name_of(i, buf), total),
				 after = shard_of(name_of(i, buf), total + 1);

			assert_true(after == before || after == total);
			moved += after != before;
		}
		assert_in_range(moved, NAMES / ((int)total + 1) * 8 / 10, NAMES / ((int)total + 1) * 12 / 10);
	}
}

static void test_one_owns_all(void **state)
{
	(void)state;
	assert_true(shard_owns((struct shard){ 0 }, STR("x")));
	assert_true(shard_owns((struct shard){ 0, 1 }, STR("x")));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known_owners),
		cmocka_unit_test(test_names_and_texts),
		cmocka_unit_test(test_each_has_one_owner_and_shares_are_fair),
		cmocka_unit_test(test_only_to_the_new_one),
		cmocka_unit_test(test_one_owns_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
