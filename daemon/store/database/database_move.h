/* Moving what is kept: all rows out of one database, and rows of several into another.
 *
 *     begin --> temporary tables <-- rows, in any order --> end: what is new goes to its place, in its order
 *
 * What the other database has already stays as it is there, whatever comes in. Findings, acceptances, rules and records
 * are recognised by their ids, so that it does not matter how often one of them comes.
 *
 * Files may be of several times of one life. What has ended according to one of them, or here, is over; of what is
 * open, the latest file counts; and a record that waits nowhere but in an older file has been sent: the history, in
 * which it is from the beginning, has it without it. For that a line goes where its record waits. */
#ifndef DAEMON_STORE_DATABASE_DATABASE_MOVE_H
#define DAEMON_STORE_DATABASE_DATABASE_MOVE_H

#include "daemon/store/database/database.h"

struct moved_finding {
	const struct finding *finding;
	str last_record; /* record_encode of its last record; empty: none is stored */
};

/* A row of the outbox. */
struct moved_record {
	str about;
	bool deferred, sent;
	int64_t due_usec, hold_usec;
	int64_t sent_usec;
	str record;
};

/* A row of the history. */
struct moved_line {
	int64_t usec;
	str finding, record, event, severity, cluster, kind, namespace, name, message;
	str type, resource, reference, manager, cause, reason; /* each may be empty */
	int64_t lasted_usec;                                   /* the duration, for an end; 0: unknown */
	str owner; /* finding_owner_name of an open finding; empty for one that has ended */
};

/* ---- out: texts are borrowed until the callee returns. Fail: EIO, ENOMEM; what @each fails with. ---- */

typedef int moved_finding_fn(void *ctx, const struct moved_finding *x, struct err *err);
typedef int moved_record_fn(void *ctx, const struct moved_record *x, struct err *err);
typedef int moved_line_fn(void *ctx, const struct moved_line *x, struct err *err);

/* Read the findings in the order in which they were stored. *malformed counts rows that are no findings. */
CHECKED int database_each_moved_finding(struct database *d, moved_finding_fn *each, void *ctx, size_t *malformed,
					struct err *err);
CHECKED int database_each_moved_record(struct database *d, moved_record_fn *each, void *ctx, struct err *err);
CHECKED int database_each_moved_line(struct database *d, moved_line_fn *each, void *ctx, struct err *err);
/* Read which objects were inspected, without removing that. */
CHECKED int database_each_inspected(struct database *d, inspected_fn *each, void *ctx, struct err *err);

typedef int moved_span_fn(void *ctx, str cluster, const struct time_span *span, struct err *err);
/* Call @each for every span in which a cluster was not watched. */
CHECKED int database_each_unwatched(struct database *d, moved_span_fn *each, void *ctx, struct err *err);

/* ---- in. Fail: ENOSPC, EIO, ENOMEM. ---- */

/* Begin a transaction, which survives a loss of power once it has ended. */
CHECKED int database_move_begin(struct database *d, struct err *err);
/* Begin another file, from which the following rows come. */
void database_move_file(struct database *d, int64_t exported_usec);
/* Add a finding. One that has ended stays ended. When another finding is at the same place, this one is reported as
 * ended, since only one can be stored. Fails also: EBADMSG (its id is that of a finding of another place). */
CHECKED int database_move_finding(struct database *d, const struct moved_finding *x, struct err *err);
/* Note that a finding belongs to one process alone (finding_is_of_process), to this one if @own. Its records and
 * lines belong to the same process. */
CHECKED int database_move_process(struct database *d, const struct finding *x, bool own, struct err *err);
/* Whether the finding @id was added by database_move_process. 1, with *own and, for an own one, the key of its place
 * in @about; 0. */
CHECKED int database_move_process_of(struct database *d, str id, bool *own, struct buf *about, struct err *err);
/* Add a row of the outbox. @id: that of the record. Not @own: it goes to another process. */
CHECKED int database_move_record(struct database *d, const struct moved_record *x, const char *id, bool own,
				 struct err *err);
/* Note what a line says, whatever process it goes to, after all findings and records of its file. 1: its record
 * waits in the outbox, and goes to another process if not *own; 0: it does not wait. */
CHECKED int database_move_look(struct database *d, const struct moved_line *x, bool *own, struct err *err);
CHECKED int database_move_line(struct database *d, const struct moved_line *x, struct err *err);
/* Add when a cluster was seen. The earliest time counts. */
CHECKED int database_move_seen(struct database *d, str cluster, int64_t usec, struct err *err);
CHECKED int database_move_acceptance(struct database *d, str id, str json, struct err *err);
CHECKED int database_move_rule(struct database *d, const struct kept_rule *rule, struct err *err);
/* Add an inspected object: a line of database_put_inspected's @versions. */
CHECKED int database_move_inspected(struct database *d, str cluster, str line, struct err *err);
/* End the transaction. Fails as database_end and database_move_finding. */
CHECKED int database_move_end(struct database *d, int status, struct err *err);

#endif
