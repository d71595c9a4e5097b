/* The statements of the database, and how they are run. */
#include "daemon/store/database/database_internal.h"

#include <errno.h>
#include <string.h>

#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)
#define TOO_OLD "usec < ?1 OR seq < (SELECT max(seq) FROM written) - " TEXT(DATABASE_WRITTEN_MAX)

/* ORDER enum statement */
static const char *const texts[STATEMENTS] = {
	"BEGIN IMMEDIATE",
	"COMMIT",
	"ROLLBACK",
	"INSERT INTO finding(id, body) VALUES(?1, ?2) ON CONFLICT(id) DO UPDATE SET body = excluded.body",
	"DELETE FROM finding WHERE id = ?1",
	("SELECT id, body FROM finding ORDER BY"
	 " CASE WHEN json_valid(body) THEN json_extract(body, '$.firstSeenUsec') END"),
	"INSERT OR REPLACE INTO seen(cluster, usec) VALUES(?1, ?2)",
	"SELECT cluster, usec FROM seen",
	"INSERT INTO outbox(record, about, deferred, due_usec, hold_usec) VALUES(?1, ?2, ?3, ?4, ?5)",
	"INSERT OR IGNORE INTO outbox(seq, record, about, deferred, due_usec) VALUES(?1, ?2, '', 0, 0)",
	"INSERT OR REPLACE INTO sent(seq, usec) VALUES(?1, ?2)",
	"DELETE FROM outbox WHERE seq = ?1",
	"DELETE FROM sent WHERE seq = ?1",
	("INSERT OR REPLACE INTO written(seq, usec, wall) SELECT seq, usec, ?3 FROM sent WHERE usec < ?1"
	 " ORDER BY seq LIMIT ?2"),
	"DELETE FROM outbox WHERE seq IN (SELECT seq FROM sent WHERE usec < ?1 ORDER BY seq LIMIT ?2)",
	"DELETE FROM sent WHERE seq IN (SELECT seq FROM sent WHERE usec < ?1 ORDER BY seq LIMIT ?2)",
	"DELETE FROM outbox WHERE seq IN (SELECT seq FROM written WHERE " TOO_OLD " ORDER BY seq LIMIT ?2)",
	"DELETE FROM written WHERE seq IN (SELECT seq FROM written WHERE " TOO_OLD " ORDER BY seq LIMIT ?2)",
	("DELETE FROM lost WHERE seq < (SELECT seq FROM sqlite_sequence WHERE name = 'outbox')"
	 " AND NOT EXISTS (SELECT 1 FROM outbox WHERE outbox.seq <= lost.seq + 1)"),
	"DELETE FROM written WHERE seq = ?1",
	"SELECT seq FROM history WHERE finding = ?1 AND record = ?2 LIMIT 1",
	"SELECT seq FROM finding WHERE id = ?1",
	"SELECT 1 FROM history WHERE finding = ?1 AND event IN ('end', 'expired') LIMIT 1",
	("SELECT o.seq, s.usec, deferred, due_usec, hold_usec, record, w.wall FROM outbox o"
	 " LEFT JOIN sent s ON s.seq = o.seq LEFT JOIN written w ON w.seq = o.seq ORDER BY o.seq"),
	"SELECT count(*) FROM outbox WHERE deferred AND due_usec <= ?1",
	"SELECT count(*) FROM outbox WHERE deferred AND due_usec > ?1",
	("SELECT seq, NULL, deferred, due_usec, hold_usec, record, NULL FROM outbox WHERE deferred AND due_usec <= ?2"
	 " ORDER BY seq LIMIT ?1"),
	("SELECT seq, NULL, deferred, due_usec, hold_usec, record, NULL FROM outbox WHERE deferred AND about = ?1"
	 " ORDER BY seq"),
	"UPDATE outbox SET deferred = 0 WHERE seq = ?1",
	"UPDATE outbox SET due_usec = due_usec + ?1 WHERE deferred AND due_usec > ?2",
	"UPDATE outbox SET due_usec = ?1 + hold_usec WHERE deferred AND due_usec > ?1 + hold_usec",
	("INSERT INTO history(usec, finding, record, event, severity, cluster, kind, namespace, name, message)"
	 " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)"),
	"DELETE FROM history WHERE usec < ?1",
	"DELETE FROM history WHERE seq <= (SELECT min(seq) + (max(seq) - min(seq)) / 10 FROM history)",
	"SELECT usec, event, severity, message, record FROM history WHERE finding = ?1 ORDER BY seq DESC LIMIT ?2",
	"INSERT OR REPLACE INTO told(seq, record) SELECT seq, ?2 FROM finding WHERE id = ?1",
	"DELETE FROM told WHERE seq = (SELECT seq FROM finding WHERE id = ?1)",
	"SELECT record FROM told WHERE seq = (SELECT seq FROM finding WHERE id = ?1)",
	"DELETE FROM told WHERE seq NOT IN (SELECT seq FROM finding)",
	"INSERT OR REPLACE INTO acceptance(id, body) VALUES(?1, ?2)",
	"DELETE FROM acceptance WHERE id = ?1",
	"SELECT id, body FROM acceptance ORDER BY id",
	/* One that was changed keeps its place; a new one has none yet, also when it takes that of a malformed one. */
	("INSERT OR REPLACE INTO inspection_rule(seq, uuid, body, created_at, updated_at) VALUES("
	 "(SELECT seq FROM inspection_rule WHERE uuid = ?1 AND ?4 IS NOT NULL), ?1, ?2, ?3, ?4)"),
	"DELETE FROM inspection_rule WHERE uuid = ?1",
	"DELETE FROM inspection_rule",
	"SELECT uuid, body, created_at, updated_at FROM inspection_rule ORDER BY seq",
	"INSERT OR REPLACE INTO inspected(cluster, versions) VALUES(?1, ?2)",
	"DELETE FROM inspected",
	"SELECT cluster, versions FROM inspected",
	/* database_move_in.c */
	"INSERT OR IGNORE INTO move_place(key, id) VALUES(?1, ?2)",
	"SELECT id FROM move_place WHERE key = ?1",
	"INSERT OR IGNORE INTO move_process(finding, file, key) VALUES(?1, ?2, ?3)",
	"SELECT key FROM move_process WHERE finding = ?1 AND file = ?2",
	("INSERT INTO move_finding(id, key, usec, body, told) VALUES(?1, ?2, ?3, ?4, ?5)"
	 " ON CONFLICT(id) DO UPDATE SET usec = excluded.usec, body = excluded.body, told = excluded.told"
	 " WHERE excluded.usec > usec AND excluded.key = key"),
	"SELECT key = ?2 FROM move_finding WHERE id = ?1",
	"INSERT OR IGNORE INTO finding(id, body) VALUES(?1, ?2)",
	"INSERT OR IGNORE INTO move_twin(id, about, record) VALUES(?1, ?2, ?3)",
	("INSERT OR IGNORE INTO move_record(id, about, deferred, due_usec, hold_usec, sent_usec, record)"
	 " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)"),
	"INSERT OR IGNORE INTO move_waits(file, record, own) VALUES(?1, ?2, ?3)",
	"SELECT own FROM move_waits WHERE file = ?1 AND record = ?2",
	"INSERT OR IGNORE INTO move_told(record) VALUES(?1)",
	"INSERT OR IGNORE INTO move_over(finding) VALUES(?1)",
	("INSERT OR IGNORE INTO move_line(usec, finding, record, event, severity, cluster, kind, namespace, name,"
	 " message) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)"),
	("INSERT INTO seen(cluster, usec) VALUES(?1, ?2)"
	 " ON CONFLICT(cluster) DO UPDATE SET usec = min(usec, excluded.usec)"),
	"INSERT OR IGNORE INTO acceptance(id, body) VALUES(?1, ?2)",
	("INSERT OR IGNORE INTO inspection_rule(uuid, body, created_at, updated_at) VALUES(?1, ?2, ?3, ?4)"),
	"INSERT OR IGNORE INTO move_inspected(cluster, line) VALUES(?1, ?2)",
	"DELETE FROM outbox WHERE about <> ''",
	"DELETE FROM sent WHERE seq NOT IN (SELECT seq FROM outbox)",
	"DELETE FROM written WHERE seq NOT IN (SELECT seq FROM outbox)",
};

