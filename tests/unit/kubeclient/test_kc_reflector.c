/* The rounds of a watch, against a server with a script, and that every transition of the drawing was taken. */
#include "unit/kubeclient/kc_bench.h"

static void test_streaming_list(void **state)
{
	struct bench b = { .steps = { DISCOVERY,
				      { .match = INITIAL,
					.body = EVENT("ADDED", "a", "1", "5") EVENT("ADDED", "b", "2", "6") END_MARK(
						"9") EVENT("MODIFIED", "a", "1", "10") EVENT("DELETED", "b", "2", "11"),
					.hold = true } } };

	(void)state;
	expect(&b, "listing Ld/a:1:5 Ld/b:2:6 synced:start:2 watching Md/a:1:10 Dd/b:2:11 ");
	assert_int_equal(b.watch_counters.events, 4);
	assert_int_equal(b.watch_counters.relists[KC_LIST_START], 1);
	assert_int_equal(b.counters.requests[KC_WATCH], 1);
	assert_int_equal(b.counters.answers[KC_WATCH], 1);
	assert_true(b.counters.answer_ns[KC_WATCH] > 0);
}

/* A bookmark says how far the stream is, not that all objects were in it: only the end mark makes a place to resume
 * from. */
static void test_broken_initial_is_listed_again(void **state)
{
	struct bench b = {
		.steps = { DISCOVERY,
			   { .match = INITIAL, .body = EVENT("ADDED", "a", "1", "5") BOOKMARK("7") },
			   { .match = INITIAL, .body = EVENT("ADDED", "a", "1", "5") END_MARK("9"), .hold = true } }
	};

	(void)state;
	expect(&b, "listing Ld/a:1:5 backoff! listing L=d/a:1:5 synced:start:1 ");
	assert_int_equal(b.counters.answers[KC_WATCH], b.counters.requests[KC_WATCH]); /* of whatever end */
}

static void test_pages_then_watch_then_resume(void **state)
{
	struct bench b = {
		.steps = { DISCOVERY,
			   REFUSE_INITIAL,
			   { .match = "deployments?limit=2 ",
			     .body = LIST("7", "next/1", OBJECT("a", "1", "5") "," OBJECT("b", "2", "6")) },
			   { .match = "deployments?limit=2&continue=next%2F1",
			     .body = LIST("7", "", OBJECT("c", "3", "4")) },
			   { .match = "watch=1|resourceVersion=7|allowWatchBookmarks=true",
			     .body = EVENT("ADDED", "e", "4", "8") BOOKMARK("12") "{\"type\":\"ADD" },
			   { .match = "resourceVersion=12&", .body = EVENT("MODIFIED", "e", "4", "13"), .hold = true } }
	};

	(void)state;
	expect(&b, "listing Ld/a:1:5 Ld/b:2:6 Ld/c:3:4 synced:start:3 Ad/e:4:8 watching Md/e:4:13 ");
	assert_int_equal(b.watch_counters.restarts[KC_RESTART_TIMEOUT], 1);
	assert_int_equal(b.watch_counters.bookmarks, 1);
}

static void test_expired_relists_and_finds_deletions(void **state)
{
	struct bench b = { .steps = { DISCOVERY,
				      { .match = INITIAL,
					.body = EVENT("ADDED", "a", "1", "5") EVENT("ADDED", "b", "2", "6")
						EVENT("ADDED", "c", "3", "6") END_MARK("9") GONE,
					.hold = true },
				      { .match = INITIAL,
					.body = EVENT("ADDED", "a", "1", "5") EVENT("ADDED", "c", "8", "20")
						END_MARK("21"),
					.hold = true } } };

	(void)state;
	expect(&b,
	       "listing Ld/a:1:5 Ld/b:2:6 Ld/c:3:6 synced:start:3 watching listing L=d/a:1:5 Dd/c:3: Ld/c:8:20 Dd/b:2: "
	       "synced:expired:2 ");
	assert_int_equal(b.watch_counters.relists[KC_LIST_EXPIRED], 1);
}

