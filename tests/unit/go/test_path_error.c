/* Errors of files in the words of Go's fs.PathError. */
#include "go/path_error.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_words(void **state)
{
	struct err err;

	(void)state;
	assert_int_equal(go_path_error(&err, ENOENT, "open", "a/b"), -ENOENT);
	assert_string_equal(err.msg, "open a/b: no such file or directory");
	assert_int_equal(go_path_error(&err, EISDIR, "read", "."), -EISDIR);
	assert_string_equal(err.msg, "read .: is a directory");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_words) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
