/* Opens the tables, and reads and writes open findings and the outbox. */
#include "daemon/store/database/database_internal.h"

#include "daemon/findings/finding_json.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define SCHEMA_VERSION 11
#define LOG_BYTES_MAX                                                                                                  \
	"41943040" /* cutting it takes the disk some milliseconds; a steady load needs less (checkpoint.c) */
#define RECORD_BYTES_MAX ((size_t)8 << 20)
#define BUSY_MS 1000 /* a person may look into the database with sqlite3 */

/* How to come to each version of the schema from the version before. The history is for people and tools: its
 * columns are texts of the record. */
#define SCHEMA_1                                                                                                       \
	"CREATE TABLE finding(id TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID;"                                 \
	"CREATE TABLE outbox(seq INTEGER PRIMARY KEY AUTOINCREMENT, sent_usec INTEGER, deferred INTEGER NOT NULL, "    \
	"due_usec INTEGER NOT NULL,"                                                                                   \
	" about TEXT NOT NULL, record BLOB NOT NULL);"                                                                 \
	"CREATE INDEX outbox_deferred ON outbox(seq, due_usec) WHERE deferred;"                                        \
	"CREATE INDEX outbox_sent ON outbox(sent_usec) WHERE sent_usec IS NOT NULL;"                                   \
	"CREATE INDEX outbox_deferred_of ON outbox(about, seq) WHERE deferred;"                                        \
	"CREATE TABLE history(seq INTEGER PRIMARY KEY AUTOINCREMENT, usec INTEGER NOT NULL, finding TEXT NOT NULL,"    \
	" record TEXT NOT NULL, event TEXT NOT NULL, severity TEXT, cluster TEXT, kind TEXT, namespace TEXT,"          \
	" name TEXT, message TEXT NOT NULL);"                                                                          \
	"CREATE INDEX history_by_finding ON history(finding);"                                                         \
	"CREATE INDEX history_by_time ON history(usec)"
/* When each cluster was last synced. */
#define SCHEMA_2 "CREATE TABLE seen(cluster TEXT PRIMARY KEY, usec INTEGER NOT NULL) WITHOUT ROWID"
/* The last record of each open finding, with values and diff. */
#define SCHEMA_3 "CREATE TABLE told(id TEXT PRIMARY KEY, record BLOB NOT NULL)"

/* Accepted deviations that were made at run time: acceptance_to_json. */
#define SCHEMA_4 "CREATE TABLE acceptance(id TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID"

/* Inspection rules of users, in the order of their creation; and what was inspected when driftd stopped. */
#define SCHEMA_5                                                                                                       \
	"CREATE TABLE inspection_rule(seq INTEGER PRIMARY KEY, uuid TEXT NOT NULL UNIQUE COLLATE NOCASE,"              \
	" body TEXT NOT NULL, created_at TEXT NOT NULL, updated_at TEXT);"                                             \
	"CREATE TABLE inspected(cluster TEXT PRIMARY KEY, versions BLOB NOT NULL)"

/* Gives rows numbers, because each page that a transaction touches is written two times. New rows now stand at the
 * end of their table, so that many share a page; ordered by id, each of them would be on another page. And a mark is
 * a row of its own, so that it costs no second copy of the record. */
