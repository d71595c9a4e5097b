/* What a transfer gets that asks for nothing, and what each option gives it: by what a server on the loopback interface
 * sees, by what is refused, and, where nothing can be seen, by what libcurl is told. "%u" in a URL or a text stands for
 * the server's port. */
#include "kubeclient/kc_transfer.h"

#include "support/web_server.h"

#include <errno.h>
#include <unistd.h>

#define OK "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
#define EMPTY(status) "HTTP/1.1 " status " x\r\nContent-Length: 0\r\n\r\n"
#define TO(url) "HTTP/1.1 302 x\r\nContent-Length: 0\r\nLocation: " url "\r\n\r\n"
#define URL "http://127.0.0.1:%u/a"
#define TLS_URL "https://127.0.0.1:%u/a"
#define ANSWERS_MAX 4

CURLcode __real_curl_easy_setopt(CURL *easy, CURLoption option, ...);
CURLcode __wrap_curl_easy_setopt(CURL *easy, CURLoption option, ...);

/* ---- what libcurl is told ---- */

static struct {
	CURLoption option;
	uintptr_t value;
} reported[256];
static size_t n_reported;

CURLcode __wrap_curl_easy_setopt(CURL *easy, CURLoption option, ...)
{
	va_list ap;
	void *argument;

	va_start(ap, option);
	argument = va_arg(ap, void *);
	va_end(ap);
	assert_true(n_reported < ARRAY_LEN(reported));
	reported[n_reported].option = option;
	reported[n_reported++].value = (uintptr_t)argument;
	return __real_curl_easy_setopt(easy, option, argument);
}

/* False: nothing; *ret is what it was told last. */
static bool is_reported(CURLoption option, uintptr_t *ret)
{
	for (size_t i = n_reported; i > 0; i--) {
		if (reported[i - 1].option == option) {
			*ret = reported[i - 1].value;
			return true;
		}
	}
	return false;
}

/* ---- a transfer ---- */

struct bench {
	uv_loop_t uv;
	uv_timer_t guard;
	struct kc_loop loop;
	struct web_server server;
	struct kc_transfer transfer;
	struct buf body;
	size_t body_max; /* that the reader takes; 0: any */
	int status, code;
	char why[KC_WHY_MAX];
	bool done, closed;
};

static void on_guard(uv_timer_t *timer)
{
	(void)timer;
	fail_msg("the test hangs");
}

static void on_turn(void *ctx)
{
	(void)ctx;
}

static void on_closed(void *ctx)
{
	struct bench *b = ctx;

	b->closed = true;
}

static void on_done(void *ctx, CURL *easy, CURLcode code)
{
	struct bench *b = ctx;
	struct bench *private = NULL;

	assert_int_equal(curl_easy_getinfo(easy, CURLINFO_PRIVATE, &private), CURLE_OK);
	assert_ptr_equal(private, b);
	b->status = (int)kc_transfer_status(&b->transfer);
	if (code != CURLE_OK)
		b->code = kc_transfer_why(&b->transfer, code, b->why);
	b->done = true;
	uv_stop(&b->uv); /* it would wait for the next event */
}

static bool on_body(void *ctx, char *p, size_t n)
{
	struct bench *b = ctx;

	kc_loop_useful(&b->loop);
	buf_add(&b->body, p, n);
	return !b->body_max || b->body.n <= b->body_max;
}

static const struct kc_transfer_ops ops = { .body = on_body };

static void begin(struct bench *b, SSL_CTX *tls, const struct web_answer *answers, size_t n)
{
	struct err err;

	*b = (struct bench){ .body = BUF_INIT(8u << 20), .server = { .tls = tls, .answers = answers, .n_answers = n } };
	assert_int_equal(uv_loop_init(&b->uv), 0);
	web_server_start(&b->server, &b->uv);
	assert_int_equal(uv_timer_init(&b->uv, &b->guard), 0);
	assert_int_equal(uv_timer_start(&b->guard, on_guard, 60000, 0), 0);
	uv_unref((uv_handle_t *)&b->guard);
	assert_int_equal(kc_loop_init(&b->loop, &b->uv, NULL, on_turn, on_done, b, &err), 0);
}

