/* What was sent and is not acknowledged yet, that is, not known to be in the journal. A journal reads what it is
 * given in order: when one record can be read in it, all that was sent before was read too. If the journal cannot be
 * read, and with other outputs, records count as written after some time. Times are those of steady_usec. */
#ifndef DAEMON_STORE_ACKS_H
#define DAEMON_STORE_ACKS_H

#include "daemon/findings/output.h"
#include "daemon/store/work_queue.h"

/*                 sent               what was sent before a time is written
 *   ACKS_ALL -------------> ACKS_OPEN -----------------------------------> ACKS_FORGET
 *      ^                      ^                                              | |
 *      |                      '-- the rows are gone, later ones are there; --' |
 *      |                          or all is looked up                          |
 *      '-------------------------- all rows are gone --------------------------'
 */
enum acks_state { ACKS_ALL, ACKS_OPEN, ACKS_FORGET };

#define WRITER_PRESENCE_MS 3000 /* between two looks whether the journal still exists */
#define WRITER_SOON_MS 50       /* between two lots of records that are forgotten */

struct acks {
	enum acks_state state;
	int64_t sent_usec; /* when the last record was sent */
	char last_sent[RECORD_ID_SIZE];
	/* the record that is waited for: once it can be read, all that was sent before is written; "": none */
	char witness[RECORD_ID_SIZE];
	int64_t witness_usec;
	bool read_back; /* some witness could be read, so that the journal can be read */
	/* during ACKS_FORGET: what was sent before this time is being forgotten, a part at a time */
	int64_t forget_usec;
	uint64_t forget_ms, look_ms, forget_written_ms;
};

/* Note that the record @id was sent just now, and may be lost; NULL: some rows count as sent just now. */
void acks_sent(struct acks *a, struct work_queue *q, const struct output *o, const char *id);
/* Forget nothing for a while, because everything is being looked up in the journal. */
void acks_hold(struct acks *a);
/* Find out what has been written; called now and then. *before_usec: what was sent before this time is to be
 * forgotten now; 0: nothing is. Fails: as output_await, when the journal that the records were sent to no longer
 * exists. */
CHECKED int acks_look(struct acks *a, struct work_queue *q, struct output *o, int64_t *before_usec);
/* Note at most @max records that were sent before @before_usec as written. They are removed later, because the
 * journal may lose them in a power cut. 1: there may be more. Fails: ENOSPC, EIO, ENOMEM. */
CHECKED int acks_forget(const struct output *o, struct database *d, int64_t before_usec, int64_t max, int64_t wall_usec,
			struct err *err);
/* The transaction of acks_forget is committed. @more: there is more to forget. */
void acks_forgot_some(struct acks *a, struct work_queue *q, bool more);
/* Remove, now and then, records that have been written for long enough. */
void acks_forget_written(struct acks *a, struct database *d);
/* At an orderly end everything is written, so that the next start has nothing to look up. */
void acks_end(const struct acks *a, const struct output *o, struct database *d, int64_t wall_usec);

#endif
