/* Whether records can be written where they are to go. */
#include "daemon/findings/output.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* With standard output being /dev/null that was opened with @flags; negative: closed. */
static int check(enum cfg_output form, int flags)
{
	int saved = dup(STDOUT_FILENO), fd = flags < 0 ? -1 : open("/dev/null", flags), r;
	struct err err;

	assert_true(saved >= 0);
	fflush(stdout);
	if (fd < 0)
		(void)close(STDOUT_FILENO);
	else
		(void)dup2(fd, STDOUT_FILENO);
	r = output_check(form, &err);
	(void)dup2(saved, STDOUT_FILENO);
	(void)close(saved);
	if (fd >= 0)
		(void)close(fd);
	return r;
}

static void test_standard_output(void **state)
{
	static const enum cfg_output forms[] = { CFG_OUTPUT_TEXT, CFG_OUTPUT_JSON };
	static const struct {
		int flags, result;
	} cases[] = { { O_WRONLY, 0 }, { O_RDWR, 0 }, { O_RDONLY, -EBADF }, { -1, -EBADF } };

	(void)state;
	for (size_t f = 0; f < ARRAY_LEN(forms); f++) {
		assert_false(output_form_is_the_journal(forms[f]));
		for (size_t i = 0; i < ARRAY_LEN(cases); i++)
			assert_int_equal(check(forms[f], cases[i].flags), cases[i].result);
	}
}

/* Who named the file of standard output is systemd; any other one is not. */
static void test_automatic(void **state)
{
	char stream[64];
	struct stat st;

	(void)state;
	assert_int_equal(fstat(STDOUT_FILENO, &st), 0);
	assert_int_equal(unsetenv("JOURNAL_STREAM"), 0);
	assert_false(output_form_is_the_journal(CFG_OUTPUT_AUTO));
	for (unsigned other = 0; other < 4; other++) {
		(void)snprintf(stream, sizeof(stream), "%llu:%llu", (unsigned long long)st.st_dev + (other & 1),
			       (unsigned long long)st.st_ino + (other >> 1));
		assert_int_equal(setenv("JOURNAL_STREAM", stream, 1), 0);
		assert_int_equal(output_form_is_the_journal(CFG_OUTPUT_AUTO), other == 0);
	}
	(void)snprintf(stream, sizeof(stream), "%llu", (unsigned long long)st.st_dev);
	assert_int_equal(setenv("JOURNAL_STREAM", stream, 1), 0);
	assert_false(output_form_is_the_journal(CFG_OUTPUT_AUTO));
	assert_true(output_form_is_the_journal(CFG_OUTPUT_JOURNAL));
}

static void test_colours(void **state)
{
	static const struct {
		int priority;
		const char *colour;
	} cases[] = { { 0, "\033[1;31m" }, { 3, "\033[1;31m" }, { 4, "\033[1;33m" },
		      { 5, "\033[1m" },    { 6, "\033[32m" },   { 7, "\033[32m" } };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_string_equal(output_colour(cases[i].priority), cases[i].colour);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_standard_output),
		cmocka_unit_test(test_automatic),
		cmocka_unit_test(test_colours),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
