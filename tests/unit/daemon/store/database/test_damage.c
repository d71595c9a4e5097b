/* A database with a damaged page, of every kind and in several ways; a log that is damaged or gone; files that are
 * taken away while they are used. Whatever it is: it is said, or nothing is missing; and afterwards all can be read and
 * written. */
#include "daemon/store/database/database.h"

#include "base/file.h"
#include "daemon/findings/finding_json.h"
#include "daemon/findings/record.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define PAGE 4096
#define N_FINDINGS 60
#define WAYS 4
#define STATE_HASH "0123456789abcdef0123456789abcdef"

static bool all_ways;

struct fixture {
	char dir[64], db[96];
	struct buf file, sound; /* the bytes of a database; what can be read of it */
};

/* ---- one that has something of everything ---- */

static void finding_id(int i, char ret[FINDING_ID_SIZE])
{
	(void)snprintf(ret, FINDING_ID_SIZE, "%032x", 0xabc0 + i);
}

static void put_finding(struct database *d, int i)
{
	CLEANUP(buf_done) struct buf json = BUF_INIT(1u << 20);
	char name[32];
	struct finding x = { .kind = FINDING_DRIFT, .severity = SEVERITY_WARNING, .announced = true };
	struct err err;

	(void)snprintf(name, sizeof(name), "object-%d", i);
	finding_id(i, x.id);
	memcpy(x.state_hash, STATE_HASH, sizeof(x.state_hash));
	x.first_seen_usec = 1000 + i;
	x.subject.cluster = STR("c");
	x.subject.name = str_from(name);
	finding_to_json(&x, &json);
	assert_int_equal(database_put_finding(d, x.id, buf_str(&json), &err), 0);
}

/* Some are larger than a page. */
static void put_record(struct database *d, int i)
{
	CLEANUP(buf_done) struct buf bytes = BUF_INIT(1u << 20);
	struct outbox_new row = { .about = STR("key"), .deferred = i % 3 == 0, .due_usec = 5, .hold_usec = 5 };
	static char diff[3000];
	char id[FINDING_ID_SIZE];
	struct record r;
	struct err err;
	int64_t seq;

	memset(diff, 'd', sizeof(diff) - 1);
	finding_id(i, id);
	record_init(&r, MESSAGE_DRIFT_BEGIN, 4);
	r.text = STR("drift begins");
	record_add(&r, "DRIFTD_DRIFT_ID", str_from(id));
	record_add(&r, "DRIFTD_DIFF", str_from(diff));
	if (i % 4 == 0)
		record_add(&r, "DRIFTD_OLD", str_from(diff));
	record_encode(&r, &bytes);
	row.record = buf_str(&bytes);
	assert_int_equal(database_put_last_record(d, id, buf_str(&bytes), &err), 0);
	assert_int_equal(database_add_history(d, &r, 77 + i, &err), 0);
	if (i % 2 == 0)
		assert_int_equal(database_add_to_outbox(d, &row, &seq, &err), 0);
	if (i % 4 == 0)
		assert_int_equal(database_mark_sent(d, seq, 9, &err), 0);
	record_done(&r);
}

static void fill(struct database *d)
{
	const struct kept_rule rule = { .uuid = STR("u-1"), .json = STR("{}"), .created_at = STR("t") };
	struct err err;

	assert_int_equal(database_begin(d, &err), 0);
	for (int i = 0; i < N_FINDINGS; i++) {
		put_finding(d, i);
		put_record(d, i);
	}
	assert_int_equal(database_put_seen(d, STR("c"), 17, &err), 0);
	assert_int_equal(database_put_acceptance(d, "a-1", STR("{}"), &err), 0);
	assert_int_equal(database_put_rule(d, &rule, &err), 0);
	assert_int_equal(database_put_inspected(d, STR("c"), STR("v"), &err), 0);
	assert_int_equal(database_end(d, 0, &err), 0);
	/* Pages that nothing uses. */
	assert_int_equal(database_begin(d, &err), 0);
	for (int i = N_FINDINGS - 6; i < N_FINDINGS; i++) {
		char id[FINDING_ID_SIZE];

		finding_id(i, id);
		assert_int_equal(database_remove_finding(d, id, &err), 0);
	}
	assert_int_equal(database_end(d, 0, &err), 0);
}

