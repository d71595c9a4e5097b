/* Prepares and runs the statements of the database. */
#include "daemon/store/database/database_internal.h"

#include <errno.h>
#include <string.h>

#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)
#define TOO_OLD "usec < ?1 OR seq < (SELECT max(seq) FROM written) - " TEXT(DATABASE_WRITTEN_MAX)

static const char *const texts[STATEMENTS] = {
#define STATEMENT(name, text) [name] = (text),
#include "daemon/store/database/database_texts.h"
#undef STATEMENT
};

/* ---- errors ---- */

/* The code for an error of SQLite. Statements that do not fit the database, or impossible rows, mean that it is
 * damaged; a value that could not be bound, for lack of memory, reads as NULL. */
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
	/* the system also gives this error when it has no locks; driftd's own lock says who uses the folder */
	case SQLITE_BUSY:
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

static int bind(struct database *d, enum statement which, struct bounds values, struct err *err)
{
	sqlite3_stmt **s = &d->statements[which];

	ASSERT(which < ARRAY_LEN(texts));
	if (!*s && sqlite3_prepare_v3(d->db, texts[which], -1, SQLITE_PREPARE_PERSISTENT, s, NULL) != SQLITE_OK)
		return database_failed(d, err);
	for (size_t i = 0; i < values.n; i++) {
		const struct bound *b = &values.p[i];
		int at = (int)i + 1;

		if (b->type == BOUND_TEXT)
			(void)sqlite3_bind_text64(*s, at, b->bytes.p ? b->bytes.p : "", b->bytes.n, SQLITE_STATIC,
						  SQLITE_UTF8);
		else if (b->type == BOUND_BLOB)
			(void)sqlite3_bind_blob64(*s, at, b->bytes.p, b->bytes.n, SQLITE_STATIC);
		else if (b->type == BOUND_INTEGER)
			(void)sqlite3_bind_int64(*s, at, b->integer);
	}
	return 0;
}

int database_run(struct database *d, enum statement which, struct bounds values, struct err *err)
{
	int r = bind(d, which, values, err);

	if (r < 0)
		return r;
	r = sqlite3_step(d->statements[which]);
	if (r != SQLITE_DONE)
		(void)database_failed(d, err);
	(void)sqlite3_reset(d->statements[which]);
	(void)sqlite3_clear_bindings(d->statements[which]);
	return r == SQLITE_DONE ? 0 : -err->code;
}

int database_run_plain(struct database *d, enum statement which, struct err *err)
{
	return database_run(d, which, (struct bounds){ 0 }, err);
}

int database_execute(struct database *d, const char *text, struct err *err)
{
	return sqlite3_exec(d->db, text, NULL, NULL, NULL) == SQLITE_OK ? 0 : database_failed(d, err);
}

int database_rows(struct database *d, sqlite3_stmt *s, row_fn *row, void *ctx, struct err *err)
{
	int r = 0, step = SQLITE_DONE;

	while (r == 0 && (step = sqlite3_step(s)) == SQLITE_ROW)
		r = row(ctx, s, err);
	if (r == 0 && step != SQLITE_DONE)
		r = database_failed(d, err);
	(void)sqlite3_reset(s);
	return r;
}

int database_each(struct database *d, enum statement which, struct bounds values, row_fn *row, void *ctx,
		  struct err *err)
{
	int r = bind(d, which, values, err);

	return r < 0 ? r : database_rows(d, d->statements[which], row, ctx, err);
}

static int take_number(void *ctx, sqlite3_stmt *s, struct err *err)
{
	(void)err;
	*(int64_t *)ctx = sqlite3_column_int64(s, 0);
	return 1;
}

int64_t database_number(struct database *d, enum statement which, struct bounds values, struct err *err)
{
	int64_t n = 0;
	int r = database_each(d, which, values, take_number, &n, err);

	return r < 0 ? r : n;
}

/* ---- rows that are none of ours ---- */

struct kept_rows {
	row_fn *row;
	void *ctx;
	VEC(sqlite3_value *) malformed; /* the values of their first column */
};

static int see_kept(void *ctx, sqlite3_stmt *s, struct err *err)
{
	struct kept_rows *rows = ctx;
	int r = rows->row(rows->ctx, s, err);
	sqlite3_value *key = r > 0 ? sqlite3_value_dup(sqlite3_column_value(s, 0)) : NULL;

	if (r <= 0)
		return r;
	if (key && vec_push(&rows->malformed, key))
		return 0;
	sqlite3_value_free(key);
	return err_nomem(err);
}

int database_rows_kept(struct database *d, enum statement which, enum statement remove, row_fn *row, void *ctx,
		       size_t *malformed, struct err *err)
{
	struct kept_rows rows = { .row = row, .ctx = ctx };
	int r = database_each(d, which, (struct bounds){ 0 }, see_kept, &rows, err);

	for (size_t i = 0; i < rows.malformed.n; i++) {
		if (r == 0)
			r = bind(d, remove, (struct bounds){ 0 }, err);
		if (r == 0) {
			(void)sqlite3_bind_value(d->statements[remove], 1, rows.malformed.p[i]);
			r = database_run_plain(d, remove, err);
		}
		sqlite3_value_free(rows.malformed.p[i]);
	}
	*malformed = rows.malformed.n;
	vec_done(&rows.malformed);
	return r;
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