static void test_http_410_on_watch(void **state)
{
	struct bench b = { .steps = { DISCOVERY,
				      REFUSE_INITIAL,
				      { .match = "limit=2 ", .body = LIST("7", "", "") },
				      { .match = "resourceVersion=7&", .head = "HTTP/1.1 410 Gone\r\n", .body = "{}" },
				      { .match = "limit=2 ", .body = LIST("8", "", "") },
				      { .match = "resourceVersion=8&", .hold = true, .body = "" } } };

	(void)state;
	expect(&b, "listing synced:start:0 synced:expired:0 watching ");
}

static void test_expired_continue(void **state)
{
	struct bench b = { .steps = { DISCOVERY,
				      REFUSE_INITIAL,
				      { .match = "limit=2 ", .body = LIST("7", "n1", OBJECT("a", "1", "5")) },
				      { .match = "continue=n1", .head = "HTTP/1.1 410 Gone\r\n", .body = "{}" },
				      { .match = "limit=2 ", .body = LIST("8", "n2", OBJECT("a", "1", "5")) },
				      { .match = "continue=n2", .head = "HTTP/1.1 410 Gone\r\n", .body = "{}" },
				      { .match = "deployments ", .body = LIST("9", "", OBJECT("b", "2", "8")) },
				      { .match = "resourceVersion=9&", .hold = true, .body = "" } } };

	(void)state;
	expect(&b, "listing Ld/a:1:5 L=d/a:1:5 Ld/b:2:8 Dd/a:1: synced:start:1 watching ");
}

static void test_broken_lines_resume_then_relist(void **state)
{
	struct bench b = { .steps = { DISCOVERY,
				      REFUSE_INITIAL,
				      { .match = "limit=2 ", .body = LIST("7", "", "") },
				      { .match = "resourceVersion=7&",
					.body = EVENT("ADDED", "a", "1", "8") "garbage\n",
					.hold = true },
				      { .match = "resourceVersion=8&",
					.body = "{\"type\":\"ADDED\",\"object\":\"\xff\"}\n",
					.hold = true },
				      { .match = "resourceVersion=8&",
					.body = "{\"type\":\"NEW\",\"object\":{}}\n",
					.hold = true },
				      { .match = "limit=2 ", .body = LIST("9", "", OBJECT("a", "1", "8")) },
				      { .match = "resourceVersion=9&", .hold = true, .body = "" } } };

	(void)state;
	expect(&b, "listing synced:start:0 Ad/a:1:8 watching backoff! listing L=d/a:1:8 synced:bad_data:1 watching ");
	assert_int_equal(b.watch_counters.bad_data, 3);
}

#define TEN "0123456789"
#define HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN
#define THOUSAND HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED
#define HUGE                                                                                                           \
	"{\"metadata\":{\"name\":\"h\",\"namespace\":\"d\",\"uid\":\"9\",\"resourceVersion\":\"6\"},\"data\":"         \
	"\"" THOUSAND THOUSAND "\"}"

/* The limit is 2000 bytes. A skipped object that is listed still exists. */
static void test_oversized(void **state)
{
	struct bench b = { .steps = { DISCOVERY,
				      REFUSE_INITIAL,
				      { .match = "limit=2 ", .body = LIST("5", "", OBJECT("h", "9", "5")) },
				      { .match = "resourceVersion=5&",
					.body = "{\"type\":\"MODIFIED\",\"object\":" HUGE
						"}\n" EVENT("ADDED", "a", "1", "8") GONE,
					.hold = true },
				      { .match = "limit=2 ", .body = LIST("9", "", HUGE) },
				      { .match = "resourceVersion=9&", .hold = true, .body = "" } } };

	(void)state;
	expect(&b, "listing Ld/h:9:5 synced:start:1 M?d/h:9:6 Ad/a:1:8 watching listing L=?d/h:9:6 Dd/a:1: "
		   "synced:expired:1 "
		   "watching ");
	assert_int_equal(b.watch_counters.oversized, 2);
}

