/* Knows the claim by which this host led last. */
#include "daemon/leader/etcd/own_claim.h"

#include "base/assert.h"
#include "daemon/leader/etcd/holder.h"
#include "daemon/leader/etcd/own_step.h"

#include <unistd.h>

void own_claim_open(struct own_claim *x, const char *path)
{
	struct own_step s = { 0 };

	*x = (struct own_claim){ .file = path ? own_step_open(path, &s) : -1 };
	(void)pthread_mutex_init(&x->lock, NULL); /* a mutex of the default kind does not fail */
	if (!*s.claim)
		return;
	memcpy(x->won, s.claim, sizeof(x->won));
	x->former = true;
	atomic_store(&x->seen_step, s.step);
}

void own_claim_done(struct own_claim *x)
{
	if (x->file >= 0)
		(void)close(x->file);
	(void)pthread_mutex_destroy(&x->lock);
}

bool own_claim_is(const struct own_claim *x, str value)
{
	return holder_is(value, x->won);
}

void own_claim_win(struct own_claim *x, const char claim[RECORD_ID_SIZE])
{
	ASSERT(*claim);
	memcpy(x->won, claim, sizeof(x->won));
	x->former = false;
	(void)pthread_mutex_lock(&x->lock);
	memcpy(x->of_term, claim, sizeof(x->of_term));
	x->over = false;
	(void)pthread_mutex_unlock(&x->lock);
	own_claim_keep_step(x, claim, own_claim_seen(x));
}

void own_claim_lose(struct own_claim *x)
{
	*x->won = '\0';
	(void)pthread_mutex_lock(&x->lock);
	if (!x->over)
		own_step_forget(x->file);
	x->over = true;
	(void)pthread_mutex_unlock(&x->lock);
}

bool own_claim_went_back(struct own_claim *x, int64_t seen, int64_t step)
{
	/* the writer may know more by now */
	(void)atomic_compare_exchange_strong(&x->seen_step, &(int64_t){ seen }, step);
	return step < seen;
}

int64_t own_claim_seen(const struct own_claim *x)
{
	return atomic_load(&x->seen_step);
}

void own_claim_of_term(struct own_claim *x, char ret[RECORD_ID_SIZE])
{
	(void)pthread_mutex_lock(&x->lock);
	memcpy(ret, x->of_term, RECORD_ID_SIZE);
	(void)pthread_mutex_unlock(&x->lock);
}

void own_claim_made_step(struct own_claim *x, int64_t step)
{
	atomic_store(&x->seen_step, step);
}

void own_claim_keep_step(struct own_claim *x, const char claim[RECORD_ID_SIZE], int64_t step)
{
	struct own_step s = { .step = step };

	memcpy(s.claim, claim, sizeof(s.claim));
	(void)pthread_mutex_lock(&x->lock);
	if (!x->over && memcmp(claim, x->of_term, sizeof(x->of_term)) == 0)
		own_step_write(x->file, &s);
	(void)pthread_mutex_unlock(&x->lock);
}
