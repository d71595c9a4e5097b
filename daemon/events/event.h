/* One of driftd's records, as the journal has it. */
#ifndef DAEMON_EVENTS_EVENT_H
#define DAEMON_EVENTS_EVENT_H

#include "base/arena.h"
#include "base/severity.h"
#include "base/vec.h"
#include "daemon/findings/messages.h"

struct event_field {
	str name; /* [A-Z0-9_] */
	str value;
};

/* Anybody may have written it: fields may be missing, malformed, repeated, no UTF-8. The journal keeps neither the
 * order of fields nor a repetition of the same value. */
struct event {
	struct arena arena;
	int64_t usec; /* Unix time at which the journal received it */
	str cursor;   /* its place in the journal; may be empty */
	VEC(struct event_field) fields;
};

void event_init(struct event *e);
void event_done(struct event *e);
void event_clear(struct event *e); /* for the next one */

/* Add "NAME=value", copied; long values are cut, and what is beyond the ceilings is left out. */
void event_add(struct event *e, str field);
/* All of it, into the empty @to. False without memory. */
CHECKED bool event_copy(const struct event *from, struct event *to);
/* The first field @name gets another value. */
void event_set(struct event *e, const char *name, str value);
/* The value of the first field @name, or {NULL, 0}. */
str event_get(const struct event *e, const char *name);
/* How many there are. */
size_t event_count(const struct event *e, const char *name);

/* The message of the record; MESSAGES: it is none of driftd's. */
enum message event_message(const struct event *e);
/* The severity of what the record is about; a record about nothing good or bad has its own. */
enum severity event_severity(const struct event *e);
/* Syslog's, 0 to 7; 6 when there is none. */
int event_priority(const struct event *e);

#endif
