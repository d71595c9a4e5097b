/* Bringing a log to its place: by the writer alone, by a thread beside it, and when somebody reads all the while; and
 * whose turn it is after each commit, with a SQLite that only says that it copied. */
#include "daemon/store/database/checkpoint.h"

#include "support/strict_locks.h"

#include <pthread.h>
#include <semaphore.h>
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
#include <uv.h>

#include <cmocka.h>

#define PAGE 4096
/* ORDER checkpoint.c: frames that are worth to be copied, that are many, from which on the log is to begin anew, and
 * that it may have at most. */
#define STEP 256
#define MANY 4096
#define ANEW 8192
#define MOST 16384
#define MS UINT64_C(1000000)

struct fixture {
	char dir[32], path[48], log[64];
	sqlite3 *db;
	struct checkpoints *c;
	int rows;
};

/* ---- a SQLite that does as it is told ---- */

static struct {
	bool acts; /* it does as it is told, and copies nothing */
	int (*hook)(void *ctx, sqlite3 *db, const char *name, int length);
	void *hook_ctx;
	uint64_t now_ns;
	sem_t may_go_on, has_come; /* the thread, when it is held */
	bool not_due;
	int length, copied, result; /* what the thread is told of its copies */
	int writer_result;
	int by_thread, by_writer, truncations, syncs; /* how often */
	bool takes_signals;                           /* the thread, any */
	enum { FILE_IS_THERE, NO_FILE, FILE_UNKNOWN } file;
	int conditions_made, conditions_gone, condition_fails_at;
	bool no_thread;
} t;

/* NOLINTBEGIN(bugprone-reserved-identifier): the linker's names */
void *__real_sqlite3_wal_hook(sqlite3 *db, int (*hook)(void *, sqlite3 *, const char *, int), void *ctx);
void *__wrap_sqlite3_wal_hook(sqlite3 *db, int (*hook)(void *, sqlite3 *, const char *, int), void *ctx);
int __real_sqlite3_wal_checkpoint_v2(sqlite3 *db, const char *name, int mode, int *length, int *copied);
int __wrap_sqlite3_wal_checkpoint_v2(sqlite3 *db, const char *name, int mode, int *length, int *copied);
int __real_sqlite3_file_control(sqlite3 *db, const char *name, int op, void *arg);
int __wrap_sqlite3_file_control(sqlite3 *db, const char *name, int op, void *arg);
uint64_t __real_uv_hrtime(void);
uint64_t __wrap_uv_hrtime(void);
int __real_pthread_cond_init(pthread_cond_t *c, const pthread_condattr_t *attr);
int __wrap_pthread_cond_init(pthread_cond_t *c, const pthread_condattr_t *attr);
int __real_pthread_cond_destroy(pthread_cond_t *c);
int __wrap_pthread_cond_destroy(pthread_cond_t *c);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *), void *ctx);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *), void *ctx);

void *__wrap_sqlite3_wal_hook(sqlite3 *db, int (*hook)(void *, sqlite3 *, const char *, int), void *ctx)
{
	t.hook = hook;
	t.hook_ctx = ctx;
	return __real_sqlite3_wal_hook(db, hook, ctx);
}

static sqlite3 *writer;

static int copy_of_thread(int *length, int *copied)
{
	sigset_t blocked;

	if (pthread_sigmask(SIG_SETMASK, NULL, &blocked) != 0 || !sigismember(&blocked, SIGTERM) ||
	    !sigismember(&blocked, SIGHUP))
		t.takes_signals = true;
	if (t.not_due) {
		(void)sem_post(&t.has_come);
		(void)sem_wait(&t.may_go_on);
	}
	*length = t.length;
	*copied = t.copied;
	t.by_thread++;
	return t.result;
}

int __wrap_sqlite3_wal_checkpoint_v2(sqlite3 *db, const char *name, int mode, int *length, int *copied)
{
	if (!t.acts)
		return __real_sqlite3_wal_checkpoint_v2(db, name, mode, length, copied);
	if (db != writer)
		return copy_of_thread(length, copied);
	if (mode == SQLITE_CHECKPOINT_TRUNCATE)
		t.truncations++;
	else
		t.by_writer++;
	return t.writer_result;
}

static int count_sync(sqlite3_file *f, int flags)
{
	(void)f;
	(void)flags;
	t.syncs++;
	return SQLITE_OK;
}

int __wrap_sqlite3_file_control(sqlite3 *db, const char *name, int op, void *arg)
{
	static const sqlite3_io_methods methods = { .xSync = count_sync };
	static sqlite3_file f = { &methods };

	if (!t.acts || op != SQLITE_FCNTL_FILE_POINTER)
		return __real_sqlite3_file_control(db, name, op, arg);
	*(sqlite3_file **)arg = t.file == NO_FILE ? NULL : &f;
	return t.file == FILE_UNKNOWN ? SQLITE_ERROR : SQLITE_OK;
}

