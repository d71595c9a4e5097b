/* A second copy of the outbox, in memory. A record that waits is nowhere else, and neither is a record that an earlier
 * process left, which is not looked up before the journal answers; and a written record is sent again when the journal
 * loses it with the power. A page of the database that can no longer be read would take the begins or ends of their
 * findings with it.
 *
 * The copy is a separate database in memory. Triggers keep its tables equal to the outbox and the dictionaries, so
 * that it is part of each transaction: what is rolled back in the database was never in the copy. It gives memory
 * back as the outbox gets shorter, which a temporary table would not. A database that takes the place of a damaged
 * one gets the rows of the copy (database_salvage). */
#include "daemon/store/database/database_internal.h"

#define PAGES_MAX 16384 /* limit of pages; rows beyond it have no second copy */

#define COPY "INSERT INTO outbox_copy SELECT seq, deferred, due_usec, hold_usec, about, record FROM main.outbox WHERE "
#define COPY_DICTIONARY "INSERT OR IGNORE INTO dictionary_copy SELECT id, usec, sum, bytes FROM main."

static const char tables[] =
	"ATTACH ':memory:' AS copy;"
	"PRAGMA copy.auto_vacuum=FULL;"
	"CREATE TABLE copy.outbox_copy(seq INTEGER PRIMARY KEY, deferred INTEGER NOT NULL, due_usec INTEGER NOT NULL,"
	" hold_usec INTEGER NOT NULL, about TEXT NOT NULL, record BLOB NOT NULL);"
	"CREATE TABLE copy.dictionary_copy(id INTEGER PRIMARY KEY, usec INTEGER NOT NULL, sum BLOB NOT NULL,"
	" bytes BLOB NOT NULL);"
	"CREATE TEMP TRIGGER comes AFTER INSERT ON main.outbox WHEN has_room() BEGIN"
	" " COPY "seq = new.seq; END;"
	"CREATE TEMP TRIGGER changes AFTER UPDATE ON main.outbox BEGIN"
	" UPDATE outbox_copy SET deferred = new.deferred, due_usec = new.due_usec WHERE seq = new.seq; END;"
	"CREATE TEMP TRIGGER goes AFTER DELETE ON main.outbox BEGIN"
	" DELETE FROM outbox_copy WHERE seq = old.seq; END;"
	"CREATE TEMP TRIGGER learns AFTER INSERT ON main.dictionary BEGIN"
	" " COPY_DICTIONARY "dictionary WHERE id = new.id; END;"
	"BEGIN;" COPY_DICTIONARY "dictionary;" COPY "has_room(); COMMIT";

static void has_room(sqlite3_context *to, int n, sqlite3_value **values)
{
	struct database d = { .db = sqlite3_context_db_handle(to) };
	int64_t used =
		database_pragma(&d, "PRAGMA copy.page_count") - database_pragma(&d, "PRAGMA copy.freelist_count");

	(void)n;
	(void)values;
	sqlite3_result_int(to, used < PAGES_MAX);
}

int database_copy_outbox(struct database *d, struct err *err)
{
	if (sqlite3_create_function(d->db, "has_room", 0, SQLITE_UTF8 | SQLITE_INNOCUOUS, NULL, has_room, NULL, NULL) !=
		    SQLITE_OK ||
	    sqlite3_exec(d->db, tables, NULL, NULL, NULL) != SQLITE_OK)
		return database_failed(d, err);
	return 0;
}

bool database_has_copy(sqlite3 *db)
{
	return sqlite3_table_column_metadata(db, "copy", "outbox_copy", NULL, NULL, NULL, NULL, NULL, NULL) ==
	       SQLITE_OK;
}
