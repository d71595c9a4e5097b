/* What a server writes, against a client's two requests, a list and a watch, on connections of their own: each ends,
 * and what its owner is told has a reason or is what came.
 *
 * The first byte of the input says whether HTTP/2 is spoken (even) or HTTP/1.1; the rest is what the server sends on
 * each connection, whatever it is asked, before it ends it. No TLS: with it the same bytes would come in records. */
#include "kubeclient/kc_http.h"
#include "support/kubeconfig_text.h"

#include <curl/curl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
CURLcode __real_curl_easy_setopt(CURL *easy, CURLoption option, ...);
CURLcode __wrap_curl_easy_setopt(CURL *easy, CURLoption option, ...);

#define CONNECTIONS_MAX 16
#define ANSWER_BYTES_MAX ((size_t)8 << 20)

struct connection {
	uv_tcp_t tcp;
	uv_write_t write;
	uv_shutdown_t shutdown;
	char in[4096];
};

static struct {
	uv_loop_t loop;
	uv_tcp_t listener;
	struct kubeconfig *config;
	struct kube_target target;
	struct kc_http http;
	str answer;
	bool h2, ready;
	unsigned n_connections, n_over;
	size_t n_bytes;
} world;

static void check(bool ok)
{
	if (!ok)
		abort();
}

/* Without TLS nobody agrees on HTTP/2: it is spoken as if it had been. */
CURLcode __wrap_curl_easy_setopt(CURL *easy, CURLoption option, ...)
{
	va_list ap;
	void *argument;

	va_start(ap, option);
	argument = va_arg(ap, void *);
	va_end(ap);
	if (option == CURLOPT_HTTP_VERSION && world.h2)
		return __real_curl_easy_setopt(easy, option, (long)CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE);
	return __real_curl_easy_setopt(easy, option, argument);
}

/* ---- the server ---- */

static void on_gone(uv_handle_t *h)
{
	free(h->data);
}

static void on_room(uv_handle_t *h, size_t hint, uv_buf_t *ret)
{
	struct connection *c = h->data;

	(void)hint;
	*ret = uv_buf_init(c->in, sizeof(c->in));
}

static void on_read(uv_stream_t *s, ssize_t n, const uv_buf_t *bytes)
{
	(void)bytes;
	if (n < 0 && !uv_is_closing((uv_handle_t *)s))
		uv_close((uv_handle_t *)s, on_gone);
}

static void on_shut(uv_shutdown_t *r, int status)
{
	(void)r;
	(void)status;
}

static void on_written(uv_write_t *w, int status)
{
	struct connection *c = w->data;

	if (status == 0 && !uv_is_closing((uv_handle_t *)&c->tcp))
		(void)uv_shutdown(&c->shutdown, (uv_stream_t *)&c->tcp, on_shut);
}

static void on_connection(uv_stream_t *listener, int status)
{
	struct connection *c = calloc(1, sizeof(*c));
	uv_buf_t bytes = uv_buf_init((char *)world.answer.p, (unsigned)world.answer.n);

	check(c && status == 0 && ++world.n_connections <= CONNECTIONS_MAX);
	c->tcp.data = c->write.data = c;
	check(uv_tcp_init(&world.loop, &c->tcp) == 0 && uv_accept(listener, (uv_stream_t *)&c->tcp) == 0);
	check(uv_read_start((uv_stream_t *)&c->tcp, on_room, on_read) == 0);
	check(uv_write(&c->write, (uv_stream_t *)&c->tcp, &bytes, 1, on_written) == 0);
}

static void set_up(void)
{
	struct sockaddr_in at;
	int n = sizeof(at);
	char text[512];
	struct err err;

	check(uv_loop_init(&world.loop) == 0 && uv_tcp_init(&world.loop, &world.listener) == 0);
	check(uv_ip4_addr("127.0.0.1", 0, &at) == 0);
	check(uv_tcp_bind(&world.listener, (const struct sockaddr *)&at, 0) == 0);
	check(uv_listen((uv_stream_t *)&world.listener, 16, on_connection) == 0);
	check(uv_tcp_getsockname(&world.listener, (struct sockaddr *)&at, &n) == 0);
	uv_unref((uv_handle_t *)&world.listener);
	(void)snprintf(
		text, sizeof(text),
		"clusters: [{name: c, cluster: {server: \"http://127.0.0.1:%d\"}}]\nusers: [{name: u, user: {}}]\n"
		"contexts: [{name: x, context: {cluster: c, user: u}}]\ncurrent-context: x\n",
		ntohs(at.sin_port));
	check(kubeconfig_parse(str_from(text), "f", &world.config, &err) == 0);
	check(kubeconfig_target(world.config, NULL, &world.target, &err) == 0);
	world.ready = true;
}

/* ---- the client ---- */

static int on_bytes(void *ctx, const char *p, size_t n, struct err *err)
{
	(void)ctx;
	check(p && n > 0);
	world.n_bytes += n;
	return world.n_bytes <= ANSWER_BYTES_MAX ? 0 : err_set(err, E2BIG, "too long");
}

static void on_closed(void *ctx)
{
	(void)ctx;
}

static void on_over(void *ctx, const struct kc_result *result)
{
	(void)ctx;
	check(result->err.code ? *result->err.msg != '\0' : result->status >= 200 && result->status < 300);
	if (++world.n_over == 2)
		kc_http_close(&world.http, on_closed);
}

static void ask(enum kc_verb verb, const char *path)
{
	static const struct kc_req_ops ops = { .write = on_bytes, .done = on_over };
	const struct kc_ask ask = { .verb = verb, .path = path, .fresh = true, .lists = verb == KC_LIST };
	struct kc_req *req;
	struct err err;

	check(kc_http_ask(&world.http, &ask, &ops, NULL, &req, &err) == 0);
}

static void on_notice(void *ctx, enum kc_notice_kind kind, const char *message)
{
	(void)ctx;
	(void)kind;
	check(*message);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct kc_tuning tuning;
	struct err err;

	tuning = KC_TUNING_DEFAULT;
	if (size < 2)
		return 0;
	if (!world.ready)
		set_up();
	world.h2 = *data % 2 == 0;
	world.answer = (str){ (const char *)data + 1, size - 1 };
	world.n_over = world.n_connections = 0;
	world.n_bytes = 0;
	check(kc_http_init(&world.http, &world.loop, NULL, &world.target, &tuning, &err) == 0);
	world.http.notice = on_notice;
	ask(KC_LIST, "/api/v1/pods");
	ask(KC_WATCH, "/api/v1/pods?watch=true");
	check(uv_run(&world.loop, UV_RUN_DEFAULT) == 0);
	check(world.n_over == 2);
	return 0;
}
