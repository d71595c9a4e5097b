/* Prints events as text, JSON or YAML. */
#ifndef DAEMON_EVENTS_EVENT_PRINT_H
#define DAEMON_EVENTS_EVENT_PRINT_H

#include "base/buf.h"
#include "config/command_line.h"
#include "daemon/events/event.h"

enum event_form { EVENT_SHORT, EVENT_WIDE, EVENT_JSON, EVENT_YAML };
extern const struct option_word event_form_words[]; /* "short", … */

struct event_style {
	enum event_form form;
	bool colour;
	bool utc;  /* else local time */
	bool host; /* say whose journal it was */
};

/* Append the event: a line for people, or with what differs below it (EVENT_WIDE); an object a line, or a document,
 * with the journal's names (EVENT_JSON, EVENT_YAML): values are texts, those of a repeated field an array. No character
 * that a terminal acts on comes out, whatever the event says. */
void event_print(const struct event *e, const struct event_style *style, struct buf *out);

/* The two for programs (event_document.c): as a JSON object on a line, or as a document of a YAML stream: all its
 * fields by the journal's names, as "journalctl -o json" has them, but whole; bytes that are no UTF-8 become U+FFFD. */
void event_document(const struct event *e, bool yaml, struct buf *out);

#endif
