/* Libraries that are loaded at their first call: one that is there, and two mistakes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/defs.h"
#include "kubeclient/lazy_library.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct lazy_library zlib = { .soname = "libz.so.1" };

const char *zlibVersion(void);
LAZY_CALL(zlib, const char *, zlibVersion, (void), ())

static void test_call(void **state)
{
	(void)state;
	assert_null(atomic_load(&zlib.handle));
	assert_string_equal(zlibVersion(), zlibVersion());
	assert_non_null(atomic_load(&zlib.handle));
}

/* What a process says, and its status, that asks @soname for @name. */
static int ask(const char *soname, const char *name, char *said, size_t size)
{
	struct lazy_library l = { .soname = soname };
	_Atomic(void *) known = NULL;
	int ends[2], status;
	ssize_t n;
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		dup2(ends[1], STDERR_FILENO);
		lazy_symbol(&l, name, &known);
		_exit(0);
	}
	close(ends[1]);
	n = read(ends[0], said, size - 1);
	said[n > 0 ? n : 0] = '\0';
	close(ends[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void test_mistakes(void **state)
{
	char said[1000];

	(void)state;
	assert_int_equal(ask("libz.so.1", "zlibVersion", said, sizeof(said)), 0);
	assert_int_equal(ask("libnosuch.so.9", "f", said, sizeof(said)), 127);
	assert_non_null(strstr(said, "loading shared libraries: libnosuch.so.9"));
	assert_int_equal(ask("libz.so.1", "no_such_function", said, sizeof(said)), 127);
	assert_non_null(strstr(said, "no_such_function"));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_call), cmocka_unit_test(test_mistakes) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
