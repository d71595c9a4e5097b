/* Time for what the clients of a loop have to do in each of its turns.
 *
 * A turn would be as long as there are servers, and sockets of each, that have something to say at once. What comes
 * is done at once while the turn is young and nobody waits; else it is a job, and jobs are done in the order in which
 * they came, no matter whose they are: at least one in each turn, and more until the turn has used KC_PACE_NS. Then the
 * loop serves its other handles. */
#ifndef KUBECLIENT_KC_PACE_H
#define KUBECLIENT_KC_PACE_H

#include "base/defs.h"

#include <sys/queue.h>
#include <uv.h>

#define KC_PACE_NS (2 * UINT64_C(1000000)) /* the time of a turn; what is begun within it is finished */

/* Something to continue later. The owner sets the first part. */
struct kc_job {
	void (*run)(void *ctx); /* everything is allowed, closing included */
	void *ctx;

	TAILQ_ENTRY(kc_job) link;
	bool waits;
};
TAILQ_HEAD(kc_jobs, kc_job);

struct kc_pace {
	uv_idle_t work;    /* active while jobs wait: the loop does not wait then */
	uv_prepare_t turn; /* a turn ends */
	struct kc_jobs jobs;
	uint64_t began_ns; /* when reading began in this turn; 0: it has not */
	unsigned n_open;
	void (*closed)(void *ctx);
	void *ctx;
};

/* The pace keeps the loop alive only while a job waits. */
void kc_pace_init(struct kc_pace *p, uv_loop_t *uv);
/* No job waits. Calls @closed (may be NULL) from the loop when its handles are closed. */
void kc_pace_close(struct kc_pace *p, void (*closed)(void *ctx), void *ctx);

/* The turn has used its time. */
bool kc_pace_over(struct kc_pace *p);
/* Whether something may be done now without waiting as a job. */
bool kc_pace_now(struct kc_pace *p);
/* Run the job once, behind those that wait; nothing if it waits already. */
void kc_pace_later(struct kc_pace *p, struct kc_job *job);
/* Nothing if it does not wait. */
void kc_pace_never(struct kc_pace *p, struct kc_job *job);

#endif
