/* Looking records up in the journal, as its readers would find them. */
#ifndef DAEMON_STORE_JOURNAL_LOOKUP_H
#define DAEMON_STORE_JOURNAL_LOOKUP_H

#include "daemon/findings/record.h"

struct sd_journal;

/* The journal of this machine as it is now; NULL: it cannot be read. */
struct sd_journal *journal_open(void);
void journal_close(struct sd_journal *j); /* NULL is ignored */
/* Whether it has a record of this id that a process of our own user wrote: anybody can write the id, nobody else the
 * user (systemd.journal-fields(7), trusted fields). 1: yes, 0: no; negative: it cannot be said. */
CHECKED int journal_has(struct sd_journal *j, const char *record_id);

#endif
