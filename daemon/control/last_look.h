/* The time when a user last looked at the findings, in a file of the user. */
#ifndef DAEMON_CONTROL_LAST_LOOK_H
#define DAEMON_CONTROL_LAST_LOOK_H

#include "base/err.h"

#include <stdint.h>

/* Read the time from $XDG_STATE_HOME/driftd or ~/.local/state/driftd; 0: there is none yet. Fails: ENOENT (no home),
 * EBADMSG (another kind of file), codes of open(2). */
CHECKED int last_look_read(int64_t *ret_usec, struct err *err);
/* Write the time (Unix time). Folders are made. Fails: ENOENT, codes of mkdir(2), open(2), write(2), rename(2). */
CHECKED int last_look_write(int64_t usec, struct err *err);

#endif
