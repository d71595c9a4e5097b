/* Watches from a server that misbehaves: what is said of it, and that nothing is lost by it. */
#include "unit/kubeclient/kc_bench.h"

/* In place of the initial events; a good answer follows. */
static void test_no_initial_events(void **state)
{
	static const struct {
		const char *body, *reason;
	} rows[] = {
		{ "", "watch of deployments.apps: ended before the end of the initial events" },
		{ "<!DOCTYPE html>\n<html>\n<p>\n</html>\n",
		  "watch of deployments.apps: 200 OK, but the answer is not JSON: it begins with \"<!DOCTYPE html>\"" },
		{ "<html>without a line's end", "it begins with \"<html>without a line's end\"" },
		{ "{\"type\":\"ADDED\",\"obj",
		  "watch of deployments.apps: ended in the middle of an initial event, after 20 bytes of it" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct bench b = { .steps = { DISCOVERY,
					      { .match = INITIAL, .body = rows[i].body },
					      { .match = INITIAL,
						.body = EVENT("ADDED", "a", "1", "5") END_MARK("9"),
						.hold = true } } };

		expect_log(&b, "listing backoff! listing Ld/a:1:5 synced:start:1 ");
		expect_notice(&b, rows[i].reason);
		bench_done(&b);
	}
}

/* One page of a proxy is one piece of bad data, and no reason to list again. */
static void test_no_watch(void **state)
{
	struct bench b = {
		.steps = { DISCOVERY,
			   { .match = INITIAL,
			     .body = EVENT("ADDED", "a", "1", "5") END_MARK("9") EVENT("MODIFIED", "a", "1", "10") },
			   { .match = "resourceVersion=10&", .body = "<html>\n<p>\n<p>\n</html>\n" },
			   { .match = "resourceVersion=10&", .body = "<html>" },
			   { .match = "resourceVersion=10&", .body = EVENT("MODIFIED", "a", "1", "11"), .hold = true },
			   { .match = "deployments?limit=1 ", .body = LIST("11", "", ""), .always = true } }
	};

	(void)state;
	expect_log(&b, "listing Ld/a:1:5 synced:start:1 watching Md/a:1:10 backoff! Md/a:1:11 watching ");
	expect_notice(&b, "watch of deployments.apps: 200 OK, but the answer is not JSON: it begins with \"<html>\"");
	assert_int_equal(b.watch_counters.bad_data, 2);
	assert_int_equal(b.watch_counters.relists[KC_LIST_BAD_DATA], 0);
	bench_done(&b);
}

/* A server that knows no streaming lists, and objects that change all the time: it is never silent. */
static void test_initial_events_without_end(void **state)
{
	struct bench b = { .slow_at = 'L',
			   .steps = { DISCOVERY,
				      { .match = INITIAL, .body = EVENT("ADDED", "a", "1", "5"), .hold = true },
				      { .match = "limit=2 ", .body = LIST("7", "", OBJECT("a", "1", "5")) },
				      { .match = "resourceVersion=7&", .body = "", .hold = true } } };

	(void)state;
	expect(&b, "listing Ld/a:1:5 L=d/a:1:5 synced:start:1 watching ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_initial_events),
		cmocka_unit_test(test_no_watch),
		cmocka_unit_test(test_initial_events_without_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
