/* Time zones: rules, data made here, damaged data, and the database of the system where there is one. */
#include "go/time.h"
#include "go/zoneinfo.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void test_rules(void **state)
{
	struct go_zone z;

	(void)state;
	assert_true(go_zone_rule_at(STR("CET-1CEST,M3.5.0,M10.5.0/3"), 1711846800, &z) && z.offset == 7200 && z.dst);
	assert_true(go_zone_rule_at(STR("CET-1CEST,M3.5.0,M10.5.0/3"), 1711846799, &z) && z.offset == 3600);
	assert_true(go_zone_rule_at(STR("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0"), 1704067200, &z) && z.offset == 39600);
	assert_true(go_zone_rule_at(STR("UTC0"), 0, &z) && z.offset == 0);
	assert_true(go_zone_rule_at(STR("AAA5BBB,J60/0,300/2:30"), 5097600, &z) && z.offset == -18000);
	assert_false(go_zone_rule_at(STR("X"), 0, &z));
	assert_false(go_zone_rule_at(STR("CET-1CEST,M13.5.0,M10.5.0"), 0, &z));
	assert_false(go_zone_rule_at(STR("<abc"), 0, &z));
	/* at most a week from UTC, as Go has it */
	assert_true(go_zone_rule_at(STR("ABC168"), 0, &z) && z.offset == -168 * 3600);
	assert_true(go_zone_rule_at(STR("ABC-168:59:59"), 0, &z) && z.offset == 168 * 3600 + 3599);
	assert_false(go_zone_rule_at(STR("ABC169"), 0, &z) || go_zone_rule_at(STR("ABC1:60"), 0, &z));
}

/* Two kinds of clock, "LMT" at -1:00 and "ABC" at +2:00; the second from 1000 on. */
#define BLOCK(times)                                                                                                   \
	times "\1"                                                                                                     \
	      "\xff\xff\xf1\xf0\0\0"                                                                                   \
	      "\0\0\x1c\x20\1\4"                                                                                       \
	      "LMT\0ABC\0"
#define RESERVED "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
#define HEADER(version)                                                                                                \
	"TZif" version RESERVED "\0\0\0\0\0\0\0\0\0\0\0\0"                                                             \
	"\0\0\0\1\0\0\0\2\0\0\0\10"
static const char old[] = HEADER("\0") BLOCK("\0\0\3\xe8");
static const char new[] = HEADER("2") BLOCK("\0\0\3\xe8") HEADER("2") BLOCK("\0\0\0\0\0\0\3\xe8") "\nXYZ-3\n";

static void check_zone(const struct go_location *loc, int64_t at, const char *name, int32_t offset)
{
	struct go_zone z = go_zone_at(loc, at);

	assert_true(str_eq(z.name, str_from(name)));
	assert_int_equal(z.offset, offset);
}

static void test_data(void **state)
{
	struct go_location loc;

	(void)state;
	assert_true(go_zone_parse((str){ old, sizeof(old) - 1 }, &loc));
	check_zone(&loc, 999, "LMT", -3600);
	check_zone(&loc, 1000, "ABC", 7200);
	check_zone(&loc, INT64_MAX, "ABC", 7200);
	assert_true(go_zone_parse((str){ new, sizeof(new) - 1 }, &loc));
	check_zone(&loc, INT64_MIN, "LMT", -3600);
	check_zone(&loc, 1000, "XYZ", 10800);
	check_zone(NULL, 0, "UTC", 0);
	check_zone(&go_local, 0, "UTC", 0);
}

/* Every beginning of the data, and every byte of it changed: refused, or read without harm. */
static void test_damage(void **state)
{
	char copy[sizeof(new)];
	struct go_location loc;

	(void)state;
	for (size_t n = 0; n + 8 < sizeof(new); n++)
		assert_false(go_zone_parse((str){ new, n }, &loc));
	for (size_t i = 0; i < sizeof(new) - 1; i++) {
		for (int bit = 0; bit < 8; bit++) {
			memcpy(copy, new, sizeof(new));
			copy[i] = (char)(copy[i] ^ 1 << bit);
			if (go_zone_parse((str){ copy, sizeof(new) - 1 }, &loc)) {
				(void)go_zone_at(&loc, 0);
				(void)go_zone_at(&loc, 5000);
			}
		}
	}
}

static int load(void *ctx, str name, struct arena *a, str *ret)
{
	(void)a;
	++*(int *)ctx;
	if (!str_eq(name, STR("Here/There")))
		return -ENOENT;
	*ret = (str){ new, sizeof(new) - 1 };
	return 0;
}

static void test_load(void **state)
{
	static const char *const refused[] = { "/etc/passwd", "../x", "a/../b", "Nowhere" };
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	int calls = 0;
	const struct go_zones zones = { load, &calls };
	const struct go_location *loc;
	struct go_time t;

	(void)state;
	assert_int_equal(go_zone_load(NULL, STR(""), &a, &loc), 0);
	assert_ptr_equal(loc, &go_utc);
	assert_int_equal(go_zone_load(NULL, STR("Local"), &a, &loc), 0);
	assert_ptr_equal(loc, &go_local);
	assert_int_equal(go_zone_load(NULL, STR("Here/There"), &a, &loc), -ENOENT);
	assert_int_equal(go_zone_load(&zones, STR("Here/There"), &a, &loc), 0);
	assert_true(str_eq(loc->name, STR("Here/There")));
	/* 03:00 on the clock is midnight in UTC. */
	t = go_time_date(2020, 1, 1, 3, 0, 0, 0, loc);
	assert_int_equal(go_time_to_unix(&t), 1577836800);
	for (size_t i = 0; i < ARRAY_LEN(refused); i++)
		assert_int_equal(go_zone_load(&zones, str_from(refused[i]), &a, &loc), -ENOENT);
	assert_int_equal(calls, 2);
}

static void test_system(void **state)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	const struct go_location *loc;

	(void)state;
	if (go_zone_load(&go_zoneinfo, STR("Europe/Berlin"), &a, &loc) == -ENOENT)
		skip();
	check_zone(loc, 1688000000, "CEST", 7200);
	check_zone(loc, 4102444800, "CET", 3600);
	check_zone(loc, -3000000000, "LMT", 3208);
	assert_int_equal(go_zone_load(&go_zoneinfo, STR("Europe/Nowhere"), &a, &loc), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rules), cmocka_unit_test(test_data),   cmocka_unit_test(test_damage),
		cmocka_unit_test(test_load),  cmocka_unit_test(test_system),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
