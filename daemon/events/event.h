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

/* The fields of a record. Anybody may have written it: fields may be missing, malformed, repeated, no UTF-8. The
 * journal keeps neither the order of fields nor a repetition of the same value. */
struct event {
	struct arena arena;
	int64_t usec; /* Unix time at which the journal received it */
	str cursor;   /* the record's place in the journal; may be empty */
	VEC(struct event_field) fields;
};

void event_init(struct event *e);
void event_done(struct event *e);
void event_clear(struct event *e); /* Empty the event, so that it can be used for the next record. */

/* Add a copy of "NAME=value". Long values are cut, and fields beyond the ceilings are left out. */
void event_add(struct event *e, str field);
/* Copy all of @from into the empty @to. False without memory. */
CHECKED bool event_copy(const struct event *from, struct event *to);
/* Replace the value of the first field @name. */
void event_set(struct event *e, const char *name, str value);
/* The value of the first field @name, or {NULL, 0}. */
str event_get(const struct event *e, const char *name);
/* The number of fields @name. */
size_t event_count(const struct event *e, const char *name);

/* The message of the record; MESSAGES: the record is none of driftd's. */
enum message event_message(const struct event *e);
/* The severity of what the record is about. Some records are about nothing good or bad and have a severity of their
 * own. */
enum severity event_severity(const struct event *e);
/* The priority of syslog, 0 to 7; 6 when the record has none. */
int event_priority(const struct event *e);

#endif
