/* Computes the waits between tries. */
#include "kubeclient/kc_backoff.h"

#include "base/hash.h"

#include <sys/random.h>
#include <time.h>

uint64_t kc_backoff_next(struct kc_backoff *b, uint64_t now_ms, uint64_t random)
{
	if (b->base_ms == 0 || now_ms - b->last_ms > b->reset_ms + 2 * b->base_ms)
		b->base_ms = b->first_ms;
	else
		b->base_ms = b->base_ms > b->max_ms / 2 ? b->max_ms : b->base_ms * 2;
	if (b->base_ms == 0)
		b->base_ms = 1;
	b->last_ms = now_ms;
	return b->base_ms + random % (b->base_ms + 1);
}

void kc_backoff_clear(struct kc_backoff *b)
{
	b->base_ms = 0;
}

uint64_t kc_backoff_asked(uint64_t asked_ms, uint64_t random)
{
	return asked_ms + random % (asked_ms / 8 + 1);
}

void kc_bucket_init(struct kc_bucket *b, double rate, double burst, uint64_t now_ms)
{
	*b = (struct kc_bucket){ .rate = rate, .burst = burst < 1 ? 1 : burst, .last_ms = now_ms };
	b->tokens = b->burst;
}

static void add_tokens(struct kc_bucket *b, double n)
{
	b->tokens += n;
	if (b->tokens > b->burst)
		b->tokens = b->burst;
	if (b->tokens < 0)
		b->tokens = 0;
}

void kc_bucket_widen(struct kc_bucket *b, double rate, double burst)
{
	if (b->rate > 0)
		b->rate += rate;
	b->burst += burst;
	add_tokens(b, burst);
}

void kc_bucket_refund(struct kc_bucket *b)
{
	add_tokens(b, 1);
}

uint64_t kc_bucket_take(struct kc_bucket *b, bool spare, uint64_t now_ms)
{
	double least = spare ? b->burst / 2 + 1 : 1;

	if (b->rate <= 0)
		return 0;
	add_tokens(b, (double)(now_ms - b->last_ms) * b->rate / 1000);
	b->last_ms = now_ms;
	if (b->tokens < least)
		return (uint64_t)((least - b->tokens) * 1000 / b->rate) + 1;
	b->tokens -= 1;
	return 0;
}

uint64_t kc_random(void)
{
	struct timespec now;
	uint64_t r;

	if (getrandom(&r, sizeof(r), GRND_NONBLOCK) == (ssize_t)sizeof(r))
		return r;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return hash_bytes(&now, sizeof(now), hash_seed());
}