static void end(struct bench *b)
{
	kc_loop_close(&b->loop, on_closed);
	web_server_stop(&b->server);
	uv_close((uv_handle_t *)&b->guard, NULL);
	(void)uv_run(&b->uv, UV_RUN_DEFAULT);
	assert_true(b->closed);
	assert_int_equal(uv_loop_close(&b->uv), 0);
	web_server_done(&b->server);
	buf_done(&b->body);
}

/* With the server's port in @o's URL and proxy. */
static void start(struct bench *b, const struct kc_transfer_options *o)
{
	struct kc_transfer_options mine = *o;
	char url[256], proxy[256];
	struct err err;

	(void)snprintf(url, sizeof(url), o->url, b->server.port);
	mine.url = url;
	if (o->proxy) {
		(void)snprintf(proxy, sizeof(proxy), o->proxy, b->server.port);
		mine.proxy = proxy;
	}
	mine.ops = &ops;
	mine.ctx = b;
	n_reported = 0;
	assert_int_equal(kc_transfer_begin(&b->transfer, &mine, &b->loop, &err), 0);
}

static void run(struct bench *b, const struct kc_transfer_options *o)
{
	start(b, o);
	while (!b->done)
		(void)uv_run(&b->uv, UV_RUN_ONCE);
	kc_transfer_end(&b->transfer);
}

/* ---- over plain HTTP ---- */

#define LINE_TOO_LONG (-1) /* ENOMEM or EIO: libcurl tells it from a lack of memory since 8.6 */

