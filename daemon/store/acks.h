/* What was sent and is not yet acknowledged: known to be in the journal. A journal reads what it is given in order:
 * when a record can be read in it, all that was sent before was read too. Where it cannot be read, and with other
 * outputs, time must do. Times are steady_usec's. */
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

#define WRITER_PRESENCE_MS 3000 /* between two looks whether the journal is still there */
#define WRITER_SOON_MS 50       /* between two lots that are forgotten */

struct acks {
	enum acks_state state;
	int64_t sent_usec; /* when the last was */
	char last_sent[RECORD_ID_SIZE];
	char witness[RECORD_ID_SIZE]; /* once it can be read, all that was sent before is written; "": none */
	int64_t witness_usec;
	bool read_back;      /* some witness could be read: the journal can be */
	int64_t forget_usec; /* of ACKS_FORGET: what was sent before that is being forgotten, bit by bit */
	uint64_t forget_ms, look_ms, forget_written_ms;
};

/* The record @id was sent just now, and may be lost; NULL: rows count as sent just now. */
void acks_sent(struct acks *a, struct work_queue *q, const struct output *o, const char *id);
/* All is looked up: nothing is forgotten meanwhile. */
void acks_hold(struct acks *a);
/* Find out what is written; called now and then. *before_usec: what was sent before is to be forgotten now; 0: nothing
 * is. Fails: as output_await, when the journal that the records were sent to is not there. */
CHECKED int acks_look(struct acks *a, struct work_queue *q, struct output *o, int64_t *before_usec);
/* At most @max of what was sent before @before_usec: the journal may lose it with the power, and so it is forgotten
 * later. 1: there may be more. Fails: ENOSPC, EIO, ENOMEM. */
CHECKED int acks_forget(const struct output *o, struct database *d, int64_t before_usec, int64_t max, int64_t wall_usec,
			struct err *err);
/* What acks_forget has done is committed. @more: there is more to forget. */
void acks_forgot_some(struct acks *a, struct work_queue *q, bool more);
/* What has been written for long enough goes, now and then. */
void acks_forget_written(struct acks *a, struct database *d);
/* At a clean end all is written: nothing need be looked up at the next start. */
void acks_end(const struct acks *a, const struct output *o, struct database *d, int64_t wall_usec);

#endif
