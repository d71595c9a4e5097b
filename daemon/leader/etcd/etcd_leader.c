/* The election over etcd: its thread, and the state that the hosts share. */
#include "daemon/leader/etcd/election.h"

#include "daemon/findings/clock.h"
#include "daemon/leader/etcd/etcd.h"
#include "daemon/leader/etcd/etcd_election.h"
#include "daemon/leader/etcd/etcd_keys.h"
#include "daemon/leader/etcd/etcd_load.h"
#include "daemon/leader/etcd/hash_key.h"
#include "daemon/leader/etcd/holder.h"
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
#define COMMITS_MAX 5 /* how often a transaction is tried when another one of this host was carried out before it */
#define BATCH_BYTES_MAX ((size_t)4 << 20)
#define NS_PER_S UINT64_C(1000000000)

/* A transaction of items that users made updates the key PREFIX/made/known in place of the batch. */
_Static_assert(AGREED_STEPS_MAX + 2 <= ETCD_OPERATIONS_MAX, "one transaction, with the batch and its own step");

struct etcd_leader {
	struct leader base; /* the first member, so that a pointer to it is one to the leader */
	struct leader_options o;
	struct election election;
	struct etcd_election asks; /* used by the election's thread, as is its client of etcd */
	struct reporting reporting;
	struct etcd *writer_etcd; /* used by the writer */
	/* The revision of the last change of PREFIX/step, as the writer knows it since this claim; 0: unknown. */
	int64_t step;
	char step_claim[RECORD_ID_SIZE];
	struct own_claim own;
	struct etcd_keys keys;
	struct hash_key key;
	char name[ELECTION_NAME_SIZE];
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

/* ---- what is agreed on ---- */

static bool may_report(void *ctx)
{
	const struct etcd_leader *l = ctx;

	return reporting_may(&l->reporting);
}

/* Find out why a step was refused. -EAGAIN: this host does not hold the key any more, or etcd was restored; 0: the
 * step with this @id was carried out, by another member than the one that has answered; -ESTALE: an earlier step was
 * carried out, whose answer was lost. */
static int read_refusal(struct etcd_leader *l, const struct etcd_outcome *o, int64_t term, const char *id)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(1u << 20);
	struct etcd_pair p;

	if (!etcd_outcome_get(o, 0, &a, &p) || p.created != term || !holder_is(p.value, l->step_claim))
		return -EAGAIN;
	p = (struct etcd_pair){ 0 };
	if (!etcd_outcome_get(o, 1, &a, &p) || p.modified < l->step)
		return l->step ? -EAGAIN : -ESTALE;
	l->step = p.modified;
	return str_eq(p.value, str_from(id)) ? 0 : -ESTALE;
}

/* Commit while this host holds the key, and only after the last step that it knows. A restored etcd counts its
 * revisions again: compared by revisions alone, an earlier claim could be that of another host now. */
static int commit_after_last(struct etcd_leader *l, struct etcd_txn *t, int64_t term, const char *id, struct err *err)
{
	CLEANUP(buf_done) struct buf value = BUF_INIT(ETCD_KEY_BYTES_MAX);
	struct etcd_outcome o;
	struct etcd_key k;
	int r;

	buf_clear(&t->compare);
	holder_write(l->step_claim, l->name, &value);
	etcd_txn_if_created(t, etcd_key_of(&l->keys, "leader", &k), term);
	etcd_txn_if_value(t, etcd_key_of(&l->keys, "leader", &k), buf_str(&value));
	etcd_txn_if_modified(t, etcd_key_of(&l->keys, "step", &k), l->step);
	r = etcd_commit(l->writer_etcd, t, &o, err);
	if (r < 0)
		return r;
	if (o.succeeded)
		own_claim_made_step(&l->own, l->step = o.revision);
	else
		r = read_refusal(l, &o, term, id);
	if (r == 0)
		own_claim_keep_step(&l->own, l->step_claim, l->step);
	doc_unref(o.doc);
	return r;
}

