/* A leader over etcd: the thread of the election, what it hands on, and how the parts belong together. */
#include "daemon/leader/etcd/election.h"

#include "daemon/findings/clock.h"
#include "daemon/leader/etcd/etcd.h"
#include "daemon/leader/etcd/etcd_agreement.h"
#include "daemon/leader/etcd/etcd_election.h"
#include "daemon/leader/etcd/etcd_keys.h"
#include "daemon/leader/etcd/etcd_load.h"
#include "daemon/leader/etcd/hash_key.h"
#include "daemon/leader/etcd/own_claim.h"
#include "daemon/leader/etcd/reporting.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define TIMEOUT_MS_MIN 400
#define TIMEOUT_MS_MAX 3000
#define REQUESTS_PER_LEASE 5 /* how many requests may time out before the lease is over */
#define REVOKE_MS 2000
#define NS_PER_S UINT64_C(1000000000)

struct etcd_leader {
	struct leader base; /* the first member, so that a pointer to it is one to the leader */
	struct leader_options o;
	char name[ELECTION_NAME_SIZE];
	struct etcd_keys keys;
	struct hash_key key;
	struct own_claim own;
	struct reporting reporting;
	struct etcd_agreement agrees; /* used by the writer, as is its client of etcd */
	/* The members up to @load_error are used by the election's thread. */
	struct election election;
	struct etcd_election asks;
	/* the revision of PREFIX/made/known whose items were handed on while this host followed */
	int64_t made_loaded;
	int64_t loaded_term;   /* the term of the last state that was handed on */
	struct err load_error; /* why the reported findings cannot be read; code 0: they can, or need not be */
	atomic_bool stop, refused;
	_Atomic uint64_t failures;
	bool started;
	pthread_t thread;
	pthread_mutex_t lock; /* protects the members below */
	pthread_cond_t wake;
	struct leader_status status;
	uint64_t renewed_ns;
	struct leader_loaded *loaded;
};

static struct etcd_leader *of(struct leader *base)
{
	return (struct etcd_leader *)base;
}

/* ---- what a new leader must know ---- */

/* Renew the lease while loading. Return false when this host does not lead any more. */
static bool still_leads(void *ctx, int64_t term)
{
	struct etcd_leader *l = ctx;

	(void)election_step(&l->election);
	return l->election.state == ELECTION_LEADS && l->election.term == term && !atomic_load(&l->stop);
}

static struct etcd_load load_of(struct etcd_leader *l)
{
	return (struct etcd_load){ l->asks.etcd, &l->keys, still_leads, l };
}

static void pass_on(struct etcd_leader *l, struct leader_loaded *x)
{
	(void)pthread_mutex_lock(&l->lock);
	leader_loaded_free(l->loaded);
	l->loaded = x;
	(void)pthread_mutex_unlock(&l->lock);
}

/* Load the state for a new term. Return false when that has to be tried again. */
static bool prepare(struct etcd_leader *l)
{
	struct election *e = &l->election;
	struct leader_loaded *x = etcd_load_new();
	const struct etcd_load from = load_of(l);
	bool was_open = !reporting_is_shut(&l->reporting);
	int r = 0;

	l->load_error.code = 0;
	if (!x)
		return false;
	x->term = e->term;
	x->resumes = e->resumes && was_open;
	x->publishes = !e->published;
	if (!x->resumes) {
		x->generation = reporting_shut(&l->reporting);
		r = etcd_load(&from, x, &l->load_error);
	}
	if (r == 0 && still_leads(l, x->term)) {
		if (x->resumes)
			reporting_resume(&l->reporting, x->term);
		l->loaded_term = x->term;
		pass_on(l, x);
		return true;
	}
	leader_loaded_free(x);
	return false;
}

/* Hand on the items that users made at the host that leads. After a failure the next step tries again. */
static void follow_made(struct etcd_leader *l)
{
	struct leader_loaded *x = etcd_load_new();
	const struct etcd_load from = load_of(l);
	int64_t version = l->asks.made_version;
	struct err err;

	if (!x)
		return;
	x->follows = true;
	if (etcd_load_made(&from, x, &err) < 0 || !x->made_known) {
		leader_loaded_free(x);
		return;
	}
	l->made_loaded = version;
	pass_on(l, x);
}

static struct leader_loaded *take_loaded(struct leader *base)
{
	struct etcd_leader *l = of(base);
	struct leader_loaded *x;

