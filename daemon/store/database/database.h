/* What is kept over restarts, in one SQLite database: open findings, their history, and the outbox, records that are
 * not known to be written.
 *
 * The folder is locked: two daemons that share it would end each other's findings. Only one thread may use a database
 * at a time. A transaction that was committed survives the end of the process at any moment; a loss of power may cost
 * the last seconds (synchronous=NORMAL, sqlite.org/pragma.html). */
#ifndef DAEMON_STORE_DATABASE_DATABASE_H
#define DAEMON_STORE_DATABASE_DATABASE_H

#include "daemon/findings/findings.h"

#define DATABASE_NAME "driftd.db"

struct database;

/* Open @dir/driftd.db, made when it is missing; @dir "": one in memory. One that is damaged is set aside as
 * driftd.db.bad (driftd.db.bad-2 and so on), and what can be read of it is in a new one; *notice says so (code 0: there
 * is nothing to report). What state.json has is imported once. Fails: EBUSY (another process has the folder), EPROTO
 * (the database is of a newer version), ENOSPC, EIO and the codes of open(2), ENOMEM. */
CHECKED int database_open(const char *dir, struct database **ret, struct err *notice, struct err *err);
/* The same of one that is there: nothing is made, set aside or left out. Fails also: ENOENT (there is none), EBADMSG
 * (it is none). */
CHECKED int database_open_kept(const char *dir, struct database **ret, struct err *err);
/* One in memory that stands in for the one in @dir, which cannot be opened for the reason *why, until
 * database_renew. Fails: ENOMEM. */
CHECKED int database_open_fallback(const char *dir, const struct err *why, struct database **ret, struct err *err);
void database_close(struct database *d);
DEFINE_CLEANUP(struct database *, database_close)

/* Whether the files stand where they were opened and are as long as they must be; nothing is opened for that, since to
 * close it would drop SQLite's locks (sqlite.org/howtocorrupt.html, 2.2). Fails: ENOENT, ESTALE (others are in their
 * place), EBADMSG (cut short), codes of stat(2); of one that stands in: why it does. */
CHECKED int database_look_at_files(struct database *d, struct err *err);
/* Go on with files in the right place that have all that can be read here: what is in that place is set aside, or, if
 * this one stood in for it, used again. *notice says what became of it. On failure all is as it was. Fails: as
 * database_open; tried again later. */
CHECKED int database_renew(struct database *d, struct err *notice, struct err *err);

/* True when the database may lack something that was committed: it was damaged, or stands in for another one. */
bool database_is_doubtful(const struct database *d);

/* Whether it was damaged, until the first record that came after that is forgotten: of what was open, and of records
 * that the journal may lose with the power, some may be missing. Negative: EIO, ENOMEM. */
CHECKED int database_was_damaged(struct database *d, struct err *err);

/* Whether something could not be read or written because it is damaged: then *why says what. */
bool database_is_damaged(const struct database *d, struct err *why);
/* The folder of its files, to be borrowed; -1: it has none. */
int database_folder(const struct database *d);
/* What the findings' key is known by, as it was put; 0: nothing was. Negative: EIO and others. */
CHECKED int64_t database_key_mark(struct database *d);
CHECKED int database_put_key_mark(struct database *d, uint32_t mark, struct err *err);

/* Who takes rows one by one. What one fails with ends that, and is what the reading fails with. */
struct kept_rule;
struct outbox_row;
typedef int finding_fn(void *ctx, const struct finding *x, struct err *err);
typedef int seen_fn(void *ctx, str cluster, int64_t usec, struct err *err);
typedef int acceptance_fn(void *ctx, str json, struct err *err);
typedef int rule_fn(void *ctx, const struct kept_rule *rule, struct err *err);
typedef int inspected_fn(void *ctx, str cluster, str versions, struct err *err);
typedef int outbox_fn(void *ctx, const struct outbox_row *row, struct err *err);

/* All open findings. Rows that are none are removed; @malformed: how many. Fails: EIO, ENOMEM. */
CHECKED int database_findings(struct database *d, finding_fn *each, void *ctx, size_t *malformed, struct err *err);

/* When each cluster was seen last, as database_put_seen has it. Fails: EIO, ENOMEM. */
CHECKED int database_seen(struct database *d, seen_fn *each, void *ctx, struct err *err);

