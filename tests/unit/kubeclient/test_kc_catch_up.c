/* When a watch that goes on after a failure has delivered what it missed. */
#include "kubeclient/kc_catch_up.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static const struct kc_catch_up behind = { .state = KC_BEHIND };

static void test_it_begins_current(void **state)
{
	struct kc_catch_up c = { 0 };

	(void)state;
	assert_false(kc_catch_up_listed(&c)); /* nothing changes */
	assert_false(kc_catch_up_read(&c, STR("9"), STR("5"), 0));
	assert_int_equal(c.state, KC_CURRENT);
	kc_catch_up_lost(&c);
	assert_int_equal(c.state, KC_BEHIND);
}

/* However far its versions go: a server whose data lag behind sends events too. */
static void test_only_a_read_says_how_far(void **state)
{
	struct kc_catch_up c = behind;

	(void)state;
	assert_false(kc_catch_up_event(&c, STR("900")));
	assert_false(kc_catch_up_reached(&c, STR("900")));
	assert_int_equal(c.state, KC_BEHIND);
	assert_true(kc_catch_up_read(&c, STR("900"), STR("900"), 0));
}

/* What the read showed was missed, what came after it was not. */
static void test_events_around_the_read(void **state)
{
	static const struct {
		const char *version;
		bool before, after; /* whether the watch is current before the event is reported, and after */
	} cases[] = {
		{ "8", false, false },
		{ "9", false, true },
		{ "10", true, true },
		{ "opaque", true, true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct kc_catch_up c = behind;

		assert_false(kc_catch_up_read(&c, STR("9"), STR("5"), 0));
		assert_int_equal(kc_catch_up_event(&c, str_from(cases[i].version)), cases[i].before);
		(void)kc_catch_up_reached(&c, str_from(cases[i].version));
		assert_int_equal(c.state == KC_CURRENT, cases[i].after);
	}
}

static void test_reads_that_are_enough(void **state)
{
	static const struct {
		const char *read, *own;
		bool enough;
	} cases[] = {
		{ "9", "9", true },      { "9", "10", true }, { "9", "8", false },
		{ "opaque", "8", true }, { "", "8", true },   { "9223372036854775807", "8", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct kc_catch_up c = behind;

		assert_int_equal(kc_catch_up_read(&c, str_from(cases[i].read), str_from(cases[i].own), 0),
				 cases[i].enough);
		assert_int_equal(c.state, cases[i].enough ? KC_CURRENT : KC_AIMED);
	}
}

/* A collection that nobody changes, of a server whose bookmarks only repeat its last version: the next test of the
 * watch ends it. A server that has sent nothing since the first read may still have something to send. */
static void test_a_second_read_after_a_bookmark(void **state)
{
	struct kc_catch_up c = behind;

	(void)state;
	assert_false(kc_catch_up_read(&c, STR("9"), STR("5"), 3));
	assert_false(kc_catch_up_read(&c, STR("12"), STR("5"), 3));
	assert_false(
		kc_catch_up_event(&c, STR("9"))); /* the first read is the aim, because all until then was missed */
	assert_true(kc_catch_up_read(&c, STR("12"), STR("5"), 4));
}

static void test_another_failure_begins_anew(void **state)
{
	struct kc_catch_up c = behind;

	(void)state;
	assert_false(kc_catch_up_read(&c, STR("9"), STR("5"), 0));
	kc_catch_up_lost(&c);
	assert_false(kc_catch_up_event(&c, STR("10")));
	assert_false(kc_catch_up_read(&c, STR("12"), STR("10"), 0));
	kc_catch_up_lists(&c);
	assert_true(kc_catch_up_listed(&c));
	assert_int_equal(c.state, KC_CURRENT);
}

/* The server may have set up the list before. */
static void test_a_list_of_before_shows_nothing(void **state)
{
	struct kc_catch_up c = behind;

	(void)state;
	kc_catch_up_lists(&c);
	kc_catch_up_lost(&c);
	assert_false(kc_catch_up_listed(&c));
	assert_int_equal(c.state, KC_BEHIND);
	assert_true(kc_catch_up_read(&c, STR("9"), STR("9"), 0));
	kc_catch_up_lost(&c);
	kc_catch_up_lists(&c);
	assert_true(kc_catch_up_listed(&c));
}

/* Any version is one that a server may send. */
static void test_no_version_is_beyond_the_largest(void **state)
{
	struct kc_catch_up c = behind;

	(void)state;
	assert_false(kc_catch_up_read(&c, STR("9223372036854775807"), STR("5"), 0));
	assert_false(kc_catch_up_event(&c, STR("9223372036854775807")));
	assert_true(kc_catch_up_reached(&c, STR("9223372036854775807")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_it_begins_current),
		cmocka_unit_test(test_only_a_read_says_how_far),
		cmocka_unit_test(test_events_around_the_read),
		cmocka_unit_test(test_reads_that_are_enough),
		cmocka_unit_test(test_a_second_read_after_a_bookmark),
		cmocka_unit_test(test_another_failure_begins_anew),
		cmocka_unit_test(test_a_list_of_before_shows_nothing),
		cmocka_unit_test(test_no_version_is_beyond_the_largest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
