/* Calls against a server on the loopback interface: what is sent, what is tried again, what fails, and with which
 * words. "PORT" in a URL or a proxy stands for the server's, "SHUT" for one where nobody listens. */
#include "daemon/inspection/calls.h"

#include "support/web_server.h"
#include "value/json.h"

#include <curl/curl.h>
#include <errno.h>

#define ANSWERS_MAX 5
#define OK "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
#define STATUS(status) "HTTP/1.1 " status " x\r\nContent-Length: 0\r\n\r\n"

struct bench {
	uv_loop_t loop;
	uv_timer_t guard;
	struct web_server server;
	unsigned shut;
	struct calls *calls;
	struct calls_options options;
	struct buf failures; /* a line each */
	bool close_at_failure, closed;
	struct arena arena; /* of what calls hold */
};

static void on_closed(void *ctx)
{
	struct bench *b = ctx;

	b->closed = true;
}

static void on_failed(void *ctx, const struct call_origin *origin, str url, const char *why)
{
	struct bench *b = ctx;

	buf_printf(&b->failures, "%.*s %.*s%s %.*s: %s\n", STR_ARG(origin->cluster), STR_ARG(origin->rule),
		   origin->sensitive ? " sensitive" : "", STR_ARG(url), why);
	if (b->close_at_failure)
		calls_close(TAKE(b->calls), on_closed, b);
}

static void on_guard(uv_timer_t *timer)
{
	(void)timer;
	fail_msg("the test hangs");
}

/* A port that was free a moment ago. */
static unsigned shut_port(void)
{
	struct web_server s = { 0 };
	uv_loop_t loop;

	assert_int_equal(uv_loop_init(&loop), 0);
	web_server_start(&s, &loop);
	web_server_stop(&s);
	(void)uv_run(&loop, UV_RUN_DEFAULT);
	assert_int_equal(uv_loop_close(&loop), 0);
	return s.port;
}

static void start(struct bench *b, const struct web_answer *answers, size_t n)
{
	struct err err;

	assert_int_equal(uv_loop_init(&b->loop), 0);
	b->failures = BUF_INIT(1u << 20);
	b->arena = ARENA_INIT(0);
	b->server.answers = answers;
	b->server.n_answers = n;
	b->shut = shut_port();
	web_server_start(&b->server, &b->loop);
	assert_int_equal(uv_timer_init(&b->loop, &b->guard), 0);
	assert_int_equal(uv_timer_start(&b->guard, on_guard, 30000, 0), 0);
	uv_unref((uv_handle_t *)&b->guard);
	b->options.loop = &b->loop;
	b->options.failed = on_failed;
	b->options.ctx = b;
	assert_int_equal(calls_new(&b->options, &b->calls, &err), 0);
}

static void stop(struct bench *b)
{
	if (b->calls)
		calls_close(TAKE(b->calls), on_closed, b);
	web_server_stop(&b->server);
	uv_close((uv_handle_t *)&b->guard, NULL);
	(void)uv_run(&b->loop, UV_RUN_DEFAULT);
	assert_true(b->closed);
	assert_int_equal(uv_loop_close(&b->loop), 0);
	web_server_done(&b->server);
	buf_done(&b->failures);
	arena_done(&b->arena);
}

/* With the ports in their places, in the bench's arena. */
static str with_ports(struct bench *b, str text)
{
	static const char *const words[] = { "PORT", "SHUT" };
	const unsigned ports[] = { b->server.port, b->shut };

	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		ptrdiff_t at = str_find(text, str_from(words[i]));

		if (at >= 0)
			text = arena_printf(&b->arena, "%.*s%u%.*s", (int)at, text.p, ports[i],
					    STR_ARG(str_sub(text, (size_t)at + 4, text.n)));
	}
	return text;
}

/* The value of a JSON text; VAL_ABSENT for NULL. It lives until the document is gone. */
static val read_texts(struct bench *b, const char *json, struct doc **doc)
{
	const struct limits limits = LIMITS_DEFAULT;
	struct json_options o = { .limits = &limits };
	struct err err;

	if (!json)
		return (val){ 0 };
	assert_int_equal(json_decode(with_ports(b, str_from(json)), &o, doc, &err), 0);
	return (*doc)->root;
}

