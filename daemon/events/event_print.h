/* Prints events as text, JSON or YAML. */
#ifndef DAEMON_EVENTS_EVENT_PRINT_H
#define DAEMON_EVENTS_EVENT_PRINT_H

#include "base/buf.h"
#include "config/command_line.h"
#include "daemon/events/event.h"

enum event_form { EVENT_SHORT, EVENT_WIDE, EVENT_JSON, EVENT_YAML };
extern const struct option_word event_form_words[]; /* The names of the forms: "short", … */

struct event_style {
	enum event_form form;
	bool colour;
	bool utc;  /* otherwise in local time */
	bool host; /* print the name of the host that wrote the record */
};

/* Append the event: a line for people, with the differences below it for EVENT_WIDE; or an object on a line, or a
 * document, with the journal's names (EVENT_JSON, EVENT_YAML): values are texts, those of a repeated field an array.
 * The output has no character that a terminal interprets, whatever the event contains. */
void event_print(const struct event *e, const struct event_style *style, struct buf *out);

/* Append the event for programs (event_document.c): as a JSON object on a line, or as a document of a YAML stream.
 * It has all fields under the journal's names, like "journalctl -o json", but never cuts a value; bytes that are no
 * UTF-8 become U+FFFD. */
void event_document(const struct event *e, bool yaml, struct buf *out);

#endif
