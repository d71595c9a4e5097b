/* Measures the turns of a loop: what runs between two waits for events. */
#ifndef DAEMON_APP_TURNS_H
#define DAEMON_APP_TURNS_H

#include "daemon/findings/histogram.h"

#include <uv.h>

/* Embedded in its owner; turns_close is due once turns_init succeeded. */
struct turns {
	uv_prepare_t before_wait;
	uint64_t last_ns, last_waited_ns;
	struct histogram durations; /* one value for each turn, without its wait */
};

/* Start to measure. The loop does not stay alive for it. Returns the code of libuv. */
int turns_init(struct turns *t, uv_loop_t *loop);
void turns_close(struct turns *t);

#endif
