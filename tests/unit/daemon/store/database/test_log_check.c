/* Logs and indexes of them made by hand (sqlite.org/walformat.html): which are whole, how much of the others can be
 * read, and what is kept of them. */
#include "daemon/store/database/database_internal.h"

#include "base/buf.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define HEAD 32
#define FRAME 24
#define INDEX 136
#define SALT "sAlt\x01\x02\x03\x04"
#define OTHER_SALT "sBlt\x01\x02\x03\x04"
#define SOUND (-1)

struct fixture {
	char dir[32], path[48], log[64], index[64], bad[80];
};

static int setup(void **state)
{
	struct fixture *x = calloc(1, sizeof(*x));

	*state = x;
	if (!x)
		return -1;
	(void)snprintf(x->dir, sizeof(x->dir), "/tmp/log-check-XXXXXX");
	if (!mkdtemp(x->dir))
		return -1;
	(void)snprintf(x->path, sizeof(x->path), "%s/a.db", x->dir);
	(void)snprintf(x->log, sizeof(x->log), "%s-wal", x->path);
	(void)snprintf(x->index, sizeof(x->index), "%s-shm", x->path);
	(void)snprintf(x->bad, sizeof(x->bad), "%s.bad", x->log);
	return 0;
}

static void clean(const struct fixture *x)
{
	(void)unlink(x->path);
	(void)unlink(x->log);
	(void)unlink(x->index);
	(void)unlink(x->bad);
}

static int teardown(void **state)
{
	struct fixture *x = *state;
	int r;

	clean(x);
	r = rmdir(x->dir);
	free(x);
	return r;
}

static void write_file(const char *path, str bytes)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(file_write_all(fd, bytes), 0);
	assert_int_equal(close(fd), 0);
}

/* ---- a log ---- */

static void put_big(unsigned char *to, uint32_t n)
{
	for (int i = 0; i < 4; i++)
		to[i] = (unsigned char)(n >> (24 - 8 * i));
}

/* Fibonacci's checksum of @n bytes goes on in @sum. */
static void sum_up(uint32_t sum[2], const unsigned char *p, size_t n, bool is_big)
{
	for (size_t i = 0; i < n; i += 4) {
		uint32_t word = 0;

		for (size_t k = 0; k < 4; k++)
			word |= (uint32_t)p[i + k] << (is_big ? 24 - 8 * k : 8 * k);
		sum[i / 4 % 2] += word + sum[1 - i / 4 % 2];
	}
}

enum head {
	GOOD_HEAD,
	OTHER_MAGIC,
	OTHER_SUM_A,
	OTHER_SUM_B,
	NO_PAGES, /* its frames have no page */
	CUT_HEAD,
};

/* A letter for each frame: c commits a transaction, m stands in the midst of one; C and M: their first sum is another,
 * D: the second one; o: of another round. */
struct log_case {
	const char *frames;
	enum head head;
	uint32_t page;
	bool is_big;
	size_t less; /* bytes at its end */
};

static void add_frame(struct buf *out, char what, const struct log_case *x, uint32_t sum[2])
{
	unsigned char frame[FRAME + 65536];
	size_t n = x->head == NO_PAGES || x->page > 65536 ? 0 : x->page;

	memset(frame, what, sizeof(frame));
	put_big(frame, 7);
	put_big(frame + 4, what == 'm' || what == 'M' ? 0 : 9);
	memcpy(frame + 8, what == 'o' ? OTHER_SALT : SALT, 8);
	sum_up(sum, frame, 8, x->is_big);
	sum_up(sum, frame + FRAME, n, x->is_big);
	put_big(frame + 16, sum[0] + (what == 'C' || what == 'M'));
	put_big(frame + 20, sum[1] + (what == 'D'));
	buf_add(out, (const char *)frame, FRAME + n);
}

static void make_log(const struct log_case *x, struct buf *out)
{
	unsigned char head[HEAD];
	uint32_t sum[2] = { 0 };

	put_big(head, (x->head == OTHER_MAGIC ? 0x377f0680u : 0x377f0682u) | x->is_big);
	put_big(head + 4, 3007000);
	put_big(head + 8, x->page);
	put_big(head + 12, 1);
	memcpy(head + 16, SALT, 8);
	sum_up(sum, head, 24, x->is_big);
	put_big(head + 24, sum[0] + (x->head == OTHER_SUM_A));
	put_big(head + 28, sum[1] + (x->head == OTHER_SUM_B));
	buf_add(out, (const char *)head, x->head == CUT_HEAD ? HEAD - 1 : HEAD);
	for (const char *p = x->frames; *p; p++)
		add_frame(out, *p, x, sum);
	out->n -= x->less;
}