/* An object that no limit allows, in a list and on a watch: it has a name, and costs itself only. */
static void test_unreadable_objects(void **state)
{
#define NUL_KEY(name, rv)                                                                                              \
	"{\"metadata\":{\"name\":\"" name "\",\"namespace\":\"d\",\"uid\":\"7\",\"resourceVersion\":\"" rv             \
	"\"},\"data\":{\"\\u0000\":1}}"
	struct bench b = { .steps = { DISCOVERY,
				      REFUSE_INITIAL,
				      { .match = "limit=2 ",
					.body = LIST("7", "", NUL_KEY("n", "5") "," OBJECT("a", "1", "5")) },
				      { .match = "resourceVersion=7&",
					.body = "{\"type\":\"MODIFIED\",\"object\":" NUL_KEY("n", "8") "}\n" EVENT(
						"MODIFIED", "a", "1",
						"9") "{\"type\":\"DELETED\",\"object\":" NUL_KEY("n", "10") "}\n",
					.hold = true } } };

	(void)state;
	expect(&b, "listing L?d/n:7:5 Ld/a:1:5 synced:start:2 M?d/n:7:8 watching Md/a:1:9 D?d/n:7:10 ");
	assert_int_equal(b.watch_counters.bad_data, 2); /* as of the last one, which is counted when it was told */
}

static void test_kind_appears(void **state)
{
	struct bench b = { .steps = { NO_CORE,
				      { .match = "GET /base/apis ", .body = GROUPS("") },
				      { .match = "GET /base/apis ", .body = GROUPS("") },
				      { .match = "GET /base/apis ", .body = GROUPS(DEPLOYMENTS), .always = true },
				      { .match = INITIAL, .body = END_MARK("9"), .hold = true } } };

	(void)state;
	expect(&b, "waiting! absent! listing synced:start:0 watching ");
}

#define GOES_AWAY                                                                                                      \
	NO_CORE, { .match = "GET /base/apis ", .body = GROUPS(DEPLOYMENTS) },                                          \
		{ .match = "GET /base/apis ", .body = GROUPS(""), .always = true },                                    \
	{                                                                                                              \
		.match = INITIAL,                                                                                      \
		.body = EVENT("ADDED", "a", "1", "5") END_MARK("9") EVENT("MODIFIED", "a", "1", "10")                  \
	}

/* The kind is gone when discovery says so twice, not when one request is refused. */
static void test_kind_vanishes(void **state)
{
	struct bench b = { .steps = { GOES_AWAY,
				      { .match = "resourceVersion=10&",
					.head = "HTTP/1.1 404 Not Found\r\nRetry-After: 60\r\n",
					.body = "" } } };

	(void)state;
	expect(&b, "listing Ld/a:1:5 synced:start:1 watching Md/a:1:10 backoff! absent! ");
}

/* While the server still answers for it, lists of kinds that leave it out prove nothing. */
static void test_one_404_is_no_end(void **state)
{
	struct bench b = {
		.steps = { GOES_AWAY,
			   { .match = "resourceVersion=10&",
			     .head = "HTTP/1.1 404 Not Found\r\n",
			     .body = "404 page not found\n" },
			   { .match = "resourceVersion=10&", .body = EVENT("MODIFIED", "a", "1", "11"), .hold = true } }
	};

	(void)state;
	expect(&b, "listing Ld/a:1:5 synced:start:1 watching Md/a:1:10 backoff! Md/a:1:11 ");
}

