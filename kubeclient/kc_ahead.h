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
struct kc_texts; /* memory of finished batches, to be used again */

#define KC_AHEAD_BATCHES 4
#define KC_AHEAD_LINES 64                        /* the most lines of a batch; */
#define KC_AHEAD_BYTES ((size_t)256 << 10)       /* the bytes at which a batch has enough */
#define KC_AHEAD_NS (20 * UINT64_C(1000000))     /* after this time a thread begins no further line of a batch */
#define KC_AHEAD_HERE_NS (5 * UINT64_C(1000000)) /* the time in which the thread of the owner works itself */
/* longer lines are not given to threads, because others would wait for them */
#define KC_AHEAD_LINE_MAX ((size_t)128 << 10)

struct kc_ahead {
	uv_loop_t *loop;
	const struct kc_report *report;
	bool objects; /* the lines are texts of objects; otherwise lines of a stream */
	/* called on the loop when the oldest batch was processed. NULL: nobody wants to know */
	void (*ready)(void *ctx);
	void *ctx;
	TAILQ_HEAD(, kc_batch) batches; /* the oldest first */
	struct kc_batch *open;          /* the last batch while it is open; or NULL */
	unsigned n;
	struct kc_texts *texts; /* NULL until it is needed */
};

void kc_ahead_init(struct kc_ahead *a, uv_loop_t *loop, const struct kc_report *report); /* the rest is the owner's */

/* Copy the line into the open batch. False: the caller has to report the line, behind all batches, because the
 * handler has no prepare, memory is short, the line is too long, or it is the first and no object. Not to be called
 * while kc_ahead_full. */
bool kc_ahead_add(struct kc_ahead *a, str line, uint64_t received_ns);
static inline bool kc_ahead_full(const struct kc_ahead *a)
{
	return a->n >= KC_AHEAD_BATCHES && !a->open;
}
/* Close the open batch: it has enough, or nothing more comes for now. */
void kc_ahead_go(struct kc_ahead *a);

/* Takes the oldest batch once a thread has processed it. With @wait the call blocks until then; for KC_AHEAD_HERE_NS
 * the owner's thread processes batches that no other thread has begun. NULL: there is none. */
struct kc_batch *kc_ahead_take(struct kc_ahead *a, bool wait);
/* The list has ended: free the memory that is kept for more batches. */
void kc_ahead_rest(struct kc_ahead *a);
/* Drop all batches. Afterwards no thread uses anything of theirs. */
void kc_ahead_drop(struct kc_ahead *a);

struct kc_batch_line {
	str text;
	bool looked_at;
	struct kc_look look; /* if it was */
	uint64_t received_ns;
};

/* The next line of the batch, which owns it; NULL: there are no more. */
const struct kc_batch_line *kc_batch_next(struct kc_batch *b);
void kc_batch_free(struct kc_batch *b);
DEFINE_CLEANUP(struct kc_batch *, kc_batch_free)

#endif
