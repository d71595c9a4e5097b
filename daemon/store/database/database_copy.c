/* A second copy of the outbox, in memory. Nobody else has what waits there, or what an earlier life left, which is not
 * looked at before the journal answers; and what was written is told again when the journal loses it with the power. A
 * page of the database that can no longer be read would take their findings' begins or ends with it.
 *
 * The copy is a temporary table that triggers keep equal to the outbox, so that it is part of each transaction: what is
 * rolled back there never was here. A database that takes the place of a damaged one gets its rows (database_salvage).
 */
#include "daemon/store/database/database_internal.h"

#include "pack/pack.h"

#include <errno.h>

/* Packed, a record of 1.6 KB takes some 900 bytes. What comes beyond that has no second copy. */
#define PAGES_MAX 16384

#define COPY                                                                                                           \
	"INSERT INTO outbox_copy SELECT seq, deferred, due_usec, hold_usec, about, length(record), packed(record)"     \
	" FROM main.outbox WHERE "

static const char tables[] =
	"PRAGMA temp_store=MEMORY;"
	"CREATE TEMP TABLE outbox_copy(seq INTEGER PRIMARY KEY, deferred INTEGER NOT NULL, due_usec INTEGER NOT NULL,"
	" hold_usec INTEGER NOT NULL, about TEXT NOT NULL, bytes INTEGER NOT NULL, packed BLOB NOT NULL);"
	"CREATE TEMP TRIGGER comes AFTER INSERT ON main.outbox WHEN has_room() BEGIN"
	" " COPY "seq = new.seq; END;"
	"CREATE TEMP TRIGGER changes AFTER UPDATE ON main.outbox BEGIN"
	" UPDATE outbox_copy SET deferred = new.deferred, due_usec = new.due_usec WHERE seq = new.seq; END;"
	"CREATE TEMP TRIGGER goes AFTER DELETE ON main.outbox BEGIN"
	" DELETE FROM outbox_copy WHERE seq = old.seq; END;" COPY "has_room()";

static void fail(sqlite3_context *to, const struct err *err)
{
	if (err->code == ENOMEM)
		sqlite3_result_error_nomem(to);
	else
		sqlite3_result_error(to, err->msg, -1);
}

/* What would not get shorter stays as it is: as long as it was. */
static void packed(sqlite3_context *to, int n, sqlite3_value **values)
{
	str text = { sqlite3_value_blob(values[0]), (size_t)sqlite3_value_bytes(values[0]) }, out;
	struct err err;
	int r = packer_pack(sqlite3_user_data(to), NULL, text, &out, &err);

	(void)n;
	if (r == -EFBIG)
		sqlite3_result_value(to, values[0]);
	else if (r < 0)
		fail(to, &err);
	else
		sqlite3_result_blob64(to, out.p, out.n, SQLITE_TRANSIENT);
}

static void unpacked(sqlite3_context *to, int n, sqlite3_value **values)
{
	str text = { sqlite3_value_blob(values[0]), (size_t)sqlite3_value_bytes(values[0]) }, out;
	size_t bytes = (size_t)sqlite3_value_int64(values[1]);
	struct err err;

	(void)n;
	if (bytes == text.n)
		sqlite3_result_value(to, values[0]);
	else if (packer_unpack(sqlite3_user_data(to), NULL, text, bytes, &out, &err) < 0)
		fail(to, &err);
	else
		sqlite3_result_blob64(to, out.p, out.n, SQLITE_TRANSIENT);
}

static void has_room(sqlite3_context *to, int n, sqlite3_value **values)
{
	struct database d = { .db = sqlite3_context_db_handle(to) };
	int64_t used =
		database_pragma(&d, "PRAGMA temp.page_count") - database_pragma(&d, "PRAGMA temp.freelist_count");

	(void)n;
	(void)values;
	sqlite3_result_int(to, used < PAGES_MAX);
}

static bool add_functions(struct database *d)
{
	int flags = SQLITE_UTF8 | SQLITE_INNOCUOUS;

	return sqlite3_create_function(d->db, "packed", 1, flags, d->packer, packed, NULL, NULL) == SQLITE_OK &&
	       sqlite3_create_function(d->db, "unpacked", 2, flags, d->packer, unpacked, NULL, NULL) == SQLITE_OK &&
	       sqlite3_create_function(d->db, "has_room", 0, flags, NULL, has_room, NULL, NULL) == SQLITE_OK;
}

int database_copy_outbox(struct database *d, struct err *err)
{
	d->packer = packer_new();
	if (!d->packer)
		return err_nomem(err);
	if (!add_functions(d) || sqlite3_exec(d->db, tables, NULL, NULL, NULL) != SQLITE_OK)
		return database_failed(d, err);
	return 0;
}

bool database_has_copy(sqlite3 *db)
{
	return sqlite3_table_column_metadata(db, "temp", "outbox_copy", NULL, NULL, NULL, NULL, NULL, NULL) ==
	       SQLITE_OK;
}
