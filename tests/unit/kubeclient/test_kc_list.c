/* Lists from a server that misbehaves: that they end, and what is said of it. */
#include "unit/kubeclient/kc_bench.h"

#define FIRST(next)                                                                                                    \
	{                                                                                                              \
		.match = "limit=2 ", .body = LIST("7", next, OBJECT("a", "1", "5"))                                    \
	}
#define PAGE(token, next)                                                                                              \
	{                                                                                                              \
		.match = "limit=2&continue=" token " ", .body = LIST("7", next, OBJECT("a", "1", "5"))                 \
	}

static void expect_reason(struct bench *b, const char *log, const char *reason)
{
	expect_log(b, log);
	expect_notice(b, reason);
	bench_done(b);
}

/* One token for ever, and circles of them: none is gone around for ever, and what a list held that never ended proves
 * no deletion. */
static void test_continue_comes_back(void **state)
{
	static const char *const reason = "backoff! list of deployments.apps: the server repeats the continue token: "
					  "the list would never end\n";
	struct bench same = { .steps = { DISCOVERY, REFUSE_INITIAL, FIRST("n"), PAGE("n", "n") } };
	struct bench two = { .steps = { DISCOVERY, REFUSE_INITIAL, FIRST("n"), PAGE("n", "m"), PAGE("m", "n"),
					PAGE("n", "m") } };
	struct bench tail = { .steps = { DISCOVERY, REFUSE_INITIAL, FIRST("n"), PAGE("n", "m"), PAGE("m", "o"),
					 PAGE("o", "p"), PAGE("p", "m"), PAGE("m", "o"), PAGE("o", "p") } };

	(void)state;
	expect_reason(&same, "listing Ld/a:1:5 L=d/a:1:5 backoff! ", reason);
	expect_reason(&two, "listing Ld/a:1:5 L=d/a:1:5 L=d/a:1:5 L=d/a:1:5 backoff! ", reason);
	expect_reason(&tail, "listing Ld/a:1:5 L=d/a:1:5 L=d/a:1:5 L=d/a:1:5 L=d/a:1:5 L=d/a:1:5 L=d/a:1:5 backoff! ",
		      reason);
}

static void test_new_tokens_for_ever(void **state)
{
	struct bench b = { .pages = 3,
			   .steps = { DISCOVERY, REFUSE_INITIAL, FIRST("n"), PAGE("n", "m"), PAGE("m", "o") } };

	(void)state;
	expect_reason(&b, "listing Ld/a:1:5 L=d/a:1:5 L=d/a:1:5 backoff! ",
		      "backoff! list of deployments.apps: no end after 3 pages\n");
}

/* As many pages as there may be; a list that starts over counts from the start, and may use a token again. */
static void test_long_lists_end(void **state)
{
	struct bench b = { .pages = 3,
			   .steps = { DISCOVERY,
				      REFUSE_INITIAL,
				      FIRST("n"),
				      PAGE("n", "m"),
				      { .match = "continue=m", .head = "HTTP/1.1 410 Gone\r\n", .body = "{}" },
				      FIRST("n"),
				      PAGE("n", "m"),
				      PAGE("m", ""),
				      { .match = "resourceVersion=7&", .body = "", .hold = true } } };

	(void)state;
	expect(&b, "listing Ld/a:1:5 L=d/a:1:5 L=d/a:1:5 L=d/a:1:5 L=d/a:1:5 synced:start:1 watching ");
}

#define DEFINITION_OF "customresourcedefinitions/deployments.apps "
#define NO_DEFINITION                                                                                                  \
	{                                                                                                              \
		.match = DEFINITION_OF, .head = "HTTP/1.1 404 Not Found\r\n", .body = ""                               \
	}

