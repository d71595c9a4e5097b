/* When a user last looked: in a file of theirs. */
#ifndef DAEMON_CONTROL_LAST_LOOK_H
#define DAEMON_CONTROL_LAST_LOOK_H

#include "base/err.h"

#include <stdint.h>

/* As it was written, in $XDG_STATE_HOME/driftd or ~/.local/state/driftd; 0: not yet. Fails: ENOENT (no home), EBADMSG
 * (the file is not ours), codes of open(2). */
CHECKED int last_look_read(int64_t *ret_usec, struct err *err);
/* Unix time. Its folders are made. Fails: ENOENT, codes of mkdir(2), open(2), write(2), rename(2). */
CHECKED int last_look_write(int64_t usec, struct err *err);

#endif
