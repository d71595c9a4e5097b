/* What can be read of a database that is damaged. A row behind a page that cannot be read is met from the other side.
 */
#include "daemon/store/database_internal.h"

#include <errno.h>
#include <stdio.h>

/* Without an index: of what it says nobody knows whether it is so. */
static const struct {
	const char *name, *columns, *key;
	int n_columns;
} tables[] = {
	{ "finding", "seq, id, body", "seq", 3 },
	{ "told", "seq, record", "seq", 2 },
	{ "outbox", "seq, deferred, due_usec, about, record, hold_usec", "seq", 6 },
	{ "sent", "seq, usec", "seq", 2 },
	{ "written", "seq, usec, wall", "seq", 3 },
	{ "boot", "id", "rowid", 1 },
	{ "seen", "cluster, usec", "cluster", 2 },
	{ "acceptance", "id, body", "id", 2 },
	{ "inspection_rule", "seq, uuid, body, created_at, updated_at", "seq", 5 },
	{ "history", "seq, usec, finding, record, event, severity, cluster, kind, namespace, name, message", "seq",
	  11 },
};

/* -EBADMSG: the row is none, and is left out. */
static int copy_row(sqlite3_stmt *from, sqlite3_stmt *to, struct database *d, int n, struct err *err)
{
	int r = 0;

	for (int i = 0; i < n; i++)
		(void)sqlite3_bind_value(to, i + 1, sqlite3_column_value(from, i));
	if (sqlite3_step(to) != SQLITE_DONE)
		r = database_failed(d, err);
	(void)sqlite3_reset(to);
	(void)sqlite3_clear_bindings(to);
	return r;
}

/* *whole: there was nothing that could not be read. */
static int copy_rows(sqlite3 *from, struct database *to, size_t table, const char *order, bool *whole, struct err *err)
{
	sqlite3_stmt *select = NULL, *insert = NULL;
	char text[320], marks[] = "?,?,?,?,?,?,?,?,?,?,?,?";
	int r = 0, step = SQLITE_ERROR;

	marks[2 * tables[table].n_columns - 1] = '\0';
	(void)snprintf(text, sizeof(text), "INSERT OR IGNORE INTO %s(%s) VALUES(%s)", tables[table].name,
		       tables[table].columns, marks);
	if (sqlite3_prepare_v2(to->db, text, -1, &insert, NULL) != SQLITE_OK)
		r = database_failed(to, err);
	(void)snprintf(text, sizeof(text), "SELECT %s FROM %s NOT INDEXED ORDER BY %s %s", tables[table].columns,
		       tables[table].name, tables[table].key, order);
	if (r == 0 && sqlite3_prepare_v2(from, text, -1, &select, NULL) == SQLITE_OK) {
		while (r == 0 && (step = sqlite3_step(select)) == SQLITE_ROW) {
			r = copy_row(select, insert, to, tables[table].n_columns, err);
			if (r == -EBADMSG)
				r = 0;
		}
	}
	*whole = step == SQLITE_DONE;
	(void)sqlite3_finalize(select);
	(void)sqlite3_finalize(insert);
	return r;
}

static int copy_key_mark(sqlite3 *from, struct database *to, struct err *err)
{
	struct database source = { .db = from };
	int64_t mark = database_key_mark(&source);

	return mark > 0 ? database_put_key_mark(to, (uint32_t)mark, err) : 0;
}

int database_salvage(sqlite3 *from, struct database *to, struct err *lost, struct err *err)
{
	int r = copy_key_mark(from, to, err);

	for (size_t i = 0; r == 0 && i < ARRAY_LEN(tables); i++) {
		bool whole = false;

		r = copy_rows(from, to, i, "ASC", &whole, err);
		if (r == 0 && !whole) {
			if (!lost->code)
				(void)!err_set(lost, EBADMSG, "table %s: %s", tables[i].name, sqlite3_errmsg(from));
			r = copy_rows(from, to, i, "DESC", &whole, err);
		}
	}
	return r;
}
