/* Watches that go silent, against a server with a script: what is tested, what counts as evidence, and what falls.
 *
 * The times are as short as a busy machine allows: a case waits for what the log holds in the end, and none of them
 * says anything different when everything takes longer. */
#include "unit/kubeclient/kc_bench.h"

/* A quiet watch that began with a list in pages: no bookmark came. */
#define LISTED                                                                                                         \
	DISCOVERY, REFUSE_INITIAL,                                                                                     \
	{                                                                                                              \
		.match = "limit=2 ", .body = LIST("7", "", OBJECT("a", "1", "5"))                                      \
	}
#define QUIET(rv)                                                                                                      \
	{                                                                                                              \
		.match = "watch=1|resourceVersion=" rv "&", .body = "", .hold = true                                   \
	}
#define READ(rv)                                                                                                       \
	{                                                                                                              \
		.match = "deployments?limit=1 ", .body = LIST(rv, "", OBJECT("a", "1", "5"))                           \
	}
#define LISTED_LOG "listing Ld/a:1:5 synced:start:1 watching "
/* HEARD_MS of the reflector comes before a watch that is answered counts as one. */
#define IDLE 700
#define EVIDENCE 4000

static void expect_silence(struct bench *b, const char *log, const char *reason)
{
	b->idle_ms = b->idle_ms ? b->idle_ms : IDLE;
	b->evidence_ms = b->evidence_ms ? b->evidence_ms : EVIDENCE;
	run_user(b, "{}", log);
	assert_string_equal(b->log.p, log);
	if (reason)
		expect_notice(b, reason);
}

/* Resumed on a new connection, and a read was answered: nothing is said, and the evidence is new. */
static void test_quiet_watch_is_proved(void **state)
{
	struct bench b = { .steps = { LISTED,
				      QUIET("7"),
				      QUIET("7"),
				      READ("9"),
				      QUIET("7"),
				      READ("9"),
				      { .match = "watch=1|resourceVersion=7&",
					.body = EVENT("MODIFIED", "a", "1", "10"),
					.hold = true } } };

	(void)state;
	expect_silence(&b, LISTED_LOG "Md/a:1:10 ", NULL);
	assert_int_equal(b.watch_counters.restarts[KC_RESTART_IDLE], 3);
	assert_true(b.watch_counters.proved_ns > 0);
	assert_true(b.watch_counters.stale_ns > b.watch_counters.proved_ns);
	bench_done(&b);
}

/* What a claim rests on does not wait until the server is asked little: the list has left less than half of the budget.
 */
static void test_read_takes_what_is_left(void **state)
{
	struct bench b = { .budget = 8,
			   .steps = { LISTED,
				      QUIET("7"),
				      QUIET("7"),
				      READ("9"),
				      { .match = "watch=1|resourceVersion=7&",
					.body = EVENT("MODIFIED", "a", "1", "10"),
					.hold = true } } };

	(void)state;
	expect_silence(&b, LISTED_LOG "Md/a:1:10 ", NULL);
	assert_int_equal(b.watch_counters.restarts[KC_RESTART_IDLE], 2);
	bench_done(&b);
}

/* The server answers watches, but reads it does not. */
static void test_read_is_not_answered(void **state)
{
	struct bench b = {
		.evidence_ms = 2000,
		.steps = { LISTED, QUIET("7"), QUIET("7"), { .match = "deployments?limit=1 ", .mute = true } }
	};

	(void)state;
	expect_silence(&b, LISTED_LOG "backoff! ", "it is silent, and a read beside it was not answered within 1 s");
	bench_done(&b);
}

/* Reads are answered, but the watch is not. */
static void test_watch_is_not_answered(void **state)
{
	struct bench b = { .evidence_ms = 2000,
			   .steps = { LISTED, QUIET("7"), { .match = "resourceVersion=7&", .mute = true } } };

	(void)state;
	expect_silence(&b, LISTED_LOG "backoff! ", "watch of deployments.apps: no answer within 1 s");
	bench_done(&b);
}

static void test_first_watch_is_not_answered(void **state)
{
	struct bench b = { .evidence_ms = 2000, .steps = { LISTED, { .match = "resourceVersion=7&", .mute = true } } };

	(void)state;
	expect_silence(&b, "listing Ld/a:1:5 synced:start:1 backoff! ", "no answer within 1 s");
	assert_int_equal(b.watch_counters.proved_ns, 0); /* the list alone is no evidence */
	bench_done(&b);
}

/* The first watch breaks before it counts, and the next ones are never proved: what the list showed grows old all the
 * same. */