/* ---- what can be read ---- */

static int see_finding(void *ctx, const struct finding *x, struct err *err)
{
	(void)err;
	finding_to_json(x, ctx);
	return 0;
}

static int see_row(void *ctx, const struct outbox_row *row, struct err *err)
{
	struct buf *out = ctx;

	(void)err;
	buf_printf(out, "\n%lld %d %d ", (long long)row->seq, row->sent, row->deferred);
	buf_add_str(out, row->record);
	return 0;
}

static int see_seen(void *ctx, str cluster, int64_t usec, struct err *err)
{
	(void)err;
	buf_printf(ctx, "\n%.*s %lld", STR_ARG(cluster), (long long)usec);
	return 0;
}

static int see_json(void *ctx, str json, struct err *err)
{
	(void)err;
	buf_add_str(ctx, json);
	return 0;
}

static int see_rule(void *ctx, const struct kept_rule *rule, struct err *err)
{
	(void)err;
	buf_add_str(ctx, rule->uuid);
	return 0;
}

static int read_history(struct database *d, struct buf *out, struct err *err)
{
	int r = 0;

	for (int i = 0; r == 0 && i < N_FINDINGS; i++) {
		CLEANUP(finding_history_freep) struct finding_history *t = NULL;
		char id[FINDING_ID_SIZE];

		finding_id(i, id);
		r = database_finding_history(d, id, &t, err);
		if (r == 0)
			buf_printf(out, "\n%s %d %zu", id, t->has_last, t->n_history);
		if (r == 0 && t->has_last)
			buf_add_str(out, t->bytes);
		for (size_t k = 0; r == 0 && k < t->n_history; k++)
			buf_printf(out, " %lld %.*s %.*s", (long long)t->history[k].usec, STR_ARG(t->history[k].event),
				   STR_ARG(t->history[k].message));
	}
	return r;
}

static int read_all(struct database *d, struct buf *out, size_t *malformed, struct err *err)
{
	int r = database_findings(d, see_finding, out, malformed, err);

	if (r == 0)
		r = database_outbox(d, see_row, out, err);
	if (r == 0)
		r = database_seen(d, see_seen, out, err);
	if (r == 0)
		r = database_acceptances(d, see_json, out, NULL, err);
	if (r == 0)
		r = database_rules(d, see_rule, out, NULL, err);
	return r == 0 ? read_history(d, out, err) : r;
}

static int see_outbox(void *ctx, const struct outbox_row *row, struct err *err)
{
	struct buf *out = ctx;

	(void)err;
	buf_printf(out, "\n%lld %d %lld %lld ", (long long)row->seq, row->deferred, (long long)row->due_usec,
		   (long long)row->hold_usec);
	buf_add_str(out, row->record);
	return 0;
}

static void read_outbox(struct database *d, struct buf *out)
{
	struct err err;

	buf_clear(out);
	assert_int_equal(database_outbox(d, see_outbox, out, &err), 0);
	assert_true(out->n > 0);
}

/* What a running driftd does in an hour. */
static int write_all(struct database *d, struct err *err)
{
	int r = database_begin(d, err);

	if (r < 0)
		return r;
	for (int i = 0; r == 0 && i < N_FINDINGS; i++) {
		struct outbox_new row = { .about = STR("key"), .record = STR("r") };
		char id[FINDING_ID_SIZE];
		int64_t seq;

		finding_id(i, id);
		r = database_remove_finding(d, id, err);
		if (r == 0)
			r = database_put_finding(d, id, STR("{}"), err);
		if (r == 0)
			r = database_put_last_record(d, id, STR("told"), err);
		if (r == 0)
			r = database_add_to_outbox(d, &row, &seq, err);
		if (r == 0)
			r = database_mark_sent(d, seq, 1, err);
	}
	if (r == 0)
		r = database_forget_sent(d, INT64_MAX, 1000, err) < 0 ? -err->code : 0;
	if (r == 0)
		r = database_prune(d, INT64_MAX / 2, INT64_MAX, err);
	return database_end(d, r, err);
}

