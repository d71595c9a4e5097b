/* Rounds of discovery, in both forms, and what becomes of groups and servers that fail. */
#include "unit/kubeclient/kc_bench.h"

#define CORE                                                                                                           \
	{                                                                                                              \
		.match = "GET /base/api ", .body = "{\"kind\":\"APIVersions\",\"versions\":[\"v1\"]}", .always = true  \
	}
#define GROUP_LIST                                                                                                     \
	{                                                                                                              \
		.match = "GET /base/apis ",                                                                            \
		.body = "{\"kind\":\"APIGroupList\",\"groups\":[{\"name\":\"apps\",\"versions\":[{\"groupVersion\":"   \
			"\"apps/v1\"}]},{\"name\":\"batch\",\"versions\":[{\"groupVersion\":\"batch/v1\"}]}]}",        \
		.always = true                                                                                         \
	}
#define APPS                                                                                                           \
	"{\"kind\":\"APIResourceList\",\"groupVersion\":\"apps/"                                                       \
	"v1\",\"resources\":[{\"name\":\"deployments\",\"kind\":"                                                      \
	"\"Deployment\",\"namespaced\":true,\"verbs\":[\"list\",\"watch\"]}]}"
#define PODS                                                                                                           \
	"{\"kind\":\"APIResourceList\",\"groupVersion\":\"v1\",\"resources\":[{\"name\":\"pods\",\"kind\":\"Pod\","    \
	"\"namespaced\":true,\"verbs\":[\"list\"]},{\"name\":\"bindings\",\"kind\":\"Binding\",\"verbs\":[]}]}"
#define STALE                                                                                                          \
	"{\"kind\":\"APIGroupDiscoveryList\",\"items\":[{\"metadata\":{\"name\":\"apps\"},\"versions\":[{\"version\":" \
	"\"v1\",\"freshness\":\"Stale\"}]}]}"

/* Only the group of the watch is asked for: no step would answer the others. */
static void test_groups_one_by_one(void **state)
{
	struct bench b = { .steps = { CORE,
				      GROUP_LIST,
				      { .match = "GET /base/apis/apps/v1 ", .body = APPS },
				      { .match = INITIAL, .body = END_MARK("9"), .hold = true } } };

	(void)state;
	expect(&b, "listing synced:start:0 ");
}

static void test_all_groups_before_the_first_watch(void **state)
{
	struct bench b = { .discover_once = true,
			   .steps = { CORE,
				      GROUP_LIST,
				      { .match = "GET /base/api/v1 ", .body = PODS },
				      { .match = "GET /base/apis/apps/v1 ", .body = APPS },
				      { .match = "GET /base/apis/batch/v1 ",
					.head = "HTTP/1.1 503 No\r\n",
					.body = "no endpoints" } } };

	(void)state;
	run_user(&b, "{}", "-");
	assert_true(str_has_prefix(buf_str(&b.log), STR("result:0 ")));
	assert_non_null(strstr(b.log.p, "pods "));
	assert_non_null(strstr(b.log.p, "deployments "));
	assert_null(strstr(b.log.p, "bindings"));
	expect_notice(&b, "get /apis/batch/v1: 503 Service Unavailable: no endpoints");
	bench_done(&b);
}

static void test_discover_fails(void **state)
{
	struct bench refused = { .discover_once = true,
				 .steps = { { .match = "GET /base/api ", .head = "HTTP/1.1 403 No\r\n", .body = "" },
					    { .match = "GET /base/apis ", .body = GROUPS("") } } };
	struct bench mute = { .discover_once = true,
			      .once_ms = 100,
			      .steps = { NO_CORE, { .match = "GET /base/apis ", .mute = true } } };
	char expected[64];

	(void)state;
	(void)snprintf(expected, sizeof(expected), "result:%d ", EACCES);
	expect(&refused, expected);
	(void)snprintf(expected, sizeof(expected), "result:%d ", ETIMEDOUT);
	expect(&mute, expected);
}

/* A group that fails keeps what was known of it: the kind is not gone. The watch is refused once, so that discovery is
 * asked again. */
static void test_group_fails_later(void **state)
{
	struct bench classic = {
		.steps = { CORE,
			   GROUP_LIST,
			   { .match = "GET /base/apis/apps/v1 ", .body = APPS },
			   { .match = "GET /base/apis/apps/v1 ",
			     .head = "HTTP/1.1 503 No\r\n",
			     .body = "",
			     .always = true },
			   { .match = INITIAL, .head = "HTTP/1.1 404 No\r\nRetry-After: 2\r\n", .body = "" },
			   { .match = INITIAL, .body = END_MARK("9"), .hold = true } }
	};
	struct bench aggregated = {
		.steps = { NO_CORE,
			   { .match = "GET /base/apis ", .body = GROUPS(DEPLOYMENTS) },
			   { .match = "GET /base/apis ", .body = STALE, .always = true },
			   { .match = INITIAL, .head = "HTTP/1.1 404 No\r\nRetry-After: 2\r\n", .body = "" },
			   { .match = INITIAL, .body = END_MARK("9"), .hold = true } }
	};

	(void)state;
	expect_log(&classic, "listing backoff! listing synced:start:0 ");
	expect_notice(&classic, "get /apis/apps/v1: 503");
	bench_done(&classic);
	expect_log(&aggregated, "listing backoff! listing synced:start:0 ");
	expect_notice(&aggregated, "discovery of apps/v1 is stale");
	bench_done(&aggregated);
}

