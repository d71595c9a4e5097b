/* How far the recovery is: finding out what an earlier process, or a journal that was away, left unwritten. */
#ifndef DAEMON_STORE_RECOVERY_H
#define DAEMON_STORE_RECOVERY_H

#include "base/assert.h"
#include "daemon/findings/record.h"

/*     READ_OUTBOX ------ nothing was sent -------> RECOVERED <--------.
 *          |                                         |  ^             |
 *          | something was sent,                     |  |             |
 *          | or other hosts want it sent             |  |             |
 *          v           the journal went, or the files are others'     |
 *     SEND_BARRIER <---------------------------------'  |             |
 *       |    ^    '-- looked up, where that cannot be --'             |
 *       v    | the barrier went with its journal                      |
 *     READ_BARRIER_BACK ---- it is read: all is looked up; or not -----'
 */
enum recovery_state { READ_OUTBOX, SEND_BARRIER, READ_BARRIER_BACK, RECOVERED };

/* What is looked up in the journal of the rows that an earlier process left, besides those that were sent and are not
 * marked as written. Each value includes those before it. */
enum look_up {
	LOOK_UP_UNMARKED, /* nothing */
	LOOK_UP_DEFERRED, /* after earlier damage: deferred records too */
	LOOK_UP_ALL,      /* after a boot or damage: written records too */
};

struct recovery {
	enum recovery_state state; /* changed with recovery_becomes */
	enum look_up looks_up;
	bool rebooted; /* copied from writer_options */
	char barrier[RECORD_ID_SIZE];
	uint64_t barrier_ms;      /* when the barrier was sent */
	uint64_t outbox_again_ms; /* when to read the outbox again after a failure */
};

static inline void recovery_becomes(struct recovery *r, enum recovery_state state)
{
	ASSERT(state != READ_OUTBOX && (state != READ_BARRIER_BACK || r->state == SEND_BARRIER));
	r->state = state;
}

#endif
