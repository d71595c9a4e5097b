/* Reading driftd's records from a journal. */
#ifndef DAEMON_EVENTS_JOURNAL_H
#define DAEMON_EVENTS_JOURNAL_H

#include "daemon/events/event_filter.h"

#include <signal.h>

/* Without a directory and files: the journal of this machine. */
struct journal_place {
	const char *directory;    /* NULL: none */
	const char *const *files; /* NULL-terminated; NULL: none */
	bool follow;              /* journal_await will be called: not for files */
};

struct journal;

/* Open it for what @filter wants. Fails: ENOENT (there is none), EACCES (none that may be read), and as sd-journal
 * does. */
CHECKED int journal_open_place(const struct journal_place *where, const struct event_filter *filter,
			       struct journal **ret, struct err *err);
void journal_free(struct journal *j);
DEFINE_CLEANUP(struct journal *, journal_free)
/* Parts of it may not be read: that something is not there cannot be said. */
bool journal_is_partial(const struct journal *j);

/* Go to the head, to the tail, or to a time (Unix); the next record of either direction is then the one beside it. */
CHECKED int journal_to_head(struct journal *j, struct err *err);
CHECKED int journal_to_tail(struct journal *j, struct err *err);
CHECKED int journal_to_time(struct journal *j, int64_t usec, struct err *err);
/* Behind the record that has the cursor @cursor, or, where that is not there any more, where it was. Fails also:
 * EINVAL, it is none. */
CHECKED int journal_to_cursor(struct journal *j, const char *cursor, struct err *err);
/* The next record, or with @back the one before. 1; 0: there is none as yet. */
CHECKED int journal_step(struct journal *j, bool back, struct err *err);
/* When the journal received the record, and the record. Fails: EBADMSG: it is damaged. */
CHECKED int journal_usec(struct journal *j, int64_t *ret, struct err *err);
CHECKED int journal_read(struct journal *j, struct event *ret, struct err *err);

/* Wait until something was written, until @until_usec (Unix time; 0: for ever), until a signal that @signals lets
 * through, or until nobody reads standard output any more, which is EPIPE. What is true of the others is looked up. */
CHECKED int journal_await(struct journal *j, int64_t until_usec, const sigset_t *signals, struct err *err);

#endif