/* Of a group that was never seen nothing is known: that is not the same as having no kinds. */
static void test_group_fails_at_start(void **state)
{
	struct bench classic = {
		.steps = { CORE,
			   GROUP_LIST,
			   { .match = "GET /base/apis/apps/v1 ", .head = "HTTP/1.1 503 No\r\n", .body = "" },
			   { .match = "GET /base/apis/apps/v1 ", .body = "{}" },
			   { .match = "GET /base/apis/apps/v1 ", .body = APPS },
			   { .match = INITIAL, .body = END_MARK("9"), .hold = true } }
	};
	struct bench aggregated = { .steps = { NO_CORE,
					       { .match = "GET /base/apis ", .body = STALE },
					       { .match = "GET /base/apis ", .body = GROUPS(DEPLOYMENTS) },
					       { .match = INITIAL, .body = END_MARK("9"), .hold = true } } };

	(void)state;
	expect_log(&classic, "backoff! listing synced:start:0 ");
	expect_notice(&classic, "get /apis/apps/v1: 503");
	expect_notice(&classic, "discovery of apps/v1: the answer is not a list of kinds");
	bench_done(&classic);
	expect_log(&aggregated, "backoff! listing synced:start:0 ");
	bench_done(&aggregated);
}

/* A group that was listed and then is not found: it goes away or comes, and is looked at again soon, not only when it
 * is time to look for kinds that are not there. */
static void test_group_goes_while_it_is_looked_at(void **state)
{
	struct bench back = { .rediscover_ms = 3600000,
			      .steps = {
				      CORE,
				      GROUP_LIST,
				      { .match = "GET /base/apis/apps/v1 ", .head = "HTTP/1.1 404 No\r\n", .body = "" },
				      { .match = "GET /base/apis/apps/v1 ", .head = "HTTP/1.1 404 No\r\n", .body = "" },
				      { .match = "GET /base/apis/apps/v1 ", .body = APPS },
				      { .match = INITIAL, .body = END_MARK("9"), .hold = true } } };
	struct bench gone = {
		.rediscover_ms = 3600000,
		.steps = { CORE,
			   { .match = "GET /base/apis ",
			     .body = "{\"kind\":\"APIGroupList\",\"groups\":[{\"name\":\"apps\",\"versions\":["
				     "{\"groupVersion\":\"apps/v1\"}]}]}" },
			   { .match = "GET /base/apis ",
			     .body = "{\"kind\":\"APIGroupList\",\"groups\":[]}",
			     .always = true },
			   { .match = "GET /base/apis/apps/v1 ", .head = "HTTP/1.1 404 No\r\n", .body = "" } }
	};

	(void)state;
	expect(&back, "backoff! listing synced:start:0 ");
	expect(&gone, "backoff! absent! ");
}

static void test_server_is_asked_again(void **state)
{
	struct bench b = { .steps = { NO_CORE,
				      { .match = "GET /base/apis ",
					.head = "HTTP/1.1 503 No\r\nRetry-After: 1\r\n",
					.body = "starting" },
				      { .match = "GET /base/apis ", .body = "{" },
				      { .match = "GET /base/apis ", .body = GROUPS(DEPLOYMENTS) },
				      { .match = INITIAL, .body = END_MARK("9"), .hold = true } } };

	(void)state;
	expect_log(&b, "listing synced:start:0 ");
	expect_notice(&b, "get /apis: 503 Service Unavailable: starting");
	expect_notice(&b, "discovery of /apis: line 1 column 2: unexpected end");
	bench_done(&b);
}

static void test_list_all_without_discovery(void **state)
{
	struct bench b = { .list_once = true,
			   .steps = { NO_CORE,
				      { .match = "GET /base/apis ",
					.head = "HTTP/1.1 401 No\r\n",
					.body = "{\"kind\":\"Status\",\"message\":\"who are you?\"}" } } };
	char expected[64];

	(void)state;
	(void)snprintf(expected, sizeof(expected), "result:%d ", ENOKEY);
	expect_log(&b, expected);
	expect_notice(&b, "get /apis: 401 Unauthorized: who are you?");
	bench_done(&b);
}

/* Of one group only that it did not answer within @ms is known; the others are there. False: so little time was not
 * enough for them. */