struct asked {
	const char *url, *headers, *proxies; /* the maps as JSON, NULL: none */
	double timeout, backoff;             /* timeout 0: 5 seconds */
	uint32_t retries;
};

static int add(struct bench *b, const struct asked *a)
{
	static const struct call_origin origin = { { "prod", 4 }, { "r-1", 3 }, false };
	CLEANUP(doc_unrefp) struct doc *headers = NULL, *proxies = NULL;
	CLEANUP(freep) char *url = str_dup(with_ports(b, str_from(a->url)));
	struct insp_call call = {
		.url = str_from(url),
		.headers = read_texts(b, a->headers, &headers),
		.proxies = read_texts(b, a->proxies, &proxies),
		.timeout = a->timeout > 0 ? a->timeout : 5,
		.retries = a->retries,
		.backoff_factor = a->backoff,
	};
	struct err err;

	return calls_add(b->calls, &call, &origin, &err);
}

static void must_add(struct bench *b, const struct asked *a)
{
	assert_int_equal(add(b, a), 0);
}

/* Until @n calls have ended. */
static void run(struct bench *b, uint64_t n)
{
	while (b->calls && calls_counters(b->calls)->made < n)
		(void)uv_run(&b->loop, UV_RUN_ONCE);
}

static void run_for(struct bench *b, uint64_t ms)
{
	uint64_t until = uv_hrtime() + ms * 1000000;

	while (uv_hrtime() < until) {
		(void)uv_run(&b->loop, UV_RUN_NOWAIT);
		uv_sleep(1);
	}
}

static void expect_failures(struct bench *b, const char *name, const char *expected)
{
	str text = with_ports(b, str_from(expected));

	if (!str_eq(buf_str(&b->failures), text))
		fail_msg("%s: '%.*s' instead of '%.*s'", name, STR_ARG(buf_str(&b->failures)), STR_ARG(text));
}

/* ---- one call ---- */

#define URL "http://127.0.0.1:PORT/a/b"
#define FAILS(why) "prod r-1 " URL ": " why "\n"

static const char line_too_long[] = FAILS("no memory, or the head of the answer is too long");

static const char nobody_at_the_proxy[] =
	"prod r-1 http://hooks.invalid/a: through a proxy: Couldn't connect to server\n";

/* libcurl 8.6 distinguishes a lack of memory from a long line, and later versions word other failures differently. */
static const char *failures_of(const char *failures)
{
	static char other[200];

	if (failures == line_too_long && curl_version_info(CURLVERSION_NOW)->version_num >= 0x080600)
		return FAILS("the head of the answer is too long");
	if (failures != nobody_at_the_proxy)
		return failures;
	(void)snprintf(other, sizeof(other), "prod r-1 http://hooks.invalid/a: through a proxy: %s\n",
		       curl_easy_strerror(CURLE_COULDNT_CONNECT));
	return other;
}

