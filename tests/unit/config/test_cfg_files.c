/* Which files make up a configuration. */
#include "config/cfg.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define DATA TEST_DATA "/config"

static void put(const char *path)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fclose(f);
}

/* "etc[1]*", read as a pattern, matches "etc1x". */
static int setup(void **state)
{
	char dir[] = "/tmp/driftd-files-XXXXXX";

	(void)state;
	return !mkdtemp(dir) || chdir(dir) < 0 || mkdir("etc[1]*", 0700) < 0 || mkdir("etc1x", 0700) < 0;
}

static int teardown(void **state)
{
	static const char *const files[] = { "etc[1]*/conf.d/b.yaml", "etc[1]*/conf.d/a[b].yaml",
					     "etc[1]*/conf.d/.hidden.yaml", "etc[1]*/conf.d/notes.txt",
					     "etc1x/conf.d/wrong.yaml" };
	char dir[256];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(files); i++)
		(void)unlink(files[i]);
	(void)unlink("etc1x/conf.d");
	(void)rmdir("etc[1]*/conf.d");
	(void)rmdir("etc1x/conf.d");
	(void)rmdir("etc[1]*");
	(void)rmdir("etc1x");
	return !getcwd(dir, sizeof(dir)) || chdir("/") < 0 || rmdir(dir) < 0;
}

static void test_only_yaml_of_that_folder(void **state)
{
	CLEANUP(arena_done) struct arena a;
	const char *const *files;
	struct err err;
	size_t n;

	(void)state;
	arena_init(&a, 0, 0);
	assert_int_equal(mkdir("etc[1]*/conf.d", 0700), 0);
	assert_int_equal(mkdir("etc1x/conf.d", 0700), 0);
	put("etc[1]*/conf.d/b.yaml");
	put("etc[1]*/conf.d/a[b].yaml");
	put("etc[1]*/conf.d/.hidden.yaml");
	put("etc[1]*/conf.d/notes.txt");
	put("etc1x/conf.d/wrong.yaml");
	assert_int_equal(cfg_files("etc[1]*/driftd.yaml", &a, &files, &n, &err), 0);
	assert_int_equal(n, 3);
	assert_string_equal(files[0], "etc[1]*/driftd.yaml");
	assert_string_equal(files[1], "etc[1]*/conf.d/a[b].yaml");
	assert_string_equal(files[2], "etc[1]*/conf.d/b.yaml");
	assert_int_equal(chdir("etc[1]*"), 0);
	assert_int_equal(cfg_files("driftd.yaml", &a, &files, &n, &err), 0);
	assert_int_equal(chdir(".."), 0);
	assert_int_equal(n, 3);
	assert_string_equal(files[2], "conf.d/b.yaml");
}

static void test_belongs_to_driftd_yaml(void **state)
{
	CLEANUP(arena_done) struct arena a;
	const char *const *files;
	struct err err;
	size_t n;

	(void)state;
	arena_init(&a, 0, 0);
	assert_int_equal(cfg_files(DATA "/good/conf.d/10-lab.yaml", &a, &files, &n, &err), 0);
	assert_int_equal(n, 1);
	assert_int_equal(cfg_files(DATA "/nowhere/driftd.yaml", &a, &files, &n, &err), 0);
	assert_int_equal(n, 1);
}

/* Half a configuration would look like a whole one. */
static void test_unreadable_folder(void **state)
{
	CLEANUP(arena_done) struct arena a;
	const char *const *files = NULL;
	struct err err;
	size_t n = 0;

	(void)state;
	arena_init(&a, 0, 0);
	put("etc1x/conf.d");
	assert_int_equal(cfg_files("etc1x/driftd.yaml", &a, &files, &n, &err), -ENOTDIR);
	assert_string_equal(err.msg, "list 'etc1x/conf.d': Not a directory");
	assert_null(files);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_only_yaml_of_that_folder, setup, teardown),
		cmocka_unit_test(test_belongs_to_driftd_yaml),
		cmocka_unit_test_setup_teardown(test_unreadable_folder, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
