/* What the files of the database share: its state, and its statements, prepared when they are first used. */
#ifndef DAEMON_STORE_DATABASE_DATABASE_INTERNAL_H
#define DAEMON_STORE_DATABASE_DATABASE_INTERNAL_H

#include "base/vec.h"
#include "daemon/store/database/checkpoint.h"
#include "daemon/store/database/database.h"

#include <sqlite3.h>
#include <sys/types.h>

struct moved_finding;
struct packer;

enum statement {
	BEGIN,
	COMMIT,
	ROLLBACK,
	PUT_FINDING,
	REMOVE_FINDING,
	FINDINGS,
	PUT_SEEN,
	SEEN,
	ADD_TO_OUTBOX,
	PUT_BACK,
	MARK_SENT,
	REMOVE_FROM_OUTBOX,
	REMOVE_MARK,
	NOTE_WRITTEN,
	FORGET_SENT,
	FORGET_MARKS,
	FORGET_WRITTEN,
	FORGET_WRITTEN_MARKS,
	FORGET_LOST,
	REMOVE_WRITTEN,
	HISTORY_LINE,
	FINDING_LINE,
	HISTORY_END,
	OUTBOX,
	COUNT_DEFERRED,
	COUNT_HELD,
	DEFERRED,
	DEFERRED_OF,
	RELEASE,
	SHIFT_HELD,
	CAP_HELD,
	ADD_HISTORY,
	PRUNE_BY_TIME,
	PRUNE_BY_SIZE,
	HISTORY_OF,
	PUT_TOLD,
	REMOVE_TOLD,
	TOLD,
	PRUNE_TOLD,
	PUT_ACCEPTANCE,
	REMOVE_ACCEPTANCE,
	ACCEPTANCES,
	PUT_RULE,
	REMOVE_RULE,
	CLEAR_RULES,
	RULES,
	PUT_INSPECTED,
	CLEAR_INSPECTED,
	INSPECTED,
	MOVE_PLACE,
	MOVE_PLACE_ID,
	MOVE_PROCESS,
	MOVE_PROCESS_OF,
	MOVE_FINDING,
	MOVE_FINDING_KEY,
	MOVE_OPEN,
	MOVE_TWIN,
	MOVE_RECORD,
	MOVE_WAITS,
	MOVE_WAITS_OF,
	MOVE_NOTE_TOLD,
	MOVE_NOTE_OVER,
	MOVE_LINE,
	MOVE_SEEN,
	MOVE_ACCEPTANCE,
	MOVE_RULE,
	MOVE_INSPECTED,
	CLEAR_OUTBOX,
	CLEAR_MARKS,
	CLEAR_WRITTEN,
	STATEMENTS
};

#define DATABASE_NAME "driftd.db"
#define DATABASE_FILES 3 /* the database, its log, the index of that */

struct file_id {
	dev_t dev;
	ino_t ino;       /* 0: it was never seen */
	bool was_filled; /* it had a first page */
};

struct database {
	sqlite3 *db;
	char *dir;      /* of the one that this one in memory stands in for; NULL: it is what it should be */
	struct err why; /* of the last try to open that */
	char *path;     /* NULL: in memory */
	struct file_id folder, files[DATABASE_FILES];
	bool short_before; /* the last look found less than there must be */
	bool doubtful;
	struct err damage; /* what was read or written last and cannot be so; code 0: nothing */
	sqlite3_stmt *statements[STATEMENTS];
	int lock; /* the folder; -1: there is none */
	struct checkpoints *checkpoints;
	struct packer *packer; /* of the second copy of the outbox; NULL: there is none */
	struct {
		int64_t file, exported_usec; /* of which rows come in */
	} move;
};

/* ---- database.c ---- */

/* @path "": in memory. @locking: a statement that says how it is locked; NULL: as always. */
CHECKED int database_open_file(struct database *d, const char *path, const char *locking, struct err *err);
void database_close_file(struct database *d);
/* What @dir/state.json has comes in, once. One that cannot be read is set aside, *told says so (code 0: there is
 * nothing to tell), and stops nothing. Fails: ENOSPC, EIO, ENOMEM. */
CHECKED int database_import_state(struct database *d, const char *dir, struct err *told, struct err *err);

/* ---- database_files.c ---- */

CHECKED int database_lock_folder(struct database *d, const char *dir, struct err *err);
/* Open it; one that is damaged gives way to a new one with what can be read of it, and *told says so. */
CHECKED int database_open_or_renew(struct database *d, const char *path, struct err *told, struct err *err);
/* These are the ones that were opened. Fails: ENOMEM, codes of stat(2). */
CHECKED int database_note_files(struct database *d, const char *path, struct err *err);

/* ---- database_salvage.c ---- */

/* All rows of @from that can be read go to @to, which keeps those that it has; within a transaction. *lost says what
 * could not be (code 0: nothing). Fails: ENOSPC, EIO, ENOMEM: of @to. */
CHECKED int database_salvage(sqlite3 *from, struct database *to, struct err *lost, struct err *err);

/* ---- database_copy.c ---- */

/* From now on the outbox has a second copy, in memory, up to some 64 MB. Fails: ENOMEM, EIO, EBADMSG. */
CHECKED int database_copy_outbox(struct database *d, struct err *err);
/* Whether @db has one: temp.outbox_copy, of which unpacked(packed, bytes) is the record. */
bool database_has_copy(sqlite3 *db);

/* ---- database_malformed.c ---- */

/* Of a table that is read: those that are removed when all of it was seen, by the values of their first column. */
struct malformed {
	VEC(sqlite3_value *) keys;
};

/* The row that @s is at. Fails: ENOMEM. */
CHECKED int malformed_note(struct malformed *m, sqlite3_stmt *s, struct err *err);
/* @which: the statement that removes the row with a key. @r: how the reading went, which is returned when it failed;
 * nothing is removed then. Frees the keys. Fails: ENOSPC, EIO, ENOMEM. */
CHECKED int malformed_remove(struct database *d, struct malformed *m, enum statement which, int r, struct err *err);

/* ---- database_statements.c ---- */

/* What SQLite says of the last call; returns the negated code. */
int database_failed(struct database *d, struct err *err);
CHECKED int database_prepare(struct database *d, enum statement s, struct err *err);
/* Of a prepared one; @text must live until it is run. */
void database_bind(struct database *d, enum statement s, int at, str text);
/* Run a prepared statement that gives no rows. A failure to bind shows as one to step, or as a column that may not be
 * null. */
CHECKED int database_run(struct database *d, enum statement s, struct err *err);
/* Prepare and run: without a parameter, with a text, with one or two integers. */
CHECKED int database_run_plain(struct database *d, enum statement s, struct err *err);
CHECKED int database_run_text(struct database *d, enum statement s, const char *text, struct err *err);
CHECKED int database_run_integers(struct database *d, enum statement s, int64_t first, int64_t second, struct err *err);
/* With the columns of a rule. */
CHECKED int database_run_rule(struct database *d, enum statement which, const struct kept_rule *rule, struct err *err);
/* The rows of @text, a SELECT of id, body and last record, as findings. Of rows that are none, *malformed counts. */
CHECKED int database_each_finding_of(struct database *d, const char *text,
				     int (*each)(void *ctx, const struct moved_finding *x, struct err *err), void *ctx,
				     size_t *malformed, struct err *err);
/* Bytes of the row, until the next step. */
str database_column(sqlite3_stmt *s, int at);
/* The integer that @text gives; -1: it fails. */
int64_t database_pragma(struct database *d, const char *text);

#endif