#define SCHEMA_6                                                                                                       \
	"CREATE TABLE finding_6(seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, body TEXT NOT NULL);"  \
	"INSERT INTO finding_6(id, body) SELECT id, body FROM finding;"                                                \
	"CREATE TABLE told_6(seq INTEGER PRIMARY KEY, record BLOB NOT NULL);"                                          \
	"INSERT INTO told_6 SELECT f.seq, t.record FROM told t JOIN finding_6 f ON f.id = t.id;"                       \
	"DROP TABLE told; DROP TABLE finding;"                                                                         \
	"ALTER TABLE finding_6 RENAME TO finding; ALTER TABLE told_6 RENAME TO told;"                                  \
	"CREATE TABLE sent(seq INTEGER PRIMARY KEY, usec INTEGER NOT NULL);"                                           \
	"INSERT INTO sent SELECT seq, sent_usec FROM outbox WHERE sent_usec IS NOT NULL;"                              \
	"CREATE TABLE outbox_6(seq INTEGER PRIMARY KEY AUTOINCREMENT, deferred INTEGER NOT NULL, "                     \
	"due_usec INTEGER NOT NULL, about TEXT NOT NULL, record BLOB NOT NULL);"                                       \
	"INSERT INTO outbox_6 SELECT seq, deferred, due_usec, about, record FROM outbox;"                              \
	"DROP TABLE outbox; ALTER TABLE outbox_6 RENAME TO outbox;"                                                    \
	"CREATE INDEX outbox_deferred ON outbox(seq, due_usec) WHERE deferred;"                                        \
	"CREATE INDEX outbox_deferred_of ON outbox(about, seq) WHERE deferred"

/* How long each record is deferred. A record that an earlier version deferred stays so for as long as its due time
 * seems to be away by now. */
#define SCHEMA_7                                                                                                       \
	"ALTER TABLE outbox ADD COLUMN hold_usec INTEGER NOT NULL DEFAULT 0;"                                          \
	"UPDATE outbox SET hold_usec = max(0, due_usec - strftime('%s', 'now') * 1000000) WHERE deferred"

/* The boot in which everything was last reconciled with the journal; and which sent rows are known to be written, with
 * a time of the steady and of the wall clock. Such a row stays for a while, since the journal may lose its record with
 * the power. */
#define SCHEMA_8                                                                                                       \
	"CREATE TABLE IF NOT EXISTS boot(id TEXT NOT NULL);"                                                           \
	"CREATE TABLE IF NOT EXISTS written(seq INTEGER PRIMARY KEY, usec INTEGER NOT NULL, wall INTEGER NOT NULL)"

/* The row of the outbox up to which rows may be missing, because a page was lost. */
#define SCHEMA_9 "CREATE TABLE IF NOT EXISTS lost(seq INTEGER NOT NULL)"

/* Adds three things: an index of what is urgent in the outbox; columns of the history, so that nobody has to read them
 * out of a message (lines of an earlier version have none); and the spans in which a cluster was not watched, because
 * driftd was away or did not reach it. */
#define SCHEMA_10                                                                                                      \
	"ALTER TABLE history ADD COLUMN type TEXT;"                                                                    \
	"ALTER TABLE history ADD COLUMN resource TEXT;"                                                                \
	"ALTER TABLE history ADD COLUMN reference TEXT;"                                                               \
	"ALTER TABLE history ADD COLUMN manager TEXT;"                                                                 \
	"ALTER TABLE history ADD COLUMN cause TEXT;"                                                                   \
	"ALTER TABLE history ADD COLUMN reason TEXT;"                                                                  \
	"ALTER TABLE history ADD COLUMN lasted_usec INTEGER;"                                                          \
	"CREATE INDEX IF NOT EXISTS outbox_urgent ON outbox(seq) WHERE deferred = 2;"                                  \
	"CREATE TABLE unwatched(cluster TEXT NOT NULL, from_usec INTEGER NOT NULL, to_usec INTEGER NOT NULL,"          \
	" PRIMARY KEY(cluster, from_usec)) WITHOUT ROWID"

/* The dictionaries with which records are packed (record_pack.c), in two tables. */
#define DICTIONARY_COLUMNS "(id INTEGER PRIMARY KEY, usec INTEGER NOT NULL, sum BLOB NOT NULL, bytes BLOB NOT NULL)"
#define SCHEMA_11                                                                                                      \
	"CREATE TABLE IF NOT EXISTS dictionary" DICTIONARY_COLUMNS ";"                                                 \
	"CREATE TABLE IF NOT EXISTS dictionary_again" DICTIONARY_COLUMNS

