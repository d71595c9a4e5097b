/* What an assertion does when it holds, and when it does not. */
#include "base/assert.h"

#include "base/defs.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static void test_true_is_evaluated_once(void **state)
{
	int n = 0;

	(void)state;
	ASSERT(++n == 1);
	assert_int_equal(n, 1);
}

static void test_false_names_the_place_and_aborts(void **state)
{
	char text[256] = "";
	int fds[2], status;
	pid_t child;

	(void)state;
	assert_int_equal(pipe(fds), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		dup2(fds[1], STDERR_FILENO);
		signal(SIGABRT, SIG_DFL);
		ASSERT(1 + 1 == 3);
	}
	close(fds[1]);
	assert_true(read(fds[0], text, sizeof(text) - 1) > 0);
	close(fds[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
	assert_non_null(strstr(text, "test_assert.c:"));
	assert_non_null(strstr(text, ": assertion '1 + 1 == 3' is false\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_true_is_evaluated_once),
		cmocka_unit_test(test_false_names_the_place_and_aborts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
