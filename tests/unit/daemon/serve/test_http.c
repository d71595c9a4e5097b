/* The server on a loop, asked over a Unix socket by a client on a thread. */
#include "daemon/serve/http.h"

#include <errno.h>
#include <microhttpd.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#define PART 30000
#define PARTS 400

struct fixture {
	uv_loop_t loop;
	struct http_server *server;
	uv_async_t over;
	char folder[32], path[64];
	const char *send; /* of the client */
	struct buf got;
	size_t parts, parts_max; /* streamed: in all, and to be */
	int end;                 /* what the stream ends with */
	unsigned n_done;
	uv_check_t turn;
	size_t turns, parts_this_turn, parts_of_a_turn_max;
	enum http_peer peer;
	struct http_ticket *ticket;          /* of the request that waits */
	uv_timer_t when;                     /* it goes on */
	_Atomic size_t n_calls, n_forgotten; /* the thread of a client may look, too */
	size_t n_worked, works_this_turn, works_of_a_turn_max;
};

static int next_part(void *state, struct buf *out)
{
	struct fixture *f = state;

	if (f->parts == f->parts_max)
		return f->end;
	f->parts++;
	if (++f->parts_this_turn > f->parts_of_a_turn_max)
		f->parts_of_a_turn_max = f->parts_this_turn;
	if (f->parts % 7) /* now and then there is nothing yet */
		buf_fill(out, '~', PART);
	return 1;
}

static void stream_done(void *state)
{
	((struct fixture *)state)->n_done++;
}

static void answer_stream(void *ctx, const struct http_request *q, struct http_response *r)
{
	(void)q;
	buf_add_cstr(&r->body, "head:");
	r->stream = (struct http_stream){ next_part, stream_done, ctx };
}

static void answer_echo(void *ctx, const struct http_request *q, struct http_response *r)
{
	struct fixture *f = ctx;
	const char *x = http_query(q, "x"), *header = http_header(q, "x-test");

	f->peer = q->peer;
	assert_true(q->trusted);
	buf_printf(&r->body, "[%s %s id=%s x=%s header=%s body=%.*s]", q->method, q->path, http_route_value(q, "id"),
		   x ? x : "(none)", header ? header : "(none)", STR_ARG(q->body));
	http_response_header(r, "Cache-Control", "no-store");
	r->status = 201;
}

static void answer_close(void *ctx, const struct http_request *q, struct http_response *r)
{
	struct fixture *f = ctx;

	(void)q;
	buf_add_cstr(&r->body, "closing");
	http_server_close(TAKE(f->server));
}

static void on_when(uv_timer_t *when)
{
	struct fixture *f = when->data;

	if (f->ticket)
		http_go_on(TAKE(f->ticket));
	else
		http_server_close(TAKE(f->server));
}

static void forget(void *state)
{
	((struct fixture *)state)->n_forgotten++;
}

/* @f->ticket is kept, or not: then the server closes instead. */
static void begin_to_wait(struct fixture *f, const struct http_request *q, bool keep)
{
	f->ticket = http_later(q, f, forget);
	if (!keep)
		f->ticket = NULL;
	assert_int_equal(uv_timer_start(&f->when, on_when, 20, 0), 0);
}

static void answer_later(void *ctx, const struct http_request *q, struct http_response *r)
{
	struct fixture *f = ctx;

	f->n_calls++;
	if (!q->state) {
		buf_add_cstr(&r->body, "counts for nothing");
		begin_to_wait(f, q, true);
		return;
	}
	assert_ptr_equal(q->state, f);
	buf_printf(&r->body, "[later %s body=%.*s]", http_route_value(q, "id"), STR_ARG(q->body));
}

static void answer_never(void *ctx, const struct http_request *q, struct http_response *r)
{
	(void)r;
	begin_to_wait(ctx, q, false);
}

#define WORKS 20

