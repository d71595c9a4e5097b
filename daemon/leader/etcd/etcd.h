/* A client of etcd's HTTP/JSON gateway (etcd.io/docs: "gRPC gateway", /v3/...): leases, ranges and transactions.
 *
 * Each call waits for its answer, for the time of one request at each endpoint at most. If an endpoint cannot be
 * reached, or has no leader, the call tries the next one. So etcd may carry out a transaction twice, and the first
 * of these times may come late, after another transaction has followed: the conditions that callers set allow for that.
 * Only one thread may use a client at a time; what is atomic is said so. */
#ifndef DAEMON_LEADER_ETCD_ETCD_H
#define DAEMON_LEADER_ETCD_ETCD_H

#include "base/buf.h"
#include "base/vec.h"
#include "config/cfg.h"
#include "value/doc.h"

#include <stdatomic.h>

#define ETCD_OPERATIONS_MAX 120 /* the most operations in a transaction: etcd accepts 128 by default */
/* the most bytes of keys and values in one request: etcd accepts 1.5 MiB by default */
#define ETCD_REQUEST_BYTES_MAX ((size_t)1 << 20)

struct etcd;

struct etcd_options {
	const struct cfg_leader *from; /* outlives the client */
	unsigned timeout_ms;           /* the time for one request at one endpoint */
	const atomic_bool *stop;       /* when it becomes true, a request that is under way ends */
	_Atomic uint64_t *failures;    /* counts the requests that no endpoint answered */
};

/* Fails: ENOMEM. */
CHECKED int etcd_new(const struct etcd_options *o, struct etcd **ret, struct err *err);
void etcd_free(struct etcd *e); /* NULL is fine */
DEFINE_CLEANUP(struct etcd *, etcd_free)

/* All functions below fail: EHOSTUNREACH (no endpoint answers), EACCES (etcd refuses the credentials), EPROTO (the
 * answer is none of etcd's), E2BIG (the answer is too long), EREMOTEIO (etcd answers with an error), the codes of
 * open(2) (the file of the password), ENOMEM, ECANCELED (stop). */

/* Get a lease of so many seconds. */
CHECKED int etcd_grant(struct etcd *e, int64_t seconds, int64_t *lease, struct err *err);
/* Prolong a lease. Fails also: ENOENT (there is no such lease any more). */
CHECKED int etcd_keep_alive(struct etcd *e, int64_t lease, struct err *err);
CHECKED int etcd_revoke(struct etcd *e, int64_t lease, struct err *err);

/* A key with its value; both are borrowed. */
struct etcd_pair {
	str key, value;
	int64_t created, modified; /* the revisions at which the key was created and last modified */
};

/* Call @each for the keys from @from up to, but without, @end, in order, at most @max. *more: there are more. Fails
 * also: as @each. */
CHECKED int etcd_range(struct etcd *e, str from, str end, unsigned max,
		       int (*each)(void *ctx, const struct etcd_pair *p, struct err *err), void *ctx, bool *more,
		       struct err *err);

/* A transaction: fill it, then commit. */
struct etcd_txn {
	struct buf compare, success, failure; /* JSON, without the brackets */
	unsigned operations;
};
void etcd_txn_init(struct etcd_txn *t);
void etcd_txn_done(struct etcd_txn *t);
/* Commit only if @key was created, or last modified, at this revision; 0: only if it does not exist. */
void etcd_txn_if_created(struct etcd_txn *t, str key, int64_t revision);
void etcd_txn_if_modified(struct etcd_txn *t, str key, int64_t revision);
void etcd_txn_if_value(struct etcd_txn *t, str key, str value);
/* @lease 0: the key has no lease. A key must not be put twice. */
void etcd_txn_put(struct etcd_txn *t, str key, str value, int64_t lease);
void etcd_txn_remove(struct etcd_txn *t, str key);
/* removes the keys from @from up to, but without, @end */
void etcd_txn_remove_range(struct etcd_txn *t, str from, str end);
/* @otherwise: read it if a condition does not hold */
void etcd_txn_get(struct etcd_txn *t, bool otherwise, str key);

struct etcd_outcome {
	bool succeeded;
	int64_t revision;
	struct doc *doc; /* the caller's */
};
CHECKED int etcd_commit(struct etcd *e, const struct etcd_txn *t, struct etcd_outcome *ret, struct err *err);
/* The value that the @i-th operation, a get, has found, in @a. False: none. */
bool etcd_outcome_get(const struct etcd_outcome *o, unsigned i, struct arena *a, struct etcd_pair *ret);

#endif
