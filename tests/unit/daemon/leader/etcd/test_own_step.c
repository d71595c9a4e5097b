/* The file with what this host put into etcd last. */
#include "daemon/leader/etcd/own_step.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CLAIM "0123456789abcdef0123456789abcdef"

static char folder[] = "/tmp/own-step-XXXXXX", path[64];

static int setup(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	(void)snprintf(path, sizeof(path), "%s/leader", folder);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	(void)unlink(path);
	return rmdir(folder);
}

static void expect(const char *claim, int64_t step)
{
	struct own_step s;
	int fd = own_step_open(path, &s);

	assert_true(fd >= 0);
	assert_string_equal(s.claim, claim);
	assert_int_equal(s.step, step);
	assert_int_equal(close(fd), 0);
}

static void is_there_again(void **state)
{
	struct own_step s = { CLAIM, 7 };
	struct stat st;
	int fd;

	(void)state;
	(void)unlink(path);
	expect("", 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	fd = open(path, O_RDWR);
	own_step_write(fd, &s);
	expect(CLAIM, 7);
	s.step = INT64_MAX;
	own_step_write(fd, &s);
	expect(CLAIM, INT64_MAX);
	s.step = 8;
	own_step_write(fd, &s);
	expect(CLAIM, 8);
	own_step_forget(fd);
	expect("", 0);
	own_step_write(fd, &s);
	expect(CLAIM, 8);
	assert_int_equal(close(fd), 0);
}

static void what_is_no_step(void **state)
{
	static const char *const texts[] = {
		"",
		"x",
		CLAIM,
		CLAIM " 0000000000000000007",
		CLAIM "-0000000000000000007\n",
		CLAIM " 000000000000000000x\n",
		CLAIM " 9999999999999999999\n",
		"0123456789abcdef0123456789abcdeg 0000000000000000007\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		FILE *f = fopen(path, "w");

		assert_non_null(f);
		assert_true(fputs(texts[i], f) >= 0);
		assert_int_equal(fclose(f), 0);
		expect("", 0);
	}
}

static void no_file(void **state)
{
	struct own_step s = { CLAIM, 7 };

	(void)state;
	own_step_write(-1, &s);
	own_step_forget(-1);
	assert_int_equal(own_step_open("/nonexistent/leader", &s), -1);
	assert_string_equal(s.claim, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_there_again),
		cmocka_unit_test(what_is_no_step),
		cmocka_unit_test(no_file),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
