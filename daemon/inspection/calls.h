/* The requests that inspection rules ask for (api-call), performed on the loop.   spec/inspection-rules.md, section 12
 *
 * A GET, over http or https with the certificate verified. Redirects are not followed, cookies not kept, and of proxies
 * only those of the call are used. Headers that say where a message ends or whom it is for are not the rule's to set.
 *
 * A try is over with the head of the answer, whatever then comes of the body, which is not looked at: a status below
 * 400 is a success. After 429, 500, 502, 503 and 504, and when no answer came, the call is tried again as often as it
 * says; it fails with the last of its tries, or with the first after which another one could not be better. */
#ifndef DAEMON_INSPECTION_CALLS_H
#define DAEMON_INSPECTION_CALLS_H

#include "rules/inspection/insp_call.h"

#include <uv.h>

struct calls;

#define CALL_BYTES_MAX ((size_t)32 << 10) /* URL, headers and proxies of one call */

struct calls_counters {
	uint64_t made;    /* calls that ended, either way */
	uint64_t failed;  /* the number of attempts that failed */
	uint64_t dropped; /* calls that calls_add refused */
	size_t waiting;   /* calls that wait for their turn, or for their next try */
	size_t running;
};

struct call_origin {
	str cluster, rule; /* @rule: the uuid of the rule */
	bool sensitive;
};

struct calls_options {
	uv_loop_t *loop;
	/* Called when a call has failed for good. @url: without user, query and fragment; @why contains no values of
	 * headers. It runs from the loop and may do everything, even close the calls; its arguments are valid until
	 * it returns. */
	void (*failed)(void *ctx, const struct call_origin *origin, str url, const char *why);
	void *ctx;
	/* Limits. 0: the default. */
	size_t running_max;    /* running calls; 16 */
	size_t waiting_max;    /* waiting calls, beyond which calls are dropped; 1000 */
	size_t head_bytes_max; /* the head of an answer; 64 KiB */
	size_t body_bytes_max; /* the part of an answer's body that is read; 1 MiB */
	uint64_t pause_max_ms; /* the time between two tries; 5 minutes */
	uint64_t total_max_ms; /* the time for a call with all its tries, from calls_add on; 15 minutes */
};

/* Fails: ENOMEM, EIO. */
CHECKED int calls_new(const struct calls_options *o, struct calls **ret, struct err *err);
/* Add a copy of the call, which is begun in a later turn of the loop. When this fails the call counts as dropped:
 * EBUSY (too many wait), E2BIG (longer than CALL_BYTES_MAX), ENOMEM. */
CHECKED int calls_add(struct calls *c, const struct insp_call *call, const struct call_origin *origin, struct err *err);
const struct calls_counters *calls_counters(const struct calls *c);
/* End all calls without a further callback, close every handle, free @c, then call @closed (may be NULL) from the
 * loop. */
void calls_close(struct calls *c, void (*closed)(void *ctx), void *ctx);

#endif
