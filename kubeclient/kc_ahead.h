/* Processes objects of a first list, or lines that hold them, in threads of libuv's pool (struct kc_prepare) while more
 * are received.
 *
 *   kc_ahead_add      kc_ahead_go           a thread              kc_ahead_take
 *  --------------> open -------> under way ---------> processed ----------------> the owner's --kc_batch_free-->
 *                    |               |                    |
 *                    '---------------+--------------------'--kc_ahead_drop-->
 *
 * Batches are taken in the order in which they were opened, and few are under way: who adds lines takes the oldest when
 * there are KC_AHEAD_BATCHES. A caller that waits processes batches itself meanwhile: no processor is idle, and threads
 * that are busy, or not awake yet, are not missed. */
#ifndef KUBECLIENT_KC_AHEAD_H
#define KUBECLIENT_KC_AHEAD_H

#include "kubeclient/kc_report.h"

#include <sys/queue.h>
#include <uv.h>

struct kc_batch;
struct kc_texts; /* memory of batches that are over, for others */

#define KC_AHEAD_BATCHES 4
#define KC_AHEAD_LINES 64                        /* of a batch; */
#define KC_AHEAD_BYTES ((size_t)256 << 10)       /* then it has enough */
#define KC_AHEAD_NS (20 * UINT64_C(1000000))     /* that a thread begins to look at one more line of it */
#define KC_AHEAD_HERE_NS (5 * UINT64_C(1000000)) /* that the owner's thread does */
#define KC_AHEAD_LINE_MAX ((size_t)128 << 10)    /* longer lines are not for threads: others would wait for them */

struct kc_ahead {
	uv_loop_t *loop;
	const struct kc_report *report;
	bool objects;             /* what comes are texts of objects; else lines of a stream */
	void (*ready)(void *ctx); /* the oldest batch was looked at; from the loop. NULL: nobody asks */
	void *ctx;
	TAILQ_HEAD(, kc_batch) batches; /* the oldest first */
	struct kc_batch *open;          /* the last of them, while it is; or NULL */
	unsigned n;
	struct kc_texts *texts; /* NULL until it is needed */
};

void kc_ahead_init(struct kc_ahead *a, uv_loop_t *loop, const struct kc_report *report); /* the rest is the owner's */

/* Copy the line into the open batch. False: it is for nobody (handler.prepare, or no memory), too long, or no
 * object and the first: it is the caller's to report, behind all batches. Not while kc_ahead_full. */
bool kc_ahead_add(struct kc_ahead *a, str line, uint64_t received_ns);
static inline bool kc_ahead_full(const struct kc_ahead *a)
{
	return a->n >= KC_AHEAD_BATCHES && !a->open;
}
/* The open batch has enough, or nothing more comes for now. */
void kc_ahead_go(struct kc_ahead *a);

/* Takes the oldest batch once a thread has processed it. With @wait the call blocks until then; for KC_AHEAD_HERE_NS
 * the owner's thread processes batches that no other thread has begun. NULL: there is none. */
struct kc_batch *kc_ahead_take(struct kc_ahead *a, bool wait);
/* The list has ended: memory that waits for more of it is given back. */
void kc_ahead_rest(struct kc_ahead *a);
/* Forget all batches. No thread uses what their hands lead to any more. */
void kc_ahead_drop(struct kc_ahead *a);

struct kc_batch_line {
	str text;
	bool looked_at;
	struct kc_look look; /* if it was */
	uint64_t received_ns;
};

/* The next line, the batch's; NULL: that was all. */
const struct kc_batch_line *kc_batch_next(struct kc_batch *b);
void kc_batch_free(struct kc_batch *b);
DEFINE_CLEANUP(struct kc_batch *, kc_batch_free)

#endif