uint64_t __wrap_uv_hrtime(void)
{
	return t.acts ? t.now_ns : __real_uv_hrtime();
}

int __wrap_pthread_cond_init(pthread_cond_t *c, const pthread_condattr_t *attr)
{
	if (++t.conditions_made == t.condition_fails_at)
		return ENOMEM;
	return __real_pthread_cond_init(c, attr);
}

int __wrap_pthread_cond_destroy(pthread_cond_t *c)
{
	t.conditions_gone++;
	return __real_pthread_cond_destroy(c);
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *), void *ctx)
{
	return t.no_thread ? EAGAIN : __real_pthread_create(thread, attr, run, ctx);
}
/* NOLINTEND(bugprone-reserved-identifier) */

/* ---- */

static void execute(sqlite3 *db, const char *text)
{
	assert_int_equal(sqlite3_exec(db, text, NULL, NULL, NULL), SQLITE_OK);
}

static int setup(void **state)
{
	struct fixture *x = calloc(1, sizeof(*x));

	memset(&t, 0, sizeof(t));
	*state = x;
	if (!x || sem_init(&t.may_go_on, 0, 0) != 0 || sem_init(&t.has_come, 0, 0) != 0)
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
	t.acts = false;
	assert_int_equal(t.conditions_gone, t.conditions_made);
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

/* ---- whose turn it is ---- */

enum turn { NOBODY, WRITER, THREAD };

struct commit {
	int length;     /* of the log */
	uint64_t ms;    /* the time */
	int copied;     /* frames, when the thread is done, if it is asked; -1: it fails */
	enum turn turn; /* whose it is */
};

static struct checkpoints *begin_to_act(sqlite3 *db, bool shared)
{
	struct checkpoints *c = checkpoints_new(db, shared);

	assert_non_null(c);
	t.acts = true;
	writer = db;
	t.now_ns = 0;
	t.by_thread = t.by_writer = t.truncations = t.syncs = 0;
	t.result = t.writer_result = SQLITE_OK;
	return c;
}

/* The thread does nothing any more. */
static void wait_for_thread(struct checkpoints *c)
{
	int result = t.writer_result;

	t.writer_result = SQLITE_BUSY;
	assert_false(checkpoints_empty_log(c));
	t.writer_result = result;
}

static void commit(int length)
{
	assert_non_null(t.hook);
	assert_int_equal(t.hook(t.hook_ctx, writer, "main", length), SQLITE_OK);
}

static void run_commits(sqlite3 *db, bool shared, const char *name, const struct commit *commits, size_t n)
{
	struct checkpoints *c = begin_to_act(db, shared);

	for (size_t i = 0; i < n; i++) {
		const struct commit *x = &commits[i];
		int by_thread = t.by_thread, by_writer = t.by_writer;

		t.now_ns = x->ms * MS;
		t.length = x->length;
		t.copied = x->copied;
		t.result = x->copied < 0 ? SQLITE_IOERR : SQLITE_OK;
		commit(x->length);
		wait_for_thread(c);
		by_thread = t.by_thread - by_thread;
		by_writer = t.by_writer - by_writer;
		if (by_thread != (x->turn == THREAD) || by_writer != (x->turn == WRITER))
			fail_msg("%s, commit %zu: %d times the thread, %d times the writer", name, i, by_thread,
				 by_writer);
		assert_int_equal(checkpoints_log_frames(c), x->length);
	}
	assert_false(t.takes_signals);
	checkpoints_free(c);
	t.acts = false;
}

#define RUN(db, shared, name, ...)                                                                                     \
	run_commits(db, shared, name, (const struct commit[]){ __VA_ARGS__ },                                          \
		    sizeof((const struct commit[]){ __VA_ARGS__ }) / sizeof(struct commit))

static void turns(void **state)
{
	struct fixture *x = *state;

	RUN(x->db, false, "alone", { STEP - 1, 0, 0, NOBODY }, { STEP, 0, 0, WRITER }, { STEP, 0, 0, NOBODY },
	    { 2 * STEP - 1, 0, 0, NOBODY }, { 2 * STEP, 0, 0, WRITER }, { 100, 0, 0, NOBODY },
	    { STEP - 1, 0, 0, NOBODY }, { STEP, 0, 0, WRITER });
	RUN(x->db, true, "beside, with pauses", { STEP - 1, 5000, 0, NOBODY }, { STEP, 999, 0, NOBODY },
	    { STEP, 1000, STEP, THREAD }, { STEP, 9000, 0, NOBODY }, { 2 * STEP - 1, 9000, 0, NOBODY },
	    { 2 * STEP, 1999, 0, NOBODY }, { 2 * STEP, 2000, 700, THREAD }, { 768, 9000, 0, NOBODY },
	    { 700 + STEP, 9000, 700 + STEP, THREAD });
	RUN(x->db, true, "many at once", { MANY - 1, 500, 0, NOBODY }, { MANY, 500, 1, THREAD },
	    { 2 * MANY - 1, 500, 0, THREAD });
	RUN(x->db, true, "it has begun anew", { MANY, 0, MANY, THREAD }, { STEP - 1, 9000, 0, NOBODY },
	    { STEP, 9000, STEP, THREAD });
	RUN(x->db, true, "nothing was copied", { MANY, 0, -1, THREAD }, { MANY + STEP - 1, 9000, 0, NOBODY },
	    { MANY + STEP, 9000, 0, THREAD });
	RUN(x->db, true, "to begin anew, many left", { ANEW - 300, 0, 100, THREAD }, { ANEW - 1, 0, 100, THREAD },
	    { ANEW, 0, 100, NOBODY }, { ANEW + STEP - 2, 0, 100, NOBODY }, { ANEW + STEP - 1, 0, 100, THREAD });
	RUN(x->db, true, "to begin anew, some left", { MANY, 0, ANEW - 1000, THREAD }, { ANEW - 1, 100, 0, NOBODY },
	    { ANEW, 100, ANEW, THREAD });
	RUN(x->db, true, "to begin anew, few left", { MANY, 0, ANEW - STEP, THREAD }, { ANEW - 1, 9000, 0, NOBODY },
	    { ANEW, 9000, 0, WRITER }, { ANEW + 1, 9000, ANEW, THREAD }, { 100, 9000, 0, NOBODY });
	RUN(x->db, true, "to begin anew, soon after", { ANEW - 192, 0, ANEW - 192, THREAD }, { ANEW, 0, 0, WRITER });
	RUN(x->db, true, "to begin anew, none left", { MANY, 0, ANEW, THREAD }, { ANEW, 0, 0, WRITER },
	    { ANEW + STEP - 1, 0, 0, NOBODY });
	RUN(x->db, true, "the most", { MANY, 0, -1, THREAD }, { MOST - 1, 0, -1, THREAD }, { MOST, 0, 0, WRITER },
	    { MOST + STEP - 2, 0, 0, NOBODY }, { MOST + STEP, 0, 0, WRITER });
}

/* Where there can be no thread the writer does all, and takes its signals as before. */
static void no_thread_can_be(void **state)
{
	struct fixture *x = *state;
	sigset_t before, after;
	sqlite3 *memory;

	assert_int_equal(pthread_sigmask(SIG_SETMASK, NULL, &before), 0);
	assert_int_equal(sqlite3_open(":memory:", &memory), SQLITE_OK);
	RUN(memory, true, "in memory", { STEP - 1, 9000, 0, NOBODY }, { STEP, 9000, 0, WRITER },
	    { 2 * STEP - 1, 9000, 0, NOBODY }, { 2 * STEP, 9000, 0, WRITER });
	assert_int_equal(sqlite3_close(memory), SQLITE_OK);
	t.no_thread = true;
	RUN(x->db, true, "no thread", { STEP, 9000, 0, WRITER }, { 2 * STEP, 9000, 0, WRITER });
	t.no_thread = false;
	RUN(x->db, true, "a thread", { STEP, 9000, 0, THREAD });
	assert_int_equal(pthread_sigmask(SIG_SETMASK, NULL, &after), 0);
	for (int i = 1; i < NSIG; i++)
		assert_int_equal(sigismember(&after, i), sigismember(&before, i));
}

static void *release(void *ctx)
{
	(void)usleep(30000);
	(void)sem_post(&t.may_go_on);
	return ctx;
}

/* What @act does waits until the thread, which is at work, is done. */
static void expect_wait(void (*act)(struct checkpoints *c), struct checkpoints *c)
{
	pthread_t other;

	t.not_due = true;
	t.now_ns += 5000 * MS;
	commit(STEP + checkpoints_log_frames(c));
	(void)sem_wait(&t.has_come);
	t.by_thread = 0;
	assert_int_equal(pthread_create(&other, NULL, release, NULL), 0);
	act(c);
	assert_int_equal(t.by_thread, 1);
	assert_int_equal(pthread_join(other, NULL), 0);
	t.not_due = false;
	wait_for_thread(c);
	assert_int_equal(t.by_thread, 1);
}

static void commit_the_most(struct checkpoints *c)
{
	int by_writer = t.by_writer;

	(void)c;
	commit(MOST);
	assert_int_equal(t.by_writer, by_writer + 1);
}

static void empty(struct checkpoints *c)
{
	int truncations = t.truncations;

	assert_true(checkpoints_empty_log(c));
	assert_int_equal(checkpoints_log_frames(c), 0);
	assert_int_equal(t.truncations, truncations + 1);
}

static void who_waits(void **state)
{
	struct fixture *x = *state;
	struct checkpoints *c = begin_to_act(x->db, true);

	t.length = t.copied = 1;
	expect_wait(commit_the_most, c);
	commit(10); /* it has begun anew */
	expect_wait(empty, c);
	checkpoints_free(c);
}

/* While the thread is at work nobody else is asked, however long the log is. */
static void at_work(void **state)
{
	struct fixture *x = *state;
	struct checkpoints *c = begin_to_act(x->db, true);

	t.length = t.copied = ANEW;
	t.not_due = true;
	commit(MANY);
	(void)sem_wait(&t.has_come);
	for (int length = ANEW; length < MOST; length += STEP) {
		t.now_ns += 5000 * MS;
		commit(length);
	}
	assert_int_equal(t.by_writer, 0);
	t.not_due = false;
	(void)sem_post(&t.may_go_on);
	wait_for_thread(c);
	assert_int_equal(t.by_thread, 1);
	checkpoints_free(c);
}

/* A long log is synced by the thread, if it could be copied. */
static void synced(void **state)
{
	static const struct {
		int length, result, file, syncs;
	} cases[] = {
		{ MANY - 1, SQLITE_OK, FILE_IS_THERE, 0 }, { MANY, SQLITE_OK, FILE_IS_THERE, 1 },
		{ MANY, SQLITE_IOERR, FILE_IS_THERE, 0 },  { MANY, SQLITE_OK, NO_FILE, 0 },
		{ MANY, SQLITE_OK, FILE_UNKNOWN, 0 },
	};
	struct fixture *x = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct checkpoints *c = begin_to_act(x->db, true);

		t.length = cases[i].length;
		t.result = cases[i].result;
		t.file = cases[i].file;
		commit(MANY);
		wait_for_thread(c);
		assert_int_equal(t.by_thread, 1);
		assert_int_equal(t.syncs, cases[i].syncs);
		checkpoints_free(c);
		t.acts = false;
	}
}

