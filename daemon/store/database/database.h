/* The state that survives restarts, in one SQLite database: open findings, their history, and the outbox, which holds
 * records that are not known to be written.
 *
 * The folder is locked: two daemons that shared it would end each other's findings. Only one thread may use a
 * database at a time. A committed transaction survives the end of the process at any moment; a loss of power may
 * cost the last seconds (synchronous=NORMAL, sqlite.org/pragma.html). */
#ifndef DAEMON_STORE_DATABASE_DATABASE_H
#define DAEMON_STORE_DATABASE_DATABASE_H

#include "daemon/findings/findings.h"

#define DATABASE_NAME "driftd.db"

struct database;

/* Open @dir/driftd.db, which is made when it is missing; @dir "": a database in memory. A damaged database is set
 * aside as driftd.db.bad (driftd.db.bad-2 and so on), and a new one gets what can be read of it; *notice says so
 * (code 0: there is nothing to report). The content of state.json is imported once. Fails: EBUSY (another process
 * has the folder), EPROTO (the database is of a newer version), ENOSPC, EIO and the codes of open(2), ENOMEM. */
CHECKED int database_open(const char *dir, struct database **ret, struct err *notice, struct err *err);
/* Open an existing database: nothing is made, set aside or left out. Fails as database_open, also: ENOENT (there is
 * none), EBADMSG (it is no database). */
CHECKED int database_open_kept(const char *dir, struct database **ret, struct err *err);
/* Open a database in memory as a stand-in, until database_renew, for the one in @dir, which cannot be opened because
 * of *why. Fails: ENOMEM. */
CHECKED int database_open_fallback(const char *dir, const struct err *why, struct database **ret, struct err *err);
void database_close(struct database *d);
DEFINE_CLEANUP(struct database *, database_close)

/* Check whether the files are where they were opened, and not too short. No file is opened for that, because closing
 * it would drop SQLite's locks (sqlite.org/howtocorrupt.html, 2.2). Fails: ENOENT, ESTALE (other files are in their
 * place), EBADMSG (cut short), codes of stat(2); for a stand-in: why there is one. */
CHECKED int database_look_at_files(struct database *d, struct err *err);
/* Continue with files in the right place, which get all that can be read here. Files that are there are set aside
 * or, if this is a stand-in for them, used again. *notice says what happened to them. A failure changes nothing; try
 * again later. Fails: as database_open. */
CHECKED int database_renew(struct database *d, struct err *notice, struct err *err);

/* Whether the database may lack something that was committed, because it was damaged, or is a stand-in. */
bool database_is_doubtful(const struct database *d);

/* Whether the database was damaged, until the first record since then is forgotten: some open findings may be
 * missing, and some records that the journal may lose in a loss of power. Negative: EIO, ENOMEM. */
CHECKED int database_was_damaged(struct database *d, struct err *err);

/* Whether something could not be read or written because the database is damaged; *why says what. */
bool database_is_damaged(const struct database *d, struct err *why);
/* A descriptor of the folder of its files, which the caller borrows; -1: there is none. */
int database_folder(const struct database *d);
/* The mark of the findings' key that was stored; 0: none was. Negative: EIO and others. */
CHECKED int64_t database_key_mark(struct database *d);
CHECKED int database_put_key_mark(struct database *d, uint32_t mark, struct err *err);

/* Functions that receive rows one by one. A failure of one ends the reading, which then fails with it. */
struct kept_rule;
struct outbox_row;
typedef int finding_fn(void *ctx, const struct finding *x, struct err *err);
typedef int seen_fn(void *ctx, str cluster, int64_t usec, struct err *err);
typedef int acceptance_fn(void *ctx, str json, struct err *err);
typedef int rule_fn(void *ctx, const struct kept_rule *rule, struct err *err);
typedef int inspected_fn(void *ctx, str cluster, str versions, struct err *err);
typedef int outbox_fn(void *ctx, const struct outbox_row *row, struct err *err);

/* Read all open findings. Malformed rows are removed; @malformed: how many. Fails: EIO, ENOMEM. */
CHECKED int database_findings(struct database *d, finding_fn *each, void *ctx, size_t *malformed, struct err *err);

/* Read when each cluster was last seen, as stored by database_put_seen. Fails: EIO, ENOMEM. */
CHECKED int database_seen(struct database *d, seen_fn *each, void *ctx, struct err *err);

/* Read the accepted deviations that were made at run time, as stored by database_put_acceptance. Those for which
 * @each fails with EBADMSG are removed, and *malformed says how many; NULL: that is a failure. Fails: EIO, ENOMEM. */
CHECKED int database_acceptances(struct database *d, acceptance_fn *each, void *ctx, size_t *malformed,
				 struct err *err);

/* A user's inspection rule as it is stored. */
struct kept_rule {
	str uuid, json;
	str created_at, updated_at; /* @updated_at {NULL, 0}: the rule was never changed */
};

