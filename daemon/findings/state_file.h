/* The findings on disk, so that a restart repeats no record and an end still knows its beginning.
 *
 * A versioned JSON file, written to a temporary name, synced and renamed. It holds identities, paths and times, never a
 * value of an object. */
#ifndef DAEMON_FINDINGS_STATE_FILE_H
#define DAEMON_FINDINGS_STATE_FILE_H

#include "daemon/findings/findings.h"

/* Read @dir/state.json into @f; an absent file is an empty state. Fails: EBADMSG (unreadable: it is set aside as
 * state.json.bad), the codes of open(2) and read(2), ENOMEM. */
CHECKED int state_file_load(const char *dir, struct findings *f, struct err *err);

#define STATE_FILE_BYTES_MAX ((size_t)256 << 20)

/* What the file says. Fails: E2BIG, ENOMEM. */
CHECKED int state_file_text(const struct findings *f, struct buf *out, struct err *err);

/* Put @text in the file's place. Safe to call from another thread. Fails: the codes of open(2), write(2), rename(2),
 * ENOMEM. */
CHECKED int state_file_write(const char *dir, str text, struct err *err);

/* Both. */
CHECKED int state_file_save(const char *dir, const struct findings *f, struct err *err);

#endif