/* ---- */

static void clean(const struct fixture *x)
{
	DIR *d = opendir(x->dir);
	struct dirent *e;

	while (d && (e = readdir(d)))
		(void)unlinkat(dirfd(d), e->d_name, 0);
	closedir(d);
}

static void read_file(const char *path, struct buf *out)
{
	CLEANUP(freep) char *bytes = NULL;
	struct err err;
	size_t n;

	assert_int_equal(file_read(path, 64u << 20, &bytes, &n, &err), 0);
	buf_clear(out);
	buf_add(out, bytes, n);
}

static void write_file(const char *path, str bytes)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(file_write_all(fd, bytes), 0);
	close(fd);
}

static int setup(void **state)
{
	struct fixture *x = calloc(1, sizeof(*x));
	struct database *d;
	size_t malformed;
	struct err err;

	*state = x;
	if (!x)
		return -1;
	x->file = x->sound = BUF_INIT(64u << 20);
	(void)snprintf(x->dir, sizeof(x->dir), "/tmp/driftd-damage-XXXXXX");
	if (!mkdtemp(x->dir) || database_open(x->dir, &d, &err, &err) < 0)
		return -1;
	(void)snprintf(x->db, sizeof(x->db), "%s/driftd.db", x->dir);
	fill(d);
	assert_int_equal(read_all(d, &x->sound, &malformed, &err), 0);
	database_close(d);
	read_file(x->db, &x->file);
	return 0;
}

static int teardown(void **state)
{
	struct fixture *x = *state;

	clean(x);
	rmdir(x->dir);
	buf_done(&x->file);
	buf_done(&x->sound);
	free(x);
	return 0;
}

/* It has what it had, or says what is wrong; and after that all goes on. */
static void expect_reported_or_sound(const struct fixture *x, struct database *d, bool said, const char *what)
{
	CLEANUP(buf_done) struct buf now = BUF_INIT(64u << 20);
	struct err err = { 0 }, history = { 0 }, why;
	size_t malformed = 0;
	bool read = read_all(d, &now, &malformed, &err) == 0 && malformed == 0;

	/* Other bytes within a text are the one thing that nothing here can see. */
	if (read && !said && now.n != x->sound.n)
		fail_msg("%s: something is lost in silence: %zu bytes of %zu can be read", what, now.n, x->sound.n);
	if (!read && !malformed && !database_is_damaged(d, &why) && err.code != EBADMSG)
		fail_msg("%s: it cannot be read, and is not known to be damaged: %s", what, err.msg);
	if (write_all(d, &err) == 0)
		return;
	if (!database_is_damaged(d, &why))
		fail_msg("%s: it cannot be written, and is not known to be damaged: %s", what, err.msg);
	if (database_renew(d, &history, &err) < 0)
		fail_msg("%s: no other one can be made: %s", what, err.msg);
	if (write_all(d, &err) < 0 || database_is_damaged(d, &why))
		fail_msg("%s: the other one is damaged too: %s", what, err.msg);
}

static void open_damaged(const struct fixture *x, const char *what)
{
	struct err history = { 0 }, err;
	struct database *d;

	if (database_open(x->dir, &d, &history, &err) < 0)
		fail_msg("%s: it cannot be opened: %s", what, err.msg);
	expect_reported_or_sound(x, d, history.code != 0, what);
	database_close(d);
}

/* ---- pages ---- */