/* A server that was set back to a backup takes the version and says nothing. */
static void test_version_of_another_past(void **state)
{
	struct bench back = {
		.steps = { DISCOVERY,
			   { .match = INITIAL, .body = EVENT("ADDED", "a", "1", "5") END_MARK("9") },
			   { .match = "resourceVersion=9&", .head = "HTTP/1.1 503 No\r\n", .body = "" },
			   { .match = "resourceVersion=9&", .body = "", .hold = true },
			   { .match = "deployments?limit=1 ", .body = LIST("7", "", "") },
			   { .match = INITIAL, .body = EVENT("ADDED", "a", "1", "5") END_MARK("7"), .hold = true } }
	};
	struct bench same = { .steps = { DISCOVERY,
					 { .match = INITIAL, .body = END_MARK("9") },
					 { .match = "resourceVersion=9&", .head = "HTTP/1.1 503 No\r\n", .body = "" },
					 { .match = "resourceVersion=9&", .body = "", .hold = true },
					 { .match = "deployments?limit=1 ", .body = LIST("9", "", "") } } };

	(void)state;
	expect(&back, "listing Ld/a:1:5 synced:start:1 watching backoff! watching listing L=d/a:1:5 synced:expired:1 "
		      "watching ");
	expect(&same, "listing synced:start:0 watching backoff! backoff! watching ");
}

#define REVIEW(verb, allowed)                                                                                          \
	{                                                                                                              \
		.match = "POST /base/apis/authorization.k8s.io/v1/selfsubjectaccessreviews |\"verb\":\"" verb          \
			 "\",\"group\":\"apps\",\"version\":\"v1\",\"resource\":\"deployments\"",                      \
		.body = "{\"status\":{\"allowed\":" allowed "}}"                                                       \
	}

/* A streaming list works without the right to list, until it is needed. Asked again while something is denied. */
static void test_what_the_account_may_not(void **state)
{
	struct bench b = { .reviews = true,
			   .steps = { DISCOVERY,
				      { .match = INITIAL, .body = END_MARK("9"), .hold = true },
				      REVIEW("list", "false"),
				      REVIEW("watch", "true"),
				      REVIEW("list", "true"),
				      REVIEW("watch", "true") } };

	(void)state;
	expect(&b, "listing synced:start:0 watching denied:l denied: ");
}

/* A server that does not answer reviews says nothing. */
static void test_no_reviews(void **state)
{
	struct bench b = { .reviews = true,
			   .steps = { DISCOVERY,
				      { .match = INITIAL, .body = END_MARK("9"), .hold = true },
				      { .match = "selfsubjectaccessreviews",
					.head = "HTTP/1.1 403 No\r\n",
					.body = "{\"status\":{\"allowed\":false}}",
					.always = true } } };

	(void)state;
	expect(&b, "listing synced:start:0 watching denied: ");
}

static void test_removed_while_unknown(void **state)
{
	struct bench b = { .steps = { NO_CORE, { .match = "GET /base/apis ", .body = GROUPS(""), .always = true } } };

	(void)state;
	expect(&b, "waiting! absent! ");
}

static void test_failed_page_then_removed_while_waiting(void **state)
{
	struct bench b = { .steps = { DISCOVERY,
				      REFUSE_INITIAL,
				      { .match = "limit=2 ", .head = "HTTP/1.1 503 No\r\n", .body = "later" } } };

	(void)state;
	expect(&b, "listing backoff! ");
	assert_string_equal(b.counters.failures[b.counters.n_failures - 1].code, "503");
}

/* The server is known to be back: what it asked to wait for need not be waited for. */
static void test_wait_is_cut_short(void **state)
{
	struct bench b = { .retry_at_backoff = true,
			   .steps = {
				   DISCOVERY,
				   { .match = INITIAL, .head = "HTTP/1.1 503 No\r\nRetry-After: 60\r\n", .body = "" },
				   { .match = INITIAL, .body = END_MARK("9"), .hold = true } } };

	(void)state;
	expect(&b, "listing backoff! listing synced:start:0 ");
}

static void test_list_all_is_not_answered(void **state)
{
	struct bench b = { .list_once = true,
			   .once_ms = 200,
			   .steps = { DISCOVERY, { .match = "limit=2 ", .mute = true } } };
	char expected[64];

	(void)state;
	(void)snprintf(expected, sizeof(expected), "result:%d ", ETIMEDOUT);
	expect(&b, expected);
}