static const char *const schema[] = {
	"BEGIN;" SCHEMA_1 ";PRAGMA user_version = 1;COMMIT",   "BEGIN;" SCHEMA_2 ";PRAGMA user_version = 2;COMMIT",
	"BEGIN;" SCHEMA_3 ";PRAGMA user_version = 3;COMMIT",   "BEGIN;" SCHEMA_4 ";PRAGMA user_version = 4;COMMIT",
	"BEGIN;" SCHEMA_5 ";PRAGMA user_version = 5;COMMIT",   "BEGIN;" SCHEMA_6 ";PRAGMA user_version = 6;COMMIT",
	"BEGIN;" SCHEMA_7 ";PRAGMA user_version = 7;COMMIT",   "BEGIN;" SCHEMA_8 ";PRAGMA user_version = 8;COMMIT",
	"BEGIN;" SCHEMA_9 ";PRAGMA user_version = 9;COMMIT",   "BEGIN;" SCHEMA_10 ";PRAGMA user_version = 10;COMMIT",
	"BEGIN;" SCHEMA_11 ";PRAGMA user_version = 11;COMMIT",
};

_Static_assert(ARRAY_LEN(schema) == SCHEMA_VERSION, "a step for each version");

/* ---- opening ---- */

struct database *database_new(void)
{
	struct database *d = calloc(1, sizeof(*d));

	if (d)
		d->lock = -1;
	return d;
}

/* Note the identity of the files that were opened, so that another file in their place is recognised. Fails: ENOMEM,
 * codes of stat(2). */
static int note_files(struct database *d, const char *path, struct err *err)
{
	char *copy = str_dup(str_from(path));
	struct stat st;

	if (!copy)
		return err_nomem(err);
	free(d->path);
	d->path = copy;
	memset(d->files, 0, sizeof(d->files));
	if (stat(path, &st) < 0)
		return err_set(err, errno, "state database '%s': %s", path, strerror(errno));
	d->files[0] = (struct file_id){ .dev = st.st_dev, .ino = st.st_ino };
	if (d->lock >= 0 && fstat(d->lock, &st) == 0)
		d->folder = (struct file_id){ .dev = st.st_dev, .ino = st.st_ino };
	return 0;
}

int database_open_file(struct database *d, const char *path, const char *locking, struct err *err)
{
	struct err ignored;
	int64_t version;
	bool older;

	/* Make the file private before anything is in it. */
	if (*path) {
		int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

		if (fd < 0)
			return err_set(err, errno, "state database '%s': %s", path, strerror(errno));
		close(fd);
	}
	if (sqlite3_open_v2(*path ? path : ":memory:", &d->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) !=
	    SQLITE_OK)
		return database_failed(d, err);
	(void)sqlite3_busy_timeout(d->db, BUSY_MS);
	if (locking && sqlite3_exec(d->db, locking, NULL, NULL, NULL) != SQLITE_OK)
		return database_failed(d, err);
	version = database_pragma(d, "PRAGMA user_version");
	if (version < 0)
		return database_failed(d, err);
	/* Set this before anything is in the database; later it would write, perhaps to a full disk. */
	if (version == 0 && sqlite3_exec(d->db, "PRAGMA auto_vacuum=INCREMENTAL", NULL, NULL, NULL) != SQLITE_OK)
		return database_failed(d, err);
	if (version > SCHEMA_VERSION)
		return err_set(err, EPROTO,
			       "state database '%s' is of version %lld, made by a newer driftd (this one has %d)", path,
			       (long long)version, SCHEMA_VERSION);
	if (sqlite3_exec(d->db,
			 "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"
			 "PRAGMA foreign_keys=ON; PRAGMA trusted_schema=OFF; PRAGMA secure_delete=OFF;"
			 "PRAGMA journal_size_limit=" LOG_BYTES_MAX,
			 NULL, NULL, NULL) != SQLITE_OK)
		return database_failed(d, err);
	older = version > 0 && version < 11;
	for (; version < SCHEMA_VERSION; version++) {
		if (sqlite3_exec(d->db, schema[version], NULL, NULL, NULL) != SQLITE_OK)
			return database_failed(d, err);
	}
	d->checkpoints = checkpoints_new(d->db, !locking);
	if (!d->checkpoints)
		return err_nomem(err);
	if (*path && note_files(d, path, err) < 0)
		return -err->code;
	if (database_open_packing(d, err) < 0)
		return -err->code;
	if (older)
		/* a failure does no harm, because the records stay as they are */
		(void)!database_pack_older(d, &ignored);
	return 0;
}

