/* Decides when this host may report. */
#include "daemon/leader/etcd/reporting.h"

#include "base/assert.h"
#include "daemon/findings/clock.h"

void reporting_init(struct reporting *r, const struct election *election)
{
	*r = (struct reporting){ .election = election };
	(void)pthread_mutex_init(&r->lock, NULL); /* a mutex of the default kind does not fail */
}

void reporting_done(struct reporting *r)
{
	(void)pthread_mutex_destroy(&r->lock);
}

void reporting_set_term(struct reporting *r, int64_t term)
{
	atomic_store(&r->term, term);
}

uint64_t reporting_shut(struct reporting *r)
{
	uint64_t generation;

	(void)pthread_mutex_lock(&r->lock);
	atomic_store(&r->open_term, 0);
	atomic_store(&r->batch_is_there, true);
	generation = ++r->generation;
	(void)pthread_mutex_unlock(&r->lock);
	return generation;
}

bool reporting_is_shut(const struct reporting *r)
{
	return !atomic_load(&r->open_term);
}

void reporting_resume(struct reporting *r, int64_t term)
{
	ASSERT(term && !reporting_is_shut(r)); /* a host that is shut does not know what was reported */
	atomic_store(&r->open_term, term);
}

void reporting_open(struct reporting *r, const struct leader_loaded *x)
{
	(void)pthread_mutex_lock(&r->lock);
	if (r->generation == x->generation && atomic_load(&r->term) == x->term)
		atomic_store(&r->open_term, x->term);
	(void)pthread_mutex_unlock(&r->lock);
}

bool reporting_may(const struct reporting *r)
{
	return atomic_load(&r->open_term) && atomic_load(&r->open_term) == atomic_load(&r->term) &&
	       election_may_report(r->election, clock_boot_ns());
}