/* ---- its index ---- */

enum log_index {
	GOOD_INDEX,
	OTHER_COPY, /* its head was being written */
	OTHER_END_OF_COPY,
	NOT_READY,
	OTHER_VERSION,
	OF_ANOTHER_LOG,
	CUT_INDEX,
	INDEXES
};

static void write_index(const struct fixture *x, enum log_index what, uint32_t frames, uint32_t copied)
{
	uint32_t version = what == OTHER_VERSION ? 3007001 : 3007000;
	unsigned char head[INDEX] = { 0 };

	memcpy(head, &version, sizeof(version));
	head[12] = what != NOT_READY;
	memcpy(head + 16, &frames, sizeof(frames));
	memcpy(head + 32, what == OF_ANOTHER_LOG ? OTHER_SALT : SALT, 8);
	memset(head + 40, 0x77, 8);
	memcpy(head + 48, head, 48);
	memcpy(head + 96, &copied, sizeof(copied));
	head[48] ^= what == OTHER_COPY;
	head[95] ^= what == OTHER_END_OF_COPY;
	write_file(x->index, (str){ (const char *)head, what == CUT_INDEX ? INDEX - 1 : INDEX });
}

/* ---- looking at them ---- */

static int open_files(void)
{
	int n = 0;

	for (int fd = 0; fd < 64; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

/* @frames: that can be read of one that is damaged. */
static void expect(const struct fixture *x, const char *what, int frames, bool kept)
{
	int before = open_files(), r;
	struct err why = { 0 };
	char text[64];

	r = log_check(x->path, &why);
	if (r != (frames == SOUND ? 0 : -EBADMSG) || why.code != -r)
		fail_msg("%s: %d, %s", what, r, why.code ? why.msg : "");
	(void)snprintf(text, sizeof(text), "is damaged: %d frames of it", frames);
	if (r < 0 && !strstr(why.msg, text))
		fail_msg("%s: not %d frames: %s", what, frames, why.msg);
	if (r < 0 && !strstr(why.msg, "; it is kept with .bad") != !kept)
		fail_msg("%s: %s", what, why.msg);
	assert_int_equal(open_files(), before);
}

static void expect_kept(const struct fixture *x, str bytes)
{
	CLEANUP(freep) char *there = NULL;
	struct stat st;
	struct err err;
	size_t n;

	assert_int_equal(file_read(x->bad, 64u << 20, &there, &n, &err), 0);
	assert_true(str_eq((str){ there, n }, bytes));
	assert_int_equal(stat(x->bad, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
}

static void without_index(void **state)
{
	static const struct {
		struct log_case log;
		int frames;
	} cases[] = {
		{ { "", GOOD_HEAD, 4096, false, 0 }, SOUND },
		{ { "cc", GOOD_HEAD, 4096, false, 0 }, SOUND },
		{ { "mmc", GOOD_HEAD, 512, true, 0 }, SOUND },
		{ { "c", GOOD_HEAD, 65536, false, 0 }, SOUND },
		{ { "cm", GOOD_HEAD, 4096, false, 5000 }, SOUND },
		{ { "cc", GOOD_HEAD, 4096, false, 1 }, SOUND }, /* the end of the second one is not there */
		{ { "cco", GOOD_HEAD, 4096, true, 0 }, SOUND },
		{ { "cM", GOOD_HEAD, 4096, false, 0 }, SOUND },
		{ { "cMm", GOOD_HEAD, 4096, false, 0 }, SOUND },
		{ { "cC", GOOD_HEAD, 4096, false, 0 }, 1 },
		{ { "ccD", GOOD_HEAD, 4096, true, 0 }, 2 },
		{ { "cMc", GOOD_HEAD, 4096, false, 0 }, 1 },
		{ { "cmDcc", GOOD_HEAD, 4096, false, 0 }, 2 },
		{ { "cocc", GOOD_HEAD, 4096, false, 0 }, 1 },
		{ { "C", GOOD_HEAD, 4096, false, 0 }, 0 },
		{ { "cc", OTHER_MAGIC, 4096, false, 0 }, 0 },
		{ { "cc", OTHER_SUM_A, 4096, false, 0 }, 0 },
		{ { "cc", OTHER_SUM_B, 4096, true, 0 }, 0 },
		{ { "cc", GOOD_HEAD, 256, false, 0 }, 0 },
		{ { "cc", NO_PAGES, 256, false, 0 }, 0 },
		{ { "cc", GOOD_HEAD, 131072, false, 0 }, 0 },
		{ { "", CUT_HEAD, 4096, false, 0 }, 0 },
		{ { "", GOOD_HEAD, 4096, false, HEAD }, SOUND }, /* it is empty */
		{ { "", GOOD_HEAD, 4096, false, HEAD - 1 }, 0 },
	};
	const struct fixture *x = *state;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(buf_done) struct buf log = BUF_INIT(1u << 20);
		char what[32];

		clean(x);
		write_file(x->path, STR("database"));
		make_log(&cases[i].log, &log);
		write_file(x->log, buf_str(&log));
		(void)snprintf(what, sizeof(what), "case %zu", i);
		expect(x, what, cases[i].frames, cases[i].frames != SOUND);
		if (cases[i].frames != SOUND)
			expect_kept(x, buf_str(&log));
		else
			assert_int_equal(access(x->bad, F_OK), -1);
	}
}

/* An index that is none says nothing, whatever stands in it. */
static void with_index(void **state)
{
	static const struct {
		const char *frames;     /* of the log */
		uint32_t known, copied; /* by the index */
		int with_it, without_it;
	} cases[] = {
		{ "cc", 2, 0, SOUND, SOUND }, { "cc", 5, 0, 2, SOUND }, { "cc", 3, 2, 2, SOUND },
		{ "cc", 5, 5, SOUND, SOUND }, { "cC", 1, 0, SOUND, 1 }, { "cCc", 3, 0, 1, 1 },
		{ "cCc", 3, 3, SOUND, 1 },    { "", 1, 0, 0, SOUND },
	};
	const struct fixture *x = *state;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		for (enum log_index index = 0; index < INDEXES; index++) {
			const struct log_case log = { .frames = cases[i].frames, .page = 4096 };
			int frames = index == GOOD_INDEX ? cases[i].with_it : cases[i].without_it;
			CLEANUP(buf_done) struct buf bytes = BUF_INIT(1u << 20);
			char what[48];

			clean(x);
			write_file(x->path, STR("database"));
			make_log(&log, &bytes);
			write_file(x->log, buf_str(&bytes));
			write_index(x, index, cases[i].known, cases[i].copied);
			(void)snprintf(what, sizeof(what), "case %zu, index %d", i, index);
			expect(x, what, frames, frames != SOUND);
		}
	}
}

static void without_log(void **state)
{
	const struct fixture *x = *state;

	write_file(x->path, STR("database"));
	expect(x, "no index", SOUND, false);
	write_index(x, GOOD_INDEX, 3, 3);
	expect(x, "all is copied", SOUND, false);
	write_index(x, GOOD_INDEX, 3, 2);
	expect(x, "not all is copied", 0, false);
	assert_int_equal(access(x->bad, F_OK), -1);
	write_file(x->log, STR(""));
	expect(x, "it is empty", 0, false);
	assert_int_equal(access(x->bad, F_OK), -1);
	assert_int_equal(unlink(x->log), 0);
	assert_int_equal(symlink(x->log, x->log), 0);
	expect(x, "it cannot be opened", SOUND, false);
	assert_int_equal(unlink(x->log), 0);
	assert_int_equal(unlink(x->path), 0);
	write_file(x->log, STR("this is no log"));
	expect(x, "there is no database", SOUND, false);
}

/* It is said to be kept only if it is. */
static void cannot_be_kept(void **state)
{
	const struct fixture *x = *state;
	const struct log_case log = { .frames = "ccC", .page = 4096 };
	CLEANUP(buf_done) struct buf bytes = BUF_INIT(1u << 20);
	void (*before_signal)(int) = signal(SIGXFSZ, SIG_IGN);
	struct rlimit before, less;

	write_file(x->path, STR("database"));
	make_log(&log, &bytes);
	write_file(x->log, buf_str(&bytes));
	assert_int_equal(symlink("elsewhere", x->bad), 0);
	expect(x, "a link is in its place", 2, false);
	assert_int_equal(unlink(x->bad), 0);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	less = (struct rlimit){ 4096, before.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &less), 0);
	expect(x, "there is no room", 2, false);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	(void)signal(SIGXFSZ, before_signal);
	write_file(x->bad, STR("what was kept of an earlier one, and is longer than this one, or is it not"));
	expect(x, "there is one", 2, true);
	expect_kept(x, buf_str(&bytes));
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = { CASE(without_index), CASE(with_index), CASE(without_log),
					    CASE(cannot_be_kept) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
