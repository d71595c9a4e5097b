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

#define DATABASE_FILES 3 /* the database, its log, the index of that */

struct file_id {
	dev_t dev;
	ino_t ino;       /* 0: it was never seen */
	bool was_filled; /* it had a first page */
};

struct dictionary {
	uint32_t id;
	struct pack_dict *dict;
};

/* record_pack.c */
struct packing {
	struct packer *in, *out;
	VEC(struct dictionary) known; /* the newest last */
	bool fresh;                   /* that one came with this transaction */
	bool wants_another;
	struct buf samples;
	VEC(size_t) sizes;
	size_t rows, plain_bytes, packed_bytes; /* that were packed with it lately */
	struct buf packed, plain;
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
	struct packing packing;
	int frames_before; /* of the log, at the last look of database_give_back */
	struct {
		int64_t file, exported_usec; /* of which rows come in */
	} move;
};

/* ---- database.c ---- */

struct database *database_new(void); /* without files; NULL without memory */
/* @path "": in memory. @locking: a statement that says how it is locked; NULL: as always. */
CHECKED int database_open_file(struct database *d, const char *path, const char *locking, struct err *err);
void database_close_file(struct database *d);
/* Write the log into the database file and cut it, unless another process reads it. */
void database_cut_log(struct database *d);

/* ---- database_files.c ---- */

CHECKED int database_lock_folder(struct database *d, const char *dir, struct err *err);
/* Open the database. A damaged one is replaced by a new one with what can be read of it, and *notice says so. */
CHECKED int database_open_or_renew(struct database *d, const char *path, struct err *notice, struct err *err);

/* ---- database_open.c ---- */

/* Import @dir/state.json, once. A file that cannot be read is set aside, which stops nothing; *notice says so (code 0:
 * there is nothing to report). Fails: ENOSPC, EIO, ENOMEM. */
CHECKED int database_import_state(struct database *d, const char *dir, struct err *notice, struct err *err);

/* ---- database_salvage.c ---- */

/* All rows of @from that can be read go to @to, which keeps those that it has; within a transaction. *lost says what
 * could not be (code 0: nothing). Fails: ENOSPC, EIO, ENOMEM: of @to. */
CHECKED int database_salvage(sqlite3 *from, struct database *to, struct err *lost, struct err *err);

/* ---- log_check.c: whether the log has all that was committed to it. SQLite takes a log for ended where it cannot read
 * on, without a word: what follows would be lost in silence ---- */

/* Look at the log of the database @path and at its index as an earlier life left them, before anybody opens it. A log
 * that is not whole is copied to @path-wal.bad. Fails: EBADMSG, and *why says so; 0 also when nobody knows.
 * sqlite.org/walformat.html */
CHECKED int log_check(const char *path, struct err *why);

/* ---- state_import.c: the findings as driftd kept them before it had a database, in state.json ---- */

#define STATE_FILE_BYTES_MAX ((size_t)256 << 20)

/* Give each finding of @dir/state.json to @each; an absent file has none. Fails: EBADMSG (unreadable) and E2BIG (beyond
 * the limits, also those of @each): it is set aside as state.json.bad; the codes of open(2) and read(2), ENOMEM; what
 * @each fails with. */
CHECKED int state_import(const char *dir, finding_fn *each, void *ctx, struct err *err);
/* The file state.json is imported: keep it as state.json.imported. */
void state_import_done(const char *dir);

/* ---- database_copy.c ---- */

/* From now on the outbox has a second copy, in memory, up to some 64 MB; and so have the dictionaries. Fails: ENOMEM,
 * EIO, EBADMSG. */
CHECKED int database_copy_outbox(struct database *d, struct err *err);
/* Whether @db has a copy: copy.outbox_copy and copy.dictionary_copy, with the columns of the tables. */
bool database_has_copy(sqlite3 *db);

/* ---- record_pack.c ---- */

/* Read the dictionaries, of an open file. Fails: EIO, EBADMSG, ENOMEM. */
CHECKED int database_open_packing(struct database *d, struct err *err);
void database_close_packing(struct database *d);
/* Pack the last records of findings as an older driftd kept them. Fails: ENOSPC, EIO, ENOMEM; they stay as they are. */
CHECKED int database_pack_older(struct database *d, struct err *err);
/* A record (record_encode) as it is kept: it, or valid until the next call. */
str database_packed(struct database *d, str record);
/* The record of what is kept in *ret: @stored, or valid until the next call. What cannot be unpacked comes out as it
 * is, and is no record. Fails: ENOMEM. */
CHECKED int database_unpacked(struct database *d, str stored, str *ret, struct err *err);
/* At the end of a transaction: a dictionary is made, if it is time for one. Fails: ENOSPC, EIO, ENOMEM. */
CHECKED int database_make_dictionary(struct database *d, struct err *err);
/* The transaction is over. */
void database_end_dictionary(struct database *d, bool committed);

/* ---- database_statements.c ---- */

/* What SQLite says of the last call; returns the negated code. */
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
/* Run @which, which gives no rows. A failure to bind shows as one to step, or as a column that may not be null. */
#define DATABASE_RUN(d, which, err, ...) database_run(d, which, BOUNDS(__VA_ARGS__), err)
CHECKED int database_run(struct database *d, enum statement which, struct bounds values, struct err *err);
CHECKED int database_run_plain(struct database *d, enum statement which, struct err *err);
/* Who wants to see the rows of a statement. */
struct row_taker {
	struct database *database; /* of rows with records */
	void *ctx;
	bool strict;      /* one that is malformed is a failure */
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

/* Several statements without rows. */
CHECKED int database_execute(struct database *d, const char *text, struct err *err);
/* Sees one row. Not 0: no other is looked at, and that is returned. */
typedef int row_fn(void *ctx, sqlite3_stmt *s, struct err *err);
/* Each row of @s, which is bound; and of @which with these values. */
CHECKED int database_rows(struct database *d, sqlite3_stmt *s, row_fn *row, void *ctx, struct err *err);
CHECKED int database_each(struct database *d, enum statement which, struct bounds values, row_fn *row, void *ctx,
			  struct err *err);
/* The number in the only row of @which; 0: there is none. */
#define DATABASE_NUMBER(d, which, err, ...) database_number(d, which, BOUNDS(__VA_ARGS__), err)
CHECKED int64_t database_number(struct database *d, enum statement which, struct bounds values, struct err *err);
/* Each row of @which, one without parameters. Those of which @row says 1 are none of ours, a page of another table in
 * the place of one, or a text with other bytes: when all was seen, @remove removes each by its first column, or they
 * would be met again at every start. *malformed: how many. */
CHECKED int database_rows_kept(struct database *d, enum statement which, enum statement remove, row_fn *row, void *ctx,
			       size_t *malformed, struct err *err);
/* With the columns of a rule. */
CHECKED int database_run_rule(struct database *d, enum statement which, const struct kept_rule *rule, struct err *err);
/* The rows of @text, a SELECT of id, body and last record, as findings. Of rows that are none, *malformed counts. */
CHECKED int database_each_finding_of(struct database *d, const char *text, moved_finding_fn *each, void *ctx,
				     size_t *malformed, struct err *err);
/* Bytes of the row, until the next step. */
str database_column(sqlite3_stmt *s, int at);
/* The integer that @text gives; -1: it fails. */
int64_t database_pragma(struct database *d, const char *text);

#endif
