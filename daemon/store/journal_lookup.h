/* Looking records up in the journal, as its readers would find them. */
#ifndef DAEMON_STORE_JOURNAL_LOOKUP_H
#define DAEMON_STORE_JOURNAL_LOOKUP_H

#include "daemon/findings/record.h"

/* Whether the journal has a record of this id that a process of our own user wrote: anybody can write the id, nobody
 * else the user (systemd.journal-fields(7), trusted fields). What cannot be read has none. */
bool journal_has(const char *record_id);

#endif