/* ---- errors ---- */

/* A statement of ours that makes no sense to it, or rows that cannot be, are none of ours; a value that could not be
 * bound, for want of memory, reads as absent. */
static int code_of(int sqlite)
{
	switch (sqlite) {
	case SQLITE_IOERR_SHORT_READ:
	case SQLITE_IOERR_DATA:
	case SQLITE_IOERR_CORRUPTFS:
		return EBADMSG;
	case SQLITE_CONSTRAINT_NOTNULL:
		return EIO;
	default:
		break;
	}
	switch (sqlite & 0xFF) {
	case SQLITE_NOMEM:
		return ENOMEM;
	case SQLITE_FULL:
		return ENOSPC;
	case SQLITE_BUSY: /* or the system gives no locks: whose the folder is says its own lock */
	case SQLITE_LOCKED:
		return EAGAIN;
	case SQLITE_READONLY:
	case SQLITE_PERM:
		return EACCES;
	case SQLITE_CANTOPEN:
		return ENOENT;
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
	case SQLITE_ERROR:
	case SQLITE_CONSTRAINT:
	case SQLITE_MISMATCH:
	case SQLITE_FORMAT:
		return EBADMSG;
	default:
		return EIO;
	}
}

int database_failed(struct database *d, struct err *err)
{
	int code = sqlite3_extended_errcode(d->db), os = sqlite3_system_errno(d->db);
	int r = err_set(err, code_of(code), "state database: %s%s%s", sqlite3_errmsg(d->db),
			os && code_of(code) != ENOSPC ? ": " : "", os && code_of(code) != ENOSPC ? strerror(os) : "");

	if (r == -EBADMSG)
		d->damage = *err;
	return r;
}