static void test_no_end_mark_comes(void **state)
{
	struct bench b = { .initial_ms = 2000, /* a busy machine takes as long for the first event */
			   .steps = { DISCOVERY,
				      { .match = INITIAL, .body = EVENT("ADDED", "a", "1", "5"), .hold = true },
				      { .match = "limit=2 ", .body = LIST("7", "", OBJECT("a", "1", "5")) },
				      { .match = "resourceVersion=7&", .body = "", .hold = true } } };

	(void)state;
	expect(&b, "listing Ld/a:1:5 L=d/a:1:5 synced:start:1 watching ");
}

/* A page above the limit is asked for again with half as many objects; a single one is a failure. */
static void test_large_page_is_halved(void **state)
{
	struct bench b = {
		.response_bytes = 400,
		.steps = { DISCOVERY,
			   REFUSE_INITIAL,
			   { .match = "limit=2 ",
			     .body = LIST("7", "n",
					  OBJECT("a", "1", "5") "," OBJECT("b", "2", "6") "," OBJECT("c", "3", "6")) },
			   { .match = "limit=1 ", .body = LIST("7", "n", OBJECT("a", "1", "5")) },
			   { .match = "limit=1&continue=n", .body = LIST("7", "", HUGE) } }
	};

	(void)state;
	expect(&b, "listing Ld/a:1:5 backoff! ");
}

static void test_broken_list(void **state)
{
	struct bench b = { .steps = { DISCOVERY,
				      REFUSE_INITIAL,
				      { .match = "limit=2 ", .body = "{\"metadata\":{},\"items\":[]}" },
				      { .match = "limit=2 ", .body = "[" },
				      { .match = "limit=2 ",
					.body = LIST("7", "", "{\"metadata\":{}},7," OBJECT("a", "1", "5")) },
				      { .match = "resourceVersion=7&", .body = "", .hold = true } } };

	(void)state;
	expect(&b, "listing backoff! listing backoff! listing Ld/a:1:5 synced:start:1 watching ");
	assert_int_equal(b.watch_counters.bad_data, 4);
}

/* The rest of the initial events is good, but absence proves nothing then. */
static void test_bad_line_in_initial_events(void **state)
{
	struct bench b = { .steps = { DISCOVERY,
				      { .match = INITIAL,
					.body = EVENT("ADDED", "a", "1", "5") EVENT("ADDED", "b", "2", "6")
						END_MARK("9") GONE },
				      { .match = INITIAL,
					.body = "{\"type\":\"ADDED\",garbage\n{\"type\":\"ADDED\",\"object\":" HUGE
						"}\n" EVENT("ADDED", "b", "2", "6") END_MARK("12"),
					.hold = true } } };

	(void)state;
	expect(&b, "listing Ld/a:1:5 Ld/b:2:6 synced:start:2 watching listing L?d/h:9:6 L=d/b:2:6 synced:expired:3 ");
	assert_int_equal(b.watch_counters.bad_data, 1);
	assert_int_equal(b.watch_counters.oversized, 1);
}

/* A version that was refused is not asked for again; one that goes back is of other data. */
static void test_refused_version_and_version_that_goes_back(void **state)
{
	struct bench b = {
		.steps = { DISCOVERY,
			   REFUSE_INITIAL,
			   { .match = "limit=2 ", .body = LIST("7", "", "") },
			   { .match = "resourceVersion=7&", .head = "HTTP/1.1 400 No\r\n", .body = "" },
			   { .match = "limit=2 ", .body = LIST("8", "", "") },
			   { .match = "resourceVersion=8&", .body = EVENT("ADDED", "a", "1", "3"), .hold = true },
			   { .match = "limit=2 ", .body = LIST("4", "", OBJECT("a", "1", "3")) },
			   { .match = "resourceVersion=4&", .body = "", .hold = true } }
	};

	(void)state;
	expect(&b,
	       "listing synced:start:0 backoff! listing synced:start:0 Ad/a:1:3 L=d/a:1:3 synced:expired:1 watching ");
}

