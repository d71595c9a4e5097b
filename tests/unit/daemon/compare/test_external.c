/* What a command of KUBECTL_EXTERNAL_DIFF is called with, what it says, and what is said when it cannot be called. */
#include "daemon/compare/run.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char script[64], top[] = "/tmp/driftd-external-XXXXXX";

/* A command that prints its arguments, but for the folders, and what is in these; its status is that of the last one,
 * "-3" being 3. */
static int setup(void **state)
{
	FILE *f;

	(void)state;
	if (!mkdtemp(top))
		return -1;
	(void)snprintf(script, sizeof(script), "/tmp/driftd-external-%d", (int)getpid());
	f = fopen(script, "w");
	if (!f)
		return -1;
	fputs("#!/bin/sh\n"
	      "case $1 in */MERGED-*) ;; *) echo \"not merged: $1\" ;; esac\n"
	      "case $2 in */LIVE-*) ;; *) echo \"not live: $2\" ;; esac\n"
	      "for folder in \"$1\" \"$2\"; do for file in \"$folder\"/*; do echo \"${file##*/}: $(cat \"$file\")\"; "
	      "done; done\n"
	      "shift 2\n"
	      "echo \"[$*]\"\n"
	      "for last; do :; done\n"
	      "exit ${last#-}\n",
	      f);
	(void)fchmod(fileno(f), 0700);
	(void)fclose(f);
	return setenv("TMPDIR", top, 1);
}

static int teardown(void **state)
{
	(void)state;
	(void)unlink(script);
	return rmdir(top); /* nothing is left in it */
}

#define BOTH "name: merged\nname: live\n"

static void test_commands(void **state)
{
	static const struct {
		const char *arguments;
		int result;
		const char *output; /* or the end of the error */
	} cases[] = {
		{ " -0", 0, BOTH "[-0]\n" },
		{ " -1", 1, BOTH "[-1]\n" },
		{ " -N --color=never ../x $y a;b 'q' -1", 1, BOTH "[-N --color=never -1]\n" },
		{ " -2", -EIO, ": exit status 2" },
		{ " -77", -EIO, ": exit status 77" },
		{ "-none", -ENOENT, ": executable file not found in $PATH" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(buf_done) struct buf out = BUF_INIT(1 << 20);
		struct err err = { 0 };
		char command[128];
		int r;

		(void)snprintf(command, sizeof(command), "%s%s", script, cases[i].arguments);
		r = compare_external(command, "name", STR("merged"), STR("live"), &out, &err);
		assert_int_equal(r, cases[i].result);
		if (r >= 0)
			assert_true(str_eq(buf_str(&out), str_from(cases[i].output)));
		else
			assert_true(str_has_suffix(str_from(err.msg), str_from(cases[i].output)));
	}
}

/* At most 61 arguments, behind the command and the folders. */
static void test_many_arguments(void **state)
{
	CLEANUP(buf_done) struct buf command = BUF_INIT(1 << 16), out = BUF_INIT(1 << 20);
	struct err err;

	(void)state;
	buf_add_cstr(&command, script);
	for (int i = 0; i < 60; i++)
		buf_add_cstr(&command, " -0");
	assert_int_equal(compare_external(command.p, "name", STR("merged"), STR("live"), &out, &err), 0);
	buf_add_cstr(&command, " -0");
	assert_int_equal(compare_external(command.p, "name", STR("merged"), STR("live"), &out, &err), -E2BIG);
	assert_string_equal(err.msg, "KUBECTL_EXTERNAL_DIFF: more than 60 arguments");
}

static void test_no_folder(void **state)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(1 << 20);
	struct err err;

	(void)state;
	assert_int_equal(compare_external(script, "nowhere/name", STR(""), STR(""), &out, &err), -ENOENT);
	assert_non_null(strstr(err.msg, "error occurered during diff: open "));
	assert_int_equal(setenv("TMPDIR", "/nowhere/at/all", 1), 0);
	assert_int_equal(compare_external(script, "name", STR(""), STR(""), &out, &err), -ENOENT);
	assert_int_equal(out.n, 0);
	assert_int_equal(setenv("TMPDIR", top, 1), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_commands),
		cmocka_unit_test(test_many_arguments),
		cmocka_unit_test(test_no_folder),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
