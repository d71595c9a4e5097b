/* Looking records up in the journal, as its readers would find them. */
#ifndef DAEMON_STORE_JOURNAL_JOURNAL_LOOKUP_H
#define DAEMON_STORE_JOURNAL_JOURNAL_LOOKUP_H

#include "base/strmap.h"
#include "daemon/findings/record.h"

struct output;
struct sd_journal;

/* The journal of this machine as it is now; NULL: it cannot be read. */
struct sd_journal *journal_open(void);
void journal_close(struct sd_journal *j); /* NULL is ignored */
/* Whether it has the record of this id. */
bool journal_can_read(const char *record_id);
/* The journal, if it has the record of this id: then it has all that it was given before. NULL: it does not. */
struct sd_journal *journal_open_with(const char *record_id);
/* Send a barrier to @output: a record with the message @text that is looked up in the journal later. Fails: as
 * output_write. */
CHECKED int journal_send_barrier(struct output *output, str text, char ret_id[RECORD_ID_SIZE]);
/* Whether the journal has a record of this id that a process of our own user wrote: everyone can write the id, and no
 * other user this user's (systemd.journal-fields(7), trusted fields). 1: yes, 0: no; negative: it cannot be found
 * out. */
CHECKED int journal_has(struct sd_journal *j, const char *record_id);

/* Since when (Unix time) the journal has what was written before this boot, as far as it had it: INT64_MAX where it is
 * in memory only, as the record @now of this boot is there, or has nothing of an earlier boot. */
int64_t journal_reach(struct sd_journal *j, const char *now);

#define JOURNAL_EACH_MAX 50000 /* entries */

enum journal_order { JOURNAL_LATEST_FIRST, JOURNAL_EARLIEST_FIRST };

/* Each record about a finding that a process of our own user wrote, with its time, until @each says 1; JOURNAL_EACH_MAX
 * at most. The times may go up and down: the clock may have been set. The record is borrowed, and
 * has those fields of it that say what it is about and what became of that. Fails: ENOMEM; as sd_journal_next(3);
 * what @each fails with. */
CHECKED int journal_each(struct sd_journal *j, enum journal_order order,
			 int (*each)(void *ctx, struct record *r, int64_t usec, struct err *err), void *ctx,
			 struct err *err);

/* As the kernel calls this boot; "": it does not. */
#define BOOT_ID_SIZE 33
void journal_boot_id(char ret[BOOT_ID_SIZE]);

#define JOURNAL_TAIL_MAX 20000 /* entries; to read them takes some 30 ms */

/* Add the ids of such records among the last JOURNAL_TAIL_MAX entries to @ids, with @ids itself as their value. A
 * journald that is killed in the midst of an entry may leave it where readers find it, but not by what it holds: then
 * journal_has does not know it, and it is one of the last. Fails: ENOMEM; as sd_journal_previous(3). */
CHECKED int journal_read_tail(struct sd_journal *j, struct strmap *ids);

#endif
