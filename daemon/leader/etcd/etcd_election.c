/* Asks etcd who leads, and claims the key there. */
#include "daemon/leader/etcd/etcd_election.h"

#include "daemon/findings/clock.h"
#include "daemon/leader/etcd/holder.h"

#include <errno.h>

#define LOOK_BYTES_MAX ((size_t)512 << 20) /* more bytes than any answer has */

static uint64_t now_ns(void *ctx)
{
	(void)ctx;
	return clock_boot_ns();
}

/* Evaluate what the @i-th operation has found of PREFIX/step; @seen: the revision known before the transaction was
 * sent. Return true when etcd was restored. */
static bool went_back(struct etcd_election *x, const struct etcd_outcome *o, unsigned i, int64_t seen)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(1u << 20);
	struct etcd_pair p = { 0 };
	bool back;

	(void)etcd_outcome_get(o, i, &a, &p);
	back = own_claim_went_back(x->own, seen, p.modified);
	if (back)
		(void)reporting_shut(x->reporting);
	return back;
}

/* The value that the @i-th operation has found; p NULL: none. */
static str value_of(const struct etcd_outcome *o, unsigned i, struct arena *a)
{
	struct etcd_pair p = { 0 };

	return etcd_outcome_get(o, i, a, &p) ? p.value : (str){ NULL, 0 };
}

static int look(void *ctx, struct election_record *v, struct err *err)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(LOOK_BYTES_MAX);
	struct etcd_election *x = ctx;
	int64_t seen = own_claim_seen(x->own);
	struct etcd_outcome o;
	struct etcd_pair p;
	struct etcd_txn t;
	struct etcd_key k;
	int r;

	etcd_txn_init(&t);
	etcd_txn_get(&t, false, etcd_key_of(x->keys, "leader", &k));
	etcd_txn_get(&t, false, etcd_key_of(x->keys, "last", &k));
	etcd_txn_get(&t, false, etcd_key_of(x->keys, "key", &k));
	etcd_txn_get(&t, false, etcd_key_of(x->keys, "known", &k));
	etcd_txn_get(&t, false, etcd_key_of(x->keys, "step", &k));
	etcd_txn_get(&t, false, etcd_key_of(x->keys, "made/known", &k));
	etcd_txn_get(&t, false, etcd_key_of_shards(x->keys, "hash_key", &k));
	r = etcd_commit(x->etcd, &t, &o, err);
	etcd_txn_done(&t);
	if (r < 0)
		return r;
	v->has_holder = etcd_outcome_get(&o, 0, &a, &p);
	v->own = v->has_holder && own_claim_is(x->own, p.value);
	v->former = v->own && x->own->former;
	if (v->has_holder)
		holder_name(p.value, v->holder);
	if (v->has_holder && !v->own) /* the claim has ended, even if etcd is restored to a time when it was valid */
		own_claim_lose(x->own);
	v->older = went_back(x, &o, 4, seen);
	v->led_last = etcd_outcome_get(&o, 1, &a, &p) && own_claim_is(x->own, p.value);
	v->known = etcd_outcome_get(&o, 3, &a, &p);
	x->made_version = etcd_outcome_get(&o, 5, &a, &p) ? p.modified : 0;
	r = hash_key_agree(x->key, value_of(&o, 6, &a), value_of(&o, 2, &a), err);
	doc_unref(o.doc);
	return r;
}

static void fill_claim(const struct etcd_election *x, struct etcd_txn *t, str value)
{
	struct etcd_key k;

	etcd_txn_if_created(t, etcd_key_of(x->keys, "leader", &k), 0);
	etcd_txn_get(t, false, etcd_key_of(x->keys, "last", &k));
	etcd_txn_get(t, false, etcd_key_of(x->keys, "known", &k));
	etcd_txn_put(t, etcd_key_of(x->keys, "leader", &k), value, x->lease);
	etcd_txn_put(t, etcd_key_of(x->keys, "last", &k), value, 0);
	hash_key_claim(x->key, t);
	etcd_txn_get(t, true, etcd_key_of(x->keys, "leader", &k));
	etcd_txn_get(t, true, etcd_key_of(x->keys, "known", &k));
}