/* Begin the steps of the last successful claim; for a new claim begin at 0. */
static void begin_steps(struct etcd_leader *l)
{
	char claim[RECORD_ID_SIZE];

	own_claim_of_term(&l->own, claim);
	if (memcmp(l->step_claim, claim, sizeof(claim)) != 0)
		l->step = 0;
	memcpy(l->step_claim, claim, sizeof(claim));
}

/* Commit while this host holds the key, once and in order. */
static int commit(struct etcd_leader *l, struct etcd_txn *t, int64_t term, struct err *err)
{
	char id[RECORD_ID_SIZE];
	struct etcd_key k;
	int r = term ? -ESTALE : -EAGAIN;

	random_id(id);
	begin_steps(l);
	etcd_txn_put(t, etcd_key_of(&l->keys, "step", &k), str_from(id), 0);
	etcd_txn_get(t, true, etcd_key_of(&l->keys, "leader", &k));
	etcd_txn_get(t, true, etcd_key_of(&l->keys, "step", &k));
	for (unsigned i = 0; r == -ESTALE && i < COMMITS_MAX; i++)
		r = commit_after_last(l, t, term, id, err);
	etcd_txn_done(t);
	if (r == -EAGAIN && term) {
		atomic_store(&l->refused, true);
		(void)pthread_cond_signal(&l->wake);
	}
	if (r == -ESTALE)
		return err_set(err, ESTALE, "etcd: something else writes %s/step", l->keys.prefix);
	return r == -EAGAIN ? err_set(err, EAGAIN, "this host does not lead any more") : r;
}

/* Whether the step is the last one of its finding. A key must not be put twice: the last state counts. */
static bool is_last_of_finding(const struct agreed_step *steps, size_t n, size_t i)
{
	for (size_t k = i + 1; k < n; k++) {
		if (strcmp(steps[k].finding, steps[i].finding) == 0)
			return false;
	}
	return true;
}

static int put_steps(struct etcd_leader *l, const struct agreed_step *steps, size_t n, int64_t term, struct err *err)
{
	CLEANUP(buf_done) struct buf batch = BUF_INIT(BATCH_BYTES_MAX);
	struct etcd_txn t;
	struct etcd_key k;
	int r;

	etcd_txn_init(&t);
	for (size_t i = 0; i < n; i++) {
		/* A step that is too large for etcd is sent nevertheless. */
		bool fits = steps[i].record.n + steps[i].state.n <= ETCD_REQUEST_BYTES_MAX;

		if (steps[i].record.n && fits)
			leader_batch_add(&batch, steps[i].record);
		if (!is_last_of_finding(steps, n, i))
			continue;
		if (steps[i].state.n && fits)
			etcd_txn_put(&t, etcd_key_of_finding(&l->keys, steps[i].finding, &k), steps[i].state, 0);
		else if (!steps[i].state.n)
			etcd_txn_remove(&t, etcd_key_of_finding(&l->keys, steps[i].finding, &k));
	}
	if (batch.n)
		etcd_txn_put(&t, etcd_key_of(&l->keys, "batch", &k), buf_str(&batch), 0);
	r = batch.error ? batch.error : commit(l, &t, term, err);
	if (r == 0 && batch.n)
		atomic_store(&l->reporting.batch_is_there, true);
	return r;
}

static int agree(void *ctx, const struct agreed_step *steps, size_t n, struct err *err)
{
	struct etcd_leader *l = ctx;

	return put_steps(l, steps, n, atomic_load(&l->reporting.open_term), err);
}

static int publish(void *ctx, const struct agreed_step *steps, size_t n, struct err *err)
{
	struct etcd_leader *l = ctx;
	struct etcd_txn t;
	struct etcd_key k;

	if (n)
		return put_steps(l, steps, n, atomic_load(&l->reporting.term), err);
	etcd_txn_init(&t);
	etcd_txn_put(&t, etcd_key_of(&l->keys, "known", &k), STR("1"), 0);
	return commit(l, &t, atomic_load(&l->reporting.term), err);
}

static int finish_batch(void *ctx, struct err *err)
{
	struct etcd_leader *l = ctx;
	struct etcd_txn t;
	struct etcd_key k;
	int r;

	if (!atomic_load(&l->reporting.batch_is_there))
		return 0;
	etcd_txn_init(&t);
	etcd_txn_remove(&t, etcd_key_of(&l->keys, "batch", &k));
	r = commit(l, &t, atomic_load(&l->reporting.open_term), err);
	if (r == 0)
		atomic_store(&l->reporting.batch_is_there, false);
	return r;
}

