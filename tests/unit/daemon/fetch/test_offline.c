/* Checks in a process without a network: what they say comes back, what they are, and what they end by, does not. */
#include "daemon/fetch/offline.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

static int changed;

static int agree(void *ctx, struct err *err)
{
	(void)err;
	*(int *)ctx = 1;
	return 0;
}

static int refuse(void *ctx, struct err *err)
{
	return err_set(err, EKEYREJECTED, "%s is not good", (const char *)ctx);
}

static int dial(void *ctx, struct err *err)
{
	(void)ctx;
	return socket(AF_INET, SOCK_STREAM, 0) < 0 ? err_set(err, errno == EPERM ? ENETDOWN : EIO, "no socket") : 0;
}

static int die(void *ctx, struct err *err)
{
	(void)ctx;
	(void)err;
	(void)raise(SIGKILL);
	return 0;
}

static int leave(void *ctx, struct err *err)
{
	(void)ctx;
	(void)err;
	_exit(0);
}

static void test_what_is_said_comes_back(void **state)
{
	struct err err;

	(void)state;
	assert_int_equal(offline_check(agree, &changed, &err), 0);
	assert_int_equal(changed, 0);
	assert_int_equal(offline_check(refuse, (void *)(uintptr_t) "it", &err), -EKEYREJECTED);
	assert_string_equal(err.msg, "it is not good");
	assert_int_equal(err.code, EKEYREJECTED);
}

static void test_there_is_no_network(void **state)
{
	struct err err;
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	(void)state;
	assert_true(fd >= 0); /* here there is one */
	close(fd);
	assert_int_equal(offline_check(dial, NULL, &err), -ENETDOWN);
	fd = socket(AF_INET, SOCK_STREAM, 0);
	assert_true(fd >= 0); /* and still */
	close(fd);
}

static void test_one_that_ends_has_not_agreed(void **state)
{
	struct err err;

	(void)state;
	assert_int_equal(offline_check(die, NULL, &err), -EPERM);
	assert_int_equal(offline_check(leave, NULL, &err), -EPERM);
	assert_true(strlen(err.msg) > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_said_comes_back),
		cmocka_unit_test(test_there_is_no_network),
		cmocka_unit_test(test_one_that_ends_has_not_agreed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
