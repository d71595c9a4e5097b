/* Verifies without a network: code that looks at foreign signatures runs in a process of its own, which can make no
 * socket, so that a flaw in it reaches nobody. */
#ifndef DAEMON_FETCH_OFFLINE_H
#define DAEMON_FETCH_OFFLINE_H

#include "base/err.h"

/* Call @check in such a process, and return its result and error. Changes that it makes in memory are lost. The
 * calling process must have no threads. Fails as @check does; EPERM, no such process can be made here, or it ended
 * otherwise. */
CHECKED int offline_check(int (*check)(void *ctx, struct err *err), void *ctx, struct err *err);

#endif
