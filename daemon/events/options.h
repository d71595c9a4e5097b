/* The command line of "driftd events". */
#ifndef DAEMON_EVENTS_OPTIONS_H
#define DAEMON_EVENTS_OPTIONS_H

#include "config/command_line.h"
#include "daemon/events/event_filter.h"
#include "daemon/events/event_print.h"
#include "daemon/events/journal.h"

struct events_options {
	struct journal_place place; /* place.follow: -f */
	VEC(const char *) files;    /* the files of @place, with a NULL at the end */
	struct event_filter filter;
	struct event_style style;
	bool reverse;
	int64_t lines;      /* the number of last records to show; below 0: all */
	int64_t group_usec; /* records of one cause within this time are shown as one; 0: each is shown */
	const char *after;  /* the cursor of the record before the first one; NULL: there is none */
};

/* Read the options as command_line_read(): COMMAND_GOES_ON, or the exit status. *ret is for events_options_done() in
 * any case. */
CHECKED int events_options_read(int argc, char **argv, struct events_options *ret);
void events_options_done(struct events_options *o);

#endif
