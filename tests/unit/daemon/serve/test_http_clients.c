/* Whose connection is dropped, and when. */
#include "daemon/serve/http_clients.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#define N (HTTP_CLIENTS_MAX + 2)

struct peer {
	int near, far;
	struct http_client *client;
};

static struct http_clients all;
static struct peer peers[N];

static void begin(size_t i, uint64_t now)
{
	int fd[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fd), 0);
	peers[i] = (struct peer){ .near = fd[0], .far = fd[1], .client = http_clients_add(&all, fd[0], now) };
	assert_non_null(peers[i].client);
}

static void end(size_t i)
{
	http_clients_remove(&all, peers[i].client);
	close(peers[i].near);
	close(peers[i].far);
}

static bool dropped(size_t i)
{
	char c;

	return recv(peers[i].far, &c, 1, 0) == 0;
}

static void test_time_is_over(void **state)
{
	(void)state;
	begin(0, 1000);
	begin(1, 1001);
	begin(2, 1002);
	assert_true(http_client_is_new(peers[0].client));
	http_clients_renew(peers[0].client, 5000);
	assert_false(http_client_is_new(peers[0].client));
	assert_true(http_client_is_new(peers[1].client));
	http_clients_expire(&all, 1000 + HTTP_REQUEST_MS);
	assert_false(dropped(0) || dropped(1) || dropped(2));
	http_clients_expire(&all, 1001 + HTTP_REQUEST_MS);
	assert_true(dropped(1));
	assert_true(http_client_is_dropped(peers[1].client));
	assert_false(http_client_is_dropped(peers[0].client));
	assert_false(dropped(0) || dropped(2));
	http_clients_renew(peers[1].client, 9000); /* what is gone does not come back */
	assert_int_equal(all.n, 2);
	end(2);
	http_clients_expire(&all, 5000 + HTTP_REQUEST_MS);
	assert_true(dropped(0));
	end(0);
	end(1);
	assert_int_equal(all.n, 0);
	assert_null(all.first);
	assert_null(all.last);
}

static void test_who_is_refused_has_less(void **state)
{
	(void)state;
	begin(0, 1000);
	begin(1, 1000);
	http_clients_refuse(peers[0].client, 2000);
	http_clients_refuse(peers[1].client, 1000 + HTTP_REQUEST_MS - 1); /* no more than it had */
	http_clients_expire(&all, 1999 + HTTP_REFUSED_MS);
	assert_false(dropped(0) || dropped(1));
	http_clients_expire(&all, 2000 + HTTP_REFUSED_MS);
	assert_true(dropped(0));
	assert_false(dropped(1));
	http_clients_expire(&all, 1000 + HTTP_REQUEST_MS);
	assert_true(dropped(1));
	end(0);
	end(1);
}

static void test_oldest_makes_room(void **state)
{
	(void)state;
	for (size_t i = 0; i < HTTP_CLIENTS_MAX; i++)
		begin(i, i);
	http_clients_renew(peers[0].client, HTTP_CLIENTS_MAX);
	begin(N - 2, N);
	begin(N - 1, N);
	assert_int_equal(all.n, HTTP_CLIENTS_MAX);
	for (size_t i = 0; i < N; i++)
		assert_int_equal(dropped(i), i < 2);
	for (size_t i = 0; i < N; i++)
		end(i);
	assert_int_equal(all.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_time_is_over),
		cmocka_unit_test(test_who_is_refused_has_less),
		cmocka_unit_test(test_oldest_makes_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
