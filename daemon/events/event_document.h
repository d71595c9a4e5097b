/* Events for programs. */
#ifndef DAEMON_EVENTS_EVENT_DOCUMENT_H
#define DAEMON_EVENTS_EVENT_DOCUMENT_H

#include "base/buf.h"
#include "daemon/events/event.h"

/* Append the event as a JSON object on a line, or as a document of a YAML stream: all its fields by the journal's
 * names, as "journalctl -o json" has them, but whole; bytes that are no UTF-8 become U+FFFD. */
void event_document(const struct event *e, bool yaml, struct buf *out);

#endif