static void damage(char *page, int way, const char *other)
{
	uint32_t noise = 12345;

	switch (way) {
	case 0:
		memset(page, 0, PAGE);
		break;
	case 1:
		for (size_t i = 0; i < PAGE; i++)
			page[i] = (char)((noise = noise * 1664525 + 1013904223) >> 24);
		break;
	case 2:
		memcpy(page, other, PAGE);
		break;
	default: /* half of it was written */
		memset(page + PAGE / 2, 0xFF, PAGE / 2);
	}
}

static void test_each_page(void **state)
{
	const struct fixture *x = *state;
	size_t n = x->file.n / PAGE, damaged = 0;
	char *bytes = malloc(x->file.n), what[64];

	assert_non_null(bytes);
	assert_true(n > 75);
	for (size_t page = 0; page < n; page++) {
		for (int way = 0; way < WAYS; way++) {
			if (!all_ways && (size_t)way != page % WAYS)
				continue;
			memcpy(bytes, x->file.p, x->file.n);
			damage(bytes + page * PAGE, way, x->file.p + (page + 7) % n * PAGE);
			clean(x);
			write_file(x->db, (str){ bytes, x->file.n });
			(void)snprintf(what, sizeof(what), "page %zu of %zu, way %d", page + 1, n, way);
			open_damaged(x, what);
			damaged++;
		}
	}
	assert_true(damaged >= (all_ways ? 300 : 75));
	print_message("%zu databases with a damaged page\n", damaged);
	free(bytes);
}

static void test_cut_anywhere(void **state)
{
	const struct fixture *x = *state;
	char what[64];

	for (size_t size = 1; size < x->file.n; size += 3 * PAGE + 700) {
		clean(x);
		write_file(x->db, (str){ x->file.p, size });
		(void)snprintf(what, sizeof(what), "cut after %zu bytes", size);
		open_damaged(x, what);
	}
}

/* ---- the log ---- */

struct left {
	struct buf db, log, index; /* as a kill leaves them */
};

static void leave(struct fixture *x, struct left *l)
{
	char log[128], index[128];
	struct database *d;
	size_t malformed;
	struct err err;

	clean(x);
	l->db = l->log = l->index = BUF_INIT(64u << 20);
	assert_int_equal(database_open(x->dir, &d, &err, &err), 0);
	fill(d);
	(void)snprintf(log, sizeof(log), "%s-wal", x->db);
	(void)snprintf(index, sizeof(index), "%s-shm", x->db);
	read_file(x->db, &l->db);
	read_file(log, &l->log);
	read_file(index, &l->index);
	buf_clear(&x->sound);
	assert_int_equal(read_all(d, &x->sound, &malformed, &err), 0);
	database_close(d);
}

/* No file may grow beyond @bytes; what it was. */
static struct rlimit limit_files(rlim_t bytes)
{
	struct rlimit before, now;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	now = (struct rlimit){ bytes, before.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &now), 0);
	return before;
}

/* Where there is no room for all that the log has, the database has some of it: its first page names pages that are in
 * the log only. Nobody has cut it. */
static void test_no_room_for_what_the_log_has(void **state)
{
	CLEANUP(buf_done) struct buf now = BUF_INIT(64u << 20);
	struct fixture *x = *state;
	void (*before_signal)(int) = signal(SIGXFSZ, SIG_IGN);
	struct err history = { 0 }, err;
	struct rlimit before;
	struct database *d;
	size_t malformed;
	struct left l;
	struct stat st;
	char log[128];

	leave(x, &l);
	clean(x);
	write_file(x->db, buf_str(&l.db));
	(void)snprintf(log, sizeof(log), "%s-wal", x->db);
	write_file(log, buf_str(&l.log));
	before = limit_files((rlim_t)l.db.n);
	assert_int_equal(database_open(x->dir, &d, &history, &err), 0);
	assert_int_equal(stat(x->db, &st), 0);
	assert_int_equal(st.st_size, l.db.n);
	for (int i = 0; i < 3; i++)
		assert_int_equal(database_look_at_files(d, &err), 0);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_int_equal(read_all(d, &now, &malformed, &err), 0);
	assert_true(str_eq(buf_str(&now), buf_str(&x->sound)));
	database_close(d);
	(void)signal(SIGXFSZ, before_signal);
	buf_done(&l.db);
	buf_done(&l.log);
	buf_done(&l.index);
}

