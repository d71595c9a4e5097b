/* What a server sends reaches the other side in portions, whole, and with its end; a server that sends for nobody is
 * let go. */
#include "kubeclient/kc_pump.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#define MEGABYTE ((size_t)1 << 20)

struct fixture {
	uv_loop_t loop;
	struct kc_pump *pump;
	int server; /* the other side of the connection */
	int client; /* libcurl's descriptor */
	bool freed;
};

static void on_freed(void *ctx)
{
	struct fixture *f = ctx;

	f->freed = true;
}

static void turn(struct fixture *f)
{
	for (int i = 0; i < 20; i++)
		(void)uv_run(&f->loop, UV_RUN_NOWAIT);
}

static void connect_both(int ret[2])
{
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ret), 0);
}

static void begin(struct fixture *f)
{
	struct err err;
	int pair[2];

	*f = (struct fixture){ 0 };
	connect_both(pair);
	assert_int_equal(uv_loop_init(&f->loop), 0);
	f->client = pair[0];
	f->server = pair[1];
	f->pump = kc_pump_new(&f->loop, f->client, on_freed, f);
	assert_non_null(f->pump);
	assert_true(kc_pump_can_start(f->pump));
	assert_int_equal(kc_pump_start(f->pump, &err), 0);
	assert_false(kc_pump_can_start(f->pump));
}

static void finish(struct fixture *f)
{
	kc_pump_close(f->pump);
	turn(f);
	assert_true(f->freed);
	assert_int_equal(fcntl(f->client, F_GETFD), -1);
	if (f->server >= 0)
		close(f->server);
	assert_int_equal(uv_loop_close(&f->loop), 0);
}

/* Without one libcurl would use no connection twice. */
static void test_the_other_end_has_an_address(void **state)
{
	struct sockaddr_un name = { 0 };
	socklen_t n = sizeof(name);
	struct fixture f;

	(void)state;
	begin(&f);
	assert_int_equal(getpeername(f.client, (struct sockaddr *)&name, &n), 0);
	assert_int_equal(name.sun_path[0], '/');
	assert_int_equal(access(name.sun_path, F_OK), -1);
	finish(&f);
}

static void libcurl_takes(struct fixture *f, bool useful)
{
	f->pump->useful = useful;
	kc_pump_taken(f->pump);
	assert_false(f->pump->useful);
}

/* Bytes that tell their place. */
static void fill(char *bytes, size_t from, size_t n)
{
	for (size_t i = 0; i < n; i++)
		bytes[i] = (char)((from + i) * 31 % 251);
}

static size_t send_from(int fd, size_t from, size_t n)
{
	char bytes[4096];
	ssize_t sent;

	n = n < sizeof(bytes) ? n : sizeof(bytes);
	fill(bytes, from, n);
	sent = send(fd, bytes, n, MSG_NOSIGNAL);
	return sent < 0 ? 0 : (size_t)sent;
}

static size_t take(int fd, size_t from)
{
	char bytes[3000], wanted[3000];
	ssize_t n = recv(fd, bytes, sizeof(bytes), 0);

	if (n <= 0)
		return 0;
	fill(wanted, from, (size_t)n);
	assert_memory_equal(bytes, wanted, (size_t)n);
	return (size_t)n;
}

/* In both directions, more than any buffer holds, by a reader that is slower than the writer. */
static void hands_on_everything(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	for (int back = 0; back < 2; back++) {
		int from = back ? f.client : f.server, to = back ? f.server : f.client;
		size_t sent = 0, got = 0, n;

		for (int turns = 0; got < 2 * MEGABYTE; turns++) {
			assert_true(turns < 100000);
			while (sent < 2 * MEGABYTE && (n = send_from(from, sent, 2 * MEGABYTE - sent)) > 0)
				sent += n;
			(void)uv_run(&f.loop, UV_RUN_NOWAIT);
			for (int i = 0; i < 10 && (n = take(to, got)) > 0; i++)
				got += n;
			libcurl_takes(&f, true);
		}
		assert_int_equal(got, sent);
	}
	finish(&f);
}

/* Who is given a portion and takes nothing gets no more. */
static void gives_a_portion_at_a_time(void **state)
{
	struct fixture f;
	size_t sent = 0, got = 0, n;

	(void)state;
	begin(&f);
	for (int i = 0; i < 100; i++) {
		while ((n = send_from(f.server, sent, MEGABYTE)) > 0)
			sent += n;
		turn(&f);
		libcurl_takes(&f, true);
	}
	while ((n = take(f.client, got)) > 0)
		got += n;
	assert_in_range(got, 1, 2 * KC_PUMP_PORTION);
	assert_true(sent > got);
	finish(&f);
}