static void test_forbidden_and_retry_after(void **state)
{
	struct bench b = { .steps = {
				   DISCOVERY,
				   { .match = INITIAL, .head = "HTTP/1.1 403 Forbidden\r\n", .body = "" },
				   { .match = INITIAL, .head = "HTTP/1.1 429 Wait\r\nRetry-After: 1\r\n", .body = "" },
				   { .match = INITIAL, .body = END_MARK("9"), .hold = true } } };
	uint64_t begin = uv_hrtime();

	(void)state;
	expect(&b, "listing forbidden! listing backoff! listing synced:start:0 ");
	assert_true(uv_hrtime() - begin > 950000000);
	assert_int_equal(b.counters.n_failures, 2);
	assert_string_equal(b.counters.failures[1].code, "429");
}

#define UNAVAILABLE                                                                                                    \
	{                                                                                                              \
		.match = INITIAL, .head = "HTTP/1.1 503 Not Now\r\n", .body = ""                                       \
	}

/* Failures of long ago must not make the next wait longer: a kind would be blind for a minute after a short break. */
static void test_what_is_delivered_ends_the_backoff(void **state)
{
	struct bench listed = {
		.steps = { DISCOVERY,
			   UNAVAILABLE,
			   UNAVAILABLE,
			   { .match = INITIAL, .body = EVENT("ADDED", "a", "1", "5") END_MARK("9"), .hold = true } }
	};
	struct bench watched = { .steps = { DISCOVERY,
					    UNAVAILABLE,
					    UNAVAILABLE,
					    { .match = INITIAL,
					      .body = EVENT("ADDED", "a", "1", "5") END_MARK("9") EVENT(
						      "MODIFIED", "a", "1", "10") EVENT("MODIFIED", "a", "1", "11"),
					      .hold = true } } };

	(void)state;
	expect(&listed, "listing backoff! listing backoff! listing Ld/a:1:5 synced:start:1 watching ");
	assert_true(listed.backoff_ms > 0); /* the watch has not shown yet that it works */
	expect(&watched, "listing backoff! listing backoff! listing Ld/a:1:5 synced:start:1 watching Md/a:1:10 "
			 "Md/a:1:11 ");
	assert_int_equal(watched.backoff_ms, 0);
}

static void test_remove_in_handler(void **state)
{
	struct bench b = { .remove_at = 'L',
			   .steps = { DISCOVERY,
				      { .match = INITIAL,
					.body = EVENT("ADDED", "a", "1", "5") EVENT("ADDED", "b", "2", "6"),
					.hold = true } } };

	(void)state;
	expect(&b, "listing Ld/a:1:5 removed ");
}

static void test_close_in_handler(void **state)
{
	struct bench stream = { .close_at = 'M',
				.steps = { DISCOVERY,
					   { .match = INITIAL,
					     .body = EVENT("ADDED", "a", "1", "5") END_MARK("9")
						     EVENT("MODIFIED", "a", "1", "6"),
					     .hold = true } } };
	struct bench pages = { .close_at = 'L',
			       .steps = {
				       DISCOVERY,
				       REFUSE_INITIAL,
				       { .match = "limit=2 ",
					 .body = LIST("7", "", OBJECT("a", "1", "5") "," OBJECT("b", "2", "6")) } } };

	(void)state;
	expect(&stream, "listing Ld/a:1:5 synced:start:1 watching Md/a:1:6 ");
	expect(&pages, "listing Ld/a:1:5 ");
}

/* Silence is measured from the last event. */
static void test_silence_is_resumed(void **state)
{
	struct bench b = {
		.idle_ms = 100,
		.late_at = 'A',
		.steps = { DISCOVERY,
			   { .match = INITIAL, .body = END_MARK("9") EVENT("ADDED", "a", "1", "10"), .hold = true },
			   { .match = "resourceVersion=10&", .body = EVENT("MODIFIED", "a", "1", "11"), .hold = true } }
	};

	(void)state;
	expect(&b, "listing synced:start:0 watching Ad/a:1:10 Md/a:1:11 ");
	assert_int_equal(b.watch_counters.restarts[KC_RESTART_IDLE], 1);
}