void database_close_file(struct database *d)
{
	checkpoints_free(TAKE(d->checkpoints));
	for (size_t i = 0; i < STATEMENTS; i++) {
		(void)sqlite3_finalize(d->statements[i]);
		d->statements[i] = NULL;
	}
	(void)sqlite3_close(d->db);
	d->db = NULL;
	database_close_packing(d);
}

void database_close(struct database *d)
{
	if (!d)
		return;
	database_close_file(d);
	if (d->lock >= 0)
		close(d->lock);
	free(d->dir);
	free(d->path);
	free(d);
}

/* ---- findings ---- */

/* Read a finding. A row under another id than that of its finding is refused, because it would outlive the finding. */
static int see_finding(void *ctx, sqlite3_stmt *s, struct err *err)
{
	CLEANUP(doc_unrefp) struct doc *doc = NULL;
	const struct row_taker *rows = ctx;
	struct finding x;
	int r = finding_from_text(database_column(s, 1), &doc, &x, err);

	if (r < 0)
		return r;
	if (r == 0 || sqlite3_column_type(s, 0) != SQLITE_TEXT || !str_eq(database_column(s, 0), str_from(x.id)))
		return 1;
	r = rows->each.finding(rows->ctx, &x, err);
	return r < 0 ? r : 0;
}

int database_findings(struct database *d, finding_fn *each, void *ctx, size_t *malformed, struct err *err)
{
	struct row_taker rows = { .each.finding = each, .ctx = ctx };

	return database_rows_kept(d, FINDINGS, REMOVE_FINDING, see_finding, &rows, malformed, err);
}

int database_begin(struct database *d, struct err *err)
{
	return database_run_plain(d, BEGIN, err);
}

void database_cut_log(struct database *d)
{
	(void)sqlite3_busy_timeout(d->db, 0); /* do not wait for others who read the database */
	(void)checkpoints_empty_log(d->checkpoints);
	(void)sqlite3_busy_timeout(d->db, BUSY_MS);
}

int database_end(struct database *d, int status, struct err *err)
{
	struct err ignored;
	int r = status < 0 ? status : database_make_dictionary(d, err);

	if (r == 0)
		r = database_run_plain(d, COMMIT, err);
	database_end_dictionary(d, r == 0);
	if (r == 0)
		return 0;
	if (!sqlite3_get_autocommit(d->db)) /* some failures have rolled back already */
		(void)!database_run_plain(d, ROLLBACK, &ignored);
	database_cut_log(d); /* the log may be what fills the disk */
	return r;
}

int database_put_finding(struct database *d, const char *id, str json, struct err *err)
{
	return DATABASE_RUN(d, PUT_FINDING, err, B_TEXT(str_from(id)), B_TEXT(json));
}

int database_remove_finding(struct database *d, const char *id, struct err *err)
{
	int r = DATABASE_RUN(d, REMOVE_LAST_RECORD, err, B_TEXT(str_from(id)));

	return r < 0 ? r : DATABASE_RUN(d, REMOVE_FINDING, err, B_TEXT(str_from(id)));
}

/* ---- clusters ---- */

int database_put_seen(struct database *d, str cluster, int64_t usec, struct err *err)
{
	return DATABASE_RUN(d, PUT_SEEN, err, B_TEXT(cluster), B_INT(usec));
}

static int see_seen(void *ctx, sqlite3_stmt *s, struct err *err)
{
	const struct row_taker *rows = ctx;

	return rows->each.seen(rows->ctx, database_column(s, 0), sqlite3_column_int64(s, 1), err);
}

