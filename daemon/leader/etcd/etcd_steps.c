/* Commits the writer's transactions once and in order. */
#include "daemon/leader/etcd/etcd_steps.h"

#include "base/assert.h"
#include "daemon/leader/etcd/holder.h"

#include <errno.h>

#define COMMITS_MAX 5 /* how often a transaction is tried when another one of this host was carried out before it */

/* Find out why a step was refused. -EAGAIN: this host does not hold the key any more, or etcd was restored; 0: the
 * step with this @id was carried out, by another member than the one that has answered; -ESTALE: an earlier step was
 * carried out, whose answer was lost. */
static int read_refusal(struct etcd_steps *s, const struct etcd_outcome *o, int64_t term, const char *id)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(1u << 20);
	struct etcd_pair p;

	if (!etcd_outcome_get(o, 0, &a, &p) || p.created != term || !holder_is(p.value, s->claim))
		return -EAGAIN;
	p = (struct etcd_pair){ 0 };
	if (!etcd_outcome_get(o, 1, &a, &p) || p.modified < s->last)
		return s->last ? -EAGAIN : -ESTALE;
	s->last = p.modified;
	return str_eq(p.value, str_from(id)) ? 0 : -ESTALE;
}

/* Commit while this host holds the key, and only after the last step that it knows. A restored etcd counts its
 * revisions again: compared by revisions alone, an earlier claim could be that of another host now. */
static int commit_after_last(struct etcd_steps *s, struct etcd_txn *t, int64_t term, const char *id, struct err *err)
{
	CLEANUP(buf_done) struct buf value = BUF_INIT(ETCD_KEY_BYTES_MAX);
	struct etcd_outcome o;
	struct etcd_key k;
	int r;

	buf_clear(&t->compare);
	holder_write(s->claim, s->name, &value);
	etcd_txn_if_created(t, etcd_key_of(s->keys, "leader", &k), term);
	etcd_txn_if_value(t, etcd_key_of(s->keys, "leader", &k), buf_str(&value));
	etcd_txn_if_modified(t, etcd_key_of(s->keys, "step", &k), s->last);
	r = etcd_commit(s->etcd, t, &o, err);
	if (r < 0)
		return r;
	if (o.succeeded)
		own_claim_made_step(s->own, s->last = o.revision);
	else
		r = read_refusal(s, &o, term, id);
	if (r == 0)
		own_claim_keep_step(s->own, s->claim, s->last);
	doc_unref(o.doc);
	return r;
}

/* Begin the steps of the last successful claim; for a new claim begin at 0. */
static void begin(struct etcd_steps *s)
{
	char claim[RECORD_ID_SIZE];

	own_claim_of_term(s->own, claim);
	if (memcmp(s->claim, claim, sizeof(claim)) != 0)
		s->last = 0;
	memcpy(s->claim, claim, sizeof(claim));
}

int etcd_steps_commit(struct etcd_steps *s, struct etcd_txn *t, int64_t term, struct err *err)
{
	char id[RECORD_ID_SIZE];
	struct etcd_key k;
	int r = term ? -ESTALE : -EAGAIN;

	ASSERT(!t->compare.n); /* further conditions are lost when a step is tried again */
	random_id(id);
	begin(s);
	etcd_txn_put(t, etcd_key_of(s->keys, "step", &k), str_from(id), 0);
	etcd_txn_get(t, true, etcd_key_of(s->keys, "leader", &k));
	etcd_txn_get(t, true, etcd_key_of(s->keys, "step", &k));
	for (unsigned i = 0; r == -ESTALE && i < COMMITS_MAX; i++)
		r = commit_after_last(s, t, term, id, err);
	etcd_txn_done(t);
	if (r == -ESTALE)
		return err_set(err, ESTALE, "etcd: something else writes %s/step", s->keys->prefix);
	return r == -EAGAIN ? err_set(err, EAGAIN, "this host does not lead any more") : r;
}
