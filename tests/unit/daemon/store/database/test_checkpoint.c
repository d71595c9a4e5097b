/* Bringing a log to its place: by the writer alone, by a thread beside it, and when somebody reads all the while. */
#include "daemon/store/database/checkpoint.h"

#include "support/strict_locks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define PAGE 4096
#define STEP 256 /* ORDER checkpoint.c: frames that are worth to be copied */

struct fixture {
	char dir[32], path[48], log[64];
	sqlite3 *db;
	struct checkpoints *c;
	int rows;
};

static void execute(sqlite3 *db, const char *text)
{
	assert_int_equal(sqlite3_exec(db, text, NULL, NULL, NULL), SQLITE_OK);
}

static int setup(void **state)
{
	struct fixture *x = calloc(1, sizeof(*x));

	*state = x;
	if (!x)
		return -1;
	(void)snprintf(x->dir, sizeof(x->dir), "/tmp/checkpoint-XXXXXX");
	if (!mkdtemp(x->dir))
		return -1;
	(void)snprintf(x->path, sizeof(x->path), "%s/a.db", x->dir);
	(void)snprintf(x->log, sizeof(x->log), "%s-wal", x->path);
	assert_int_equal(sqlite3_open(x->path, &x->db), SQLITE_OK);
	execute(x->db, "PRAGMA page_size=4096; PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF;"
		       "CREATE TABLE t(id INTEGER PRIMARY KEY, x BLOB)");
	return 0;
}

static int teardown(void **state)
{
	struct fixture *x = *state;
	char command[64];

	checkpoints_free(x->c);
	assert_int_equal(sqlite3_close(x->db), SQLITE_OK);
	(void)snprintf(command, sizeof(command), "rm -r %s", x->dir);
	free(x);
	return system(command);
}

static void begin(struct fixture *x, bool shared)
{
	x->c = checkpoints_new(x->db, shared);
	assert_non_null(x->c);
}

/* A transaction of about @pages. */
static void write_pages(struct fixture *x, int pages)
{
	char text[256];

	(void)snprintf(text, sizeof(text),
		       "INSERT INTO t(x) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)"
		       " SELECT zeroblob(3500) FROM n",
		       pages);
	execute(x->db, text);
	x->rows += pages;
}

static off_t size_of(const char *path)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return st.st_size;
}

static void the_length_is_known(void **state)
{
	struct fixture *x = *state;
	int before;

	begin(x, false);
	assert_int_equal(checkpoints_log_frames(x->c), 0);
	write_pages(x, 10);
	before = checkpoints_log_frames(x->c);
	assert_in_range(before, 10, 20);
	assert_false(checkpoints_broke_off(x->c));
	assert_true(checkpoints_empty_log(x->c));
	assert_int_equal(checkpoints_log_frames(x->c), 0);
	assert_int_equal(size_of(x->log), 0);
	assert_true(size_of(x->path) >= 10 * PAGE);
}

static void without_any(void **state)
{
	(void)state;
	checkpoints_copy(NULL);
	assert_true(checkpoints_empty_log(NULL));
	assert_false(checkpoints_broke_off(NULL));
	assert_int_equal(checkpoints_log_frames(NULL), 0);
	checkpoints_free(NULL);
}

/* Alone, it copies once it is worth it, and not at each commit. */
static void alone(void **state)
{
	struct fixture *x = *state;
	off_t before = size_of(x->path);

	begin(x, false);
	write_pages(x, STEP - 20);
	assert_int_equal(size_of(x->path), before);
	write_pages(x, 30);
	assert_true(size_of(x->path) >= (off_t)STEP * PAGE);
	before = size_of(x->path);
	write_pages(x, 10);
	assert_int_equal(size_of(x->path), before);
}

/* Who reads keeps the log from being cut, which is no failure of a copy. */
static void somebody_reads(void **state)
{
	struct fixture *x = *state;
	sqlite3 *other = NULL;

	begin(x, false);
	write_pages(x, 10);
	assert_int_equal(sqlite3_open(x->path, &other), SQLITE_OK);
	execute(other, "BEGIN; SELECT * FROM t");
	write_pages(x, 10);
	assert_false(checkpoints_empty_log(x->c));
	assert_false(checkpoints_broke_off(x->c));
	execute(other, "COMMIT");
	assert_int_equal(sqlite3_close(other), SQLITE_OK);
	assert_true(checkpoints_empty_log(x->c));
}

/* It copies beside the writer, which waits for it before it cuts the log, and at the end. */
static void beside(void **state)
{
	struct fixture *x = *state;
	begin(x, true);
	write_pages(x, 2 * STEP);
	for (int i = 0; i < 2000 && size_of(x->path) < (off_t)STEP * PAGE; i++)
		(void)usleep(5000);
	assert_true(size_of(x->path) >= (off_t)STEP * PAGE);
	for (int i = 0; i < 60; i++)
		write_pages(x, STEP);
	assert_true(size_of(x->log) < (off_t)17500 * PAGE); /* it began anew, or is not beyond what it may have */
	assert_true(checkpoints_empty_log(x->c));
	assert_int_equal(size_of(x->log), 0);
	assert_false(checkpoints_broke_off(x->c));
	write_pages(x, 2 * STEP);
	checkpoints_free(x->c);
	x->c = NULL;
	write_pages(x, 10); /* nobody looks any more */
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = { CASE(the_length_is_known), CASE(without_any), CASE(alone),
					    CASE(somebody_reads), CASE(beside) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
