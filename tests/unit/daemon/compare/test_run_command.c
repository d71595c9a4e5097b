/* Running other programs. */
#include "daemon/compare/run_command.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define OUTPUT_MAX (1u << 20)
#define ARGV(...) ((const char *const[]){ __VA_ARGS__, NULL })

static int run(const char *const *argv, unsigned flags, struct buf *out)
{
	struct err err;

	return run_command(argv, flags, out, &err);
}

static void test_arguments_reach_it_unchanged(void **state)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(OUTPUT_MAX);

	(void)state;
	assert_int_equal(run(ARGV("printf", "<%s>", "$(id)", "a b", ";", ""), 0, &out), 0);
	assert_string_equal(out.p, "<$(id)><a b><;><>");
}

static void test_status(void **state)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(OUTPUT_MAX);

	(void)state;
	assert_int_equal(run(ARGV("sh", "-c", "exit 7"), 0, &out), 7);
	assert_int_equal(run(ARGV("sh", "-c", "kill -9 $$"), 0, &out), 137);
	assert_int_equal(run(ARGV("/nonexistent/program"), 0, &out), -ENOENT);
	assert_int_equal(out.n, 0);
}

static void test_output(void **state)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(OUTPUT_MAX);

	(void)state;
	assert_int_equal(run(ARGV("sh", "-c", "echo out; echo err >&2; cat"), RUN_MERGE_STDERR, &out), 0);
	assert_string_equal(out.p, "out\nerr\n");
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(run(ARGV("sh", "-c", "while :; do echo y; done"), 0, &out), -E2BIG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arguments_reach_it_unchanged),
		cmocka_unit_test(test_status),
		cmocka_unit_test(test_output),
	};

	return cmocka_run_group_tests_name("run_command", tests, NULL, NULL);
}
