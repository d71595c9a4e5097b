/* Lists the findings that are open according to a journal. */
#ifndef DAEMON_EVENTS_OPEN_JOURNAL_H
#define DAEMON_EVENTS_OPEN_JOURNAL_H

#include "daemon/events/event_filter.h"
#include "daemon/events/journal.h"
#include "daemon/events/open_list.h"
#include "value/doc.h"

/* Read the journal from @who->since_usec to @who->until_usec (0: all), and believe the writers that @who believes.
 * *ret: the document of open_list_json with "strange", the number of records of other writers. Fails: as
 * journal_open_place, E2BIG, ENOMEM. */
CHECKED int open_journal(const struct journal_place *where, const struct event_filter *who,
			 const struct open_filter *filter, struct doc **ret, struct err *err);

#endif
