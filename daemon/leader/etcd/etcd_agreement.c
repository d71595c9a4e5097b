/* Puts into etcd what other hosts must know before it is sent. */
#include "daemon/leader/etcd/etcd_agreement.h"

#include "daemon/store/agreement.h"

#include <errno.h>

#define BATCH_BYTES_MAX ((size_t)4 << 20)

/* A transaction of items that users made updates the key PREFIX/made/known in place of the batch. */
_Static_assert(AGREED_STEPS_MAX + 2 <= ETCD_OPERATIONS_MAX, "one transaction, with the batch and its own step");

static bool may_report(void *ctx)
{
	const struct etcd_agreement *a = ctx;

	return reporting_may(a->reporting);
}

/* Commit while this host leads in @term. */
static int commit(struct etcd_agreement *a, struct etcd_txn *t, int64_t term, struct err *err)
{
	int r = etcd_steps_commit(&a->steps, t, term, err);

	if (r == -EAGAIN && term)
		a->refused(a->ctx);
	return r;
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

static int put_steps(struct etcd_agreement *a, const struct agreed_step *steps, size_t n, int64_t term, struct err *err)
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
			etcd_txn_put(&t, etcd_key_of_finding(a->steps.keys, steps[i].finding, &k), steps[i].state, 0);
		else if (!steps[i].state.n)
			etcd_txn_remove(&t, etcd_key_of_finding(a->steps.keys, steps[i].finding, &k));
	}
	if (batch.n)
		etcd_txn_put(&t, etcd_key_of(a->steps.keys, "batch", &k), buf_str(&batch), 0);
	r = batch.error ? batch.error : commit(a, &t, term, err);
	if (r == 0 && batch.n)
		atomic_store(&a->reporting->batch_is_there, true);
	return r;
}

static int agree(void *ctx, const struct agreed_step *steps, size_t n, struct err *err)
{
	struct etcd_agreement *a = ctx;

	return put_steps(a, steps, n, atomic_load(&a->reporting->open_term), err);
}

static int publish(void *ctx, const struct agreed_step *steps, size_t n, struct err *err)
{
	struct etcd_agreement *a = ctx;
	struct etcd_txn t;
	struct etcd_key k;

	if (n)
		return put_steps(a, steps, n, atomic_load(&a->reporting->term), err);
	etcd_txn_init(&t);
	etcd_txn_put(&t, etcd_key_of(a->steps.keys, "known", &k), STR("1"), 0);
	return commit(a, &t, atomic_load(&a->reporting->term), err);
}

static int finish_batch(void *ctx, struct err *err)
{
	struct etcd_agreement *a = ctx;
	struct etcd_txn t;
	struct etcd_key k;
	int r;

	if (!atomic_load(&a->reporting->batch_is_there))
		return 0;
	etcd_txn_init(&t);
	etcd_txn_remove(&t, etcd_key_of(a->steps.keys, "batch", &k));
	r = commit(a, &t, atomic_load(&a->reporting->open_term), err);
	if (r == 0)
		atomic_store(&a->reporting->batch_is_there, false);
	return r;
}

/* Put changes of the items that users made. Each transaction also puts PREFIX/made/known, by which hosts that follow
 * notice changes. */
static int put_made(struct etcd_agreement *a, const struct made_item *changes, size_t n, bool known, int64_t term,
		    struct err *err)
{
	struct etcd_txn t;
	struct etcd_key k, end;

	etcd_txn_init(&t);
	for (size_t i = 0; i < n; i++) {
		const struct made_item *c = &changes[i];

		if (c->value.p)
			etcd_txn_put(&t, etcd_key_of_made(a->steps.keys, c->kind, c->id, &k), c->value, 0);
		else if (c->id.p)
			etcd_txn_remove(&t, etcd_key_of_made(a->steps.keys, c->kind, c->id, &k));
		else
			etcd_txn_remove_range(&t, etcd_key_of_made(a->steps.keys, c->kind, STR(""), &k),
					      etcd_key_of_made(a->steps.keys, c->kind, STR("\xff"), &end));
	}
	if (known)
		etcd_txn_put(&t, etcd_key_of(a->steps.keys, "made/known", &k), STR("1"), 0);
	return commit(a, &t, term, err);
}

static int agree_made(void *ctx, const struct made_item *changes, size_t n, struct err *err)
{
	struct etcd_agreement *a = ctx;

	return put_made(a, changes, n, true, atomic_load(&a->reporting->open_term), err);
}

static int publish_made(void *ctx, const struct made_item *changes, size_t n, struct err *err)
{
	struct etcd_agreement *a = ctx;

	return put_made(a, changes, n, n == 0, atomic_load(&a->reporting->term), err);
}

struct writer_agreement etcd_agreement_over(struct etcd_agreement *a)
{
	return (struct writer_agreement){ may_report, agree, publish, finish_batch, agree_made, publish_made, a };
}
