/* What is said of an Alertmanager by how it answers, and what it is asked. */
#include "daemon/preflight/alertmanagers.h"

#include "support/edited_file.h"
#include "support/web_server.h"

#include <unistd.h>

#define STATUS(status) "HTTP/1.1 " status " x\r\nContent-Length: 0\r\n\r\n"
#define LONG(length) "HTTP/1.1 200 x\r\nContent-Length: " length "\r\n\r\n"

struct bench {
	uv_loop_t loop;
	struct web_server server;
	struct checks rows;
};

static void start(struct bench *b, const struct web_answer *answer)
{
	b->server.answers = answer;
	b->server.n_answers = 1;
	assert_int_equal(uv_loop_init(&b->loop), 0);
	web_server_start(&b->server, &b->loop);
	uv_unref((uv_handle_t *)&b->server.tcp); /* the check ends when the loop does */
}

/* Of the Alertmanagers at @urls, where "PORT" stands for the server's. */
static void ask(struct bench *b, struct cfg_alertmanager cfg, const char *const *urls, size_t n)
{
	str made[CFG_ALERTMANAGERS_MAX];
	char texts[CFG_ALERTMANAGERS_MAX][64];
	struct err err;

	for (size_t i = 0; i < n; i++) {
		const char *at = strstr(urls[i], "PORT");

		(void)snprintf(texts[i], sizeof(texts[i]), "%.*s%u%s", (int)(at - urls[i]), urls[i], b->server.port,
			       at + 4);
		made[i] = str_from(texts[i]);
	}
	cfg.urls = made;
	cfg.n_urls = n;
	assert_int_equal(alertmanagers_check(&b->loop, &cfg, &b->rows, &err), 0);
}

static void stop(struct bench *b)
{
	web_server_stop(&b->server);
	(void)uv_run(&b->loop, UV_RUN_DEFAULT);
	assert_int_equal(uv_loop_close(&b->loop), 0);
	web_server_done(&b->server);
	checks_done(&b->rows);
}

static void expect_row(const struct bench *b, size_t i, enum check_result result, const char *detail)
{
	assert_true(i < b->rows.rows.n);
	assert_int_equal(b->rows.rows.p[i].result, result);
	assert_true(str_eq(b->rows.rows.p[i].what, STR("alertmanager")));
	if (str_find(b->rows.rows.p[i].detail, str_from(detail)) < 0)
		fail_msg("'%.*s' instead of '%s'", STR_ARG(b->rows.rows.p[i].detail), detail);
}

static const char *const local[] = { "http://127.0.0.1:PORT/am" };

static void test_answers(void **state)
{
	static const struct {
		struct web_answer answer;
		enum check_result result;
		const char *detail;
	} cases[] = {
		{ { .text = STATUS("200") }, CHECK_OK, "/am: it answers" },
		{ { .text = LONG("1048576"), .more = 1048576 }, CHECK_OK, ": it answers" },
		{ { .text = LONG("1048577"), .more = 1048577 }, CHECK_FAILED, "/am: " },
		{ { .text = STATUS("204") }, CHECK_FAILED, ": it answers 204" },
		{ { .text = STATUS("401") }, CHECK_FAILED, ": it answers 401: the credentials are not those" },
		{ { .text = STATUS("403") }, CHECK_FAILED, ": it answers 403: the credentials are not those" },
		{ { .text = STATUS("503") }, CHECK_FAILED, ": it answers 503" },
		{ { .text = "nonsense\r\n\r\n" }, CHECK_FAILED, "/am: " },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct bench b = { 0 };

		start(&b, &cases[i].answer);
		ask(&b, (struct cfg_alertmanager){ 0 }, local, 1);
		assert_int_equal(b.rows.rows.n, 1);
		expect_row(&b, 0, cases[i].result, cases[i].detail);
		if (strstr(cases[i].detail, "503"))
			assert_true(str_has_suffix(b.rows.rows.p[0].detail, STR("503")));
		stop(&b);
	}
}

static void test_what_is_asked(void **state)
{
	static const struct web_answer answer = { .text = STATUS("200") };
	const struct cfg_alertmanager with_token = { .bearer_token_file = STR("alertmanager-token") };
	struct bench b = { 0 };

	(void)state;
	edited_file_put(&(struct edited_file){ "alertmanager-token", "secret\n" }, NULL, NULL);
	start(&b, &answer);
	ask(&b, with_token, local, 1);
	expect_row(&b, 0, CHECK_OK, "it answers");
	assert_int_equal(b.server.n_requests, 1);
	assert_ptr_equal(strstr(b.server.requests[0], "GET /am/api/v2/status HTTP/1.1\r\n"), b.server.requests[0]);
	assert_non_null(strstr(b.server.requests[0], "\r\nAuthorization: Bearer secret\r\n"));
	stop(&b);
	assert_int_equal(unlink(with_token.bearer_token_file.p), 0);
}

/* Each has a row of its own, and the good one is asked whatever the others are. */
static void test_several(void **state)
{
	static const char *const urls[] = { "http://127.0.0.1:1/PORT", "http://127.0.0.1:PORT", "nowhere:PORT" };
	static const struct web_answer answer = { .text = STATUS("200") };
	struct bench b = { 0 };
	size_t good = 0;

	(void)state;
	start(&b, &answer);
	ask(&b, (struct cfg_alertmanager){ 0 }, urls, ARRAY_LEN(urls));
	assert_int_equal(b.rows.rows.n, ARRAY_LEN(urls));
	for (size_t i = 0; i < b.rows.rows.n; i++)
		good += b.rows.rows.p[i].result == CHECK_OK;
	assert_int_equal(good, 1);
	stop(&b);
}

static void test_nothing_to_ask(void **state)
{
	static const struct web_answer answer = { .text = STATUS("200") };
	const struct cfg_alertmanager unreadable = { .password_file = STR("alertmanager-absent"),
						     .username = STR("u") };
	struct bench b = { 0 };

	(void)state;
	(void)unlink("alertmanager-absent");
	start(&b, &answer);
	ask(&b, (struct cfg_alertmanager){ 0 }, NULL, 0);
	assert_int_equal(b.rows.rows.n, 0);
	ask(&b, unreadable, local, 1);
	assert_int_equal(b.rows.rows.n, 1);
	expect_row(&b, 0, CHECK_FAILED, "absent");
	assert_int_equal(b.server.n_requests, 0);
	stop(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_answers),
		cmocka_unit_test(test_what_is_asked),
		cmocka_unit_test(test_several),
		cmocka_unit_test(test_nothing_to_ask),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
