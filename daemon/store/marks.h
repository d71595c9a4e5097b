/* Marks of rows of the outbox since the last commit: which were sent, which were written. The next transaction
 * stores them. */
#ifndef DAEMON_STORE_MARKS_H
#define DAEMON_STORE_MARKS_H

#include "base/vec.h"
#include "daemon/store/database/database.h"

struct marks {
	VEC(int64_t) sent, written; /* rows that were sent; rows that are known to be written, or need not be */
	/* when the marks of sent rows should be committed, even if nothing else is committed */
	uint64_t due_ms;
};

void marks_done(struct marks *m);
/* Fail: ENOMEM. */
CHECKED bool marks_add_sent(struct marks *m, int64_t seq);
CHECKED bool marks_add_written(struct marks *m, int64_t seq);
/* Replace the rows that are marked as sent by @seqs. Fails: ENOMEM, and then some of them are marked. */
CHECKED bool marks_set_sent(struct marks *m, const int64_t *seqs, size_t n);
void marks_clear_written(struct marks *m);
/* The row that was added last was not sent after all. */
void marks_take_back(struct marks *m);
bool marks_are_due(const struct marks *m);
/* Store the marks within a transaction; they stay until marks_clear. Fails: ENOSPC, EIO, ENOMEM. */
CHECKED int marks_store(const struct marks *m, struct database *d, struct err *err);
void marks_clear(struct marks *m);

#endif
