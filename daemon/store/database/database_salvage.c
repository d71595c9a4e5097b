/* Copies what can be read of a damaged database. A row behind an unreadable page is reached from the other end of
 * the table. */
#include "daemon/store/database/database_internal.h"

#include <errno.h>
#include <stdio.h>

/* Tables are read without an index, because a damaged index may be wrong. */
static const struct salvaged {
	const char *name, *columns, *key;
	int n_columns;
} tables[] = {
	{ "dictionary", "id, usec, sum, bytes", "id", 4 },
	{ "dictionary_again", "id, usec, sum, bytes", "id", 4 },
	{ "finding", "seq, id, body", "seq", 3 },
	{ "told", "seq, record", "seq", 2 },
	{ "outbox", "seq, deferred, due_usec, about, record, hold_usec", "seq", 6 },
	{ "sent", "seq, usec", "seq", 2 },
	{ "written", "seq, usec, wall", "seq", 3 },
	{ "boot", "id", "rowid", 1 },
	{ "lost", "seq", "rowid", 1 },
	{ "seen", "cluster, usec", "cluster", 2 },
	{ "acceptance", "id, body", "id", 2 },
	{ "inspection_rule", "seq, uuid, body, created_at, updated_at", "seq", 5 },
	{ "unwatched", "cluster, from_usec, to_usec", "cluster", 3 },
	{ "history",
	  "seq, usec, finding, record, event, severity, cluster, kind, namespace, name, message, type, resource,"
	  " reference, manager, cause, reason, lasted_usec",
	  "seq", 18 },
};

/* Copy a row. -EBADMSG: it is malformed, and is left out. */
static int copy_row(sqlite3_stmt *from, sqlite3_stmt *to, struct database *d, struct err *err)
{
	int r = 0, n = sqlite3_column_count(from);

	for (int i = 0; i < n; i++)
		(void)sqlite3_bind_value(to, i + 1, sqlite3_column_value(from, i));
	if (sqlite3_step(to) != SQLITE_DONE)
		r = database_failed(d, err);
	(void)sqlite3_reset(to);
	(void)sqlite3_clear_bindings(to);
	return r;
}

/* Copy the rows that @select gives with @insert. *whole: everything could be read. */
static int copy_rows(sqlite3 *from, const char *select, struct database *to, const char *insert, bool *whole,
		     struct err *err)
{
	sqlite3_stmt *get = NULL, *put = NULL;
	int r = 0, step = SQLITE_ERROR;

	if (sqlite3_prepare_v2(to->db, insert, -1, &put, NULL) != SQLITE_OK)
		r = database_failed(to, err);
	if (r == 0 && sqlite3_prepare_v2(from, select, -1, &get, NULL) == SQLITE_OK) {
		while (r == 0 && (step = sqlite3_step(get)) == SQLITE_ROW) {
			r = copy_row(get, put, to, err);
			if (r == -EBADMSG)
				r = 0;
		}
	}
	*whole = step == SQLITE_DONE;
	(void)sqlite3_finalize(get);
	(void)sqlite3_finalize(put);
	return r;
}

static int copy_table(sqlite3 *from, struct database *to, const struct salvaged *t, const char *order, bool *whole,
		      struct err *err)
{
	char select[320], insert[400], marks[] = "?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?";

	marks[2 * t->n_columns - 1] = '\0';
	(void)snprintf(select, sizeof(select), "SELECT %s FROM %s NOT INDEXED ORDER BY %s %s", t->columns, t->name,
		       t->key, order);
	(void)snprintf(insert, sizeof(insert), "INSERT OR IGNORE INTO %s(%s) VALUES(%s)", t->name, t->columns, marks);
	return copy_rows(from, select, to, insert, whole, err);
}

/* Copy the outbox and the dictionaries from their second copy, whose rows are never damaged, before the tables
 * themselves. */
static int copy_copy(sqlite3 *from, struct database *to, struct err *err)
{
	bool whole;
	int r;

	if (!database_has_copy(from))
		return 0;
	r = copy_rows(from, "SELECT seq, deferred, due_usec, hold_usec, about, record FROM copy.outbox_copy", to,
		      "INSERT OR IGNORE INTO outbox(seq, deferred, due_usec, hold_usec, about, record)"
		      " VALUES(?,?,?,?,?,?)",
		      &whole, err);
	return r < 0 ? r
		     : copy_rows(from, "SELECT id, usec, sum, bytes FROM copy.dictionary_copy", to,
				 "INSERT OR IGNORE INTO dictionary(id, usec, sum, bytes) VALUES(?,?,?,?)", &whole, err);
}

/* Add to each of the two tables the dictionaries that are missing in it. */
static int complete_dictionaries(struct database *to, struct err *err)
{
	return database_execute(to,
				"INSERT OR IGNORE INTO dictionary SELECT * FROM dictionary_again;"
				"INSERT OR IGNORE INTO dictionary_again SELECT * FROM dictionary",
				err);
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

	if (r == 0)
		r = copy_copy(from, to, err);
	for (const struct salvaged *t = tables; r == 0 && t < tables + ARRAY_LEN(tables); t++) {
		bool whole = false;

		r = copy_table(from, to, t, "ASC", &whole, err);
		if (r == 0 && !whole) {
			if (!lost->code)
				(void)!err_set(lost, EBADMSG, "table %s: %s", t->name, sqlite3_errmsg(from));
			r = copy_table(from, to, t, "DESC", &whole, err);
		}
	}
	return r < 0 ? r : complete_dictionaries(to, err);
}