	(void)pthread_mutex_lock(&l->lock);
	x = TAKE(l->loaded);
	(void)pthread_mutex_unlock(&l->lock);
	return x;
}

static void open_for(struct leader *base, const struct leader_loaded *x)
{
	reporting_open(&of(base)->reporting, x);
}

/* ---- the thread ---- */

/* Share the state of the election with the other threads. Return true when there is news. */
static bool share(struct etcd_leader *l)
{
	const struct election *e = &l->election;
	const struct err *why = e->error.code ? &e->error : &l->load_error;
	struct leader_status *s = &l->status;
	bool news;

	(void)pthread_mutex_lock(&l->lock);
	news = s->state != e->state || strcmp(s->holder, e->holder) != 0 || s->error.code != why->code || l->loaded;
	s->state = e->state;
	s->term = e->term;
	s->transitions = e->transitions;
	s->error = *why;
	memcpy(s->holder, e->state == ELECTION_LEADS ? l->name : e->holder, sizeof(s->holder));
	l->renewed_ns = e->renewed_ns;
	(void)pthread_mutex_unlock(&l->lock);
	return news;
}

static void sleep_for(struct etcd_leader *l, uint64_t ns)
{
	struct timespec until;

	(void)clock_gettime(CLOCK_MONOTONIC, &until);
	ns += (uint64_t)until.tv_nsec;
	until.tv_sec += (time_t)(ns / NS_PER_S);
	until.tv_nsec = (long)(ns % NS_PER_S);
	(void)pthread_mutex_lock(&l->lock);
	while (!atomic_load(&l->stop) && !atomic_load(&l->refused))
		if (pthread_cond_timedwait(&l->wake, &l->lock, &until) == ETIMEDOUT)
			break;
	(void)pthread_mutex_unlock(&l->lock);
}

static void *run(void *ctx)
{
	struct etcd_leader *l = ctx;

	while (!atomic_load(&l->stop)) {
		uint64_t ns = election_step(&l->election);

		if (atomic_exchange(&l->refused, false) && l->election.state == ELECTION_LEADS)
			election_refused(&l->election);
		reporting_set_term(&l->reporting, l->election.state == ELECTION_LEADS ? l->election.term : 0);
		if (l->election.state == ELECTION_LEADS && l->loaded_term != l->election.term && !prepare(l))
			ns = ns < NS_PER_S / 5 ? ns : NS_PER_S / 5;
		if (l->election.state == ELECTION_FOLLOWS && l->asks.made_version &&
		    l->asks.made_version != l->made_loaded)
			follow_made(l);
		if (l->election.state != ELECTION_LEADS) {
			l->loaded_term = 0;
			l->load_error.code = 0;
		}
		if (share(l))
			l->o.changed(l->o.ctx);
		sleep_for(l, ns);
	}
	return NULL;
}

/* In the writer's thread. */
static void refused(void *ctx)
{
	struct etcd_leader *l = ctx;

	atomic_store(&l->refused, true);
	(void)pthread_cond_signal(&l->wake);
}

/* ---- life ---- */

static void leader_free(struct etcd_leader *l)
{
	etcd_free(l->asks.etcd);
	etcd_free(l->agrees.steps.etcd);
	leader_loaded_free(l->loaded);
	own_claim_done(&l->own);
	reporting_done(&l->reporting);
	hash_key_done(&l->key);
	(void)pthread_cond_destroy(&l->wake);
	(void)pthread_mutex_destroy(&l->lock);
	free(l);
}

static void set_names(struct etcd_leader *l)
{
	char host[HOST_NAME_MAX + 1] = "";

	if (gethostname(host, sizeof(host)) < 0 || !host[0])
		memcpy(host, "?", 2);
	host[sizeof(host) - 1] = '\0';
	if (l->o.from->name.n)
		(void)snprintf(l->name, sizeof(l->name), "%.*s", STR_ARG(l->o.from->name));
	else
		(void)snprintf(l->name, sizeof(l->name), "%s", host);
	memcpy(l->status.name, l->name, sizeof(l->name));
}

static bool init_locks(struct etcd_leader *l)
{
	pthread_condattr_t monotonic;

	return pthread_condattr_init(&monotonic) == 0 && pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC) == 0 &&
	       pthread_cond_init(&l->wake, &monotonic) == 0 && pthread_condattr_destroy(&monotonic) == 0 &&
	       pthread_mutex_init(&l->lock, NULL) == 0;
}

