/* Lines for readers that are slow, or gone. */
#include "daemon/findings/line_out.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define PATIENCE_S 30 /* whoever waits for a reader longer than that hangs */

struct pair {
	int from, to;
	struct line_out lines;
	struct buf read;
};

static int setup(void **state)
{
	struct pair *p = calloc(1, sizeof(*p));
	int ends[2];

	assert_non_null(p);
	assert_int_equal(pipe(ends), 0);
	p->from = ends[0];
	p->to = ends[1];
	assert_int_equal(fcntl(p->from, F_SETFL, O_NONBLOCK), 0);
	p->lines = LINE_OUT_INIT(p->to);
	p->read = BUF_INIT(SIZE_MAX);
	(void)signal(SIGPIPE, SIG_IGN);
	(void)alarm(PATIENCE_S);
	*state = p;
	return 0;
}

static int teardown(void **state)
{
	struct pair *p = *state;

	(void)alarm(0);
	if (p->from >= 0)
		(void)close(p->from);
	(void)close(p->to);
	line_out_done(&p->lines);
	buf_done(&p->read);
	free(p);
	return 0;
}

/* All that is in the pipe, or @most bytes of it. */
static void take(struct pair *p, size_t most)
{
	char space[4096];
	ssize_t n = 1;

	while (most > 0 && (n = read(p->from, space, most < sizeof(space) ? most : sizeof(space))) > 0) {
		buf_add(&p->read, space, (size_t)n);
		most -= (size_t)n;
	}
}

/* @n letters and a newline, in @out. */
static str letters(char letter, size_t n, struct buf *out)
{
	buf_fill(out, letter, n);
	buf_add_byte(out, '\n');
	assert_int_equal(out->error, 0);
	return buf_str(out);
}

/* Lines of any length are whole, and none is there twice, for whoever reads at whatever pace. */
static void test_paces(void **state)
{
	static const size_t lengths[] = { 1, 4095, 4096, 5000, 65535, 65536, 100000 }, paces[] = { 50000, SIZE_MAX };
	struct pair *p = *state;

	for (size_t i = 0; i < ARRAY_LEN(lengths); i++) {
		for (size_t j = 0; j < ARRAY_LEN(paces); j++) {
			CLEANUP(buf_done) struct buf expected = BUF_INIT(SIZE_MAX);

			buf_clear(&p->read);
			for (char letter = 'a'; letter <= 'c'; letter++) {
				CLEANUP(buf_done) struct buf line = BUF_INIT(SIZE_MAX);
				char id[2] = { letter, 0 };
				int r;

				buf_add_str(&expected, letters(letter, lengths[i], &line));
				while ((r = line_out_write(&p->lines, buf_str(&line), id)) == -EAGAIN)
					take(p, paces[j]);
				assert_int_equal(r, 0);
			}
			take(p, SIZE_MAX);
			assert_int_equal(p->read.n, expected.n);
			assert_memory_equal(p->read.p, expected.p, expected.n);
		}
	}
}

/* A line that was begun is ended before another, which is written once too; one of which nothing is written leaves
 * nothing. */
static void test_another_first(void **state)
{
	struct pair *p = *state;
	CLEANUP(buf_done) struct buf big = BUF_INIT(SIZE_MAX);
	CLEANUP(buf_done) struct buf expected = BUF_INIT(SIZE_MAX);

	buf_add_str(&expected, letters('a', 100000, &big));
	assert_int_equal(line_out_write(&p->lines, buf_str(&big), "a"), -EAGAIN);
	assert_int_equal(line_out_write(&p->lines, STR("b\n"), "b"), -EAGAIN);
	take(p, SIZE_MAX);
	assert_int_equal(line_out_write(&p->lines, STR("c\n"), ""), 0);
	assert_int_equal(line_out_write(&p->lines, STR("c\n"), ""), 0);
	take(p, SIZE_MAX);
	buf_add_cstr(&expected, "c\nc\n");
	assert_int_equal(p->read.n, expected.n);
	assert_memory_equal(p->read.p, expected.p, expected.n);

	buf_clear(&p->read);
	while (line_out_write(&p->lines, STR("full\n"), "") == 0)
		;
	assert_int_equal(line_out_write(&p->lines, STR("never\n"), "n"), -EAGAIN);
	take(p, SIZE_MAX);
	assert_int_equal(line_out_write(&p->lines, STR("last\n"), "l"), 0);
	take(p, SIZE_MAX);
	assert_null(strstr(buf_str(&p->read).p, "never"));
	assert_string_equal(p->read.p + p->read.n - 10, "full\nlast\n");
}

/* The next reader of a FIFO goes on where the one before has stopped. */
static void test_gone(void **state)
{
	struct pair *p = *state;
	CLEANUP(buf_done) struct buf big = BUF_INIT(SIZE_MAX);
	char path[64];

	(void)snprintf(path, sizeof(path), "/tmp/line_out.%d", (int)getpid());
	assert_int_equal(mkfifo(path, 0600), 0);
	(void)close(p->from);
	(void)close(p->to);
	p->from = open(path, O_RDONLY | O_NONBLOCK);
	p->lines.fd = p->to = open(path, O_WRONLY);
	assert_true(p->from >= 0 && p->to >= 0);
	(void)letters('a', 100000, &big);
	assert_int_equal(line_out_write(&p->lines, buf_str(&big), "a"), -EAGAIN);
	take(p, 5000);
	(void)close(p->from);
	assert_int_equal(line_out_write(&p->lines, buf_str(&big), "a"), -EPIPE);
	assert_int_equal(line_out_write(&p->lines, buf_str(&big), "a"), -EPIPE);
	p->from = open(path, O_RDONLY | O_NONBLOCK);
	(void)unlink(path);
	while (line_out_write(&p->lines, buf_str(&big), "a") == -EAGAIN)
		take(p, SIZE_MAX);
	take(p, SIZE_MAX);
	assert_int_equal(p->read.n, big.n);
	assert_memory_equal(p->read.p, big.p, big.n);
}

static void test_errors(void **state)
{
	static const struct {
		const char *path;
		int flags, result;
	} cases[] = { { "/dev/full", O_WRONLY, -ENOSPC },
		      { "/dev/null", O_WRONLY, 0 },
		      { "/dev/null", O_RDONLY, -EBADF } };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		int fd = open(cases[i].path, cases[i].flags);
		struct line_out lines = LINE_OUT_INIT(fd);

		assert_true(fd >= 0);
		for (int k = 0; k < 2; k++)
			assert_int_equal(line_out_write(&lines, STR("a\n"), "a"), cases[i].result);
		line_out_done(&lines);
		(void)close(fd);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_paces, setup, teardown),
		cmocka_unit_test_setup_teardown(test_another_first, setup, teardown),
		cmocka_unit_test_setup_teardown(test_gone, setup, teardown),
		cmocka_unit_test(test_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