/* Who is refused has copied nothing, and broken off nothing. */
static void broken_off(void **state)
{
	static const struct {
		int result;
		bool broke_off; /* the state after it, each behind the one before */
	} cases[] = {
		{ SQLITE_BUSY, false }, { SQLITE_IOERR, true }, { SQLITE_BUSY, true },    { SQLITE_LOCKED, true },
		{ SQLITE_FULL, true },  { SQLITE_OK, false },   { SQLITE_LOCKED, false },
	};
	struct fixture *x = *state;
	struct checkpoints *c = begin_to_act(x->db, true);

	for (size_t by_thread = 0; by_thread < 2; by_thread++) {
		for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
			t.result = t.writer_result = cases[i].result;
			if (by_thread) {
				t.now_ns += 5000 * MS;
				commit(10);
				t.copied = 0;
				commit(STEP);
				wait_for_thread(c);
				assert_int_equal(t.by_thread, i + 1);
			} else {
				checkpoints_copy(c);
				assert_int_equal(t.by_writer, i + 1);
			}
			assert_int_equal(checkpoints_broke_off(c), cases[i].broke_off);
		}
	}
	t.writer_result = SQLITE_IOERR;
	commit(7);
	assert_false(checkpoints_empty_log(c));
	assert_true(checkpoints_broke_off(c));
	assert_int_equal(checkpoints_log_frames(c), 7);
	checkpoints_free(c);
}

static void no_conditions(void **state)
{
	struct fixture *x = *state;

	for (int i = 1; i <= 2; i++) {
		t.conditions_made = 0;
		t.condition_fails_at = i;
		assert_null(checkpoints_new(x->db, true));
		assert_int_equal(t.conditions_made, i);
		assert_null(t.hook);
	}
	t.condition_fails_at = t.conditions_made = 0;
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = { CASE(the_length_is_known),
					    CASE(without_any),
					    CASE(alone),
					    CASE(somebody_reads),
					    CASE(beside),
					    CASE(turns),
					    CASE(no_thread_can_be),
					    CASE(who_waits),
					    CASE(at_work),
					    CASE(synced),
					    CASE(broken_off),
					    CASE(no_conditions) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