/* A server that does not end its watches in time: not silent, but not to be relied on. */
static void test_overdue_watch_is_resumed(void **state)
{
	struct bench b = {
		.idle_ms = 100,
		.late_at = 'A',
		.overdue = true,
		.steps = { DISCOVERY,
			   { .match = INITIAL, .body = END_MARK("9") EVENT("ADDED", "a", "1", "10"), .hold = true },
			   { .match = "resourceVersion=10&", .body = EVENT("MODIFIED", "a", "1", "11"), .hold = true } }
	};

	(void)state;
	expect(&b, "listing synced:start:0 watching Ad/a:1:10 Md/a:1:11 ");
	assert_int_equal(b.watch_counters.restarts[KC_RESTART_TIMEOUT], 1);
	assert_int_equal(b.watch_counters.restarts[KC_RESTART_IDLE], 0);
}

/* A restored backup: the version does not exist any more, and the server says so for ever. */
static void test_version_too_new(void **state)
{
	struct bench b = { .steps = { DISCOVERY,
				      REFUSE_INITIAL,
				      { .match = "limit=2 ", .body = LIST("7", "", "") },
				      { .match = "resourceVersion=7&",
					.head = "HTTP/1.1 504 Gateway Timeout\r\n",
					.body = "{\"kind\":\"Status\",\"reason\":\"Timeout\",\"details\":{\"causes\":"
						"[{\"reason\":\"ResourceVersionTooLarge\"}]}}",
					.always = true },
				      { .match = "limit=2 ", .body = LIST("3", "", "") },
				      { .match = "resourceVersion=3&", .hold = true, .body = "" } } };

	(void)state;
	expect(&b, "listing synced:start:0 backoff! listing synced:expired:0 watching ");
}

static void test_list_all(void **state)
{
	struct bench good = { .list_once = true,
			      .steps = { DISCOVERY,
					 { .match = "deployments?limit=2 ",
					   .body = LIST("7", "n", OBJECT("a", "1", "5")) },
					 { .match = "continue=n", .body = LIST("7", "", OBJECT("b", "2", "6")) } } };
	struct bench refused = { .list_once = true,
				 .steps = { DISCOVERY,
					    { .match = "limit=2 ", .head = "HTTP/1.1 403 No\r\n", .body = "" } } };
	struct bench unknown = { .list_once = true,
				 .steps = { NO_CORE, { .match = "GET /base/apis ", .body = GROUPS("") } } };
	char expected[64];

	(void)state;
	run_user(&good, "{}", "-");
	assert_string_equal(good.log.p, "Ld/a:1:5 Ld/b:2:6 result:0 ");
	run_user(&refused, "{}", "-");
	snprintf(expected, sizeof(expected), "result:%d ", EACCES);
	assert_string_equal(refused.log.p, expected);
	run_user(&unknown, "{}", "-");
	snprintf(expected, sizeof(expected), "result:%d ", ENOENT);
	assert_string_equal(unknown.log.p, expected);
	bench_done(&good);
	bench_done(&refused);
	bench_done(&unknown);
}

/* A 401 makes the token file be read again, and the request be sent again. */
static void test_token_file_changes(void **state)
{
	static char path[] = "/tmp/driftd-token-XXXXXX";
	struct bench b = { .tls = true,
			   .steps = { { .match = "GET /base/api |Bearer old", .body = "{\"kind\":\"APIVersions\"}" },
				      { .match = "GET /base/apis |Bearer old", .body = GROUPS(DEPLOYMENTS) },
				      { .match = INITIAL "|Bearer old",
					.body = END_MARK("9") EVENT("ADDED", "a", "1", "10") },
				      { .match = "resourceVersion=10&|Bearer old",
					.head = "HTTP/1.1 401 Unauthorized\r\n",
					.body = "" },
				      { .match = "resourceVersion=10&|Bearer new",
					.body = EVENT("MODIFIED", "a", "1", "11"),
					.hold = true } } };
	int fd = mkstemp(path);
	char user[128];

	(void)state;
	assert_int_equal(write(fd, "old\n", 4), 4);
	snprintf(user, sizeof(user), "{tokenFile: %s}", path);
	b.token_fd = fd;
	run_user(&b, user, "Md/a:1:11 ");
	assert_int_equal(b.counters.n_failures, 1);
	bench_done(&b);
	close(fd);
	unlink(path);
}