/* Call @each for the rules that database_put_rule has stored, in the order of their creation; @malformed as in
 * database_acceptances. Fails: EIO, ENOMEM. */
CHECKED int database_rules(struct database *d, rule_fn *each, void *ctx, size_t *malformed, struct err *err);

/* Read which objects of each cluster were inspected when driftd stopped in good order; @versions: the bytes that the
 * caller of database_put_inspected gave. Reading also removes them, in a committed transaction, so that a start
 * after a crash finds nothing; a loss of power may bring them back. When the commit fails, @each is not called.
 * Fails: ENOSPC, EIO, ENOMEM. */
CHECKED int database_take_inspected(struct database *d, inspected_fn *each, void *ctx, struct err *err);

/* ---- within a transaction ---- */

/* Begin a transaction; database_end commits it, or undoes it and returns @status when that is negative. Fails, and
 * then nothing was done: ENOSPC, EIO, ENOMEM. */
CHECKED int database_begin(struct database *d, struct err *err);
CHECKED int database_end(struct database *d, int status, struct err *err);

/* Store the finding @id; @json: as finding_to_json writes it. This function and those that follow fail: ENOSPC, EIO,
 * ENOMEM. */
CHECKED int database_put_finding(struct database *d, const char *id, str json, struct err *err);
/* Remove a finding and its last record. */
CHECKED int database_remove_finding(struct database *d, const char *id, struct err *err);

CHECKED int database_put_seen(struct database *d, str cluster, int64_t usec, struct err *err);

/* Store that nobody watched @cluster within @span. */
CHECKED int database_put_unwatched(struct database *d, str cluster, const struct time_span *span, struct err *err);

CHECKED int database_put_acceptance(struct database *d, const char *id, str json, struct err *err);
CHECKED int database_remove_acceptance(struct database *d, const char *id, struct err *err);
CHECKED int database_clear_acceptances(struct database *d, struct err *err);

/* Store a rule. A changed rule keeps its place in the order; a new one (without updated_at) is the last. Uuids are
 * compared without case. */
CHECKED int database_put_rule(struct database *d, const struct kept_rule *rule, struct err *err);
CHECKED int database_remove_rule(struct database *d, str uuid, struct err *err);
CHECKED int database_clear_rules(struct database *d, struct err *err);

CHECKED int database_put_inspected(struct database *d, str cluster, str versions, struct err *err);

/* A row of the outbox. */
struct outbox_row {
	int64_t seq; /* from 1, in order of time */
	bool sent;   /* the record was given to the output, which may not have stored it */
	/* Unix time at which the record could be read in the journal; 0: it is not known to be there */
	int64_t written_usec;
	bool deferred; /* the record is not to be sent yet */
	int64_t due_usec, hold_usec;
	str record; /* record_encode; borrowed */
};
/* A record for the outbox. @about: the key of the finding, which is also that of the next finding of the same object
 * and place; "": it is about none. */
struct outbox_new {
	str about;
	str record;
	bool deferred;
	bool urgent;       /* for a deferred record: it precedes others that are due */
	int64_t due_usec;  /* for a deferred record: when it is due, Unix time, */
	int64_t hold_usec; /* how far away the due time was, at most, when the record was added */
};
CHECKED int database_add_to_outbox(struct database *d, const struct outbox_new *row, int64_t *seq, struct err *err);
/* Add a row like database_add_to_outbox, but under its former number, unless another row has that. */
CHECKED int database_put_back(struct database *d, const struct outbox_row *row, struct err *err);
/* Add @record (record_encode) to the outbox once more. It may have been sent before: it keeps its id and gets
 * DRIFTD_RESENT=1, so that a reader of both knows that they are one. Where something about @about (as in outbox_new) is
 * deferred, the record is deferred behind that. A record of another version of driftd that cannot be read is left
 * out. */
CHECKED int database_put_again(struct database *d, str about, str record, struct err *err);
/* The number of deferred rows that are due at @now_usec or, with @not_due, not yet. Negative: it fails with EIO,
 * ENOMEM. */
CHECKED int64_t database_count_deferred(struct database *d, bool not_due, int64_t now_usec, struct err *err);
/* database_deferred_of: the deferred rows of @about, in order. database_deferred: the first @max rows that are due at
 * @now_usec, the urgent ones before others. */
CHECKED int database_deferred_of(struct database *d, str about, outbox_fn *each, void *ctx, struct err *err);
CHECKED int database_deferred(struct database *d, int64_t now_usec, int64_t max, outbox_fn *each, void *ctx,
			      struct err *err);
/* Make the deferred rows of @about urgent, because an urgent row follows them. */
CHECKED int database_hurry(struct database *d, str about, struct err *err);
/* End the deferral of row @seq, so that it is sent now. */
CHECKED int database_release(struct database *d, int64_t seq, struct err *err);
/* Adjust for a clock that was set by @usec: rows that are due after @now_usec are due as much later. */
CHECKED int database_shift_not_due(struct database *d, int64_t usec, int64_t now_usec, struct err *err);
/* The clock may have been set back since the deferred rows were added: make none due later than its hold time from
 * now. */