/* Takes all the time that there is. */
static bool work(void *state, uint64_t until_ns)
{
	struct fixture *f = state;

	while (uv_hrtime() < until_ns) {
	}
	if (++f->works_this_turn > f->works_of_a_turn_max)
		f->works_of_a_turn_max = f->works_this_turn;
	return ++f->n_worked % WORKS != 0;
}

static void answer_work(void *ctx, const struct http_request *q, struct http_response *r)
{
	struct fixture *f = ctx;

	f->n_calls++;
	if (q->state)
		buf_printf(&r->body, "[worked for %s]", http_route_value(q, "id"));
	else
		http_work(q, f, work, forget);
}

static bool work_for_ever(void *state, uint64_t until_ns)
{
	struct fixture *f = state;

	(void)until_ns;
	if (++f->n_worked == WORKS)
		http_server_close(TAKE(f->server));
	return true;
}

static void answer_never_done(void *ctx, const struct http_request *q, struct http_response *r)
{
	(void)r;
	http_work(q, ctx, work_for_ever, forget);
}

#define RULE_MAX 70000

static void answer_rule(void *ctx, const struct http_request *q, struct http_response *r)
{
	char location[] = "/rules/7";

	(void)ctx;
	buf_printf(&r->body, "[%s %s %zu]", q->method, q->path, q->body.n);
	http_response_header(r, "Location", location);
	memset(location, 'x', sizeof(location) - 1); /* it is a copy that is sent */
}

static void refuse_rule(struct http_response *r, unsigned status, const char *why)
{
	r->content_type = "application/json";
	buf_printf(&r->body, "{%u %s}", status, why);
}

static const struct http_route routes[] = {
	{ "POST", "/later/{id}", answer_later },  { "GET", "/never", answer_never },
	{ "GET", "/stream", answer_stream },      { "POST", "/echo/{id}", answer_echo },
	{ "GET", "/close", answer_close },        { "GET", "/work/{id}", answer_work },
	{ "GET", "/endless", answer_never_done }, { 0 },
};
static const struct http_resource resources[] = {
	{ "/rules", answer_rule, RULE_MAX, true, refuse_rule },
	{ 0 },
};