static void test_a_log_that_is_not_whole(void **state)
{
	struct fixture *x = *state;
	struct left l;
	char log[128], index[128], what[96];

	leave(x, &l);
	(void)snprintf(log, sizeof(log), "%s-wal", x->db);
	(void)snprintf(index, sizeof(index), "%s-shm", x->db);
	for (int with_index = 0; with_index < 2; with_index++) {
		for (int way = 0; way < 12; way++) {
			CLEANUP(buf_done) struct buf bytes = BUF_INIT(64u << 20);
			size_t at = l.log.n / 10 * (size_t)way;

			buf_add_str(&bytes, buf_str(&l.log));
			clean(x);
			write_file(x->db, buf_str(&l.db));
			if (with_index)
				write_file(index, buf_str(&l.index));
			if (way < 10)
				memset(bytes.p + at, 0x5A, l.log.n - at < 64 ? l.log.n - at : 64);
			else if (way == 10)
				bytes.n = with_index ? bytes.n / 2 : 10;
			else
				bytes.n = with_index ? 0 : 20;
			write_file(log, buf_str(&bytes));
			(void)snprintf(what, sizeof(what), "log, way %d %s its index", way,
				       with_index ? "with" : "without");
			open_damaged(x, what);
		}
	}
	clean(x);
	write_file(x->db, buf_str(&l.db));
	write_file(log, buf_str(&l.log));
	write_file(index, buf_str(&l.index));
	{
		struct err history = { 0 }, err;
		struct database *d;

		assert_int_equal(database_open(x->dir, &d, &history, &err), 0);
		assert_int_equal(history.code, 0); /* one that is whole is not said to be damaged */
		expect_reported_or_sound(x, d, false, "a log that is whole");
		database_close(d);
	}
	buf_done(&l.db);
	buf_done(&l.log);
	buf_done(&l.index);
}

/* ---- while it is used ---- */

static void take_file(const struct fixture *x, const char *suffix)
{
	char name[128];

	(void)snprintf(name, sizeof(name), "%s%s", x->db, suffix);
	assert_int_equal(unlink(name), 0);
}

static void take_db(const struct fixture *x)
{
	take_file(x, "");
}

static void take_log(const struct fixture *x)
{
	take_file(x, "-wal");
}

static void take_index(const struct fixture *x)
{
	take_file(x, "-shm");
}

static void cut_db(const struct fixture *x)
{
	assert_int_equal(truncate(x->db, 3 * PAGE), 0);
}

static void empty_db(const struct fixture *x)
{
	assert_int_equal(truncate(x->db, 0), 0);
}

static void cut_log(const struct fixture *x)
{
	char name[128];

	(void)snprintf(name, sizeof(name), "%s-wal", x->db);
	assert_int_equal(truncate(name, 32), 0);
}

static void replace_db(const struct fixture *x)
{
	take_db(x);
	write_file(x->db, STR("something else"));
}

static void replace_folder(const struct fixture *x)
{
	char away[96];

	(void)snprintf(away, sizeof(away), "%s.away", x->dir);
	assert_int_equal(rename(x->dir, away), 0);
	assert_int_equal(mkdir(x->dir, 0700), 0);
}

static void remove_away(const struct fixture *x)
{
	struct fixture away = { 0 };

	(void)snprintf(away.dir, sizeof(away.dir), "%.50s.away", x->dir);
	if (access(away.dir, F_OK) < 0)
		return;
	clean(&away);
	(void)rmdir(away.dir);
}

