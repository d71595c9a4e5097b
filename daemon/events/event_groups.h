/* Records of one cause that come soon after each other, as one event: an incident in 600 objects is one event.
 *
 *   the first record ---- those within the span are gathered ----> due: each group is taken as one event
 *
 * A cause is what its driftd says (DRIFTD_CAUSE); records of several events or severities, and those without a cause,
 * are no group. */
#ifndef DAEMON_EVENTS_EVENT_GROUPS_H
#define DAEMON_EVENTS_EVENT_GROUPS_H

#include "base/err.h"
#include "daemon/events/event.h"

struct event_groups;

/* @after: the cursor behind which records come; NULL: it is unknown. NULL without memory. */
struct event_groups *event_groups_new(int64_t span_usec, const char *after);
void event_groups_free(struct event_groups *g);
/* The end of the span of the gathered records (Unix time); 0: there are none. */
int64_t event_groups_until(const struct event_groups *g);
/* Whether all groups have to be taken before a record of the time @usec is added. */
bool event_groups_are_due(const struct event_groups *g, int64_t usec);
/* Gather a copy of @e. Fails: ENOMEM. */
CHECKED int event_groups_add(struct event_groups *g, const struct event *e, struct err *err);
/* The next group, in the order of their first records: the first record with DRIFTD_GROUP_COUNT and, in a group of
 * several, DRIFTD_GROUP_MEMBER for the first of their objects, and a MESSAGE that says how many more there are. Its
 * cursor is the one after which reading may continue once the group was taken: that skips no record, but earlier
 * groups of the span may come again. Valid until the next call; NULL: all are taken. */
const struct event *event_groups_take(struct event_groups *g);

#endif