static void test_impersonation_and_basic(void **state)
{
	struct bench b = { .tls = true,
			   .steps = { NO_CORE,
				      { .match = "GET /base/apis |Authorization: Basic dTpw|Impersonate-User: "
						 "jane|Impersonate-Group: a|"
						 "Impersonate-Group: b|Impersonate-Extra-sc%2Fx: y",
					.body = GROUPS(DEPLOYMENTS) },
				      { .match = INITIAL, .body = END_MARK("9"), .hold = true } } };

	(void)state;
	run_user(&b, "{username: u, password: p, as: jane, as-groups: [a, b], as-user-extra: {SC/x: [y]}}",
		 "synced:start:0 ");
	bench_done(&b);
}

/* The last one: what the drawing allows, the cases above have done. */
static void test_every_arrow_was_taken(void **state)
{
	static const char *const names[] = { "UNKNOWN", "INITIAL", "PAGES", "WATCH", "WAIT", "DONE", "REMOVED" };
	unsigned missing = 0, arrows = 0;

	_Static_assert(ARRAY_LEN(names) == KC_PHASES, "a name for each phase: ORDER enum kc_phase");
	(void)state;
	for (enum kc_phase from = 0; from < KC_PHASES; from++)
		for (enum kc_phase to = 0; to < KC_PHASES; to++) {
			if (!kc_phase_follows(from, to))
				continue;
			arrows++;
			if (taken[from][to])
				continue;
			missing++;
			print_error("no case goes from %s to %s\n", names[from], names[to]);
		}
	print_message("%u of %u transitions taken\n", arrows - missing, arrows);
	assert_int_equal(missing, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_streaming_list),
		cmocka_unit_test(test_broken_initial_is_listed_again),
		cmocka_unit_test(test_pages_then_watch_then_resume),
		cmocka_unit_test(test_expired_relists_and_finds_deletions),
		cmocka_unit_test(test_http_410_on_watch),
		cmocka_unit_test(test_expired_continue),
		cmocka_unit_test(test_broken_lines_resume_then_relist),
		cmocka_unit_test(test_oversized),
		cmocka_unit_test(test_unreadable_objects),
		cmocka_unit_test(test_kind_appears),
		cmocka_unit_test(test_kind_vanishes),
		cmocka_unit_test(test_one_404_is_no_end),
		cmocka_unit_test(test_version_of_another_past),
		cmocka_unit_test(test_what_the_account_may_not),
		cmocka_unit_test(test_no_reviews),
		cmocka_unit_test(test_removed_while_unknown),
		cmocka_unit_test(test_failed_page_then_removed_while_waiting),
		cmocka_unit_test(test_wait_is_cut_short),
		cmocka_unit_test(test_list_all_is_not_answered),
		cmocka_unit_test(test_no_end_mark_comes),
		cmocka_unit_test(test_large_page_is_halved),
		cmocka_unit_test(test_broken_list),
		cmocka_unit_test(test_bad_line_in_initial_events),
		cmocka_unit_test(test_refused_version_and_version_that_goes_back),
		cmocka_unit_test(test_forbidden_and_retry_after),
		cmocka_unit_test(test_what_is_delivered_ends_the_backoff),
		cmocka_unit_test(test_remove_in_handler),
		cmocka_unit_test(test_close_in_handler),
		cmocka_unit_test(test_list_all),
		cmocka_unit_test(test_silence_is_resumed),
		cmocka_unit_test(test_overdue_watch_is_resumed),
		cmocka_unit_test(test_version_too_new),
		cmocka_unit_test(test_token_file_changes),
		cmocka_unit_test(test_impersonation_and_basic),
		cmocka_unit_test(test_every_arrow_was_taken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