/* ---- statements ---- */

int database_prepare(struct database *d, enum statement s, struct err *err)
{
	if (!d->statements[s] &&
	    sqlite3_prepare_v3(d->db, texts[s], -1, SQLITE_PREPARE_PERSISTENT, &d->statements[s], NULL) != SQLITE_OK)
		return database_failed(d, err);
	return 0;
}

void database_bind(struct database *d, enum statement s, int at, str text)
{
	(void)sqlite3_bind_text64(d->statements[s], at, text.p ? text.p : "", text.n, SQLITE_STATIC, SQLITE_UTF8);
}

/* Run a statement that gives no rows. A failure to bind shows as one to step, or as a column that may not be null. */
int database_run(struct database *d, enum statement s, struct err *err)
{
	int r = sqlite3_step(d->statements[s]);

	if (r != SQLITE_DONE)
		(void)database_failed(d, err);
	(void)sqlite3_reset(d->statements[s]);
	(void)sqlite3_clear_bindings(d->statements[s]);
	return r == SQLITE_DONE ? 0 : -err->code;
}

int database_run_plain(struct database *d, enum statement s, struct err *err)
{
	int r = database_prepare(d, s, err);

	return r < 0 ? r : database_run(d, s, err);
}

int database_run_text(struct database *d, enum statement s, const char *text, struct err *err)
{
	int r = database_prepare(d, s, err);

	if (r < 0)
		return r;
	database_bind(d, s, 1, str_from(text));
	return database_run(d, s, err);
}

int database_run_integers(struct database *d, enum statement s, int64_t first, int64_t second, struct err *err)
{
	int r = database_prepare(d, s, err);

	if (r < 0)
		return r;
	(void)sqlite3_bind_int64(d->statements[s], 1, first);
	if (sqlite3_bind_parameter_count(d->statements[s]) > 1)
		(void)sqlite3_bind_int64(d->statements[s], 2, second);
	return database_run(d, s, err);
}

str database_column(sqlite3_stmt *s, int at)
{
	const char *p = sqlite3_column_blob(s, at);

	return (str){ p ? p : "", (size_t)sqlite3_column_bytes(s, at) };
}

int64_t database_pragma(struct database *d, const char *text)
{
	sqlite3_stmt *s = NULL;
	struct err noted;
	int64_t n = -1;

	if (sqlite3_prepare_v2(d->db, text, -1, &s, NULL) == SQLITE_OK && sqlite3_step(s) == SQLITE_ROW)
		n = sqlite3_column_int64(s, 0);
	else
		(void)!database_failed(d, &noted);
	(void)sqlite3_finalize(s);
	return n;
}