/* One is added and one removed in a transaction that fails; then one is let go, one goes, and one is added. */
static void change_outbox(struct database *d)
{
	struct outbox_new row = { .about = STR("key"), .record = STR("r"), .deferred = true, .due_usec = 7 };
	struct err err;
	int64_t seq;

	assert_int_equal(database_begin(d, &err), 0);
	assert_int_equal(database_add_to_outbox(d, &row, &seq, &err), 0);
	assert_int_equal(database_remove_from_outbox(d, 10, &err), 0);
	assert_int_equal(database_end(d, -EIO, &err), -EIO);
	assert_int_equal(database_begin(d, &err), 0);
	assert_int_equal(database_release(d, 4, &err), 0);
	assert_int_equal(database_remove_from_outbox(d, 7, &err), 0);
	assert_int_equal(database_shift_not_due(d, 100, 4, &err), 0);
	assert_int_equal(database_add_to_outbox(d, &row, &seq, &err), 0);
	assert_int_equal(database_end(d, 0, &err), 0);
}

static void test_taken_away_while_it_is_used(void **state)
{
	static const struct {
		const char *what;
		void (*take)(const struct fixture *x);
		bool all_is_kept;
	} cases[] = {
		{ "the database is gone", take_db, true },  { "its log is gone", take_log, true },
		{ "its index is gone", take_index, true },  { "it is cut", cut_db, false },
		{ "it is empty", empty_db, false },         { "its log is cut", cut_log, false },
		{ "it is another file", replace_db, true }, { "it is another folder", replace_folder, true },
	};
	struct fixture *x = *state;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(buf_done) struct buf now = BUF_INIT(64u << 20);
		CLEANUP(buf_done) struct buf waited = BUF_INIT(64u << 20), waits = BUF_INIT(64u << 20);
		struct err history = { 0 }, err = { 0 };
		struct database *d;
		size_t malformed;
		int r;

		clean(x);
		write_file(x->db, buf_str(&x->file));
		assert_int_equal(database_open(x->dir, &d, &history, &err), 0);
		assert_int_equal(database_put_seen(d, STR("c"), 17, &err), 0);
		change_outbox(d);
		read_outbox(d, &waited);
		buf_clear(&x->sound);
		assert_int_equal(read_all(d, &x->sound, &malformed, &err), 0);
		assert_int_equal(database_look_at_files(d, &err), 0);
		assert_int_equal(database_look_at_files(d, &err), 0);
		cases[i].take(x);
		(void)!database_look_at_files(d, &err); /* what is short must be so twice */
		r = database_look_at_files(d, &err);
		if (r == 0)
			fail_msg("%s: it is not noticed", cases[i].what);
		if (database_renew(d, &history, &err) < 0)
			fail_msg("%s: no other one can be made: %s", cases[i].what, err.msg);
		assert_int_equal(database_look_at_files(d, &err), 0);
		assert_int_equal(read_all(d, &now, &malformed, &err), 0);
		if (cases[i].all_is_kept && !str_eq(buf_str(&now), buf_str(&x->sound)))
			fail_msg("%s: something is lost", cases[i].what);
		read_outbox(d, &waits);
		if (!str_eq(buf_str(&waits), buf_str(&waited)))
			fail_msg("%s: something of the outbox is lost, or there again", cases[i].what);
		assert_int_equal(write_all(d, &err), 0);
		database_close(d);
		assert_int_equal(database_open(x->dir, &d, &history, &err), 0); /* it is where it belongs */
		database_close(d);
		remove_away(x);
	}
}

/* A folder that is away is tried again until it is there. */
static void test_a_folder_that_comes_back(void **state)
{
	struct fixture *x = *state;
	struct err history = { 0 }, err;
	struct database *d;
	char away[96];

	(void)snprintf(away, sizeof(away), "%.50s.away", x->dir);
	assert_int_equal(database_open(x->dir, &d, &history, &err), 0);
	assert_int_equal(rename(x->dir, away), 0);
	assert_int_equal(database_look_at_files(d, &err), -ENOENT);
	assert_int_equal(database_renew(d, &history, &err), -ENOENT);
	assert_int_equal(database_renew(d, &history, &err), -ENOENT);
	assert_int_equal(rename(away, x->dir), 0);
	assert_int_equal(database_look_at_files(d, &err), 0);
	expect_reported_or_sound(x, d, false, "a folder that came back");
	database_close(d);
}