int database_seen(struct database *d, seen_fn *each, void *ctx, struct err *err)
{
	struct row_taker rows = { .each.seen = each, .ctx = ctx };

	return database_each(d, SEEN, (struct bounds){ 0 }, see_seen, &rows, err);
}

int database_put_unwatched(struct database *d, str cluster, const struct time_span *span, struct err *err)
{
	return DATABASE_RUN(d, PUT_UNWATCHED, err, B_TEXT(cluster), B_INT(span->not_before_usec),
			    B_INT(span->not_after_usec));
}

/* ---- acceptances ---- */

static int see_acceptance(void *ctx, sqlite3_stmt *s, struct err *err)
{
	const struct row_taker *rows = ctx;
	int r = rows->each.acceptance(rows->ctx, database_column(s, 1), err);

	return r == -EBADMSG && !rows->strict ? 1 : r;
}

int database_acceptances(struct database *d, acceptance_fn *each, void *ctx, size_t *malformed, struct err *err)
{
	struct row_taker rows = { .each.acceptance = each, .ctx = ctx, .strict = !malformed };
	size_t none;

	return database_rows_kept(d, ACCEPTANCES, REMOVE_ACCEPTANCE, see_acceptance, &rows,
				  malformed ? malformed : &none, err);
}

int database_put_acceptance(struct database *d, const char *id, str json, struct err *err)
{
	return DATABASE_RUN(d, PUT_ACCEPTANCE, err, B_TEXT(str_from(id)), B_TEXT(json));
}

int database_remove_acceptance(struct database *d, const char *id, struct err *err)
{
	return DATABASE_RUN(d, REMOVE_ACCEPTANCE, err, B_TEXT(str_from(id)));
}

int database_clear_acceptances(struct database *d, struct err *err)
{
	return database_run_plain(d, CLEAR_ACCEPTANCES, err);
}

/* ---- outbox ---- */

int database_add_to_outbox(struct database *d, const struct outbox_new *row, int64_t *seq, struct err *err)
{
	int r = DATABASE_RUN(d, ADD_TO_OUTBOX, err, B_BLOB(database_packed(d, row->record)), B_TEXT(row->about),
			     B_INT(row->deferred ? 1 + row->urgent : 0), B_INT(row->due_usec), B_INT(row->hold_usec));

	*seq = sqlite3_last_insert_rowid(d->db);
	return r;
}

int database_hurry(struct database *d, str about, struct err *err)
{
	return DATABASE_RUN(d, HURRY, err, B_TEXT(about));
}

int database_clear_outbox(struct database *d, struct err *err)
{
	int r = database_run_plain(d, CLEAR_OUTBOX, err);

	if (r == 0)
		r = database_run_plain(d, CLEAR_MARKS, err);
	return r < 0 ? r : database_run_plain(d, CLEAR_WRITTEN, err);
}

int database_put_back(struct database *d, const struct outbox_row *row, struct err *err)
{
	return DATABASE_RUN(d, PUT_BACK, err, B_INT(row->seq), B_BLOB(database_packed(d, row->record)));
}

/* Let the rows behind @row be deferred as long as @row is. */
static int wait_behind(void *ctx, const struct outbox_row *row, struct err *err)
{
	struct outbox_new *next = ctx;

	(void)err;
	next->deferred = true;
	next->due_usec = row->due_usec > next->due_usec ? row->due_usec : next->due_usec;
	next->hold_usec = row->hold_usec > next->hold_usec ? row->hold_usec : next->hold_usec;
	return 0;
}

int database_put_again(struct database *d, str about, str record, struct err *err)
{
	CLEANUP(buf_done) struct buf encoded = BUF_INIT(RECORD_BYTES_MAX);
	struct outbox_new row = { .about = about };
	struct record r;
	int64_t seq;
	int status = record_decode(record, &r, err);

	if (status < 0)
		return status == -EBADMSG ? 0 : status;
	if (!record_get(&r, "DRIFTD_RESENT").n)
		record_add(&r, "DRIFTD_RESENT", STR("1"));
	record_encode(&r, &encoded);
	status = buf_error(&encoded, "a record", err);
	row.record = buf_str(&encoded);
	if (status == 0)
		status = database_deferred_of(d, about, wait_behind, &row, err);
	if (status == 0)
		status = database_add_to_outbox(d, &row, &seq, err);
	record_done(&r);
	return status;
}

