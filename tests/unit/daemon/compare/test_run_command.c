/* Running other programs, and folders for them. */
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

static void make_file(const char *folder, const char *name)
{
	CLEANUP(freep) char *path = NULL;
	FILE *f;

	assert_true(asprintf(&path, "%s/%s", folder, name) > 0);
	f = fopen(path, "w");
	assert_non_null(f);
	fclose(f);
}

static void test_folder_is_removed_whole(void **state)
{
	CLEANUP(freep) char *folder = NULL, *closed = NULL, *elsewhere = NULL, *link = NULL;
	struct stat st;
	struct err err;

	(void)state;
	assert_int_equal(temporary_folder("run-command", &folder, &err), 0);
	assert_int_equal(temporary_folder("run-command", &elsewhere, &err), 0);
	assert_non_null(folder);
	assert_non_null(elsewhere);
	assert_int_equal(stat(folder, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	assert_true(asprintf(&closed, "%s/closed", folder) > 0 && asprintf(&link, "%s/link", folder) > 0);
	assert_int_equal(mkdir(closed, 0700), 0);
	make_file(closed, "file");
	make_file(elsewhere, "file");
	assert_int_equal(chmod(closed, 0500), 0);
	/* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): asserted above */
	assert_int_equal(symlink(elsewhere, link), 0);
	remove_tree(folder);
	assert_int_equal(stat(folder, &st), -1);
	make_file(elsewhere, "file"); /* links are not followed */
	remove_tree(elsewhere);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arguments_reach_it_unchanged),
		cmocka_unit_test(test_status),
		cmocka_unit_test(test_output),
		cmocka_unit_test(test_folder_is_removed_whole),
	};

	return cmocka_run_group_tests_name("run_command", tests, NULL, NULL);
}
