/* Looking records up in the journal, as its readers would find them. */
#ifndef DAEMON_STORE_JOURNAL_LOOKUP_H
#define DAEMON_STORE_JOURNAL_LOOKUP_H

#include "base/strmap.h"
#include "daemon/findings/record.h"

struct sd_journal;

/* The journal of this machine as it is now; NULL: it cannot be read. */
struct sd_journal *journal_open(void);
void journal_close(struct sd_journal *j); /* NULL is ignored */
/* Whether it has a record of this id that a process of our own user wrote: anybody can write the id, nobody else the
 * user (systemd.journal-fields(7), trusted fields). 1: yes, 0: no; negative: it cannot be said. */
CHECKED int journal_has(struct sd_journal *j, const char *record_id);

#define JOURNAL_TAIL_MAX 20000 /* entries; to read them takes some 30 ms */

/* Add the ids of such records among the last JOURNAL_TAIL_MAX entries to @ids, with @ids itself as their value. A
 * journald that is killed in the midst of an entry may leave it where readers find it, but not by what it holds: then
 * journal_has does not know it, and it is one of the last. Fails: ENOMEM; as sd_journal_previous(3). */
CHECKED int journal_read_tail(struct sd_journal *j, struct strmap *ids);

#endif
