/* One Alertmanager that answers as a table says: what it is asked and told, and what is known of it afterwards. */
#include "daemon/alertmanager/alerts.h"

#include "daemon/findings/findings.h"
#include "support/capture.h"
#include "support/direct_sink.h"
#include "support/web_server.h"

#define OK "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
#define LIST(list, n) "HTTP/1.1 200 OK\r\nContent-Length: " n "\r\nConnection: close\r\n\r\n" list
#define STATUS(status) "HTTP/1.1 " status " x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"

static const struct poster_case {
	const char *title;
	struct web_answer answers[6];
	size_t n;
	const char *asked; /* a letter for each request: G or P; the second P is of a finding that has begun since */
	const char *state;
	bool up;
	size_t alerts, undelivered;
	enum alert_failure failed;
	uint64_t failures;
	const char *why;
} cases[] = {
	{ "all is well", { { .text = LIST("[]", "2") }, { .text = OK } }, 2, "GP", "resting", true, 1, 0, 0, 0, "" },
	{ "it refuses an alert",
	  { { .text = LIST("[]", "2") }, { .text = STATUS("400") } },
	  2,
	  "GP",
	  "resting",
	  false,
	  0,
	  1,
	  ALERT_REFUSED,
	  1,
	  "it answers 400" },
	{ "it may be posted to only",
	  { { .text = STATUS("405") }, { .text = OK } },
	  2,
	  "GP",
	  "resting",
	  true,
	  1,
	  0,
	  ALERT_ANSWER,
	  1,
	  "" },
	{ "what it has is not a list",
	  { { .text = LIST("<html>", "6") }, { .text = OK } },
	  2,
	  "GP",
	  "resting",
	  true,
	  1,
	  0,
	  ALERT_ANSWER,
	  1,
	  "" },
	{ "it is starting",
	  { { .text = STATUS("503") } },
	  1,
	  "G",
	  "waiting",
	  false,
	  0,
	  1,
	  ALERT_SERVER,
	  1,
	  "it answers 503" },
	{ "it is back after a while",
	  { { .text = STATUS("503") }, { .text = LIST("[]", "2") }, { .text = OK } },
	  3,
	  "GGP",
	  "resting",
	  true,
	  1,
	  0,
	  ALERT_SERVER,
	  1,
	  "" },
	{ "it fails when it is posted to",
	  { { .text = LIST("[]", "2") }, { .text = STATUS("500") } },
	  2,
	  "GP",
	  "waiting",
	  false,
	  0,
	  1,
	  ALERT_SERVER,
	  1,
	  "it answers 500" },
	{ "it wants somebody else",
	  { { .text = LIST("[]", "2") }, { .text = STATUS("401") } },
	  2,
	  "GP",
	  "waiting",
	  false,
	  0,
	  1,
	  ALERT_AUTH,
	  1,
	  "it answers 401" },
	{ "something is new",
	  { { .text = LIST("[]", "2") }, { .text = OK }, { .text = OK } },
	  3,
	  "GPP",
	  "resting",
	  true,
	  2,
	  0,
	  0,
	  0,
	  "" },
};

struct bench {
	uv_loop_t loop;
	uv_timer_t tick;
	struct web_server server;
	struct alerts *alerts;
	struct findings *findings;
	const struct poster_case *is;
	unsigned ticks;
	bool closed, goes_on;
};

static bool posts_twice(const struct poster_case *is)
{
	return strcmp(is->asked, "GPP") == 0;
}

static void report(struct findings *f, const char *name)
{
	struct err err;

	assert_int_equal(findings_report(f,
					 &(struct finding_report){ .kind = FINDING_DRIFT,
								   .severity = SEVERITY_WARNING,
								   .subject = { .cluster = STR("c"),
										.kind = STR("ConfigMap"),
										.name = str_from(name) },
								   .what = STR("w"),
								   .state = STR("s") },
					 &err),
			 0);
}