/* What comes in place of a list; the next one is good, and nothing was lost by it. */
static void test_other_answers(void **state)
{
	static const struct {
		const char *head, *body, *reason;
	} rows[] = {
		{ NULL, "", "list of deployments.apps: 200 OK, but the answer is empty" },
		{ "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n", "<!DOCTYPE html>\n<html>",
		  "200 OK, but the answer is not JSON (text/html): it begins with \"<!DOCTYPE html> <html>\"" },
		{ NULL, "{\"metadata\":{\"resourceVersion\":\"7\"},\"items\":[" OBJECT("a", "1", "5") ",{\"meta",
		  "200 OK, but the answer ends in the middle of a JSON document after 159 bytes" },
		{ NULL,
		  "{\"kind\":\"ReplicaSetList\",\"apiVersion\":\"apps/"
		  "v1\",\"metadata\":{\"resourceVersion\":\"7\"},\"items\":[]}",
		  "list of deployments.apps: the answer is not of kind DeploymentList" },
		{ NULL, "{\"kind\":\"Status\",\"status\":\"Success\"}",
		  "list of deployments.apps: the answer is a Status, not a list" },
		{ "HTTP/1.1 302 Found\r\nLocation: https://me:pass@login.example.com/in?token=1\r\n", "<html>",
		  "list /apis/apps/v1/deployments: 302 Found: redirects are not followed (to "
		  "https://login.example.com/in)" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct bench b = { .steps = { DISCOVERY,
					      REFUSE_INITIAL,
					      NO_DEFINITION,
					      { .match = "limit=2 ", .body = LIST("6", "", OBJECT("a", "1", "5")) },
					      { .match = "resourceVersion=6&", .body = GONE, .hold = true },
					      { .match = "limit=2 ", .head = rows[i].head, .body = rows[i].body },
					      { .match = "limit=2 ", .body = LIST("8", "", OBJECT("a", "1", "5")) },
					      { .match = "resourceVersion=8&", .body = "", .hold = true } } };

		run_user(&b, "{}", "synced:expired:1 ");
		expect_notice(&b, rows[i].reason);
		assert_true(str_find(buf_str(&b.notices), STR("pass")) < 0);
		assert_true(str_find(buf_str(&b.notices), STR("token")) < 0);
		assert_true(str_find(buf_str(&b.log), STR("backoff! listing L=d/a:1:5 synced:expired:1 ")) > 0);
		assert_true(str_find(buf_str(&b.log), STR(" D")) < 0);
		bench_done(&b);
	}
}

/* The name of a list need not end in List: what it is, the kind's definition says, once. */
static void test_list_by_another_name(void **state)
{
#define FLEET(rv, next)                                                                                                \
	"{\"apiVersion\":\"apps/v1\",\"items\":[" OBJECT("a", "1", "5") "],\"kind\":\"Fleet\",\"metadata\":{"          \
									"\"resourceVersion\":\"" rv                    \
									"\",\"continue\":\"" next "\"}}"
	struct bench b = { .steps = { DISCOVERY,
				      REFUSE_INITIAL,
				      { .match = "limit=2 ", .body = FLEET("7", "n") },
				      { .match = DEFINITION_OF,
					.body = "{\"spec\":{\"names\":{\"listKind\":\"Fleet\"}}}" },
				      { .match = "continue=n", .body = FLEET("7", "") },
				      { .match = "resourceVersion=7&", .body = GONE, .hold = true },
				      { .match = "limit=2 ", .body = FLEET("8", "") },
				      { .match = "resourceVersion=8&", .body = "", .hold = true } } };

	(void)state;
	expect(&b, "listing Ld/a:1:5 L=d/a:1:5 synced:start:1 L=d/a:1:5 synced:expired:1 watching ");
}

/* A page that takes long to read makes the next ones shorter, and short ones these longer again. */
static void test_large_pages(void **state)
{
	enum { BYTES = 9 << 20 };
	static const char head[] = LIST("7", "n", OBJECT("a", "1", "5"));
	char *body = malloc(BYTES + sizeof(head));

	(void)state;
	assert_non_null(body);
	memset(body, ' ', BYTES); /* of no object, so that it is the page which is large */
	memcpy(body + BYTES, head, sizeof(head));
	struct bench b = { .steps = { DISCOVERY,
				      REFUSE_INITIAL,
				      { .match = "limit=2 ", .body = body },
				      { .match = "limit=1&continue=n ", .body = LIST("7", "m", OBJECT("b", "2", "5")) },
				      { .match = "limit=2&continue=m ", .body = LIST("7", "", OBJECT("c", "3", "5")) },
				      { .match = "resourceVersion=7&", .body = "", .hold = true } } };
	expect(&b, "listing Ld/a:1:5 Ld/b:2:5 Ld/c:3:5 synced:start:3 watching ");
	free(body);
}

/* A list of many pages asks as much of the server as the same in one answer: its pages are one request. */
static void test_pages_are_one_request(void **state)
{
	struct bench b = { .budget = 2 + 3, /* discovery; initial events, the list, the watch */
			   .steps = { DISCOVERY,
				      REFUSE_INITIAL,
				      FIRST("n"),
				      PAGE("n", "m"),
				      PAGE("m", "o"),
				      PAGE("o", ""),
				      { .match = "resourceVersion=7&", .body = "", .hold = true } } };

	(void)state;
	expect(&b, "listing Ld/a:1:5 L=d/a:1:5 L=d/a:1:5 L=d/a:1:5 synced:start:1 watching ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_continue_comes_back),   cmocka_unit_test(test_new_tokens_for_ever),
		cmocka_unit_test(test_long_lists_end),        cmocka_unit_test(test_other_answers),
		cmocka_unit_test(test_list_by_another_name),  cmocka_unit_test(test_large_pages),
		cmocka_unit_test(test_pages_are_one_request),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