CHECKED int database_cap_not_due(struct database *d, int64_t now_usec, struct err *err);
/* database_mark_sent: the row was given to the output at @usec. database_remove_from_outbox: the row is known to be
 * written, and goes. */
CHECKED int database_mark_sent(struct database *d, int64_t seq, int64_t usec, struct err *err);
CHECKED int database_remove_from_outbox(struct database *d, int64_t seq, struct err *err);
/* Count records that were sent before @before_usec, in the clock with which they were marked, as written: the first
 * @max of them are removed. 1: there may be more. */
CHECKED int database_forget_sent(struct database *d, int64_t before_usec, int64_t max, struct err *err);
/* As database_forget_sent, but the rows stay until database_forget_written removes them, since the journal may lose
 * their records with the power; @now_usec: Unix time. */
CHECKED int database_note_written(struct database *d, int64_t before_usec, int64_t max, int64_t now_usec,
				  struct err *err);
/* A journal syncs what it was given within five minutes (SyncIntervalSec in journald.conf(5)). Twice that time after
 * a record could be read there, a loss of power cannot remove it any more. */
#define DATABASE_LOST_USEC (600 * INT64_C(1000000))
#define DATABASE_WRITTEN_MAX 50000 /* limit for the rows that stay; the oldest are removed first */
/* Remove the first @max written rows that were sent before @before_usec. 1: there may be more. */
CHECKED int database_forget_written(struct database *d, int64_t before_usec, int64_t max, struct err *err);
CHECKED int database_outbox(struct database *d, outbox_fn *each, void *ctx, struct err *err);

/* Remove the records of findings from the outbox. */
CHECKED int database_clear_outbox(struct database *d, struct err *err);

/* Add a line to the history: what the record of a finding said. */
CHECKED int database_add_history(struct database *d, const struct record *r, int64_t usec, struct err *err);
/* The number of the line about the record @record of the finding @finding, from 1, higher for later lines. 0: there
 * is none; negative: EIO, ENOMEM. */
CHECKED int64_t database_history_line(struct database *d, str finding, str record, struct err *err);
/* The number of an open finding, in the order in which they were first stored: as database_history_line. */
CHECKED int64_t database_finding_line(struct database *d, str finding, struct err *err);
/* Whether the history has the end of the finding with this id. Negative: EIO, ENOMEM. */
CHECKED int database_knows_end(struct database *d, const char *finding, struct err *err);
/* The last time at which anything was stored, Unix time; 0: never. */
int64_t database_last_usec(struct database *d);

/* The boot in which everything was last reconciled with the journal; "": none. */
#define DATABASE_BOOT_SIZE 33
CHECKED int database_boot(struct database *d, char ret[DATABASE_BOOT_SIZE], struct err *err);
/* Numbers of rows of the outbox: those that have to be sent once more, because they are not known to be written any
 * more, and those that are written, and are removed. */
struct reconciled_rows {
	const int64_t *again, *written;
	size_t n_again, n_written;
};
/* Record that the outbox is reconciled in the boot @id, with the outcome @rows. The result is on the disk when this
 * returns. */
CHECKED int database_mark_reconciled(struct database *d, const char *id, const struct reconciled_rows *rows,
				     struct err *err);
/* Remove history from before @before_usec and, when the database has more than @max_bytes besides the last records
 * of open findings, the oldest tenth of it. */
CHECKED int database_prune(struct database *d, int64_t before_usec, int64_t max_bytes, struct err *err);

/* Return a part of the unused space of the files to the disk. Call this from time to time, while there is nothing
 * else to do. */
void database_give_back(struct database *d);
/* Return unused memory, likewise. */
void database_give_back_memory(struct database *d);

/* Store the last record of a finding that was stored before; @record: record_encode. */
CHECKED int database_put_last_record(struct database *d, const char *id, str record, struct err *err);

#define FINDING_HISTORY_MAX 100

struct finding_history_line {
	int64_t usec; /* Unix time */
	str event, severity, message;
	str record; /* the id of the record */
};

/* What was reported about a finding, as far as it is committed. */
struct finding_history {
	struct arena arena;
	bool has_last; /* false for a finding that an older driftd reported, until it changes */
	struct record last;
	struct finding_history_line history[FINDING_HISTORY_MAX]; /* the latest first */
	size_t n_history;
	str bytes; /* the bytes from which the last record borrows */
};

/* Read the history of a finding. Fails: EIO, ENOMEM; EBADMSG (the record cannot be read). */
CHECKED int database_finding_history(struct database *d, const char *id, struct finding_history **ret, struct err *err);
void finding_history_free(struct finding_history *t);
DEFINE_CLEANUP(struct finding_history *, finding_history_free)

#endif