static const struct plain_case {
	const char *name;
	struct kc_transfer_options options;
	struct web_answer answers[ANSWERS_MAX];
	int status; /* 0: it fails, */
	int code;
	const char *why;  /* part of the reason */
	size_t requests;  /* that the server gets */
	const char *sent; /* part of the last; NULL: not looked at */
	size_t body_max;
} plain_cases[] = {
	{ .name = "nothing is asked for: no plain HTTP",
	  .options = { .url = URL },
	  .answers = { { .text = OK } },
	  .code = EIO,
	  .why = "http",
	  .requests = 0 },
	{ .name = "plain HTTP",
	  .options = { .url = URL, .plain = true },
	  .answers = { { .text = OK } },
	  .status = 200,
	  .requests = 1,
	  .sent = "GET /a HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nUser-Agent: " KC_USER_AGENT "\r\nAccept: */*\r\n\r\n" },
	{ .name = "no files",
	  .options = { .url = "file:///etc/hostname", .plain = true },
	  .answers = { { .text = OK } },
	  .code = EIO,
	  .why = "file",
	  .requests = 0 },
	{ .name = "no FTP",
	  .options = { .url = "ftp://127.0.0.1:%u/", .plain = true },
	  .answers = { { .text = OK } },
	  .code = EIO,
	  .why = "ftp",
	  .requests = 0 },
	{ .name = "no gopher",
	  .options = { .url = "gopher://127.0.0.1:%u/", .plain = true },
	  .answers = { { .text = OK } },
	  .code = EIO,
	  .why = "gopher",
	  .requests = 0 },
	{ .name = "no redirect",
	  .options = { .url = URL, .plain = true },
	  .answers = { { .text = TO("/b") }, { .text = OK } },
	  .status = 302,
	  .requests = 1,
	  .sent = "GET /a " },
	{ .name = "a redirect",
	  .options = { .url = URL, .plain = true, .redirects = 1 },
	  .answers = { { .text = TO("/b") }, { .text = OK } },
	  .status = 200,
	  .requests = 2,
	  .sent = "GET /b " },
	{ .name = "and no more than are allowed",
	  .options = { .url = URL, .plain = true, .redirects = 2 },
	  .answers = { { .text = TO("/b") } },
	  .code = EIO,
	  .why = "redirects",
	  .requests = 3 },
	{ .name = "no redirect to a file",
	  .options = { .url = URL, .plain = true, .redirects = 9 },
	  .answers = { { .text = TO("file:///etc/hostname") }, { .text = OK } },
	  .code = EIO,
	  .why = "file",
	  .requests = 1 },
	{ .name = "no redirect to FTP",
	  .options = { .url = URL, .plain = true, .redirects = 9 },
	  .answers = { { .text = TO("ftp://127.0.0.1:1/") }, { .text = OK } },
	  .code = EIO,
	  .why = "ftp",
	  .requests = 1 },
	{ .name = "no user in a URL",
	  .options = { .url = "http://u:pass@127.0.0.1:%u/", .plain = true },
	  .answers = { { .text = OK } },
	  .code = EIO,
	  .why = "" /* versions of libcurl say it in words of their own */,
	  .requests = 0 },
	{ .name = "a user in a URL",
	  .options = { .url = "http://u:pass@127.0.0.1:%u/", .plain = true, .with_user = true },
	  .answers = { { .text = OK } },
	  .status = 200,
	  .requests = 1,
	  .sent = "Authorization: Basic dTpwYXNz\r\n" },
	{ .name = "a path as it is",
	  .options = { .url = "http://127.0.0.1:%u/a/../b/./c", .plain = true },
	  .answers = { { .text = OK } },
	  .status = 200,
	  .requests = 1,
	  .sent = "GET /a/../b/./c " },
	{ .name = "a tidy path",
	  .options = { .url = "http://127.0.0.1:%u/a/../b/./c", .plain = true, .tidy = true },
	  .answers = { { .text = OK } },
	  .status = 200,
	  .requests = 1,
	  .sent = "GET /b/c " },
	{ .name = "a body is posted",
	  .options = { .url = URL, .plain = true, .body = { "{}", 2 } },
	  .answers = { { .text = OK } },
	  .status = 200,
	  .requests = 1,
	  .sent = "POST /a " },
	{ .name = "an empty one too",
	  .options = { .url = URL, .plain = true, .body = { "", 0 } },
	  .answers = { { .text = OK } },
	  .status = 200,
	  .requests = 1,
	  .sent = "\r\nContent-Length: 0\r\n" },
	{ .name = "another method",
	  .options = { .url = URL, .plain = true, .method = "DELETE", .body = { "", 0 } },
	  .answers = { { .text = OK } },
	  .status = 200,
	  .requests = 1,
	  .sent = "DELETE /a " },
	{ .name = "packed",
	  .options = { .url = URL, .plain = true, .packed = true },
	  .answers = { { .text = OK } },
	  .status = 200,
	  .requests = 1,
	  .sent = "\r\nAccept-Encoding: gzip\r\n" },
	{ .name = "a proxy",
	  .options = { .url = "http://web.invalid/a", .plain = true, .proxy = "http://127.0.0.1:%u" },
	  .answers = { { .text = OK } },
	  .status = 200,
	  .requests = 1,
	  .sent = "GET http://web.invalid/a " },
	{ .name = "a proxy that refuses, which is not named",
	  .options = { .url = "https://web.invalid/a", .proxy = "http://127.0.0.1:%u" },
	  .answers = { { .text = EMPTY("403") } },
	  .code = ECONNREFUSED,
	  .why = "the proxy answers 403",
	  .requests = 1,
	  .sent = "CONNECT web.invalid:443 " },
	{ .name = "one that wants a password, and is named",
	  .options = { .url = "https://web.invalid/a", .proxy = "http://127.0.0.1:%u", .proxy_shown = "http://p" },
	  .answers = { { .text = EMPTY("407") } },
	  .code = ECONNREFUSED,
	  .why = "the proxy http://p answers 407 (it wants a user and a password, or others)",
	  .requests = 1 },
	{ .name = "no answer in time",
	  .options = { .url = URL, .plain = true, .timeout_ms = 200 },
	  .answers = { { .text = NULL } },
	  .code = ETIMEDOUT,
	  .why = "timed out",
	  .requests = 1 },
	{ .name = "a body that does not end in time",
	  .options = { .url = URL, .plain = true, .timeout_ms = 200 },
	  .answers = { { .text = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", .hold = true } },
	  .code = ETIMEDOUT,
	  .why = "timed out",
	  .requests = 1 },
	{ .name = "a line of the head without end",
	  .options = { .url = URL, .plain = true },
	  .answers = { { .text = "HTTP/1.1 200 OK\r\nA: ", .more = 200000, .hold = true } },
	  .code = LINE_TOO_LONG,
	  .why = "the head of the answer is too long",
	  .requests = 1 },
	{ .name = "a head that is longer than asked for",
	  .options = { .url = URL, .plain = true, .head_bytes_max = 37 },
	  .answers = { { .text = OK } },
	  .code = EIO,
	  .why = "the head of the answer is too long",
	  .requests = 1 },
	{ .name = "and one that is not",
	  .options = { .url = URL, .plain = true, .head_bytes_max = 38 },
	  .answers = { { .text = OK } },
	  .status = 200,
	  .requests = 1 },
	{ .name = "a body that its reader does not take",
	  .options = { .url = URL, .plain = true },
	  .answers = { { .text = "HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n",
			 .more = 4u << 20,
			 .hold = true } },
	  .code = EIO,
	  .why = "",
	  .requests = 1,
	  .body_max = 1000 },
	{ .name = "TLS where it is not",
	  .options = { .url = URL, .plain = true },
	  .answers = { { .text = "\x15\x03\x01\x02\x02" } },
	  .code = EIO,
	  .why = "(it speaks TLS: should it be https://?)",
	  .requests = 1 },
};

static void expect(const struct bench *b, const char *name, int code, int status, const char *why)
{
	if (code == LINE_TOO_LONG)
		code = curl_version_info(CURLVERSION_NOW)->version_num >= 0x080600 ? EIO : ENOMEM;
	if (b->code != code || (code == 0 && b->status != status))
		fail_msg("%s: code %d, status %d: %s", name, b->code, b->status, b->why);
	if (code && !strstr(b->why, why))
		fail_msg("%s: '%s' is not in '%s'", name, why, b->why);
}

static void expect_requests(const struct bench *b, const struct plain_case *c)
{
	char text[256];

	if (b->server.n_requests != c->requests)
		fail_msg("%s: %zu requests", c->name, b->server.n_requests);
	(void)snprintf(text, sizeof(text), c->sent ? c->sent : "", b->server.port);
	if (c->sent && !strstr(b->server.requests[c->requests - 1], text))
		fail_msg("%s: no '%s' in '%s'", c->name, text, b->server.requests[c->requests - 1]);
}

static void test_over_plain_http(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(plain_cases); i++) {
		const struct plain_case *c = &plain_cases[i];
		size_t n = 1;
		struct bench b;

		while (n < ANSWERS_MAX && c->answers[n].text)
			n++;
		begin(&b, NULL, c->answers, n);
		b.body_max = c->body_max;
		run(&b, &c->options);
		expect(&b, c->name, c->code, c->status, c->why);
		expect_requests(&b, c);
		end(&b);
	}
}

/* Without a word about it: many lines, each of which is short. */
static void test_a_head_is_bounded(void **state)
{
	CLEANUP(buf_done) struct buf head = BUF_INIT(4u << 20);
	struct web_answer answer = { .hold = true };
	struct bench b;

	(void)state;
	buf_add_cstr(&head, "HTTP/1.1 200 OK\r\n");
	while (head.n < (size_t)257 << 10)
		buf_add_cstr(&head, "A: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n");
	answer.text = head.p;
	begin(&b, NULL, &answer, 1);
	run(&b, &(struct kc_transfer_options){ .url = URL, .plain = true });
	expect(&b, "a long head", EIO, 0, "the head of the answer is too long");
	end(&b);
}

/* ---- what the environment and the account say ---- */

static const char *const variables[] = { "http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY",
					 "all_proxy",  "ALL_PROXY",  "no_proxy",    "NO_PROXY" };

static void forget_environment(void)
{
	for (size_t i = 0; i < ARRAY_LEN(variables); i++)
		(void)unsetenv(variables[i]);
}

static void test_the_environment_has_no_say(void **state)
{
	static const struct web_answer answers[] = { { .text = OK } };
	char home[] = "/tmp/kc-transfer-XXXXXX", path[64];
	struct bench b;
	FILE *f;

	(void)state;
	assert_non_null(mkdtemp(home));
	(void)snprintf(path, sizeof(path), "%s/.netrc", home);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_true(fputs("machine 127.0.0.1 login u password s3cret\n", f) >= 0);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(setenv("HOME", home, 1), 0);
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(setenv(variables[i], "http://127.0.0.1:1", 1), 0);
	begin(&b, NULL, answers, 1);
	run(&b, &(struct kc_transfer_options){ .url = URL, .plain = true });
	expect(&b, "proxies of the environment", 0, 200, NULL);
	assert_null(strstr(b.server.requests[0], "Authorization"));
	end(&b);
	assert_int_equal(setenv("no_proxy", "web.invalid", 1), 0);
	begin(&b, NULL, answers, 1);
	run(&b, &(struct kc_transfer_options){
			.url = "http://web.invalid/", .plain = true, .proxy = "http://127.0.0.1:%u" });
	expect(&b, "exceptions of the environment", 0, 200, NULL);
	end(&b);
	forget_environment();
	(void)unlink(path);
	(void)rmdir(home);
}

static void test_unless_it_is_asked(void **state)
{
	static const struct web_answer answers[] = { { .text = OK } };
	struct bench b;

	(void)state;
	assert_int_equal(setenv("http_proxy", "http://127.0.0.1:1", 1), 0);
	begin(&b, NULL, answers, 1);
	run(&b, &(struct kc_transfer_options){ .url = URL, .plain = true, .proxy_of_environment = true });
	expect(&b, "the proxy of the environment", ECONNREFUSED, 0, "Connection refused");
	assert_int_equal(b.server.n_requests, 0);
	end(&b);
	forget_environment();
}

/* ---- over TLS ---- */

enum authority { SYSTEM, PEM, PEM_FILE };

static const struct tls_case {
	const char *name, *san;
	long seconds; /* that the certificate is good for */
	enum authority authority;
	bool insecure;
	int code;
	const char *why;
} tls_cases[] = {
	{ "a certificate that is vouched for", "IP:127.0.0.1", 3600, PEM, false, 0, NULL },
	{ "by a file", "IP:127.0.0.1", 3600, PEM_FILE, false, 0, NULL },
	{ "one of nobody", "IP:127.0.0.1", 3600, SYSTEM, false, EKEYREJECTED, "for 127.0.0.1, issued by /CN=bench" },
	{ "one that has expired", "IP:127.0.0.1", -3600, PEM, false, EKEYREJECTED, "expired (certificate" },
	{ "another host's", "DNS:a.example.com", 3600, PEM, false, EKEYREJECTED,
	  "for a.example.com, issued by /CN=bench" },
	{ "another address's", "IP:127.0.0.2", 3600, PEM, false, EKEYREJECTED, "for 127.0.0.2, issued by /CN=bench" },
	{ "nobody is verified", NULL, -3600, SYSTEM, true, 0, NULL },
};

static void run_tls(const struct tls_case *c)
{
	static const struct web_answer answers[] = { { .text = OK } };
	CLEANUP(buf_done) struct buf pem = BUF_INIT(1u << 16);
	SSL_CTX *tls = bench_tls_certified(c->san, c->seconds, &pem);
	char path[] = "/tmp/kc-transfer-XXXXXX";
	int fd = mkstemp(path);
	struct bench b;

	assert_true(fd >= 0 && write(fd, pem.p, pem.n) == (ssize_t)pem.n && close(fd) == 0);
	begin(&b, tls, answers, 1);
	run(&b, &(struct kc_transfer_options){ .url = TLS_URL,
					       .trust = { .ca = c->authority == PEM ? pem.p : NULL,
							  .ca_file = c->authority == PEM_FILE ? path : NULL,
							  .insecure = c->insecure } });
	expect(&b, c->name, c->code, 200, c->why);
	assert_int_equal(b.server.n_requests, c->code ? 0 : 1);
	end(&b);
	SSL_CTX_free(tls);
	(void)unlink(path);
}

static void test_over_tls(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(tls_cases); i++)
		run_tls(&tls_cases[i]);
}

