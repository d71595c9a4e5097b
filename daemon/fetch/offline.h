/* Verifying without a network: what looks at signatures that a source sent runs in a process of its own, which can make
 * no socket, so that a flaw in it reaches nobody. */
#ifndef DAEMON_FETCH_OFFLINE_H
#define DAEMON_FETCH_OFFLINE_H

#include "base/err.h"

/* What @check returns and says, called in such a process: what it changes there is lost. Not for a process with
 * threads. Fails as @check does; EPERM, no such process can be made here, or it ended otherwise. */
CHECKED int offline_check(int (*check)(void *ctx, struct err *err), void *ctx, struct err *err);

#endif