static void on_closed(void *ctx)
{
	struct bench *b = ctx;

	b->closed = true;
}

/* As the table has it, or never. */
static bool is_there(struct bench *b)
{
	size_t n;
	const struct alertmanager_status *v = alerts_views(b->alerts, &n);

	return b->server.n_requests == b->is->n && strcmp(v->state, b->is->state) == 0 && v->up == b->is->up &&
	       v->alerts == b->is->alerts && v->undelivered == b->is->undelivered;
}

static long length_of(const char *request)
{
	const char *at = strcasestr(request, "\r\nContent-Length:");

	assert_non_null(at);
	return strtol(at + sizeof("\r\nContent-Length:") - 1, NULL, 10);
}

static void finish(struct bench *b)
{
	size_t n;
	const struct alertmanager_status *v = alerts_views(b->alerts, &n);

	assert_int_equal(n, 1);
	assert_string_equal(v->why, b->is->why);
	assert_int_equal(v->failures[b->is->failed], b->is->failures);
	for (size_t i = 0; i < b->is->n; i++) {
		if (b->is->asked[i] != b->server.requests[i][0])
			fail_msg("%s: request %zu is %s", b->is->title, i, b->server.requests[i]);
	}
	if (posts_twice(b->is)) /* it is alone; a time may be some digits shorter */
		assert_true(length_of(b->server.requests[2]) < length_of(b->server.requests[1]) + 100);
	alerts_close(TAKE(b->alerts), on_closed, b);
	web_server_stop(&b->server);
	uv_close((uv_handle_t *)&b->tick, NULL);
}

static void on_tick(uv_timer_t *t)
{
	struct bench *b = t->data;
	size_t n;

	if (b->goes_on && b->server.n_requests == 2 && alerts_views(b->alerts, &n)->alerts == 1) {
		report(b->findings, "name-b");
		b->goes_on = false;
	}
	if (is_there(b)) {
		finish(b);
		return;
	}
	if (++b->ticks > 3000)
		fail_msg("%s: it does not come to that", b->is->title);
	alerts_tick(b->alerts, true);
}

static void run_case(const struct poster_case *is, struct findings *findings, struct sink *sink)
{
	struct bench b = { .is = is,
			   .findings = findings,
			   .goes_on = posts_twice(is),
			   .server = { .answers = is->answers, .n_answers = is->n } };
	struct cfg_alertmanager from = { .n_urls = 1, .min_severity = SEVERITY_INFO };
	char url[64];
	struct err err;
	str urls;

	assert_int_equal(uv_loop_init(&b.loop), 0);
	web_server_start(&b.server, &b.loop);
	(void)snprintf(url, sizeof(url), "http://127.0.0.1:%u", b.server.port);
	urls = str_from(url);
	from.urls = &urls;
	assert_int_equal(
		alerts_new(
			&(struct alerts_options){ .loop = &b.loop, .from = &from, .findings = findings, .sink = sink },
			&b.alerts, &err),
		0);
	(void)uv_timer_init(&b.loop, &b.tick);
	b.tick.data = &b;
	(void)uv_timer_start(&b.tick, on_tick, 0, 10);
	(void)uv_run(&b.loop, UV_RUN_DEFAULT);
	assert_true(b.closed);
	assert_int_equal(uv_loop_close(&b.loop), 0);
	web_server_done(&b.server);
}

static void test_cases(void **state)
{
	struct capture capture = { 0 };
	struct findings *findings;
	struct sink *sink;
	struct err err;

	(void)state;
	assert_true(capture_begin(&capture));
	sink = sink_new_direct(CFG_OUTPUT_JSON);
	assert_int_equal(findings_new(sink, &findings, &err), 0);
	report(findings, "name-a");
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		run_case(&cases[i], findings, sink);
	findings_free(findings);
	sink_free(sink);
	capture_end(&capture);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_cases) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