static void test_never_proved(void **state)
{
	struct bench b = { .evidence_ms = 2000,
			   .steps = { LISTED,
				      { .match = "resourceVersion=7&", .body = "" },
				      QUIET("7"),
				      { .match = "deployments?limit=1 ", .mute = true } } };
	const struct kc_watch_counters *c = &b.watch_counters;

	(void)state;
	expect_silence(&b, "listing Ld/a:1:5 synced:start:1 backoff! watching backoff! ",
		       "it is silent, and a read beside it was not answered within 1 s");
	assert_int_equal(c->proved_ns, 0);
	assert_true(c->stale_ns > c->last_sync_ns && c->stale_ns <= c->last_sync_ns + 2000 * UINT64_C(1000000));
	bench_done(&b);
}

/* Lists that are answered beside watches that never are renew nothing: what the first one showed is what grows old. */
static void test_lists_renew_nothing(void **state)
{
#define BROKEN                                                                                                         \
	{                                                                                                              \
		.match = "resourceVersion=7&", .body = ""                                                              \
	}
	struct bench b = { .evidence_ms = 2000,
			   .steps = { LISTED,
				      BROKEN,
				      BROKEN,
				      BROKEN,
				      BROKEN,
				      { .match = "limit=2 ", .body = LIST("7", "", OBJECT("a", "1", "5")) },
				      { .match = "resourceVersion=7&", .mute = true } } };
#undef BROKEN
	const struct kc_watch_counters *c = &b.watch_counters;

	(void)state;
	expect_silence(&b, "listing Ld/a:1:5 synced:start:1 backoff! listing L=d/a:1:5 synced:stalled:1 backoff! ",
		       "no answer within 1 s");
	assert_int_equal(c->proved_ns, 0);
	assert_true(c->stale_ns > 0);
	assert_true(c->stale_ns < c->last_sync_ns + (2000 - 2000 / 45) * UINT64_C(1000000));
	bench_done(&b);
}

/* Within a test the read is asked for again. */
static void test_failed_read_is_repeated(void **state)
{
	struct bench b = {
		.steps = { LISTED,
			   QUIET("7"),
			   QUIET("7"),
			   { .match = "deployments?limit=1 ", .head = "HTTP/1.1 503 No\r\n", .body = "" },
			   { .match = "deployments?limit=1 ", .body = "{\"kind\":\"Status\"}" },
			   { .match = "deployments?limit=1 ",
			     .body = "{\"kind\":\"DaemonSetList\",\"apiVersion\":\"apps/"
				     "v1\",\"metadata\":{\"resourceVersion\":"
				     "\"9\"},\"items\":[{\"metadata\":{\"name\":\"a\"}}]}" },
			   READ("9"),
			   { .match = "resourceVersion=7&", .body = EVENT("MODIFIED", "a", "1", "10"), .hold = true } }
	};

	(void)state;
	expect_silence(&b, LISTED_LOG "Md/a:1:10 ", NULL);
	bench_done(&b);
}

static void test_reads_fail(void **state)
{
	struct bench b = { .evidence_ms = 2000,
			   .steps = { LISTED,
				      QUIET("7"),
				      QUIET("7"),
				      { .match = "deployments?limit=1 ",
					.head = "HTTP/1.1 503 No\r\n",
					.body = "",
					.always = true } } };

	(void)state;
	expect_silence(&b, LISTED_LOG "backoff! ",
		       "it is silent, and a read beside it failed: list /apis/apps/v1/deployments: 503");
	bench_done(&b);
}

/* Bookmarks came, and stop: whatever the server answers, only a list shows whether something was missed. Nothing was.
 */
static void test_bookmarks_stop(void **state)
{
	struct bench b = { .steps = { LISTED,
				      { .match = "resourceVersion=7&", .body = BOOKMARK("8"), .hold = true },
				      { .match = "limit=2 ", .body = LIST("12", "", OBJECT("a", "1", "5")) },
				      QUIET("12") } };

	(void)state;
	b.steps[2].always = true; /* streaming lists are refused each time */
	expect_silence(&b, LISTED_LOG "listing L=d/a:1:5 synced:stalled:1 watching ", NULL);
	assert_int_equal(b.watch_counters.relists[KC_LIST_STALLED], 1);
	bench_done(&b);
}