static void sends_for_nobody(struct fixture *f, bool sometimes_useful, size_t megabytes)
{
	size_t sent = 0, got = 0, n;

	while (sent < megabytes * MEGABYTE && f->pump->state == KC_PUMP_PUMPING) {
		sent += send_from(f->server, sent, 4096);
		turn(f);
		while ((n = take(f->client, got)) > 0)
			got += n;
		libcurl_takes(f, sometimes_useful && sent % (MEGABYTE / 2) < 4096);
	}
}

static void lets_go_of_who_sends_for_nobody(void **state)
{
	struct fixture f;
	char byte;

	(void)state;
	begin(&f);
	sends_for_nobody(&f, false, 2);
	assert_int_equal(f.pump->state, KC_PUMP_ENDED);
	assert_int_equal(f.pump->why.code, EPROTO);
	assert_int_equal(recv(f.client, &byte, 1, 0), 0);
	assert_int_equal(send(f.server, "x", 1, MSG_NOSIGNAL), -1);
	finish(&f);

	begin(&f);
	sends_for_nobody(&f, true, 4);
	assert_int_equal(f.pump->state, KC_PUMP_PUMPING);
	finish(&f);
}

static void the_end_comes_behind_what_was_sent(void **state)
{
	struct fixture f;
	size_t sent = 0, got = 0, n;

	(void)state;
	begin(&f);
	while ((n = send_from(f.server, sent, MEGABYTE)) > 0)
		sent += n;
	assert_int_equal(shutdown(f.server, SHUT_WR), 0);
	for (int i = 0; i < 1000 && got < sent; i++) {
		turn(&f);
		while ((n = take(f.client, got)) > 0)
			got += n;
		libcurl_takes(&f, true);
	}
	assert_int_equal(got, sent);
	turn(&f);
	assert_int_equal(recv(f.client, &(char){ 0 }, 1, 0), 0);
	assert_int_equal(f.pump->state, KC_PUMP_PUMPING); /* something may still be said to the server */
	assert_int_equal(send(f.client, "bye", 3, MSG_NOSIGNAL), 3);
	turn(&f);
	assert_int_equal(recv(f.server, &(char[3]){ 0 }, 3, 0), 3);
	finish(&f);
}

static void last_words_are_sent(void **state)
{
	struct fixture f;
	char bytes[8];

	(void)state;
	begin(&f);
	assert_int_equal(send(f.client, "bye", 3, MSG_NOSIGNAL), 3);
	kc_pump_close(f.pump);
	assert_int_equal(recv(f.server, bytes, sizeof(bytes), 0), 3);
	assert_int_equal(recv(f.server, bytes, sizeof(bytes), 0), 0);
	turn(&f);
	assert_true(f.freed);
	close(f.server);
	assert_int_equal(uv_loop_close(&f.loop), 0);
}

/* A server that goes away in the middle: what it had sent is read, and then the end is found. */
static void a_server_that_breaks_off(void **state)
{
	struct fixture f;
	size_t got = 0, n;

	(void)state;
	begin(&f);
	assert_int_equal(send(f.client, "request", 7, MSG_NOSIGNAL), 7);
	turn(&f);
	assert_int_equal(send_from(f.server, 0, 200), 200);
	close(f.server); /* with the request unread: the connection is reset */
	f.server = -1;
	turn(&f);
	while ((n = take(f.client, got)) > 0)
		got += n;
	assert_int_equal(got, 200);
	assert_int_equal(f.pump->state, KC_PUMP_ENDED);
	assert_int_equal(f.pump->why.code, ECONNRESET);
	finish(&f);
}

static void one_that_never_connects(void **state)
{
	struct fixture f = { .client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), .server = -1 };

	(void)state;
	assert_true(f.client >= 0);
	assert_int_equal(uv_loop_init(&f.loop), 0);
	f.pump = kc_pump_new(&f.loop, f.client, on_freed, &f);
	assert_non_null(f.pump);
	assert_false(kc_pump_can_start(f.pump));
	finish(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_other_end_has_an_address),  cmocka_unit_test(hands_on_everything),
		cmocka_unit_test(gives_a_portion_at_a_time),          cmocka_unit_test(lets_go_of_who_sends_for_nobody),
		cmocka_unit_test(the_end_comes_behind_what_was_sent), cmocka_unit_test(last_words_are_sent),
		cmocka_unit_test(a_server_that_breaks_off),           cmocka_unit_test(one_that_never_connects),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
