/* Judging time, shared between clusters. */
#ifndef DAEMON_WATCH_ROUND_H
#define DAEMON_WATCH_ROUND_H

#include "daemon/watch/cluster/cluster.h"

/* Let @n clusters work, one after the other from the one at *next on, until @until_ns (uv_hrtime) or until none has
 * more to do; true: one has. *next becomes the first that had no time, so that no cluster waits for more than one slice
 * of each other one, however much these have to do. *next may be any number. */
bool round_work(struct cluster *const *clusters, size_t n, size_t *next, uint64_t until_ns);

#endif