/* Another transfer's connection is as good as the authorities that vouched for it. */
static void test_a_connection_is_of_its_authorities(void **state)
{
	static const struct web_answer answers[] = { { .text = OK, .hold = true } };
	CLEANUP(buf_done) struct buf pem = BUF_INIT(1u << 16), other = BUF_INIT(1u << 16);
	SSL_CTX *tls = bench_tls_certified("IP:127.0.0.1", 3600, &pem);
	SSL_CTX *other_tls = bench_tls_certified("IP:127.0.0.1", 3600, &other);
	const struct {
		const char *name, *ca;
		bool connects;
		int code;
	} cases[] = {
		{ "the first", pem.p, true, 0 },
		{ "with the same authority", pem.p, false, 0 },
		{ "with another one", other.p, true, EKEYREJECTED },
		{ "with the system's", NULL, true, EKEYREJECTED },
		{ "with the first again", pem.p, false, 0 },
		{ "with text that has none", "none", true, EKEYREJECTED },
	};
	struct bench b;

	(void)state;
	begin(&b, tls, answers, 1);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		b.done = false;
		b.code = 0;
		run(&b, &(struct kc_transfer_options){ .url = TLS_URL, .trust = { .ca = cases[i].ca } });
		expect(&b, cases[i].name, cases[i].code, 200, "");
		if (b.transfer.connects != cases[i].connects)
			fail_msg("%s: a connection: %d", cases[i].name, b.transfer.connects);
	}
	end(&b);
	SSL_CTX_free(other_tls);
	SSL_CTX_free(tls);
}