static void test_one_that_could_not_be_opened(void **state)
{
	struct fixture *x = *state;
	struct err history = { 0 }, err, why;
	char away[96];
	struct database *d;

	(void)!err_set(&why, EACCES, "not now");
	(void)snprintf(away, sizeof(away), "%.50s.away", x->dir);
	assert_int_equal(rename(x->dir, away), 0);
	assert_int_equal(database_open_fallback(x->dir, &why, &d, &err), 0);
	assert_int_equal(database_look_at_files(d, &err), -EACCES);
	fill(d);
	assert_int_equal(database_renew(d, &history, &err), -ENOENT);
	assert_int_equal(database_look_at_files(d, &err), -ENOENT);
	assert_int_equal(rename(away, x->dir), 0);
	assert_int_equal(database_renew(d, &history, &err), 0);
	assert_int_equal(history.code, EAGAIN);
	assert_non_null(strstr(history.msg, "can be used again"));
	assert_int_equal(database_look_at_files(d, &err), 0);
	assert_int_equal(database_was_damaged(d, &err), 0);
	assert_int_equal(write_all(d, &err), 0);
	database_close(d);
}

/* Of one that is gone while it is used nothing is lost, and nothing is said to be. */
static void test_nothing_is_lost(void **state)
{
	struct fixture *x = *state;
	struct err history = { 0 }, err;
	struct database *d;

	assert_int_equal(database_open(x->dir, &d, &history, &err), 0);
	take_db(x);
	assert_int_equal(database_look_at_files(d, &err), -ENOENT);
	history = err;
	assert_int_equal(database_renew(d, &history, &err), 0);
	assert_null(strstr(history.msg, "some of it is lost"));
	assert_int_equal(database_was_damaged(d, &err), 0);
	database_close(d);
	remove_away(x);
}

/* A start that was ended in the midst of making another one goes on with that. */
static void test_another_one_that_was_not_put_in_place(void **state)
{
	const struct fixture *x = *state;
	char name[128];
	struct err history = { 0 }, err;
	struct database *d;

	for (int i = 0; i < 2; i++) {
		clean(x);
		write_file(x->db, STR("this is no database"));
		(void)snprintf(name, sizeof(name), "%s%s", x->db, i == 0 ? ".new" : ".part");
		write_file(name, i == 0 ? buf_str(&x->file) : STR("half"));
		assert_int_equal(database_open(x->dir, &d, &history, &err), 0);
		assert_int_not_equal(history.code, 0);
		expect_reported_or_sound(x, d, i == 1, "a start that was ended");
		database_close(d);
		assert_int_not_equal(access(name, F_OK), 0);
		(void)snprintf(name, sizeof(name), "%s.bad", x->db);
		assert_int_equal(access(name, F_OK), 0);
	}
}

/* That nothing of it could be read is known until what was told first since then is forgotten. */
static void test_that_it_was_damaged_is_known_for_a_while(void **state)
{
	const struct fixture *x = *state;
	struct outbox_new row = { .about = STR("key"), .record = STR("r") };
	struct err history = { 0 }, err;
	struct database *d;
	int64_t first, second;

	clean(x);
	write_file(x->db, STR("this is no database"));
	assert_int_equal(database_open(x->dir, &d, &history, &err), 0);
	assert_int_equal(database_was_damaged(d, &err), 1);
	assert_int_equal(database_forget_written(d, INT64_MAX, 10, &err), 0);
	assert_int_equal(database_was_damaged(d, &err), 1); /* nothing was told yet */
	assert_int_equal(database_add_to_outbox(d, &row, &first, &err), 0);
	assert_int_equal(database_add_to_outbox(d, &row, &second, &err), 0);
	assert_int_equal(database_forget_written(d, INT64_MAX, 10, &err), 0);
	assert_int_equal(database_was_damaged(d, &err), 1);
	database_close(d);
	assert_int_equal(database_open(x->dir, &d, &history, &err), 0);
	assert_int_equal(database_was_damaged(d, &err), 1);
	assert_int_equal(database_remove_from_outbox(d, first, &err), 0);
	assert_int_equal(database_forget_written(d, INT64_MAX, 10, &err), 0);
	assert_int_equal(database_was_damaged(d, &err), 0);
	database_close(d);
}