/* Start the thread, with signals blocked, because the loop handles them. */
static int start(struct leader *base, struct err *err)
{
	struct etcd_leader *l = of(base);
	sigset_t all, before;
	int r;

	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	r = pthread_create(&l->thread, NULL, run, l);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (r != 0)
		return err_set(err, r, "start the leader election: %s", strerror(r));
	l->started = true;
	return 0;
}

static void give_back(const struct etcd_leader *l)
{
	const struct etcd_options o = { .from = l->o.from, .timeout_ms = REVOKE_MS / 2 };
	struct etcd *etcd;
	struct err err;

	if (l->election.state != ELECTION_LEADS || etcd_new(&o, &etcd, &err) < 0)
		return;
	(void)!etcd_revoke(etcd, l->asks.lease, &err); /* when it fails, the lease ends by itself */
	etcd_free(etcd);
}

static void stop(struct leader *base)
{
	struct etcd_leader *l = of(base);

	(void)pthread_mutex_lock(&l->lock);
	atomic_store(&l->stop, true);
	(void)pthread_cond_signal(&l->wake);
	(void)pthread_mutex_unlock(&l->lock);
	if (l->started) {
		(void)pthread_join(l->thread, NULL);
		give_back(l);
	}
	leader_free(l);
}

static void status(struct leader *base, struct leader_status *ret)
{
	struct etcd_leader *l = of(base);
	uint64_t now = clock_boot_ns();

	(void)pthread_mutex_lock(&l->lock);
	*ret = l->status;
	ret->renewal_age_ns = l->renewed_ns ? (int64_t)(now - l->renewed_ns) : -1;
	(void)pthread_mutex_unlock(&l->lock);
	ret->reports = reporting_may(&l->reporting);
	ret->request_failures = atomic_load(&l->failures);
}

static void set_key(struct leader *base, const unsigned char key[FINDINGS_KEY_SIZE])
{
	hash_key_use(&of(base)->key, key);
}

static void read_key(struct leader *base, unsigned char ret[FINDINGS_KEY_SIZE])
{
	hash_key_read(&of(base)->key, ret);
}

/* The time for one request at one endpoint. */
static unsigned timeout_ms(const struct cfg_leader *from)
{
	int64_t ms = from->lease_ns / 1000000 / REQUESTS_PER_LEASE / (int64_t)from->n_endpoints;

	ms = ms < TIMEOUT_MS_MIN ? TIMEOUT_MS_MIN : ms;
	return (unsigned)(ms < TIMEOUT_MS_MAX ? ms : TIMEOUT_MS_MAX);
}

/* Let the parts know of each other. */
static void init_parts(struct etcd_leader *l)
{
	const struct cfg_leader *from = l->o.from;

	etcd_keys_init(&l->keys, from->prefix, l->o.shard);
	hash_key_init(&l->key, &l->keys, l->o.shares_key);
	own_claim_open(&l->own, l->o.own_step_path);
	election_init(&l->election, &etcd_election_ops, &l->asks, (uint64_t)from->lease_ns);
	if (l->own.former)
		election_led_before(&l->election);
	reporting_init(&l->reporting, &l->election);
	l->asks = (struct etcd_election){
		.keys = &l->keys,
		.key = &l->key,
		.own = &l->own,
		.reporting = &l->reporting,
		.name = l->name,
		.lease_s = from->lease_ns / (int64_t)NS_PER_S,
	};
	l->agrees = (struct etcd_agreement){
		.steps = { .keys = &l->keys, .own = &l->own, .name = l->name },
		.reporting = &l->reporting,
		.refused = refused,
		.ctx = l,
	};
}

int leader_over_etcd(const struct leader_options *o, struct leader **ret, struct err *err)
{
	static const struct leader_ops ops = { start, stop, take_loaded, open_for, status, set_key, read_key };
	struct etcd_leader *l = calloc(1, sizeof(*l));
	struct etcd_options etcd = { .from = o->from, .timeout_ms = timeout_ms(o->from) };
	int r;

	if (!l || !init_locks(l)) {
		free(l);
		return err_nomem(err);
	}
	l->o = *o;
	set_names(l);
	init_parts(l);
	etcd.stop = &l->stop;
	etcd.failures = &l->failures;
	l->base.ops = &ops;
	l->base.agreement = etcd_agreement_over(&l->agrees);
	r = etcd_new(&etcd, &l->asks.etcd, err);
	if (r == 0)
		r = etcd_new(&etcd, &l->agrees.steps.etcd, err);
	if (r < 0) {
		leader_free(l);
		return r;
	}
	*ret = &l->base;
	return 0;
}