/* Put changes of the items that users made. Each transaction also puts PREFIX/made/known, by which hosts that follow
 * notice changes. */
static int put_made(struct etcd_leader *l, const struct made_item *changes, size_t n, bool known, int64_t term,
		    struct err *err)
{
	struct etcd_txn t;
	struct etcd_key k, end;

	etcd_txn_init(&t);
	for (size_t i = 0; i < n; i++) {
		const struct made_item *c = &changes[i];

		if (c->value.p)
			etcd_txn_put(&t, etcd_key_of_made(&l->keys, c->kind, c->id, &k), c->value, 0);
		else if (c->id.p)
			etcd_txn_remove(&t, etcd_key_of_made(&l->keys, c->kind, c->id, &k));
		else
			etcd_txn_remove_range(&t, etcd_key_of_made(&l->keys, c->kind, STR(""), &k),
					      etcd_key_of_made(&l->keys, c->kind, STR("\xff"), &end));
	}
	if (known)
		etcd_txn_put(&t, etcd_key_of(&l->keys, "made/known", &k), STR("1"), 0);
	return commit(l, &t, term, err);
}

static int agree_made(void *ctx, const struct made_item *changes, size_t n, struct err *err)
{
	struct etcd_leader *l = ctx;

	return put_made(l, changes, n, true, atomic_load(&l->reporting.open_term), err);
}

static int publish_made(void *ctx, const struct made_item *changes, size_t n, struct err *err)
{
	struct etcd_leader *l = ctx;

	return put_made(l, changes, n, n == 0, atomic_load(&l->reporting.term), err);
}

/* ---- life ---- */

static void leader_free(struct etcd_leader *l)
{
	etcd_free(l->asks.etcd);
	etcd_free(l->writer_etcd);
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

int leader_over_etcd(const struct leader_options *o, struct leader **ret, struct err *err)
{
	static const struct leader_ops leader_ops = { start, stop, take_loaded, open_for, status, set_key, read_key };
	struct etcd_leader *l = calloc(1, sizeof(*l));
	struct etcd_options etcd = { .from = o->from };
	int64_t timeout_ms = o->from->lease_ns / 1000000 / REQUESTS_PER_LEASE / (int64_t)o->from->n_endpoints;
	int r = 0;

	if (!l || !init_locks(l)) {
		free(l);
		return err_nomem(err);
	}
	l->o = *o;
	etcd_keys_init(&l->keys, o->from->prefix, o->shard);
	reporting_init(&l->reporting, &l->election);
	hash_key_init(&l->key, &l->keys, o->shares_key);
	set_names(l);
	etcd.stop = &l->stop;
	etcd.failures = &l->failures;
	timeout_ms = timeout_ms < TIMEOUT_MS_MIN ? TIMEOUT_MS_MIN : timeout_ms;
	etcd.timeout_ms = (unsigned)(timeout_ms < TIMEOUT_MS_MAX ? timeout_ms : TIMEOUT_MS_MAX);
	election_init(&l->election, &etcd_election_ops, &l->asks, (uint64_t)o->from->lease_ns);
	own_claim_open(&l->own, o->own_step_path);
	if (l->own.former)
		election_led_before(&l->election);
	l->asks = (struct etcd_election){ .keys = &l->keys,
					  .key = &l->key,
					  .own = &l->own,
					  .reporting = &l->reporting,
					  .name = l->name,
					  .lease_s = o->from->lease_ns / (int64_t)NS_PER_S };
	l->base.ops = &leader_ops;
	l->base.agreement =
		(struct writer_agreement){ may_report, agree, publish, finish_batch, agree_made, publish_made, l };
	r = etcd_new(&etcd, &l->asks.etcd, err);
	if (r == 0)
		r = etcd_new(&etcd, &l->writer_etcd, err);
	if (r < 0) {
		leader_free(l);
		return r;
	}
	*ret = &l->base;
	return 0;
}
