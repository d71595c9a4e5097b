/* How long the turns of a loop take: what runs between two waits for events. */
#ifndef DAEMON_APP_TURNS_H
#define DAEMON_APP_TURNS_H

#include "daemon/findings/histogram.h"

#include <uv.h>

/* Embedded in its owner; turns_close is due once turns_init succeeded. */
struct turns {
	uv_prepare_t before_wait;
	uint64_t last_ns, last_waited_ns;
	struct histogram durations; /* each counts all of one turn, without its wait */
};

/* The loop does not stay alive for it. Returns what libuv does. */
int turns_init(struct turns *t, uv_loop_t *loop);
void turns_close(struct turns *t);

#endif