/* To another scheme no redirect leads, also when that one could have been asked for. */
static void test_a_redirect_out_of_tls(void **state)
{
	static const struct web_answer answers[] = { { .text = TO("http://127.0.0.1:1/") } };
	CLEANUP(buf_done) struct buf pem = BUF_INIT(1u << 16);
	SSL_CTX *tls = bench_tls_certified("IP:127.0.0.1", 3600, &pem);
	struct bench b;

	(void)state;
	begin(&b, tls, answers, 1);
	run(&b,
	    &(struct kc_transfer_options){ .url = TLS_URL, .plain = true, .redirects = 9, .trust = { .ca = pem.p } });
	expect(&b, "out of TLS", EIO, 0, "\"http\" ");
	end(&b);
	SSL_CTX_free(tls);
}

/* ---- what cannot be seen ---- */

#define UNTOLD UINTPTR_MAX

static const struct reported_case {
	const char *name;
	struct kc_transfer_options options;
	CURLoption option;
	uintptr_t value;
} reported_cases[] = {
	{ "no signals", { .url = TLS_URL }, CURLOPT_NOSIGNAL, 1 },
	{ "a time", { .url = TLS_URL }, CURLOPT_TIMEOUT_MS, 30000 },
	{ "for a connection too", { .url = TLS_URL }, CURLOPT_CONNECTTIMEOUT_MS, 30000 },
	{ "which may be shorter", { .url = TLS_URL, .connect_ms = 7 }, CURLOPT_CONNECTTIMEOUT_MS, 7 },
	{ "a transfer that is done while it moves", { .url = TLS_URL, .time = KC_TIME_MOVING }, CURLOPT_TIMEOUT_MS, 0 },
	{ "but not longer", { .url = TLS_URL, .time = KC_TIME_MOVING }, CURLOPT_LOW_SPEED_TIME, 60 },
	{ "slower than a byte", { .url = TLS_URL, .time = KC_TIME_MOVING }, CURLOPT_LOW_SPEED_LIMIT, 1 },
	{ "an open end", { .url = TLS_URL, .time = KC_TIME_OPEN }, CURLOPT_TIMEOUT_MS, 0 },
	{ "quiet or not", { .url = TLS_URL, .time = KC_TIME_OPEN }, CURLOPT_LOW_SPEED_LIMIT, 0 },
	{ "but its connection is made in time",
	  { .url = TLS_URL, .time = KC_TIME_OPEN },
	  CURLOPT_CONNECTTIMEOUT_MS,
	  30000 },
	{ "a dead peer is found", { .url = TLS_URL, .time = KC_TIME_OPEN }, CURLOPT_TCP_KEEPALIVE, 1 },
	{ "TLS 1.2", { .url = TLS_URL }, CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2 },
	{ "also to a proxy", { .url = TLS_URL }, CURLOPT_PROXY_SSLVERSION, CURL_SSLVERSION_TLSv1_2 },
	{ "whose certificate is verified", { .url = TLS_URL }, CURLOPT_PROXY_SSL_VERIFYPEER, 1 },
	{ "for its name", { .url = TLS_URL }, CURLOPT_PROXY_SSL_VERIFYHOST, 2 },
	{ "the system's authorities", { .url = TLS_URL }, CURLOPT_CAPATH, UNTOLD },
	{ "not beside a file", { .url = TLS_URL, .trust = { .ca_file = "/nowhere" } }, CURLOPT_CAPATH, 0 },
	{ "for proxies", { .url = TLS_URL, .trust = { .ca_file = "/nowhere" } }, CURLOPT_PROXY_CAPATH, 0 },
	{ "nor beside a text", { .url = TLS_URL, .trust = { .ca = "none" } }, CURLOPT_CAINFO, 0 },
	{ "also for proxies", { .url = TLS_URL, .trust = { .ca = "none" } }, CURLOPT_PROXY_CAINFO, 0 },
	{ "unless they shall be",
	  { .url = TLS_URL, .trust = { .ca_file = "/nowhere", .system_too = true } },
	  CURLOPT_CAPATH,
	  UNTOLD },
	{ "HTTP/2", { .url = TLS_URL }, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS },
	{ "or not", { .url = TLS_URL, .http1 = true }, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1 },
	{ "on a connection for several", { .url = TLS_URL }, CURLOPT_PIPEWAIT, 1 },
	{ "or a new one", { .url = TLS_URL, .fresh = true }, CURLOPT_PIPEWAIT, 0 },
	{ "really", { .url = TLS_URL, .fresh = true }, CURLOPT_FRESH_CONNECT, 1 },
	{ "without TLS there is none", { .url = URL, .plain = true }, CURLOPT_PIPEWAIT, 0 },
	{ "pieces", { .url = TLS_URL }, CURLOPT_BUFFERSIZE, 32768 },
	{ "larger ones", { .url = TLS_URL, .portion = 65536 }, CURLOPT_BUFFERSIZE, 65536 },
};

