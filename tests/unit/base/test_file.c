/* Reading beneath a folder, and making folders, in a temporary one. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static void put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(file_write_all(fd, str_from(text)), 0);
	close(fd);
}

static int setup(void **state)
{
	char dir[] = "/tmp/driftd-file-XXXXXX";
	struct err err;

	(void)state;
	if (!mkdtemp(dir) || chdir(dir) < 0 || file_make_folders("in/a/b", &err) < 0)
		return -1;
	put("in/a/b/file", "text");
	put("outside", "secret");
	return symlink("a/b", "in/link") < 0 || symlink("../outside", "in/up") < 0 ||
	       symlink("/etc/hostname", "in/abs") < 0 || symlink("../../link/../b/file", "in/a/b/back") < 0 ||
	       symlink("a/b/back", "in/back") < 0 || symlink("circle", "in/circle") < 0 || mkfifo("in/pipe", 0600) < 0;
}

static int teardown(void **state)
{
	static const char *const files[] = { "in/a/b/file", "outside", "in/link",   "in/up",      "in/abs",
					     "in/pipe",     "in/back", "in/circle", "in/a/b/back" };
	char dir[256];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(files); i++)
		(void)unlink(files[i]);
	return rmdir("in/a/b") < 0 || rmdir("in/a") < 0 || rmdir("in") < 0 || !getcwd(dir, sizeof(dir)) ||
	       chdir("/") < 0 || rmdir(dir) < 0;
}

static void test_beneath(void **state)
{
	static const struct {
		const char *path;
		int code;
	} cases[] = {
		{ "a/b/file", 0 },
		{ "link/file", 0 },
		{ "link/../a/b/file", -ENOENT },
		{ "../outside", -EXDEV },
		{ "up", -EXDEV },
		{ "abs", -EXDEV },
		{ "/etc/hostname", -EXDEV },
		{ "a", -EISDIR },
		{ "pipe", -EINVAL },
		{ "none", -ENOENT },
		{ "a/../a/b/file", 0 },
		{ "a/../../in/a/b/file", -EXDEV },
		{ "back", 0 },
		{ "circle", -ELOOP },
		{ "a/b/file/x", -ENOTDIR },
		{ ".//a/./b//file", 0 },
		{ "", -ENOENT },
		{ "a/..", -EISDIR },
	};
	int fd = open("in", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(freep) char *text = NULL;
		struct err err = { 0 };
		size_t n = 0;
		int r = file_read_beneath(fd, cases[i].path, 4, &text, &n, &err);

		if (r != cases[i].code)
			fail_msg("%s: expected %d, got %d %s", cases[i].path, cases[i].code, r, err.msg);
		if (r == 0)
			assert_string_equal(text, "text");
	}
	close(fd);
}

static void test_beneath_is_bounded(void **state)
{
	int fd = open("in", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char *text = NULL;
	struct err err;
	size_t n;

	(void)state;
	assert_int_equal(file_read_beneath(fd, "a/b/file", 3, &text, &n, &err), -E2BIG);
	assert_null(text);
	close(fd);
}

static void test_folders(void **state)
{
	struct err err;

	(void)state;
	assert_int_equal(file_make_folders("in/a/b", &err), 0); /* they are there */
	assert_int_equal(file_make_folders("in//a/./b/", &err), 0);
	assert_int_equal(file_make_folders("in/a/b/file/c", &err), -ENOTDIR);
	assert_string_equal(err.msg, "failed to create directory in/a/b/file/c: Not a directory");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_beneath),
		cmocka_unit_test(test_beneath_is_bounded),
		cmocka_unit_test(test_folders),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