/* The list shows what the watch did not deliver: from then on only its own events prove it. */
static void test_mute_watch(void **state)
{
	struct bench b = { .idle_ms = 1500,
			   .evidence_ms = 2500,
			   .steps = { LISTED,
				      { .match = "resourceVersion=7&", .body = BOOKMARK("8"), .hold = true },
				      { .match = "limit=2 ", .body = LIST("12", "", OBJECT("a", "1", "11")) },
				      QUIET("12"),
				      READ("12"), /* whether anything is missing once it works again */
				      { .match = "resourceVersion=12&", .body = BOOKMARK("13"), .hold = true } } };

	(void)state;
	b.steps[2].always = true;
	expect_silence(&b, LISTED_LOG "listing Ld/a:1:11 synced:stalled:1 backoff! watching ",
		       "watch of deployments.apps: it did not deliver what a list then showed");
	bench_done(&b);
}

/* A watch goes on after a failure. What a read shows then, 9 or 20, is how far it has to go: event 8 was missed, and
 * event 10 only if the read showed 20. */
static void test_caught_up_with_what_a_read_showed(void **state)
{
	(void)state;
	for (int far = 0; far < 2; far++) {
		struct bench b = { .steps = {
					   LISTED,
					   { .match = "resourceVersion=7&", .head = "HTTP/1.1 503 No\r\n", .body = "" },
					   { .match = "resourceVersion=7&",
					     .body = EVENT("MODIFIED", "a", "1", "8"),
					     .hold = true },
					   { .match = "deployments?limit=1 ",
					     .body = far ? LIST("20", "", "") : LIST("9", "", "") },
					   { .match = "resourceVersion=8&",
					     .body = EVENT("MODIFIED", "a", "1", "10"),
					     .hold = true } } };

		expect_silence(&b, "listing Ld/a:1:5 synced:start:1 backoff! Md/a:1:8 watching Md/a:1:10 ", NULL);
		assert_int_equal(b.watch_counters.caught_up_ns > 0, !far);
		bench_done(&b);
	}
}

#define REFUSED                                                                                                        \
	{                                                                                                              \
		.match = "resourceVersion=7&", .head = "HTTP/1.1 503 No\r\n", .body = ""                               \
	}
#define RESUMED_LOG "listing Ld/a:1:5 synced:start:1 backoff! "

/* The server goes on answering both, but delivers what was missed only after further tests: it was missed all the
 * same. */
static void test_missed_until_it_is_delivered(void **state)
{
	struct bench b = { .steps = { LISTED,
				      REFUSED,
				      QUIET("7"),
				      READ("20"),
				      QUIET("7"),
				      READ("20"),
				      { .match = "watch=1|resourceVersion=7&",
					.body = EVENT("MODIFIED", "a", "1", "8"),
					.hold = true } } };

	(void)state;
	expect_silence(&b, RESUMED_LOG "watching Md/a:1:8 ", NULL);
	assert_int_equal(b.watch_counters.caught_up_ns, 0);
	bench_done(&b);
}

/* Nothing counts any more while a list is under way, which may be as old. */
static void test_tested_while_listing(void **state)
{
	struct bench b = { .test_at = 'L',
			   .steps = { LISTED,
				      QUIET("7"),
				      READ("7"),
				      { .match = "watch=1|resourceVersion=7&",
					.body = EVENT("MODIFIED", "a", "1", "8"),
					.hold = true } } };

	(void)state;
	expect_silence(&b, LISTED_LOG "Md/a:1:8 ", NULL);
	assert_true(b.watch_counters.caught_up_ns > b.watching_ns);
	bench_done(&b);
}

/* A bookmark without a version ends the watch, and says nothing about what it has delivered. */
static void test_bad_bookmark_is_no_end(void **state)
{
	struct bench b = {
		.steps = { LISTED,
			   REFUSED,
			   { .match = "resourceVersion=7&",
			     .body = EVENT("MODIFIED", "a", "1", "8"),
			     .hold = true,
			     .then = BOOKMARK("") },
			   { .match = "deployments?limit=1 ", .body = LIST("20", "", ""), .thaw_ms = 50 },
			   { .match = "resourceVersion=8&", .body = EVENT("MODIFIED", "a", "1", "9"), .hold = true } }
	};

	(void)state;
	expect_silence(&b, RESUMED_LOG "Md/a:1:8 watching backoff! Md/a:1:9 ", "without metadata.resourceVersion");
	assert_int_equal(b.watch_counters.caught_up_ns, 0);
	bench_done(&b);
}