static const struct call_case {
	const char *name;
	struct asked asked;
	struct web_answer answers[ANSWERS_MAX];
	size_t requests;
	const char *failures;
} cases[] = {
	{ "success", { .url = URL, .retries = 3 }, { { .text = OK } }, 1, "" },
	{ "no content", { .url = URL, .retries = 3 }, { { .text = "HTTP/1.1 204 x\r\n\r\n", .hold = true } }, 1, "" },
	{ "the second try", { .url = URL, .retries = 3 }, { { .text = STATUS("500") }, { .text = OK } }, 2, "" },
	{ "each status that is tried again",
	  { .url = URL, .retries = 4 },
	  { { .text = STATUS("429") },
	    { .text = STATUS("502") },
	    { .text = STATUS("503") },
	    { .text = STATUS("504") },
	    { .text = OK } },
	  5,
	  "" },
	{ "all tries fail",
	  { .url = URL, .retries = 2 },
	  { { .text = STATUS("503") } },
	  3,
	  FAILS("the server answers 503 (tried 3 times)") },
	{ "no further try is asked for",
	  { .url = URL },
	  { { .text = STATUS("500") } },
	  1,
	  FAILS("the server answers 500") },
	{ "the last try may fail otherwise",
	  { .url = URL, .retries = 2 },
	  { { .text = STATUS("503") }, { .text = STATUS("404") } },
	  2,
	  FAILS("the server answers 404 (tried 2 times)") },
	{ "a status that stays",
	  { .url = URL, .retries = 3 },
	  { { .text = STATUS("501") } },
	  1,
	  FAILS("the server answers 501") },
	{ "a redirect is not followed",
	  { .url = URL, .retries = 3 },
	  { { .text = "HTTP/1.1 302 x\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n" } },
	  1,
	  "" },
	{ "an interim answer is none",
	  { .url = URL, .retries = 1 },
	  { { .text = "HTTP/1.1 103 x\r\nLink: </a>\r\n\r\n" STATUS("500") }, { .text = OK } },
	  2,
	  "" },
	{ "only an interim answer",
	  { .url = URL },
	  { { .text = "HTTP/1.1 103 x\r\nLink: </a>\r\n\r\n" } },
	  1,
	  FAILS("Empty reply from server") },
	{ "no answer in time", { .url = URL, .retries = 1, .timeout = 0.2 }, { { .text = NULL } }, 2, NULL },
	{ "half a head in time",
	  { .url = URL, .timeout = 0.2 },
	  { { .text = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n", .hold = true } },
	  1,
	  NULL },
	{ "a body that does not come",
	  { .url = URL, .retries = 1, .timeout = 0.2 },
	  { { .text = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", .hold = true } },
	  1,
	  "" },
	{ "a body that is cut",
	  { .url = URL, .retries = 1 },
	  { { .text = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx" } },
	  1,
	  "" },
	{ "a huge body",
	  { .url = URL, .retries = 1 },
	  { { .text = "HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n", .more = 8u << 20, .hold = true } },
	  1,
	  "" },
	{ "a huge body of an answer that is tried again",
	  { .url = URL, .retries = 1 },
	  { { .text = "HTTP/1.1 500 x\r\nContent-Length: 100000000\r\n\r\n", .more = 8u << 20, .hold = true },
	    { .text = OK } },
	  2,
	  "" },
	{ "a line of the head that does not end",
	  { .url = URL, .retries = 1 },
	  { { .text = "HTTP/1.1 200 OK\r\nA: ", .more = 200000, .hold = true } },
	  1,
	  line_too_long },
	{ "what is no HTTP",
	  { .url = URL },
	  { { .text = "220 mail\r\n" } },
	  1,
	  FAILS("Received HTTP/0.9 when not allowed (it speaks TLS: should it be https://?)") },
	{ "nobody there", { .url = "http://127.0.0.1:SHUT/", .retries = 1 }, { { .text = OK } }, 0, NULL },
	{ "the query is not shown",
	  { .url = URL "?token=s3cret" },
	  { { .text = STATUS("403") } },
	  1,
	  FAILS("the server answers 403") },
	{ "nor a user, who is not sent either",
	  { .url = "http://u:s3cret@127.0.0.1:PORT/a/b", .retries = 3 },
	  { { .text = OK } },
	  0,
	  NULL },
	{ "another protocol",
	  { .url = "file:///etc/passwd", .retries = 3 },
	  { { .text = OK } },
	  0,
	  "prod r-1 what is no URL: no URL of HTTP\n" },
	{ "no URL", { .url = "127.0.0.1:PORT" }, { { .text = OK } }, 0, "prod r-1 what is no URL: no URL of HTTP\n" },
	{ "a second line in a header",
	  { .url = URL, .headers = "{\"X-A\": \"s3cret\\r\\nX-B: c\"}", .retries = 3 },
	  { { .text = OK } },
	  0,
	  FAILS("a header that cannot be sent") },
	{ "in the name of one",
	  { .url = URL, .headers = "{\"X-A\\r\\nX-B\": \"c\"}" },
	  { { .text = OK } },
	  0,
	  FAILS("a header that cannot be sent") },
	{ "the end of a text in one",
	  { .url = URL, .headers = "{\"X-A\": \"b\\u0000c\"}" },
	  { { .text = OK } },
	  0,
	  FAILS("a header that cannot be sent") },
	{ "a header that frames the message",
	  { .url = URL, .headers = "{\"content-length\": \"5\"}" },
	  { { .text = OK } },
	  0,
	  FAILS("a header that is not for rules to set") },
	{ "another host",
	  { .url = URL, .headers = "{\"Host\": \"other.example.com\"}" },
	  { { .text = OK } },
	  0,
	  FAILS("a header that is not for rules to set") },
	{ "a proxy of another kind",
	  { .url = URL, .proxies = "{\"http\": \"socks5://127.0.0.1:PORT\"}" },
	  { { .text = OK } },
	  0,
	  FAILS("its proxy does not speak HTTP") },
	{ "the end of a line in a proxy",
	  { .url = URL, .proxies = "{\"http\": \"http://127.0.0.1:PORT\\nX: y\"}" },
	  { { .text = OK } },
	  0,
	  FAILS("its proxy does not speak HTTP") },
	{ "its other half",
	  { .url = URL, .proxies = "{\"http\": \"http://127.0.0.1:PORT\\rX: y\"}" },
	  { { .text = OK } },
	  0,
	  FAILS("its proxy does not speak HTTP") },
	{ "the end of a text in a proxy",
	  { .url = URL, .proxies = "{\"http\": \"http://127.0.0.1:PORT\\u0000\"}" },
	  { { .text = OK } },
	  0,
	  FAILS("its proxy does not speak HTTP") },
	{ "a proxy that is none: its password is not shown",
	  { .url = URL, .proxies = "{\"http\": \"http://u:s3cret@:x\"}" },
	  { { .text = OK } },
	  0,
	  NULL },
	{ "nobody at the proxy",
	  { .url = "http://hooks.invalid/a", .proxies = "{\"http\": \"127.0.0.1:SHUT\"}" },
	  { { .text = OK } },
	  0,
	  nobody_at_the_proxy },
	{ "a proxy that wants somebody else",
	  { .url = "https://hooks.invalid/a", .proxies = "{\"https\": \"http://u:s3cret@127.0.0.1:PORT\"}" },
	  { { .text = STATUS("407") } },
	  1,
	  "prod r-1 https://hooks.invalid/a: the proxy answers 407 (it wants a user and a password, or others)\n" },
};

static size_t answers_of(const struct call_case *c)
{
	size_t n = 1;

	while (n < ANSWERS_MAX && c->answers[n].text)
		n++;
	return n;
}

static void test_one_call(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct call_case *c = &cases[i];
		bool fails = !c->failures || *c->failures;
		struct bench b = { 0 };

		start(&b, c->answers, answers_of(c));
		must_add(&b, &c->asked);
		assert_int_equal(calls_counters(b.calls)->waiting, 1);
		run(&b, 1);
		assert_int_equal(calls_counters(b.calls)->failed, fails ? 1 : 0);
		assert_int_equal(calls_counters(b.calls)->waiting + calls_counters(b.calls)->running, 0);
		if (b.server.n_requests != c->requests)
			fail_msg("%s: %zu requests", c->name, b.server.n_requests);
		if (c->failures)
			expect_failures(&b, c->name, failures_of(c->failures));
		assert_true(str_find(buf_str(&b.failures), STR("s3cret")) < 0);
		stop(&b);
	}
}

static bool has(const struct bench *b, size_t request, const char *text)
{
	assert_true(request < b->server.n_requests);
	return strstr(b->server.requests[request], text) != NULL;
}

static void test_what_is_sent(void **state)
{
	static const struct web_answer answers[] = {
		{ .text = "HTTP/1.1 503 x\r\nSet-Cookie: a=b\r\nContent-Length: 0\r\n\r\n" },
		{ .text = OK },
	};
	struct bench b = { 0 };

	(void)state;
	start(&b, answers, 2);
	must_add(&b,
		 &(struct asked){ .url = URL "/../c?q=%20x",
				  .retries = 1,
				  .headers = "{\"X-Token\": \"t: u \", \"X-Empty\": \"\", \"X-Blank\": \" \\t\"}" });
	run(&b, 1);
	for (size_t i = 0; i < 2; i++) {
		assert_true(has(&b, i, "GET /a/b/../c?q=%20x HTTP/1.1\r\n"));
		assert_true(has(&b, i, "\r\nUser-Agent: driftd/"));
		assert_true(has(&b, i, "\r\nX-Token: t: u\r\n"));
		assert_true(has(&b, i, "\r\nX-Empty:\r\n"));
		assert_true(has(&b, i, "\r\nX-Blank:\r\n"));
		assert_false(has(&b, i, "Cookie"));
		assert_false(has(&b, i, "Authorization"));
	}
	stop(&b);
}

/* That of the call and of the URL's scheme, and no other. */
static void test_proxies(void **state)
{
	static const struct web_answer answers[] = { { .text = OK } };
	struct bench b = { 0 };

	(void)state;
	setenv("http_proxy", "http://127.0.0.1:1", 1);
	setenv("all_proxy", "http://127.0.0.1:1", 1);
	setenv("no_proxy", "hooks.invalid", 1);
	start(&b, answers, 1);
	must_add(&b, &(struct asked){ .url = URL, .proxies = "{\"https\": \"http://127.0.0.1:SHUT\"}" });
	run(&b, 1);
	must_add(&b, &(struct asked){ .url = "http://hooks.invalid/a", .proxies = "{\"http\": \"127.0.0.1:PORT\"}" });
	run(&b, 2);
	expect_failures(&b, "proxies", "");
	assert_true(has(&b, 0, "GET /a/b HTTP/1.1\r\n"));
	assert_true(has(&b, 1, "GET http://hooks.invalid/a HTTP/1.1\r\n"));
	stop(&b);
	unsetenv("http_proxy");
	unsetenv("all_proxy");
	unsetenv("no_proxy");
}

static void test_a_certificate_of_nobody(void **state)
{
	static const struct web_answer answers[] = { { .text = OK } };
	struct bench b = { .server.tls = bench_tls_new() };

	(void)state;
	start(&b, answers, 1);
	must_add(&b, &(struct asked){ .url = "https://127.0.0.1:PORT/a", .headers = "{\"X-Token\": \"s3cret\"}" });
	run(&b, 1);
	assert_int_equal(b.server.n_requests, 0);
	assert_true(str_find(buf_str(&b.failures), STR("certificate")) >= 0);
	SSL_CTX_free(b.server.tls);
	stop(&b);
}

static void test_a_long_call(void **state)
{
	CLEANUP(buf_done) struct buf headers = BUF_INIT(1u << 20);
	struct bench b = { 0 };

	(void)state;
	start(&b, NULL, 0);
	buf_add_cstr(&headers, "{\"X-A\": \"");
	buf_fill(&headers, 'a', CALL_BYTES_MAX);
	buf_add_cstr(&headers, "\"}");
	buf_add_byte(&headers, '\0');
	assert_int_equal(add(&b, &(struct asked){ .url = URL, .headers = headers.p }), -E2BIG);
	assert_int_equal(calls_counters(b.calls)->dropped, 1);
	assert_int_equal(calls_counters(b.calls)->waiting, 0);
	stop(&b);
}

static void test_a_long_head(void **state)
{
	static const struct web_answer answers[] = { { .text = OK } };
	struct bench b = { .options.head_bytes_max = sizeof(OK) - 2 };

	(void)state;
	start(&b, answers, 1);
	must_add(&b, &(struct asked){ .url = URL, .retries = 3 });
	run(&b, 1);
	expect_failures(&b, "a long head", FAILS("the head of the answer is too long"));
	assert_int_equal(b.server.n_requests, 1);
	stop(&b);
}

/* ---- time ---- */

static uint64_t gap_ms(const struct bench *b, size_t i)
{
	return (b->server.at_ns[i + 1] - b->server.at_ns[i]) / 1000000;
}

static void test_pauses(void **state)
{
	static const struct web_answer answers[] = { { .text = STATUS("503") } };
	struct bench b = { 0 };

	(void)state;
	start(&b, answers, 1);
	must_add(&b, &(struct asked){ .url = URL, .retries = 3, .backoff = 0.1 });
	run(&b, 1);
	assert_int_equal(b.server.n_requests, 4);
	assert_in_range(gap_ms(&b, 0), 0, 150);
	assert_in_range(gap_ms(&b, 1), 195, 390);
	assert_in_range(gap_ms(&b, 2), 395, 2000);
	stop(&b);
}

static void test_pauses_are_bounded(void **state)
{
	static const struct web_answer answers[] = { { .text = STATUS("503") } };
	struct bench b = { .options.pause_max_ms = 50 };

	(void)state;
	start(&b, answers, 1);
	must_add(&b, &(struct asked){ .url = URL, .retries = INSP_RETRIES_MAX, .backoff = INSP_TIMEOUT_MAX });
	run(&b, 1);
	assert_int_equal(b.server.n_requests, INSP_RETRIES_MAX + 1);
	stop(&b);
}

static void test_the_whole_is_bounded(void **state)
{
	static const struct web_answer refusal[] = { { .text = STATUS("503") } }, nothing[] = { { .text = NULL } };
	struct bench b = { .options.total_max_ms = 300 }, c = { .options.total_max_ms = 300 };

	(void)state;
	start(&b, refusal, 1);
	must_add(&b, &(struct asked){ .url = URL, .retries = 9, .backoff = 1 });
	run(&b, 1);
	expect_failures(&b, "pauses",
			FAILS("the server answers 503; there is no time for another try (tried 2 times)"));
	stop(&b);

	start(&c, nothing, 1);
	must_add(&c, &(struct asked){ .url = URL, .retries = 9, .timeout = 200 });
	run(&c, 1);
	assert_int_equal(c.server.n_requests, 1);
	assert_true(str_find(buf_str(&c.failures), STR("timed out")) >= 0);
	stop(&c);
}

static void test_a_turn_that_does_not_come(void **state)
{
	static const struct web_answer nothing[] = { { .text = NULL } };
	struct bench b = { .options.total_max_ms = 200, .options.running_max = 1 };

	(void)state;
	start(&b, nothing, 1);
	must_add(&b, &(struct asked){ .url = URL, .timeout = 100 });
	must_add(&b, &(struct asked){ .url = "http://127.0.0.1:PORT/late" });
	run(&b, 2);
	assert_int_equal(b.server.n_requests, 1);
	assert_true(str_find(buf_str(&b.failures), STR("/late: it has waited too long for its turn")) >= 0);
	stop(&b);
}

/* ---- many ---- */

static void test_so_many_at_once(void **state)
{
	static const struct web_answer nothing[] = { { .text = NULL } };
	struct bench b = { .options.running_max = 2, .options.waiting_max = 5 };

	(void)state;
	start(&b, nothing, 1);
	for (size_t i = 0; i < 5; i++)
		must_add(&b, &(struct asked){ .url = URL, .timeout = 100 });
	assert_int_equal(add(&b, &(struct asked){ .url = URL }), -EBUSY);
	assert_int_equal(calls_counters(b.calls)->waiting, 5);
	run_for(&b, 200);
	assert_int_equal(calls_counters(b.calls)->running, 2);
	assert_int_equal(calls_counters(b.calls)->waiting, 3);
	assert_int_equal(b.server.n_requests, 2);
	must_add(&b, &(struct asked){ .url = URL });
	must_add(&b, &(struct asked){ .url = URL });
	assert_int_equal(add(&b, &(struct asked){ .url = URL }), -EBUSY);
	assert_int_equal(calls_counters(b.calls)->dropped, 2);
	assert_int_equal(calls_counters(b.calls)->made, 0);
	stop(&b); /* while some run, and some wait */
	assert_true(b.closed);
}

static void test_all_get_their_turn(void **state)
{
	static const struct web_answer answers[] = { { .text = STATUS("500") }, { .text = OK } };
	struct bench b = { .options.running_max = 3 };

	(void)state;
	start(&b, answers, 2);
	for (size_t i = 0; i < 40; i++)
		must_add(&b, &(struct asked){ .url = URL, .retries = 1 });
	run(&b, 40);
	assert_int_equal(calls_counters(b.calls)->failed, 0);
	assert_int_equal(b.server.n_requests, 41);
	stop(&b);
}

/* Waiting for another try counts as waiting, and does not keep others. */
static void test_pauses_block_nobody(void **state)
{
	static const struct web_answer answers[] = { { .text = STATUS("500") },
						     { .text = STATUS("500") },
						     { .text = OK } };
	struct bench b = { .options.running_max = 1 };

	(void)state;
	start(&b, answers, 3);
	must_add(&b, &(struct asked){ .url = URL, .retries = 2, .backoff = 100 });
	must_add(&b, &(struct asked){ .url = URL });
	run(&b, 1);
	assert_int_equal(b.server.n_requests, 3);
	assert_int_equal(calls_counters(b.calls)->waiting, 1);
	stop(&b); /* in the pause */
}

/* Those whose pauses end in the same millisecond go on in the order in which they began to wait. */
static void test_pauses_keep_the_order(void **state)
{
	struct bench b = { .options = { .running_max = 1, .pause_max_ms = 50 } };
	str rest, line;

	(void)state;
	start(&b, NULL, 0);
	for (int i = 0; i < 40; i++) {
		char url[64];

		(void)snprintf(url, sizeof(url), "http://127.0.0.1:SHUT/%d.", i);
		must_add(&b, &(struct asked){ .url = url, .retries = 2, .backoff = 100 });
	}
	run(&b, 40);
	rest = buf_str(&b.failures);
	for (int i = 0; i < 40; i++) {
		char path[16];

		(void)snprintf(path, sizeof(path), "/%d.", i);
		assert_true(str_next_part(&rest, '\n', &line));
		if (str_find(line, str_from(path)) < 0)
			fail_msg("%d: %.*s", i, STR_ARG(line));
	}
	stop(&b);
}

static void test_closing_at_a_failure(void **state)
{
	static const struct web_answer answers[] = { { .text = STATUS("404") } };
	struct bench b = { .close_at_failure = true, .options.running_max = 2 }, c = { .close_at_failure = true };

	(void)state;
	start(&b, answers, 1);
	for (size_t i = 0; i < 5; i++)
		must_add(&b, &(struct asked){ .url = URL });
	run(&b, 5);
	assert_null(b.calls);
	expect_failures(&b, "closing", FAILS("the server answers 404"));
	stop(&b);

	start(&c, answers, 1);
	for (size_t i = 0; i < 3; i++)
		must_add(&c, &(struct asked){ .url = "ftp://x/" }); /* refused before it runs */
	run(&c, 3);
	assert_null(c.calls);
	stop(&c);
}

static void test_closing_at_once(void **state)
{
	static const struct web_answer answers[] = { { .text = OK } };
	struct bench b = { 0 }, c = { 0 };

	(void)state;
	start(&b, answers, 1);
	stop(&b);
	start(&c, answers, 1);
	must_add(&c, &(struct asked){ .url = URL });
	stop(&c);
	assert_int_equal(c.server.n_requests, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_call),
		cmocka_unit_test(test_what_is_sent),
		cmocka_unit_test(test_proxies),
		cmocka_unit_test(test_a_certificate_of_nobody),
		cmocka_unit_test(test_a_long_call),
		cmocka_unit_test(test_a_long_head),
		cmocka_unit_test(test_pauses),
		cmocka_unit_test(test_pauses_are_bounded),
		cmocka_unit_test(test_the_whole_is_bounded),
		cmocka_unit_test(test_a_turn_that_does_not_come),
		cmocka_unit_test(test_so_many_at_once),
		cmocka_unit_test(test_all_get_their_turn),
		cmocka_unit_test(test_pauses_block_nobody),
		cmocka_unit_test(test_pauses_keep_the_order),
		cmocka_unit_test(test_closing_at_a_failure),
		cmocka_unit_test(test_closing_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
