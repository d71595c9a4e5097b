/* A loop of libcurl can be closed at any moment of a connection's life, and lets nothing be left. */
#include "kubeclient/kc_loop.h"

#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#define TURNS_MAX 5000

struct fixture {
	uv_loop_t uv;
	struct kc_loop loop;
	CURL *easy;
	int listener, accepted;
	char url[64];
	bool closed, done;
};

static void on_turn(void *ctx)
{
	(void)ctx;
}

static void on_done(void *ctx, CURL *easy, CURLcode code)
{
	struct fixture *f = ctx;

	(void)easy;
	(void)code;
	f->done = true;
}

static void on_closed(void *ctx)
{
	struct fixture *f = ctx;

	f->closed = true;
}

static void listen_somewhere(struct fixture *f, const char *scheme)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t n = sizeof(at);

	f->listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(f->listener, (struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(listen(f->listener, 4), 0);
	assert_int_equal(getsockname(f->listener, (struct sockaddr *)&at, &n), 0);
	(void)snprintf(f->url, sizeof(f->url), "%s://127.0.0.1:%d/", scheme, ntohs(at.sin_port));
}

static void begin(struct fixture *f, const char *scheme)
{
	struct err err;

	*f = (struct fixture){ .accepted = -1 };
	listen_somewhere(f, scheme);
	assert_int_equal(uv_loop_init(&f->uv), 0);
	assert_int_equal(kc_loop_init(&f->loop, &f->uv, NULL, on_turn, on_done, f, &err), 0);
	f->easy = curl_easy_init();
	assert_non_null(f->easy);
	assert_int_equal(curl_easy_setopt(f->easy, CURLOPT_URL, f->url), CURLE_OK);
	assert_int_equal(kc_loop_add(&f->loop, f->easy, &err), 0);
}

static bool is_asked(struct fixture *f)
{
	char byte;

	if (f->accepted < 0)
		f->accepted = accept4(f->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	return f->accepted >= 0 && recv(f->accepted, &byte, 1, MSG_PEEK) == 1;
}

static void wait_until(struct fixture *f, bool (*is_so)(struct fixture *f))
{
	for (int i = 0; i < TURNS_MAX && !is_so(f); i++) {
		(void)uv_run(&f->uv, UV_RUN_NOWAIT);
		(void)usleep(1000);
	}
	assert_true(is_so(f));
}

static bool is_closed(struct fixture *f)
{
	return f->closed;
}

static bool is_done(struct fixture *f)
{
	return f->done;
}

static void finish(struct fixture *f)
{
	if (!f->done)
		kc_loop_remove(&f->loop, f->easy);
	curl_easy_cleanup(f->easy);
	kc_loop_close(&f->loop, on_closed);
	wait_until(f, is_closed);
	assert_int_equal(uv_loop_close(&f->uv), 0);
	close(f->listener);
	if (f->accepted >= 0)
		close(f->accepted);
}

static void before_it_has_done_anything(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, "http");
	finish(&f);
}

static void while_it_waits_for_an_answer(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, "http");
	wait_until(&f, is_asked);
	finish(&f);
}

/* libcurl 7.88 closes such a socket without a word. */
static void while_tls_is_agreed_on(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, "https");
	wait_until(&f, is_asked);
	finish(&f);
}

static void with_a_connection_that_is_kept(void **state)
{
	static const char answer[] = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
	struct fixture f;

	(void)state;
	begin(&f, "http");
	wait_until(&f, is_asked);
	assert_int_equal(send(f.accepted, answer, strlen(answer), MSG_NOSIGNAL), strlen(answer));
	wait_until(&f, is_done);
	finish(&f);
}

/* The first is closed without a word, and the second has the same descriptor. */
static void one_after_the_other(void **state)
{
	struct fixture f;
	struct err err;

	(void)state;
	begin(&f, "https");
	for (int i = 0; i < 3; i++) {
		wait_until(&f, is_asked);
		close(f.accepted);
		f.accepted = -1;
		if (!f.done)
			kc_loop_remove(&f.loop, f.easy);
		f.done = false;
		assert_int_equal(kc_loop_add(&f.loop, f.easy, &err), 0);
	}
	finish(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(before_it_has_done_anything), cmocka_unit_test(while_it_waits_for_an_answer),
		cmocka_unit_test(while_tls_is_agreed_on),      cmocka_unit_test(with_a_connection_that_is_kept),
		cmocka_unit_test(one_after_the_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
