/* A filter of events: what they are about, and whose records are believed. */
#ifndef DAEMON_EVENTS_EVENT_FILTER_H
#define DAEMON_EVENTS_EVENT_FILTER_H

#include "base/err.h"
#include "daemon/events/event.h"

_Static_assert(MESSAGES < 64, "a bit for each in event_filter.messages");

/* Texts are borrowed. NULL and 0 match anything. */
struct event_filter {
	uint64_t messages; /* UINT64_C(1) << enum message */
	const char *cluster, *namespace, *kind, *name;
	const char *id; /* how the id of the drift begins */
	enum severity worst;
	int64_t since_usec, until_usec; /* both included */
	/* Whether records of any user count. Anybody can write driftd's fields; only the journal writes those that
	 * begin with "_". */
	bool any_user;
	char machine[33];        /* _MACHINE_ID of this machine; @self and @user count for its journal only */
	char self[16], user[16]; /* _UID of the user who runs the command, and of driftd's account; may be empty */
};

/* Believe the users of this machine: the one who runs the command and driftd's own. */
void event_filter_init(struct event_filter *f);
/* Add the events that @word names: one ("gap-begin"), or all that have the part ("gap", "begin"). Fails: EINVAL. */
CHECKED int event_filter_add_word(struct event_filter *f, const char *word, struct err *err);

/* Whether the writer of the record is believed: driftd's unit, root, or on this machine driftd's user or the one who
 * runs the command; with any_user anybody. */
bool event_filter_believes(const struct event_filter *f, const struct event *e);
/* Whether the filter wants the event, apart from what the matches of the journal check: messages, cluster,
 * namespace, name. */
bool event_filter_wants(const struct event_filter *f, const struct event *e);

#endif