static void test_libcurl_options(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(reported_cases); i++) {
		const struct reported_case *c = &reported_cases[i];
		uintptr_t value = UNTOLD;
		struct bench b;

		begin(&b, NULL, NULL, 0);
		start(&b, &c->options);
		kc_loop_remove(&b.loop, b.transfer.easy);
		kc_transfer_end(&b.transfer);
		if (is_reported(c->option, &value) != (c->value != UNTOLD) || value != c->value)
			fail_msg("%s: %ju", c->name, (uintmax_t)value);
		end(&b);
	}
}

/* ---- headers ---- */

static void test_headers(void **state)
{
	static const struct {
		str name, value;
		int r;
		const char *line;
	} cases[] = {
		{ STR("A"), STR("b c"), 0, "A: b c" },     { STR("A"), STR(""), 0, "A;" },
		{ STR("A"), STR("b\tc"), 0, "A: b\tc" },   { STR("A"), STR("b\r\nC: d"), -EINVAL, NULL },
		{ STR("A\n"), STR("b"), -EINVAL, NULL },   { STR("A"), STR("b\0c"), -EINVAL, NULL },
		{ STR("A"), STR("b\x7f"), -EINVAL, NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(curl_slist_free_allp) struct curl_slist *headers = NULL;

		assert_int_equal(kc_header_add(&headers, cases[i].name, cases[i].value), cases[i].r);
		if (cases[i].line)
			assert_string_equal(headers->data, cases[i].line);
		else
			assert_null(headers);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_over_plain_http),
		cmocka_unit_test(test_a_head_is_bounded),
		cmocka_unit_test(test_the_environment_has_no_say),
		cmocka_unit_test(test_unless_it_is_asked),
		cmocka_unit_test(test_over_tls),
		cmocka_unit_test(test_a_connection_is_of_its_authorities),
		cmocka_unit_test(test_a_redirect_out_of_tls),
		cmocka_unit_test(test_libcurl_options),
		cmocka_unit_test(test_headers),
	};

	forget_environment();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
