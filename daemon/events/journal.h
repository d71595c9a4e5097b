/* Reading driftd's records from a journal. */
#ifndef DAEMON_EVENTS_JOURNAL_H
#define DAEMON_EVENTS_JOURNAL_H

#include "daemon/events/event_filter.h"

#include <signal.h>

/* Where to read. Without a directory and files: the journal of this machine. */
struct journal_place {
	const char *directory;    /* NULL: none */
	const char *const *files; /* NULL-terminated; NULL: none */
	bool follow;              /* journal_await will be called, which does not work with files */
};

struct journal;

/* Open the journal for the records that @filter wants. Fails: ENOENT (there is none), EACCES (none may be read), and
 * as sd-journal does. */
CHECKED int journal_open_place(const struct journal_place *where, const struct event_filter *filter,
			       struct journal **ret, struct err *err);
void journal_free(struct journal *j);
DEFINE_CLEANUP(struct journal *, journal_free)
/* Whether parts of the journal may not be read, so that a missing record proves nothing. */
bool journal_is_partial(const struct journal *j);

/* Go to the head, to the tail, or to a time (Unix). The next record in either direction is then the nearest one. */
CHECKED int journal_to_head(struct journal *j, struct err *err);
CHECKED int journal_to_tail(struct journal *j, struct err *err);
CHECKED int journal_to_time(struct journal *j, int64_t usec, struct err *err);
/* Go behind the record that has the cursor @cursor or, if that record is gone, to where it was. Fails also: EINVAL,
 * @cursor is no cursor. */
CHECKED int journal_to_cursor(struct journal *j, const char *cursor, struct err *err);
/* Go to the next record, or with @back to the one before. 1; 0: there is none yet. */
CHECKED int journal_step(struct journal *j, bool back, struct err *err);
/* The time at which the journal received the record, and the record itself. Fails: EBADMSG: it is damaged. */
CHECKED int journal_usec(struct journal *j, int64_t *ret, struct err *err);
CHECKED int journal_read(struct journal *j, struct event *ret, struct err *err);

/* Wait until something was written, until @until_usec (Unix time; 0: for ever), until a signal that @signals lets
 * through, or until nobody reads standard output any more, which is EPIPE. After the other three the caller has to
 * find out what happened. */
CHECKED int journal_await(struct journal *j, int64_t until_usec, const sigset_t *signals, struct err *err);

#endif