/* The accepted deviations that were made at run time, as database_put_acceptance has them. Those for which @each fails
 * with EBADMSG are removed, and *malformed says how many; NULL: that is a failure. Fails: EIO, ENOMEM. */
CHECKED int database_acceptances(struct database *d, acceptance_fn *each, void *ctx, size_t *malformed,
				 struct err *err);

/* A user's inspection rule, as it is kept. */
struct kept_rule {
	str uuid, json;
	str created_at, updated_at; /* updated_at {NULL, 0}: it was not changed since */
};

/* Call @each for the rules that database_put_rule has put, in the order of their creation; @malformed as in
 * database_acceptances. Fails: EIO, ENOMEM. */
CHECKED int database_rules(struct database *d, rule_fn *each, void *ctx, size_t *malformed, struct err *err);

/* What was inspected of each cluster when driftd stopped in good order; @versions: bytes of the caller's. Reading takes
 * it away, committed, so that a later start after a crash finds nothing; a loss of power may bring it back. When that
 * cannot be committed, @each is not called. Fails: ENOSPC, EIO, ENOMEM. */
CHECKED int database_take_inspected(struct database *d, inspected_fn *each, void *ctx, struct err *err);

/* ---- within a transaction ---- */

/* What was done since is committed, or undone when @status says that it failed, which is returned then. Fails, and
 * then nothing was done: ENOSPC, EIO, ENOMEM. */
CHECKED int database_begin(struct database *d, struct err *err);
CHECKED int database_end(struct database *d, int status, struct err *err);

/* Fail: ENOSPC, EIO, ENOMEM. @json: as finding_to_json has it. */
CHECKED int database_put_finding(struct database *d, const char *id, str json, struct err *err);
/* With its last record. */
CHECKED int database_remove_finding(struct database *d, const char *id, struct err *err);

CHECKED int database_put_seen(struct database *d, str cluster, int64_t usec, struct err *err);

/* Nobody watched @cluster within @span. */
CHECKED int database_put_unwatched(struct database *d, str cluster, const struct time_span *span, struct err *err);

CHECKED int database_put_acceptance(struct database *d, const char *id, str json, struct err *err);
CHECKED int database_remove_acceptance(struct database *d, const char *id, struct err *err);
CHECKED int database_clear_acceptances(struct database *d, struct err *err);

/* A rule that was changed keeps its place in the order; a new one (without updated_at) is the last. Uuids are without
 * case. */
CHECKED int database_put_rule(struct database *d, const struct kept_rule *rule, struct err *err);
CHECKED int database_remove_rule(struct database *d, str uuid, struct err *err);
CHECKED int database_clear_rules(struct database *d, struct err *err);

CHECKED int database_put_inspected(struct database *d, str cluster, str versions, struct err *err);

/* A row of the outbox. */
struct outbox_row {
	int64_t seq;          /* from 1, in order of time */
	bool sent;            /* given to the output, which may not have kept it */
	int64_t written_usec; /* Unix time: it could be read in the journal then; 0: not that anybody knows */
	bool deferred;        /* not to be sent yet */
	int64_t due_usec, hold_usec;
	str record; /* record_encode; borrowed */
};
/* @about: the key of the finding, which the next one of the same object and place has too; "": it is about none. */
struct outbox_new {
	str about;
	str record;
	bool deferred;
	bool urgent;       /* of what is deferred: it goes before others that are due */
	int64_t due_usec;  /* Unix time; of what is deferred: not before, */
	int64_t hold_usec; /* which was at most so far away when it was added */
};
CHECKED int database_add_to_outbox(struct database *d, const struct outbox_new *row, int64_t *seq, struct err *err);
/* As database_add_to_outbox, under the former number of the row, unless another row has it. */
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
/* Make the deferred rows of @about urgent, because something urgent comes behind them. */
CHECKED int database_hurry(struct database *d, str about, struct err *err);
/* The row @seq is deferred no more: it is to be sent now. */
CHECKED int database_release(struct database *d, int64_t seq, struct err *err);
/* The clock was set by @usec: what is due after @now_usec is due as much later. */
CHECKED int database_shift_not_due(struct database *d, int64_t usec, int64_t now_usec, struct err *err);
/* The clock may have been set back since the deferred rows were added: make none due later than its hold time from
 * now. */
CHECKED int database_cap_not_due(struct database *d, int64_t now_usec, struct err *err);
/* database_mark_sent: the row was given to the output at @usec. database_remove_from_outbox: the row is known to be
 * written, and goes. */