/* What a read shows while a watch is mute does not count: for its owner the watch does not go on yet. */
static void test_mute_watch_delivers_again(void **state)
{
	struct bench b = {
		.idle_ms = 1500,
		.evidence_ms = 4000,
		.steps = { LISTED,
			   { .match = "resourceVersion=7&", .body = BOOKMARK("8"), .hold = true },
			   { .match = "limit=2 ", .body = LIST("12", "", OBJECT("a", "1", "11")) },
			   { .match = "resourceVersion=12&",
			     .body = "",
			     .hold = true,
			     .then = EVENT("MODIFIED", "a", "1", "13"),
			     .thaw_ms = 1000 },
			   { .match = "deployments?limit=1 ", .body = LIST("13", "", ""), .always = true },
			   { .match = "resourceVersion=13&", .body = EVENT("MODIFIED", "a", "1", "14"), .hold = true } }
	};

	(void)state;
	b.steps[2].always = true;
	run_user(&b, "{}", "Md/a:1:14 ");
	assert_true(b.watch_counters.caught_up_ns > b.watching_ns);
	bench_done(&b);
}

#define FAILS_TO(text)                                                                                                 \
	{                                                                                                              \
		.match = "watch=1|resourceVersion=7&", .body = text                                                    \
	}
#define ERROR_500 "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"code\":500,\"message\":\"no\"}}\n"

/* A version from which no watch gets on, on a server that does not say so: after three that brought nothing all is
 * listed anew. */
static void test_fruitless_watches(void **state)
{
	static const char *const bodies[] = { "", ERROR_500 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bodies); i++) {
		struct bench b = { .idle_ms = 60000,
				   .evidence_ms = 90000,
				   .steps = { LISTED,
					      FAILS_TO(bodies[i]),
					      FAILS_TO(bodies[i]),
					      FAILS_TO(bodies[i]),
					      FAILS_TO(bodies[i]),
					      { .match = "limit=2 ", .body = LIST("12", "", OBJECT("a", "1", "11")) },
					      { .match = "resourceVersion=12&",
						.body = EVENT("MODIFIED", "a", "1", "13"),
						.hold = true } } };

		b.steps[2].always = true;
		run_user(&b, "{}", "Md/a:1:13 ");
		assert_true(str_find(buf_str(&b.log), STR("Ld/a:1:11 synced:stalled:1 ")) > 0);
		assert_int_equal(b.watch_counters.relists[KC_LIST_STALLED], 1);
		bench_done(&b);
	}
}

/* Three watches that end without an event, but with a newer version, are on their way. A probe is asked for beside each
 * of them; whether it is sent before the watch has ended is libcurl's to decide. */
static void test_bookmarks_are_fruit(void **state)
{
#define MARKED(from, to)                                                                                               \
	{                                                                                                              \
		.match = "watch=1|resourceVersion=" from "&", .body = BOOKMARK(to)                                     \
	}
	struct bench b = {
		.idle_ms = 60000,
		.evidence_ms = 90000,
		.steps = { LISTED,
			   MARKED("7", "8"),
			   MARKED("8", "9"),
			   MARKED("9", "10"),
			   MARKED("10", "11"),
			   MARKED("11", "12"),
			   { .match = "resourceVersion=12&", .body = EVENT("MODIFIED", "a", "1", "13"), .hold = true },
			   { .match = "deployments?limit=1 ", .body = LIST("13", "", ""), .always = true } }
	};

	(void)state;
	run_user(&b, "{}", "Md/a:1:13 ");
	assert_int_equal(b.watch_counters.relists[KC_LIST_STALLED], 0);
	bench_done(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_quiet_watch_is_proved),
		cmocka_unit_test(test_read_takes_what_is_left),
		cmocka_unit_test(test_read_is_not_answered),
		cmocka_unit_test(test_watch_is_not_answered),
		cmocka_unit_test(test_first_watch_is_not_answered),
		cmocka_unit_test(test_never_proved),
		cmocka_unit_test(test_lists_renew_nothing),
		cmocka_unit_test(test_failed_read_is_repeated),
		cmocka_unit_test(test_reads_fail),
		cmocka_unit_test(test_bookmarks_stop),
		cmocka_unit_test(test_mute_watch),
		cmocka_unit_test(test_caught_up_with_what_a_read_showed),
		cmocka_unit_test(test_missed_until_it_is_delivered),
		cmocka_unit_test(test_tested_while_listing),
		cmocka_unit_test(test_bad_bookmark_is_no_end),
		cmocka_unit_test(test_mute_watch_delivers_again),
		cmocka_unit_test(test_fruitless_watches),
		cmocka_unit_test(test_bookmarks_are_fruit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
