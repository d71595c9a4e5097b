/* How fast a server is asked: the wait after a failure, the token bucket from which kc_http.c takes a token for each
 * request (except the further pages of a list), and randomness. Times are milliseconds of one monotonic clock. */
#ifndef KUBECLIENT_KC_BACKOFF_H
#define KUBECLIENT_KC_BACKOFF_H

#include "base/defs.h"

struct kc_backoff {
	uint64_t first_ms, max_ms, reset_ms;
	uint64_t base_ms; /* the delay after the last failure; 0: there was none yet */
	uint64_t last_ms; /* when that was */
};

/* The wait after a failure at @now_ms: first, doubling to max, plus up to as much again by chance (@random: any 64
 * bits), so at most twice max. A failure more than reset_ms after the one before starts from first. */
uint64_t kc_backoff_next(struct kc_backoff *b, uint64_t now_ms, uint64_t random);
/* Resets after a success: the next failure starts from first. */
void kc_backoff_clear(struct kc_backoff *b);
/* The wait that a server asks for with Retry-After, and a little more by chance, so that not all come back at once. */
uint64_t kc_backoff_asked(uint64_t asked_ms, uint64_t random);

/* A token bucket: @rate tokens a second up to @burst. Full at first. */
struct kc_bucket {
	double rate, burst, tokens;
	uint64_t last_ms;
};

void kc_bucket_init(struct kc_bucket *b, double rate, double burst, uint64_t now_ms);
/* Add @rate tokens a second and room for @burst tokens, which are there at once; negative numbers take them away. A
 * bucket without a rate stays without one. */
void kc_bucket_widen(struct kc_bucket *b, double rate, double burst);
/* A token was taken for nothing. */
void kc_bucket_refund(struct kc_bucket *b);
/* Take one token and return 0, or return the milliseconds until there is one (at least 1). @spare: take it from the
 * upper half of the bucket only, so that urgent requests find the lower half. */
uint64_t kc_bucket_take(struct kc_bucket *b, bool spare, uint64_t now_ms);

uint64_t kc_random(void); /* for jitter, not for secrets */

#endif