static bool others_are_there(unsigned ms)
{
	struct bench b = { .discover_once = true,
			   .once_ms = ms,
			   .steps = { CORE,
				      GROUP_LIST,
				      { .match = "GET /base/api/v1 ", .body = PODS },
				      { .match = "GET /base/apis/apps/v1 ", .body = APPS },
				      { .match = "GET /base/apis/batch/v1 ", .mute = true } } };
	char expected[64];
	bool there;

	run_user(&b, "{}", "-");
	there = str_has_prefix(buf_str(&b.log), STR("result:0 ")) && strstr(b.log.p, "pods ") &&
		strstr(b.log.p, "deployments ");
	if (there) {
		(void)snprintf(expected, sizeof(expected), "discovery of batch/v1: no complete answer after %u ms", ms);
		expect_notice(&b, expected);
	}
	bench_done(&b);
	return there;
}

static void test_group_is_mute(void **state)
{
	unsigned ms = 300;

	(void)state;
	while (!others_are_there(ms)) {
		ms *= 4;
		assert_true(ms < 8000);
	}
}

/* What a group's document must be: else the group is in doubt, and no other. */
static void test_group_is_malformed(void **state)
{
	static const struct {
		const char *body, *notice;
	} rows[] = {
		{ "<html>Sign in</html>", "discovery of batch/v1: " },
		{ "{\"kind\":\"APIResourceList\",\"groupVersion\":\"batch/v1\"}",
		  "discovery of batch/v1: the answer has no list of resources" },
		{ "{\"kind\":\"APIResourceList\",\"groupVersion\":\"batch/v1\",\"resources\":{}}",
		  "discovery of batch/v1: the answer has no list of resources" },
		{ APPS, "discovery of batch/v1: the answer is about \"apps/v1\"" },
		{ "{\"kind\":\"Status\",\"status\":\"Success\"}",
		  "discovery of batch/v1: the answer is not a list of kinds" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct bench b = { .discover_once = true,
				   .steps = { CORE,
					      GROUP_LIST,
					      { .match = "GET /base/api/v1 ", .body = PODS },
					      { .match = "GET /base/apis/apps/v1 ", .body = APPS },
					      { .match = "GET /base/apis/batch/v1 ", .body = rows[i].body } } };

		run_user(&b, "{}", "-");
		assert_true(str_has_prefix(buf_str(&b.log), STR("result:0 ")));
		assert_non_null(strstr(b.log.p, "deployments "));
		expect_notice(&b, rows[i].notice);
		bench_done(&b);
	}
}

/* Without its list of groups a document says nothing of any group. */
static void test_groups_are_malformed(void **state)
{
	static const char *const bodies[] = { "{\"kind\":\"APIGroupList\"}",
					      "{\"kind\":\"APIGroupDiscoveryList\",\"items\":{}}" };
	char expected[64];

	(void)state;
	(void)snprintf(expected, sizeof(expected), "result:%d ", EBADMSG);
	for (size_t i = 0; i < ARRAY_LEN(bodies); i++) {
		struct bench b = { .discover_once = true,
				   .steps = { NO_CORE, { .match = "GET /base/apis ", .body = bodies[i] } } };

		expect(&b, expected);
	}
}

/* A server that is busy says when to come back: so often as client-go, and then it is its answer. */
static void test_busy_server(void **state)
{
	struct bench patient = {
		.discover_once = true,
		.retries = 2,
		.steps = { NO_CORE,
			   { .match = "GET /base/apis ", .head = "HTTP/1.1 429 No\r\nRetry-After: 1\r\n", .body = "" },
			   { .match = "GET /base/apis ", .head = "HTTP/1.1 503 No\r\nRetry-After: 1\r\n", .body = "" },
			   { .match = "GET /base/apis ", .body = GROUPS(DEPLOYMENTS) } }
	};
	struct bench worn = { .discover_once = true,
			      .retries = 1,
			      .steps = { NO_CORE,
					 { .match = "GET /base/apis ",
					   .head = "HTTP/1.1 503 No\r\nRetry-After: 1\r\n",
					   .body = "",
					   .always = true } } };
	struct bench without_a_word = {
		.discover_once = true,
		.retries = 2,
		.steps = { NO_CORE, { .match = "GET /base/apis ", .head = "HTTP/1.1 503 No\r\n", .body = "" } }
	};
	char expected[64];

	(void)state;
	expect_log(&patient, "result:0 deployments ");
	assert_int_equal(patient.counters.requests[KC_GET], 4);
	bench_done(&patient);
	(void)snprintf(expected, sizeof(expected), "result:%d ", EREMOTEIO);
	expect_log(&worn, expected);
	assert_int_equal(worn.counters.requests[KC_GET], 3);
	bench_done(&worn);
	expect(&without_a_word, expected);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_group_is_mute),         cmocka_unit_test(test_group_is_malformed),
		cmocka_unit_test(test_groups_are_malformed),  cmocka_unit_test(test_busy_server),
		cmocka_unit_test(test_groups_one_by_one),     cmocka_unit_test(test_all_groups_before_the_first_watch),
		cmocka_unit_test(test_discover_fails),        cmocka_unit_test(test_group_fails_later),
		cmocka_unit_test(test_group_fails_at_start),  cmocka_unit_test(test_group_goes_while_it_is_looked_at),
		cmocka_unit_test(test_server_is_asked_again), cmocka_unit_test(test_list_all_without_discovery),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
