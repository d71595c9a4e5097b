/* What a journal is given over a connection to it, and what is said where it cannot be given anything. */
#include "daemon/findings/journal_send.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

static struct {
	int ours, journal;
} s;

static int setup(void **state)
{
	int fds[2];

	(void)state;
	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, fds) < 0)
		return -1;
	s.ours = fds[0];
	s.journal = fds[1];
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	(void)close(s.ours);
	if (s.journal >= 0)
		(void)close(s.journal);
	return 0;
}

static struct iovec field(const char *text)
{
	return (struct iovec){ (void *)(uintptr_t)text, strlen(text) };
}

#define ENTRY(text)                                                                                                    \
	{                                                                                                              \
		text, sizeof(text) - 1                                                                                 \
	}

static void an_entry(void **state)
{
	static const struct {
		const char *fields[3];
		struct {
			const char *bytes;
			size_t n;
		} entry;
	} cases[] = {
		{ { "MESSAGE=drift begins" }, ENTRY("MESSAGE=drift begins\n") },
		{ { "MESSAGE=a=b", "PRIORITY=4" }, ENTRY("MESSAGE=a=b\nPRIORITY=4\n") },
		{ { "EMPTY=" }, ENTRY("EMPTY=\n") },
		{ { "DIFF=-a\n+b", "PRIORITY=4" }, ENTRY("DIFF\n\x05\0\0\0\0\0\0\0-a\n+b\nPRIORITY=4\n") },
		{ { "DIFF=\n" }, ENTRY("DIFF\n\x01\0\0\0\0\0\0\0\n\n") },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct iovec fields[3];
		char got[256];
		size_t n = 0;

		while (n < 3 && cases[i].fields[n]) {
			fields[n] = field(cases[i].fields[n]);
			n++;
		}
		assert_int_equal(journal_send(s.ours, fields, n), 0);
		assert_int_equal(recv(s.journal, got, sizeof(got), MSG_DONTWAIT), cases[i].entry.n);
		assert_memory_equal(got, cases[i].entry.bytes, cases[i].entry.n);
	}
}

static void one_that_does_not_read(void **state)
{
	struct iovec one = field("MESSAGE=x");
	int r = 0;

	(void)state;
	for (int i = 0; r == 0 && i < 1000000; i++)
		r = journal_send(s.ours, &one, 1);
	assert_int_equal(r, -EAGAIN);
}

/* Whoever comes in its place has another connection. */
static void one_that_is_gone(void **state)
{
	struct iovec one = field("MESSAGE=x");

	(void)state;
	(void)close(s.journal);
	s.journal = -1;
	assert_int_equal(journal_send(s.ours, &one, 1), -ESTALE);
}

static void one_too_large(void **state)
{
	enum { SIZE = 12 << 20 };
	char *text = malloc(SIZE + 1);
	struct iovec one;

	(void)state;
	assert_non_null(text);
	memset(text, 'x', SIZE);
	text[1] = '=';
	text[SIZE] = '\0';
	one = field(text);
	assert_int_equal(journal_send(s.ours, &one, 1), -EMSGSIZE);
	assert_int_equal(recv(s.journal, text, SIZE, MSG_DONTWAIT), -1);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(an_entry, setup, teardown),
		cmocka_unit_test_setup_teardown(one_that_does_not_read, setup, teardown),
		cmocka_unit_test_setup_teardown(one_that_is_gone, setup, teardown),
		cmocka_unit_test_setup_teardown(one_too_large, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
