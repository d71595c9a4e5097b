/* What the files of the database share: its state, and its statements, prepared when they are first used. */
#ifndef DAEMON_STORE_DATABASE_DATABASE_INTERNAL_H
#define DAEMON_STORE_DATABASE_DATABASE_INTERNAL_H

#include "base/vec.h"
#include "daemon/store/database/checkpoint.h"
#include "daemon/store/database/database_move.h"
#include "pack/pack.h"

#include <sqlite3.h>
#include <sys/types.h>

enum statement {
#define STATEMENT(name, text) name,
#include "daemon/store/database/database_texts.h"
#undef STATEMENT
	STATEMENTS
};

#define DATABASE_FILES 3 /* the database, its log, the index of the log */

struct file_id {
	dev_t dev;
	ino_t ino;       /* 0: the file was never seen */
	bool was_filled; /* the file had a first page */
};

struct dictionary {
	uint32_t id;
	struct pack_dict *dict;
};

/* The state of record_pack.c. */
struct packing {
	struct packer *in, *out;
	VEC(struct dictionary) known; /* the newest last */
	bool fresh;                   /* the newest dictionary was made in this transaction */
	bool wants_another;
	struct buf samples;
	VEC(size_t) sizes;
	size_t rows, plain_bytes, packed_bytes; /* records that were lately packed with the newest dictionary */
	struct buf packed, plain;
};

struct database {
	sqlite3 *db;
	char *dir;      /* for a stand-in in memory: the folder of the real database; NULL: it is no stand-in */
	struct err why; /* for a stand-in: the error of the last attempt to open the real database */
	char *path;     /* NULL: the database is in memory */
	struct file_id folder, files[DATABASE_FILES];
	bool short_before; /* the last check found a file too short */
	bool doubtful;
	struct err damage; /* the last damage that was met in reading or writing; code 0: none */
	sqlite3_stmt *statements[STATEMENTS];
	int lock; /* descriptor of the locked folder; -1: there is none */
	struct checkpoints *checkpoints;
	struct packing packing;
	int frames_before; /* frames of the log at the last call of database_give_back */
	struct {
		int64_t file, exported_usec; /* the file from which rows are being imported */
	} move;
};

/* ---- database.c ---- */

struct database *database_new(void); /* Make a database without files; NULL without memory. */
/* Open the file @path; "": in memory. @locking: a statement that sets the locking mode; NULL: the default. */
CHECKED int database_open_file(struct database *d, const char *path, const char *locking, struct err *err);
void database_close_file(struct database *d);
/* Write the log into the database file and cut it, unless another process reads it. */
void database_cut_log(struct database *d);

/* ---- database_files.c ---- */

CHECKED int database_lock_folder(struct database *d, const char *dir, struct err *err);
/* Open the database. A damaged one is replaced by a new one with everything that can be read of it, and *notice says
 * so. */
CHECKED int database_open_or_renew(struct database *d, const char *path, struct err *notice, struct err *err);

/* ---- database_open.c ---- */

/* Import @dir/state.json, once. A file that cannot be read is set aside, which stops nothing; *notice says so (code 0:
 * there is nothing to report). Fails: ENOSPC, EIO, ENOMEM. */
CHECKED int database_import_state(struct database *d, const char *dir, struct err *notice, struct err *err);

/* ---- database_salvage.c ---- */

/* Copy all rows of @from that can be read to @to, which keeps its own; call it within a transaction. *lost says what
 * could not be read (code 0: nothing). Fails, for @to: ENOSPC, EIO, ENOMEM. */
CHECKED int database_salvage(sqlite3 *from, struct database *to, struct err *lost, struct err *err);

/* ---- log_check.c: whether the log has all that was committed to it. SQLite takes a log for ended where it cannot read
 * on, without a word: what follows would be lost in silence ---- */

/* Check the log of the database @path and its index as an earlier process left them, before anybody opens it. A
 * damaged log is copied to @path-wal.bad. Fails: EBADMSG, and *why says so; 0 also when it cannot be found out.
 * sqlite.org/walformat.html */
CHECKED int log_check(const char *path, struct err *why);

/* ---- state_json.c: the findings as driftd kept them before it had a database, in state.json ---- */

#define STATE_FILE_BYTES_MAX ((size_t)256 << 20)

/* Give each finding of @dir/state.json to @each; an absent file has none. Fails: EBADMSG (unreadable) and E2BIG (beyond
 * the limits, also those of @each): it is set aside as state.json.bad; the codes of open(2) and read(2), ENOMEM; what
 * @each fails with. */
CHECKED int state_json_read(const char *dir, finding_fn *each, void *ctx, struct err *err);
/* The file state.json is imported: keep it as state.json.imported. */
void state_json_done(const char *dir);

/* ---- database_copy.c ---- */

/* Begin a second copy of the outbox in memory, of up to some 64 MB, and of the dictionaries. Fails: ENOMEM, EIO,
 * EBADMSG. */
CHECKED int database_copy_outbox(struct database *d, struct err *err);
/* Whether @db has a second copy: copy.outbox_copy and copy.dictionary_copy, with the columns of the tables. */
bool database_has_copy(sqlite3 *db);

/* ---- record_pack.c ---- */