int64_t database_count_deferred(struct database *d, bool not_due, int64_t now_usec, struct err *err)
{
	return DATABASE_NUMBER(d, not_due ? COUNT_NOT_DUE : COUNT_DEFERRED, err, B_INT(now_usec));
}

int database_release(struct database *d, int64_t seq, struct err *err)
{
	return DATABASE_RUN(d, RELEASE, err, B_INT(seq));
}

int database_shift_not_due(struct database *d, int64_t usec, int64_t now_usec, struct err *err)
{
	return DATABASE_RUN(d, SHIFT_NOT_DUE, err, B_INT(usec), B_INT(now_usec));
}

int database_cap_not_due(struct database *d, int64_t now_usec, struct err *err)
{
	return DATABASE_RUN(d, CAP_NOT_DUE, err, B_INT(now_usec));
}

int database_mark_sent(struct database *d, int64_t seq, int64_t usec, struct err *err)
{
	return DATABASE_RUN(d, MARK_SENT, err, B_INT(seq), B_INT(usec));
}

int database_remove_from_outbox(struct database *d, int64_t seq, struct err *err)
{
	int r = DATABASE_RUN(d, REMOVE_MARK, err, B_INT(seq));

	if (r == 0)
		r = DATABASE_RUN(d, REMOVE_WRITTEN, err, B_INT(seq));
	return r < 0 ? r : DATABASE_RUN(d, REMOVE_FROM_OUTBOX, err, B_INT(seq));
}

/* Forget the rows that @which removes, and as many marks, which @marks removes. 1: there may be more. */
static int forget(struct database *d, enum statement which, enum statement marks, int64_t before_usec, int64_t max,
		  struct err *err)
{
	int r = DATABASE_RUN(d, which, err, B_INT(before_usec), B_INT(max));

	if (r == 0)
		r = DATABASE_RUN(d, marks, err, B_INT(before_usec), B_INT(max));
	return r < 0 ? r : sqlite3_changes(d->db) == max;
}

int database_forget_sent(struct database *d, int64_t before_usec, int64_t max, struct err *err)
{
	return forget(d, FORGET_SENT, FORGET_MARKS, before_usec, max, err);
}

int database_note_written(struct database *d, int64_t before_usec, int64_t max, int64_t now_usec, struct err *err)
{
	int r = DATABASE_RUN(d, NOTE_WRITTEN, err, B_INT(before_usec), B_INT(max), B_INT(now_usec));

	if (r == 0)
		r = DATABASE_RUN(d, FORGET_MARKS, err, B_INT(before_usec), B_INT(max));
	return r < 0 ? r : sqlite3_changes(d->db) == max;
}

/* Beyond the maximum the rows with the lowest numbers are forgotten, because they are the oldest. */
int database_forget_written(struct database *d, int64_t before_usec, int64_t max, struct err *err)
{
	int r = forget(d, FORGET_WRITTEN, FORGET_WRITTEN_MARKS, before_usec, max, err);

	return r < 0 || database_run_plain(d, FORGET_LOST, err) == 0 ? r : -err->code;
}

static int take_boot(void *ctx, sqlite3_stmt *s, struct err *err)
{
	(void)err;
	(void)snprintf(ctx, DATABASE_BOOT_SIZE, "%.*s", STR_ARG(database_column(s, 0)));
	return 1;
}

int database_boot(struct database *d, char ret[DATABASE_BOOT_SIZE], struct err *err)
{
	int r;

	ret[0] = '\0';
	r = database_each(d, BOOT, (struct bounds){ 0 }, take_boot, ret, err);
	return r < 0 ? r : 0;
}

