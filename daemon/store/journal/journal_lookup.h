/* Looks records up in the journal, as its readers would find them. */
#ifndef DAEMON_STORE_JOURNAL_JOURNAL_LOOKUP_H
#define DAEMON_STORE_JOURNAL_JOURNAL_LOOKUP_H

#include "base/strmap.h"
#include "daemon/findings/record.h"

struct output;
struct sd_journal;

/* Open the journal of this machine in its present state; NULL: it cannot be read. */
struct sd_journal *journal_open(void);
void journal_close(struct sd_journal *j); /* NULL is ignored */
/* Whether the journal has the record with this id. */
bool journal_can_read(const char *record_id);
/* Open the journal if it has the record with this id: then it also has everything that it was given before. NULL: it
 * does not have the record. */
struct sd_journal *journal_open_with(const char *record_id);
/* Send a barrier to @output: a record with the message @text that is looked up in the journal later. Fails: as
 * output_write. */
CHECKED int journal_send_barrier(struct output *output, str text, char ret_id[RECORD_ID_SIZE]);
/* Whether the journal has a record with this id that a process of driftd's own user wrote: everyone can write the
 * id, but no other user can write this user's (systemd.journal-fields(7), trusted fields). 1: yes, 0: no; negative:
 * it cannot be found out. */
CHECKED int journal_has(struct sd_journal *j, const char *record_id);

/* The Unix time from which on the journal still has what was written before this boot. INT64_MAX: the journal is in
 * memory only, as its record @now of this boot is, or it has nothing of an earlier boot. */
int64_t journal_reach(struct sd_journal *j, const char *now);

#define JOURNAL_EACH_MAX 50000 /* limit of entries */

enum journal_order { JOURNAL_LATEST_FIRST, JOURNAL_EARLIEST_FIRST };

/* Call @each for each record about a finding that a process of driftd's own user wrote, with its time, until @each
 * returns 1; at most JOURNAL_EACH_MAX times. The times may go up and down, because the clock may have been set. The
 * record is borrowed, and has only the fields that say what it is about and what happened to that. Fails: ENOMEM; as
 * sd_journal_next(3); what @each fails with. */
CHECKED int journal_each(struct sd_journal *j, enum journal_order order,
			 int (*each)(void *ctx, struct record *r, int64_t usec, struct err *err), void *ctx,
			 struct err *err);

/* The kernel's id of this boot; "": it is unknown. */
#define BOOT_ID_SIZE 33
void journal_boot_id(char ret[BOOT_ID_SIZE]);

#define JOURNAL_TAIL_MAX 20000 /* limit of entries, which take some 30 ms to read */

/* Add the ids of such records among the last JOURNAL_TAIL_MAX entries to @ids, with @ids itself as their value. If a
 * journald is killed while it writes an entry, readers may find the entry in the sequence but not by its fields.
 * Then journal_has does not find it, but it is one of the last entries. Fails: ENOMEM; as sd_journal_previous(3). */
CHECKED int journal_read_tail(struct sd_journal *j, struct strmap *ids);

#endif