/* Read the dictionaries of a file that was just opened. Fails: EIO, EBADMSG, ENOMEM. */
CHECKED int database_open_packing(struct database *d, struct err *err);
void database_close_packing(struct database *d);
/* Pack the last records of findings that an older driftd stored unpacked. Fails, and leaves them as they are:
 * ENOSPC, EIO, ENOMEM. */
CHECKED int database_pack_older(struct database *d, struct err *err);
/* The stored form of @record (record_encode): @record itself, or a text that is valid until the next call. */
str database_packed(struct database *d, str record);
/* Unpack the stored form of a record. *ret: @stored itself, or a text that is valid until the next call. A text that
 * cannot be unpacked is returned as it is, and can then not be read as a record. Fails: ENOMEM. */
CHECKED int database_unpacked(struct database *d, str stored, str *ret, struct err *err);
/* Make a dictionary at the end of a transaction, if it is time for one. Fails: ENOSPC, EIO, ENOMEM. */
CHECKED int database_make_dictionary(struct database *d, struct err *err);
/* Note that the transaction has ended. */
void database_end_dictionary(struct database *d, bool committed);

/* ---- database_statements.c ---- */

/* Set @err to SQLite's error of the last call; returns the negated code. */
int database_failed(struct database *d, struct err *err);
/* The value of a parameter; texts are borrowed until the statement is run again. */
struct bound {
	enum { BOUND_NULL, BOUND_TEXT, BOUND_BLOB, BOUND_INTEGER } type;
	str bytes;
	int64_t integer;
};
#define B_TEXT(of)                                                                                                     \
	{                                                                                                              \
		.type = BOUND_TEXT, .bytes = (of)                                                                      \
	}
#define B_BLOB(of)                                                                                                     \
	{                                                                                                              \
		.type = BOUND_BLOB, .bytes = (of)                                                                      \
	} /* {NULL, 0}: NULL */
#define B_INT(of)                                                                                                      \
	{                                                                                                              \
		.type = BOUND_INTEGER, .integer = (of)                                                                 \
	}
/* The values for the parameters of a statement, from the first on. */
struct bounds {
	const struct bound *p;
	size_t n;
};
#define BOUNDS(...)                                                                                                    \
	((struct bounds){ (const struct bound[]){ __VA_ARGS__ },                                                       \
			  sizeof((const struct bound[]){ __VA_ARGS__ }) / sizeof(struct bound) })
/* Run @which, which gives no rows. When a value could not be bound, the step fails, or the value is NULL in a column
 * that must not be NULL, and so this fails as well. */
#define DATABASE_RUN(d, which, err, ...) database_run(d, which, BOUNDS(__VA_ARGS__), err)
CHECKED int database_run(struct database *d, enum statement which, struct bounds values, struct err *err);
CHECKED int database_run_plain(struct database *d, enum statement which, struct err *err);
/* The receiver of the rows of a statement. */
struct row_taker {
	struct database *database; /* set for rows that contain records */
	void *ctx;
	bool strict;      /* a malformed row is a failure */
	size_t malformed; /* rows that were left out */
	union {
		finding_fn *finding;
		seen_fn *seen;
		acceptance_fn *acceptance;
		rule_fn *rule;
		outbox_fn *outbox;
		moved_finding_fn *moved_finding;
		moved_record_fn *moved_record;
		moved_line_fn *moved_line;
		moved_span_fn *moved_span;
		inspected_fn *inspected;
	} each;
};

/* Run several statements without rows. */
CHECKED int database_execute(struct database *d, const char *text, struct err *err);
/* Receives one row. A result other than 0 ends the walk, which returns it. */
typedef int row_fn(void *ctx, sqlite3_stmt *s, struct err *err);
/* Call @row for each row of @s, whose values are bound; database_each: of @which with these values. */
CHECKED int database_rows(struct database *d, sqlite3_stmt *s, row_fn *row, void *ctx, struct err *err);
CHECKED int database_each(struct database *d, enum statement which, struct bounds values, row_fn *row, void *ctx,
			  struct err *err);
/* The number in the only row of @which; 0: there is no row. */
#define DATABASE_NUMBER(d, which, err, ...) database_number(d, which, BOUNDS(__VA_ARGS__), err)
CHECKED int64_t database_number(struct database *d, enum statement which, struct bounds values, struct err *err);
/* Call @row for each row of @which, a statement without parameters. A row for which @row returns 1 is malformed: it
 * is from a page of another table, or a text with other bytes. After the last row, @remove removes each malformed
 * one by its first column; otherwise every start would meet them again. *malformed: how many. */
CHECKED int database_rows_kept(struct database *d, enum statement which, enum statement remove, row_fn *row, void *ctx,
			       size_t *malformed, struct err *err);
/* Run @which with the columns of a rule as values. */
CHECKED int database_run_rule(struct database *d, enum statement which, const struct kept_rule *rule, struct err *err);
/* Read the rows of @text, a SELECT of id, body and last record, as findings. *malformed counts the malformed rows. */
CHECKED int database_each_finding_of(struct database *d, const char *text, moved_finding_fn *each, void *ctx,
				     size_t *malformed, struct err *err);
/* The bytes of a column, until the next step. */
str database_column(sqlite3_stmt *s, int at);
/* The integer that the statement @text gives; -1: it fails. */
int64_t database_pragma(struct database *d, const char *text);

#endif
