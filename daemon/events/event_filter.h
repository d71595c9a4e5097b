/* A filter of events: what they are about, and who may have written them. */
#ifndef DAEMON_EVENTS_EVENT_FILTER_H
#define DAEMON_EVENTS_EVENT_FILTER_H

#include "base/err.h"
#include "daemon/events/event.h"

_Static_assert(MESSAGES < 64, "a bit for each in event_filter.messages");

/* Texts are borrowed; NULL and 0: any. */
struct event_filter {
	uint64_t messages; /* UINT64_C(1) << enum message */
	const char *cluster, *namespace, *kind, *name;
	const char *id; /* how the id of the drift begins */
	enum severity worst;
	int64_t since_usec, until_usec; /* both included */
	/* Anybody can write driftd's fields, only the journal writes those that begin with "_". */
	bool any_user;
	char machine[33];        /* _MACHINE_ID of this machine, for whose journal alone the following hold */
	char self[16], user[16]; /* _UID of who asks, and of the account that driftd has; may be empty */
};

/* Take this machine's users for writers. */
void event_filter_init(struct event_filter *f);
/* Add the events that @word names: one ("gap-begin"), or by a part all that have it ("gap", "begin"). Fails: EINVAL. */
CHECKED int event_filter_add_word(struct event_filter *f, const char *word, struct err *err);

/* Whether driftd wrote it: its unit, root, or on this machine driftd's user or who asks; with any_user anybody. */
bool event_filter_believes(const struct event_filter *f, const struct event *e);
/* Whether it is wanted, but for what journal_match looks after: messages, cluster, namespace, name. */
bool event_filter_wants(const struct event_filter *f, const struct event *e);

#endif