CHECKED int database_mark_sent(struct database *d, int64_t seq, int64_t usec, struct err *err);
CHECKED int database_remove_from_outbox(struct database *d, int64_t seq, struct err *err);
/* What was sent before @before_usec, in whatever time it was marked with, counts as written: the first @max of it go.
 * 1: there may be more. */
CHECKED int database_forget_sent(struct database *d, int64_t before_usec, int64_t max, struct err *err);
/* As database_forget_sent, but the rows stay until database_forget_written, since the journal may lose them with the
 * power; @now_usec: Unix time. */
CHECKED int database_note_written(struct database *d, int64_t before_usec, int64_t max, int64_t now_usec,
				  struct err *err);
/* A journal brings what it was given to the disk within five minutes (SyncIntervalSec in journald.conf(5)): twice that
 * after it could be read there a loss of power cannot take it any more. */
#define DATABASE_LOST_USEC (600 * INT64_C(1000000))
#define DATABASE_WRITTEN_MAX 50000 /* of those that stay; the oldest go first */
/* Remove the first @max of these rows that were sent before @before_usec. 1: there may be more. */
CHECKED int database_forget_written(struct database *d, int64_t before_usec, int64_t max, struct err *err);
CHECKED int database_outbox(struct database *d, outbox_fn *each, void *ctx, struct err *err);

/* Remove the records of findings from the outbox. */
CHECKED int database_clear_outbox(struct database *d, struct err *err);

/* One line of the history: what the record of a finding said. */
CHECKED int database_add_history(struct database *d, const struct record *r, int64_t usec, struct err *err);
/* The line of the history about the record with this id, of the finding with this one: from 1, the later the greater.
 * 0: there is none; negative: EIO, ENOMEM. */
CHECKED int64_t database_history_line(struct database *d, str finding, str record, struct err *err);
/* The line of an open finding, in the order in which they were stored first: as database_history_line. */
CHECKED int64_t database_finding_line(struct database *d, str finding, struct err *err);
/* Whether the history has the end of the finding with this id. Negative: EIO, ENOMEM. */
CHECKED int database_knows_end(struct database *d, const char *finding, struct err *err);
/* When anything was last stored, Unix time; 0: nothing was. */
int64_t database_last_usec(struct database *d);

/* The boot in which all was last reconciled with the journal; "": none. */
#define DATABASE_BOOT_SIZE 33
CHECKED int database_boot(struct database *d, char ret[DATABASE_BOOT_SIZE], struct err *err);
/* Rows of the outbox, by their numbers: those that are to be sent once more, and are not known to be written any more;
 * and those that are written, and go. */
struct reconciled_rows {
	const int64_t *again, *written;
	size_t n_again, n_written;
};
/* Record that the outbox is reconciled in the boot @id, with the outcome @rows. The result is on the disk when this
 * returns. */
CHECKED int database_mark_reconciled(struct database *d, const char *id, const struct reconciled_rows *rows,
				     struct err *err);
/* Forget history from before @before_usec; and, when the database has more than @max_bytes besides the last records of
 * what is open, the oldest tenth. */
CHECKED int database_prune(struct database *d, int64_t before_usec, int64_t max_bytes, struct err *err);

/* Give a part of the unused space of the files back to the disk: now and then, while there is nothing else to do. */
void database_give_back(struct database *d);
/* The same of memory. */
void database_give_back_memory(struct database *d);

/* The last record of a finding that was put; @record: record_encode. */
CHECKED int database_put_last_record(struct database *d, const char *id, str record, struct err *err);

#define FINDING_HISTORY_MAX 100

struct finding_history_line {
	int64_t usec; /* Unix time */
	str event, severity, message;
	str record; /* its id */
};

/* What was reported of a finding, as far as it is committed. */
struct finding_history {
	struct arena arena;
	bool has_last; /* not of one that an older driftd reported, until it changes */
	struct record last;
	struct finding_history_line history[FINDING_HISTORY_MAX]; /* the latest first */
	size_t n_history;
	str bytes; /* that the last record borrows from */
};

/* Fails: EIO, ENOMEM; EBADMSG (the record cannot be read). */
CHECKED int database_finding_history(struct database *d, const char *id, struct finding_history **ret, struct err *err);
void finding_history_free(struct finding_history *t);
DEFINE_CLEANUP(struct finding_history *, finding_history_free)

#endif