/* ---- a slow disk ---- */

/* The thread that copies the log comes first, and takes its time. */
#define FIRST_MS 50
#define SLOW_MS 1000

static const sqlite3_io_methods *quick;
static sqlite3_vfs *quick_vfs;
static pthread_t opener;

static int slow_sync(sqlite3_file *f, int flags)
{
	if (!pthread_equal(pthread_self(), opener))
		(void)usleep(SLOW_MS * 1000);
	return quick->xSync(f, flags);
}

static int slow_lock(sqlite3_file *f, int offset, int n, int flags)
{
	if (pthread_equal(pthread_self(), opener) && flags == (SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE))
		(void)usleep(FIRST_MS * 1000);
	return quick->xShmLock(f, offset, n, flags);
}

static int open_slow(sqlite3_vfs *vfs, const char *name, sqlite3_file *f, int flags, int *flags_out)
{
	static sqlite3_io_methods slow;
	int r = quick_vfs->xOpen(quick_vfs, name, f, flags, flags_out);

	(void)vfs;
	if (r != SQLITE_OK || !(flags & SQLITE_OPEN_MAIN_DB) || !strstr(name, ".part"))
		return r;
	quick = f->pMethods;
	slow = *quick;
	slow.xSync = slow_sync;
	slow.xShmLock = slow_lock;
	f->pMethods = &slow;
	return r;
}

/* Another one of some megabytes, of which a thread begins to copy the log as soon as it is filled. */
static void test_another_one_on_a_slow_disk(void **state)
{
	CLEANUP(buf_done) struct buf bytes = BUF_INIT(64u << 20);
	struct fixture *x = *state;
	struct err history = { 0 }, err = { 0 };
	struct database *d;
	sqlite3_vfs vfs;
	int r;

	assert_int_equal(database_open(x->dir, &d, &history, &err), 0);
	for (int i = 0; i < 12; i++)
		fill(d);
	database_close(d);
	read_file(x->db, &bytes);
	for (size_t page = 30; page < 40; page++)
		damage(bytes.p + page * PAGE, 1, NULL);
	write_file(x->db, buf_str(&bytes));
	opener = pthread_self();
	quick_vfs = sqlite3_vfs_find(NULL);
	vfs = *quick_vfs;
	vfs.zName = "slow";
	vfs.xOpen = open_slow;
	assert_int_equal(sqlite3_vfs_register(&vfs, 1), SQLITE_OK);
	r = database_open(x->dir, &d, &history, &err);
	assert_int_equal(sqlite3_vfs_unregister(&vfs), SQLITE_OK);
	if (r < 0)
		fail_msg("%s", err.msg);
	assert_int_equal(history.code, EBADMSG);
	database_close(d);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

/* With an argument each page is damaged in each way: some 600 databases, in half a minute. */
int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		TEST(test_each_page),
		TEST(test_cut_anywhere),
		TEST(test_a_log_that_is_not_whole),
		TEST(test_no_room_for_what_the_log_has),
		TEST(test_taken_away_while_it_is_used),
		TEST(test_a_folder_that_comes_back),
		TEST(test_one_that_could_not_be_opened),
		TEST(test_nothing_is_lost),
		TEST(test_another_one_that_was_not_put_in_place),
		TEST(test_that_it_was_damaged_is_known_for_a_while),
		TEST(test_another_one_on_a_slow_disk),
	};

	(void)argv;
	all_ways = argc > 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
