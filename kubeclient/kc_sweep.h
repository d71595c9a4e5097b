/* Large tables that nobody needs any more, released in slices of the loop's time: 50,000 known objects in one go would
 * hold everything up for 30 ms. */
#ifndef KUBECLIENT_KC_SWEEP_H
#define KUBECLIENT_KC_SWEEP_H

#include "base/index.h"

#include <uv.h>

struct kc_swept;

struct kc_sweep {
	uv_timer_t timer;
	uint64_t slice_ms; /* of a turn of the loop */
	struct kc_swept *first;
	void (*closed)(void *ctx); /* NULL: it is not to close yet */
	void *ctx;
};

void kc_sweep_init(struct kc_sweep *s, uv_loop_t *loop, uint64_t slice_ms);

/* Take over the table, whose things are from malloc. Without memory for that it is released at once. Not after
 * kc_sweep_close. */
void kc_sweep_take(struct kc_sweep *s, struct index known);

/* Release what is left, in slices too, and call @closed from the loop when the timer is closed. */
void kc_sweep_close(struct kc_sweep *s, void (*closed)(void *ctx), void *ctx);

#endif