static int connect_to(const char *path)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	(void)snprintf(a.sun_path, sizeof(a.sun_path), "%s", path);
	if (connect(fd, (struct sockaddr *)&a, sizeof(a)) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Sends f->send, reads to the end of the connection. */
static void client(void *arg)
{
	struct fixture *f = arg;
	int fd = connect_to(f->path);
	char chunk[65536];
	ssize_t n;

	if (fd >= 0) {
		(void)!write(fd, f->send, strlen(f->send));
		while ((n = read(fd, chunk, sizeof(chunk))) > 0)
			buf_add(&f->got, chunk, (size_t)n);
		close(fd);
	}
	(void)uv_async_send(&f->over);
}

static void on_turn(uv_check_t *check)
{
	struct fixture *f = check->data;

	f->turns++;
	f->parts_this_turn = 0;
	f->works_this_turn = 0;
}

static void on_over(uv_async_t *async)
{
	struct fixture *f = async->data;

	http_server_close(TAKE(f->server));
	uv_close((uv_handle_t *)&f->over, NULL);
	uv_close((uv_handle_t *)&f->turn, NULL);
	uv_close((uv_handle_t *)&f->when, NULL);
}

static struct http_site site = { .routes = routes, .resources = resources };

static void ask_as(struct fixture *f, void (*as)(void *f), const char *text)
{
	uv_thread_t thread;
	struct err err;

	buf_done(&f->got);
	f->got = BUF_INIT(1u << 28);
	f->send = text;
	site.ctx = f;
	assert_int_equal(http_server_new_unix(&f->loop, f->path, 0660, &site, &f->server, &err), 0);
	assert_int_equal(uv_async_init(&f->loop, &f->over, on_over), 0);
	assert_int_equal(uv_check_init(&f->loop, &f->turn), 0);
	assert_int_equal(uv_check_start(&f->turn, on_turn), 0);
	assert_int_equal(uv_timer_init(&f->loop, &f->when), 0);
	f->over.data = f->turn.data = f->when.data = f;
	assert_int_equal(uv_thread_create(&thread, as, f), 0);
	(void)uv_run(&f->loop, UV_RUN_DEFAULT);
	uv_thread_join(&thread);
	assert_int_equal(access(f->path, F_OK), -1); /* the server took it with it */
}

static void ask(struct fixture *f, const char *text)
{
	ask_as(f, client, text);
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	(void)snprintf(f->folder, sizeof(f->folder), "/tmp/driftd-http-XXXXXX");
	assert_non_null(mkdtemp(f->folder));
	(void)snprintf(f->path, sizeof(f->path), "%s/socket", f->folder);
	assert_int_equal(uv_loop_init(&f->loop), 0);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(uv_loop_close(&f->loop), 0);
	assert_int_equal(rmdir(f->folder), 0);
	buf_done(&f->got);
	free(f);
	return 0;
}

static void has(const struct fixture *f, const char *text)
{
	if (str_find(buf_str(&f->got), str_from(text)) < 0)
		fail_msg("no '%s' in: %.*s", text, STR_ARG(str_sub(buf_str(&f->got), 0, 2000)));
}

static size_t count(const struct fixture *f, char c)
{
	size_t n = 0;

	for (size_t i = 0; i < f->got.n; i++)
		n += f->got.p[i] == c;
	return n;
}

static void test_request(void **state)
{
	struct fixture *f = *state;

	ask(f, "POST /echo/a%2Fb?x=%C3%A4+1 HTTP/1.1\r\nHost: h\r\nX-Test: yes\r\nContent-Length: 4\r\n"
	       "Connection: close\r\n\r\nbody");
	has(f, "HTTP/1.1 201 ");
	has(f, "Cache-Control: no-store\r\n");
	has(f, "[POST /echo/a/b id=a/b x=\xc3\xa4 1 header=yes body=body]");
	assert_int_equal(f->peer, geteuid() == 0 ? HTTP_PEER_ROOT : HTTP_PEER_SELF);
}

static void test_refused(void **state)
{
	struct fixture *f = *state;

	ask(f, "GET /nowhere HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
	has(f, "HTTP/1.1 404 ");
	ask(f, "DELETE /stream HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
	has(f, "HTTP/1.1 405 ");
	has(f, "Allow: GET, HEAD\r\n");
	ask(f, "GET /stream?a=%f HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
	has(f, "HTTP/1.1 400 ");
}

/* The answer comes when the client has sent what it had begun to send, or before it begins. */
static void test_refused_with_a_body(void **state)
{
	static const struct {
		const char *request;
		size_t length, sent;
		const char *more;
		const char *status;
	} t[] = {
		{ "POST /echo/x", 65537, 65537, "", "HTTP/1.1 413 " },
		{ "POST /nowhere", 1u << 20, 1u << 20, "", "HTTP/1.1 404 " },
		{ "POST /echo/x", 65537, 0, "Expect: 100-continue\r\n", "HTTP/1.1 413 " },
		{ "POST /echo/x", (1u << 20) + 1, 0, "", "HTTP/1.1 413 " },
		{ "POST /echo/x", 1u << 20, 1u << 20, "", "HTTP/1.1 413 " },
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		CLEANUP(buf_done) struct buf b = BUF_INIT(2u << 20);

		buf_printf(&b, "%s HTTP/1.1\r\nHost: h\r\nConnection: close\r\n%sContent-Length: %zu\r\n\r\n",
			   t[i].request, t[i].more, t[i].length);
		buf_fill(&b, 'y', t[i].sent);
		buf_add_byte(&b, '\0');
		ask(f, b.p);
		has(f, t[i].status);
	}
}

static void test_chunked_body(void **state)
{
	struct fixture *f = *state;
	struct buf b = BUF_INIT(1u << 20);

	buf_add_cstr(&b, "POST /echo/x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n");
	for (int i = 0; i < 17; i++) {
		buf_add_cstr(&b, "1000\r\n");
		buf_fill(&b, 'y', 0x1000);
		buf_add_cstr(&b, "\r\n");
	}
	buf_add_cstr(&b, "0\r\n\r\n");
	ask(f, b.p);
	has(f, "HTTP/1.1 413 ");
	buf_done(&b);
}

static void test_resource(void **state)
{
	CLEANUP(buf_done) struct buf b = BUF_INIT(1u << 20);
	struct fixture *f = *state;

	buf_printf(&b, "BREW /rules/a/b HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\nConnection: close\r\n\r\n",
		   RULE_MAX);
	buf_fill(&b, 'y', RULE_MAX);
	buf_add_byte(&b, '\0');
	ask(f, b.p);
	has(f, "HTTP/1.1 200 ");
	has(f, "Location: /rules/7\r\n");
	has(f, "[BREW /rules/a/b 70000]");
	ask(f, "POST /rules/x HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 70001\r\n\r\n");
	has(f, "HTTP/1.1 413 ");
	has(f, "Content-Type: application/json\r\n");
	has(f, "{413 the body is too large}");
	ask(f, "GET /rules/%zz HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
	has(f, "{400 bad escape in the request target}");
	ask(f, "GET /rules?%zz HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
	has(f, "{400 bad escape in the request target}");
	ask(f, "GET /rulesome/%zz HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
	has(f, "\r\n\r\nbad escape in the request target\n");
}

static void test_stream(void **state)
{
	struct fixture *f = *state;

	f->parts_max = PARTS;
	ask(f, "GET /stream HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
	has(f, "head:");
	if (strcmp(MHD_get_version(), "0.9.72") != 0) /* which ends it by closing */
		has(f, "\r\n0\r\n\r\n");
	assert_int_equal(count(f, '~'), (size_t)PART * (PARTS - PARTS / 7));
	assert_int_equal(f->n_done, 1);
	assert_in_range(f->turns, PARTS / 2, 100 * PARTS);
	assert_in_range(f->parts_of_a_turn_max, 1, 2);
}

static void test_stream_ends_early(void **state)
{
	struct fixture *f = *state;

	f->parts_max = 3;
	f->end = -EIO;
	ask(f, "GET /stream HTTP/1.1\r\nHost: h\r\n\r\n");
	has(f, "head:");
	assert_true(str_find(buf_str(&f->got), STR("\r\n0\r\n")) < 0);
	assert_int_equal(f->n_done, 1);
	f->parts = f->parts_max = 0;
	ask(f, "HEAD /stream HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
	has(f, "HTTP/1.1 200 ");
	assert_true(str_find(buf_str(&f->got), STR("head:")) < 0);
	assert_int_equal(f->n_done, 2);
}

static void test_closed_by_a_route(void **state)
{
	struct fixture *f = *state;

	ask(f, "GET /close HTTP/1.1\r\nHost: h\r\n\r\n");
	assert_null(f->server);
}

static void test_answered_later(void **state)
{
	struct fixture *f = *state;

	ask(f, "POST /later/x HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\nbody"
	       "POST /later/y HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
	has(f, "[later x body=body]");
	has(f, "[later y body=]");
	assert_true(str_find(buf_str(&f->got), STR("counts for nothing")) < 0);
	assert_int_equal(f->n_calls, 4);
	assert_int_equal(f->n_forgotten, 0);
}

static void test_closed_while_it_waits(void **state)
{
	struct fixture *f = *state;

	ask(f, "GET /never HTTP/1.1\r\nHost: h\r\n\r\n");
	assert_int_equal(f->got.n, 0);
	assert_int_equal(f->n_forgotten, 1);
}

/* A turn does as much of the work as there is time for, and no request is forgotten. */
static void test_work(void **state)
{
	struct fixture *f = *state;

	ask(f, "GET /work/x HTTP/1.1\r\nHost: h\r\n\r\n"
	       "GET /work/y HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
	has(f, "[worked for x]");
	has(f, "[worked for y]");
	assert_int_equal(f->n_calls, 4);
	assert_int_equal(f->n_worked, 2 * WORKS);
	assert_int_equal(f->works_of_a_turn_max, 1);
	assert_int_equal(f->n_forgotten, 0);
}

static void test_closed_while_it_works(void **state)
{
	struct fixture *f = *state;

	ask(f, "GET /endless HTTP/1.1\r\nHost: h\r\n\r\n");
	assert_int_equal(f->got.n, 0);
	assert_int_equal(f->n_forgotten, 1);
}

/* Asks for what is answered later, and goes away while the request waits. */
static void hasty_client(void *arg)
{
	struct fixture *f = arg;
	int fd = connect_to(f->path);

	(void)!write(fd, f->send, strlen(f->send));
	while (f->n_calls < 1)
		usleep(1000);
	close(fd);
	while (f->n_calls + f->n_forgotten < 2)
		usleep(1000);
	(void)uv_async_send(&f->over);
}

static void test_nobody_waits(void **state)
{
	struct fixture *f = *state;

	ask_as(f, hasty_client, "POST /later/x HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n");
	assert_int_equal(f->n_calls - 1 + f->n_forgotten, 1); /* the server may not know yet that the client has gone */
}

static void test_ports(void **state)
{
	static const char *const wrong[] = { "127.0.0.1:65536", "127.0.0.1:131072",
					     "127.0.0.1:-1",    "127.0.0.1:+1",
					     "127.0.0.1:",      "127.0.0.1:http",
					     "127.0.0.1",       "127.0.0.1:18446744073709551616" };
	struct fixture *f = *state;
	struct err err;

	for (size_t i = 0; i < ARRAY_LEN(wrong); i++)
		assert_int_equal(http_server_new(&f->loop, wrong[i], &site, &f->server, &err), -EINVAL);
}

static void test_socket_file(void **state)
{
	struct fixture *f = *state;
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	struct http_server *other;
	struct stat st;
	struct err err;
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	memcpy(a.sun_path, f->path, strlen(f->path));
	assert_int_equal(bind(fd, (struct sockaddr *)&a, sizeof(a)), 0); /* a stale one */
	close(fd);
	assert_int_equal(http_server_new_unix(&f->loop, f->path, 0660, &site, &f->server, &err), 0);
	assert_int_equal(stat(f->path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0660);
	assert_string_equal(http_server_address(f->server), f->path);
	assert_int_equal(http_server_new_unix(&f->loop, f->path, 0660, &site, &other, &err), -EADDRINUSE);
	assert_int_equal(access(f->path, F_OK), 0);
	http_server_close(f->server);
	(void)uv_run(&f->loop, UV_RUN_DEFAULT);
	fclose(fopen(f->path, "w"));
	assert_int_equal(http_server_new_unix(&f->loop, f->path, 0660, &site, &other, &err), -EEXIST);
	assert_int_equal(unlink(f->path), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_request, setup, teardown),
		cmocka_unit_test_setup_teardown(test_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(test_refused_with_a_body, setup, teardown),
		cmocka_unit_test_setup_teardown(test_chunked_body, setup, teardown),
		cmocka_unit_test_setup_teardown(test_resource, setup, teardown),
		cmocka_unit_test_setup_teardown(test_stream, setup, teardown),
		cmocka_unit_test_setup_teardown(test_stream_ends_early, setup, teardown),
		cmocka_unit_test_setup_teardown(test_closed_by_a_route, setup, teardown),
		cmocka_unit_test_setup_teardown(test_answered_later, setup, teardown),
		cmocka_unit_test_setup_teardown(test_closed_while_it_waits, setup, teardown),
		cmocka_unit_test_setup_teardown(test_work, setup, teardown),
		cmocka_unit_test_setup_teardown(test_closed_while_it_works, setup, teardown),
		cmocka_unit_test_setup_teardown(test_nobody_waits, setup, teardown),
		cmocka_unit_test_setup_teardown(test_ports, setup, teardown),
		cmocka_unit_test_setup_teardown(test_socket_file, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