static int put_boot(struct database *d, const char *id, struct err *err)
{
	char text[128];

	(void)snprintf(text, sizeof(text), "DELETE FROM boot; INSERT INTO boot(id) VALUES('%.*s')",
		       DATABASE_BOOT_SIZE - 1, id);
	return database_execute(d, text, err);
}

static int reconcile_rows(struct database *d, const char *id, const struct reconciled_rows *rows, struct err *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < rows->n_again; i++)
		r = DATABASE_RUN(d, REMOVE_WRITTEN, err, B_INT(rows->again[i]));
	for (size_t i = 0; r == 0 && i < rows->n_written; i++)
		r = database_remove_from_outbox(d, rows->written[i], err);
	return r < 0 ? r : put_boot(d, id, err);
}

int database_mark_reconciled(struct database *d, const char *id, const struct reconciled_rows *rows, struct err *err)
{
	int r;

	(void)sqlite3_exec(d->db, "PRAGMA synchronous=FULL", NULL, NULL, NULL);
	r = database_begin(d, err);
	if (r == 0)
		r = database_end(d, reconcile_rows(d, id, rows, err), err);
	(void)sqlite3_exec(d->db, "PRAGMA synchronous=NORMAL", NULL, NULL, NULL);
	return r;
}

static int see_row(void *ctx, sqlite3_stmt *s, struct err *err)
{
	const struct row_taker *rows = ctx;
	struct outbox_row row = {
		.seq = sqlite3_column_int64(s, 0),
		.sent = sqlite3_column_type(s, 1) != SQLITE_NULL,
		.deferred = sqlite3_column_int(s, 2) != 0,
		.due_usec = sqlite3_column_int64(s, 3),
		.hold_usec = sqlite3_column_int64(s, 4),
		.written_usec = sqlite3_column_int64(s, 6),
	};
	int r = database_unpacked(rows->database, database_column(s, 5), &row.record, err);

	return r < 0 ? r : rows->each.outbox(rows->ctx, &row, err);
}

int database_outbox(struct database *d, outbox_fn *each, void *ctx, struct err *err)
{
	struct row_taker rows = { .database = d, .each.outbox = each, .ctx = ctx };

	return database_each(d, OUTBOX, (struct bounds){ 0 }, see_row, &rows, err);
}

int database_deferred_of(struct database *d, str about, outbox_fn *each, void *ctx, struct err *err)
{
	struct row_taker rows = { .database = d, .each.outbox = each, .ctx = ctx };

	return database_each(d, DEFERRED_OF, BOUNDS(B_TEXT(about)), see_row, &rows, err);
}

/* Counts the rows that are passed on. */
struct counted {
	const struct row_taker *rows;
	int64_t n;
};

static int count_row(void *ctx, const struct outbox_row *row, struct err *err)
{
	struct counted *c = ctx;

	c->n++;
	return c->rows->each.outbox(c->rows->ctx, row, err);
}

int database_deferred(struct database *d, int64_t now_usec, int64_t max, outbox_fn *each, void *ctx, struct err *err)
{
	struct row_taker calm = { .database = d, .each.outbox = each, .ctx = ctx };
	struct counted counted = { .rows = &calm };
	struct row_taker urgent = { .database = d, .each.outbox = count_row, .ctx = &counted };
	int r = database_each(d, DEFERRED_URGENT, BOUNDS(B_INT(max), B_INT(now_usec)), see_row, &urgent, err);

	if (r < 0 || counted.n == max)
		return r;
	return database_each(d, DEFERRED, BOUNDS(B_INT(max - counted.n), B_INT(now_usec)), see_row, &calm, err);
}

/* ---- the key ---- */

/* The mark is in the head of the file, which is the last part to get lost. */
int64_t database_key_mark(struct database *d)
{
	return database_pragma(d, "PRAGMA application_id") & UINT32_MAX;
}

int database_put_key_mark(struct database *d, uint32_t mark, struct err *err)
{
	char text[64];

	(void)snprintf(text, sizeof(text), "PRAGMA application_id = %d", (int)mark);
	return database_execute(d, text, err);
}
