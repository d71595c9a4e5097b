/* A web server for tests that call one: each request takes the next answer, and is written down. On the loop of the
 * test. */
#ifndef TESTS_WEB_SERVER_H
#define TESTS_WEB_SERVER_H

#include "base/buf.h"
#include "unit/kubeclient/kc_bench_tls.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <uv.h>

#include <cmocka.h>

struct web_answer {
	const char *text; /* NULL: none */
	size_t more;      /* bytes behind it */
	bool hold;        /* the connection stays open */
};

#define WEB_REQUESTS_MAX 64

struct web_server {
	uv_tcp_t tcp;
	unsigned port;
	SSL_CTX *tls;                     /* NULL: plain HTTP; set by the test, which frees it */
	const struct web_answer *answers; /* the last one is used again and again */
	size_t n_answers;
	char *requests[WEB_REQUESTS_MAX]; /* their heads */
	uint64_t at_ns[WEB_REQUESTS_MAX];
	size_t n_requests;
	struct web_conn *conns; /* open ones */
};

struct web_conn {
	uv_tcp_t tcp;
	uv_write_t write;
	struct web_server *server;
	struct web_conn *next;
	SSL *ssl;
	struct buf in;
	char chunk[4096], *out;
	bool hold;
};

static inline void web_conn_closed(uv_handle_t *h)
{
	struct web_conn *c = h->data;

	SSL_free(c->ssl);
	buf_done(&c->in);
	free(c->out);
	free(c);
}

static inline void web_conn_close(struct web_conn *c)
{
	struct web_conn **at = &c->server->conns;

	while (*at && *at != c)
		at = &(*at)->next;
	if (!*at)
		return;
	*at = c->next;
	uv_close((uv_handle_t *)&c->tcp, web_conn_closed);
}

static inline void web_on_written(uv_write_t *w, int status)
{
	struct web_conn *c = w->data;

	free(TAKE(c->out));
	if (status < 0 || !c->hold)
		web_conn_close(c);
}

static inline void web_send(struct web_conn *c, char *text, size_t n)
{
	uv_buf_t out = uv_buf_init(text, (unsigned)n);

	c->out = text;
	c->write.data = c;
	assert_int_equal(uv_write(&c->write, (uv_stream_t *)&c->tcp, &out, 1, web_on_written), 0);
}

static inline void web_answer_next(struct web_conn *c)
{
	struct web_server *s = c->server;
	const struct web_answer *a;
	size_t n;
	char *text;

	assert_true(s->n_requests < WEB_REQUESTS_MAX);
	s->requests[s->n_requests] = str_dup(buf_str(&c->in));
	s->at_ns[s->n_requests++] = uv_hrtime();
	buf_clear(&c->in);
	a = &s->answers[s->n_requests < s->n_answers ? s->n_requests - 1 : s->n_answers - 1];
	c->hold = a->hold;
	if (!a->text)
		return;
	n = strlen(a->text);
	text = malloc(n + a->more + 1);
	assert_non_null(text);
	memcpy(text, a->text, n);
	memset(text + n, 'x', a->more);
	n += a->more;
	if (c->ssl) {
		char *plain = text;

		text = bench_tls_write(c->ssl, plain, n, !a->hold, &n);
		free(plain);
	}
	web_send(c, text, n);
}

static inline void web_on_alloc(uv_handle_t *h, size_t n, uv_buf_t *ret)
{
	struct web_conn *c = h->data;

	(void)n;
	*ret = uv_buf_init(c->chunk, sizeof(c->chunk));
}

/* What the handshake has to say is sent with the answer, if there is one already. */
static inline void web_shake_hands(struct web_conn *c, size_t n)
{
	size_t n_out;
	char *out;

	bench_tls_read(c->ssl, c->chunk, n, &c->in);
	if (str_find(buf_str(&c->in), STR("\r\n\r\n")) >= 0)
		return;
	out = bench_tls_write(c->ssl, NULL, 0, false, &n_out);
	c->hold = true;
	if (n_out && !c->out)
		web_send(c, out, n_out);
	else
		free(out);
}

static inline void web_on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *ret)
{
	struct web_conn *c = stream->data;

	(void)ret;
	if (n < 0) {
		web_conn_close(c);
		return;
	}
	if (c->ssl)
		web_shake_hands(c, (size_t)n);
	else
		buf_add(&c->in, c->chunk, (size_t)n);
	if (str_find(buf_str(&c->in), STR("\r\n\r\n")) >= 0)
		web_answer_next(c);
}

static inline void web_on_connection(uv_stream_t *listener, int status)
{
	struct web_server *s = listener->data;
	struct web_conn *c = calloc(1, sizeof(*c));

	assert_int_equal(status, 0);
	assert_non_null(c);
	*c = (struct web_conn){ .server = s, .in = BUF_INIT(1u << 20), .next = s->conns };
	c->ssl = s->tls ? bench_tls_accept(s->tls) : NULL;
	assert_int_equal(uv_tcp_init(listener->loop, &c->tcp), 0);
	c->tcp.data = c;
	s->conns = c;
	assert_int_equal(uv_accept(listener, (uv_stream_t *)&c->tcp), 0);
	assert_int_equal(uv_read_start((uv_stream_t *)&c->tcp, web_on_alloc, web_on_read), 0);
}

/* On a port of 127.0.0.1 of its own. */
static inline void web_server_start(struct web_server *s, uv_loop_t *loop)
{
	struct sockaddr_in address;
	int n = sizeof(address);

	assert_int_equal(uv_ip4_addr("127.0.0.1", 0, &address), 0);
	assert_int_equal(uv_tcp_init(loop, &s->tcp), 0);
	s->tcp.data = s;
	assert_int_equal(uv_tcp_bind(&s->tcp, (struct sockaddr *)&address, 0), 0);
	assert_int_equal(uv_listen((uv_stream_t *)&s->tcp, 64, web_on_connection), 0);
	assert_int_equal(uv_tcp_getsockname(&s->tcp, (struct sockaddr *)&address, &n), 0);
	s->port = ntohs(address.sin_port);
}

/* Its handles are closed when the loop has run. */
static inline void web_server_stop(struct web_server *s)
{
	while (s->conns)
		web_conn_close(s->conns);
	uv_close((uv_handle_t *)&s->tcp, NULL);
}

static inline void web_server_done(struct web_server *s)
{
	for (size_t i = 0; i < s->n_requests; i++)
		free(s->requests[i]);
}

#endif