/* Add the removal of the reported findings to the transaction @t. */
static void forget_findings(const struct etcd_election *x, struct etcd_txn *t)
{
	struct etcd_key k, end;

	etcd_txn_remove_range(t, etcd_key_of_finding(x->keys, "", &k), etcd_key_of(x->keys, ETCD_FINDINGS_END, &end));
	etcd_txn_remove_range(t, etcd_key_of(x->keys, "made/", &k), etcd_key_of(x->keys, ETCD_MADE_END, &end));
	etcd_txn_remove(t, etcd_key_of(x->keys, "batch", &k));
	etcd_txn_remove(t, etcd_key_of(x->keys, "known", &k));
}

/* Read the outcome of a claim. A request that seemed to fail at one endpoint may have been carried out before
 * another endpoint was asked. If no answer comes at all, nobody leads until the lease of that request is over. */
static void read_claim(const struct etcd_election *x, const struct etcd_outcome *o, struct election_claim *ret)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(1u << 20);
	struct etcd_pair p;

	if (o->succeeded) {
		ret->term = o->revision;
		ret->led_last = etcd_outcome_get(o, 0, &a, &p) && own_claim_is(x->own, p.value);
		ret->known = etcd_outcome_get(o, 1, &a, &p);
	} else if (etcd_outcome_get(o, 0, &a, &p) && holder_is(p.value, x->claim)) {
		ret->term = p.created;
		ret->known = etcd_outcome_get(o, 1, &a, &p);
	}
}

static int claim(void *ctx, bool anew, struct election_claim *ret, struct err *err)
{
	CLEANUP(buf_done) struct buf value = BUF_INIT(ETCD_KEY_BYTES_MAX);
	struct etcd_election *x = ctx;
	struct etcd_outcome o;
	struct etcd_txn t;
	struct err ignored;
	int r = etcd_grant(x->etcd, x->lease_s, &x->lease, err);

	if (r < 0)
		return r;
	random_id(x->claim);
	holder_write(x->claim, x->name, &value);
	etcd_txn_init(&t);
	fill_claim(x, &t, buf_str(&value));
	if (anew)
		forget_findings(x, &t);
	r = etcd_commit(x->etcd, &t, &o, err);
	etcd_txn_done(&t);
	if (r < 0)
		return r;
	read_claim(x, &o, ret);
	doc_unref(o.doc);
	if (ret->term)
		own_claim_win(x->own, x->claim);
	else
		(void)!etcd_revoke(x->etcd, x->lease, &ignored);
	return 0;
}

/* Check that this host still holds the key: the lease outlives a key that somebody removes, and a member that is not
 * etcd's leader any more may prolong the lease. */
static int still_holds(struct etcd_election *x, struct err *err)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(1u << 20);
	int64_t seen = own_claim_seen(x->own);
	struct etcd_outcome o;
	struct etcd_pair p;
	struct etcd_txn t;
	struct etcd_key k;
	int r;

	etcd_txn_init(&t);
	etcd_txn_get(&t, false, etcd_key_of(x->keys, "leader", &k));
	etcd_txn_get(&t, false, etcd_key_of(x->keys, "step", &k));
	r = etcd_commit(x->etcd, &t, &o, err);
	etcd_txn_done(&t);
	if (r < 0)
		return r;
	if (went_back(x, &o, 1, seen))
		r = err_set(err, ESTALE, "etcd has lost what this host put there last");
	else if (!etcd_outcome_get(&o, 0, &a, &p) || !own_claim_is(x->own, p.value))
		r = err_set(err, ENOENT, "another client has removed this host's key from etcd");
	doc_unref(o.doc);
	return r;
}

static int keep(void *ctx, struct err *err)
{
	struct etcd_election *x = ctx;
	int r = etcd_keep_alive(x->etcd, x->lease, err);

	return r < 0 ? r : still_holds(x, err);
}

static int release(void *ctx, struct err *err)
{
	struct etcd_election *x = ctx;

	return etcd_revoke(x->etcd, x->lease, err);
}

const struct election_ops etcd_election_ops = { now_ns, look, claim, keep, release };
