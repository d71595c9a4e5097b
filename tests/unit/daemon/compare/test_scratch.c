/* Temporary folders; what becomes of them by a signal is for e2e.compare_signals. */
#include "daemon/compare/scratch.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

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
	assert_int_equal(scratch_folder("scratch", &folder, &err), 0);
	assert_int_equal(scratch_folder("scratch", &elsewhere, &err), 0);
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
	scratch_remove(folder);
	assert_int_equal(stat(folder, &st), -1);
	make_file(elsewhere, "file"); /* links are not followed */
	scratch_remove(elsewhere);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_folder_is_removed_whole),
	};

	return cmocka_run_group_tests_name("scratch", tests, NULL, NULL);
}
