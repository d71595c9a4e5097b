/* The writer's transactions: each is carried out once, in order, and only while this host leads. For that each puts a
 * random id under PREFIX/step and asks that nobody has put another one there since the last.
 *
 *              carried out, or refused because of a
 *              step whose revision it now knows
 *   UNKNOWN -------------------------------------> KNOWN <--.
 *      ^                                            |  |    | the same
 *      '---- this host has claimed the key anew ----'  '----'
 *
 * A transaction that was refused is tried again behind the step that was there, unless that is its own: then it was
 * carried out, and the answer was lost. When another host holds the key, or etcd was restored, it is not tried again.
 */
#ifndef DAEMON_LEADER_ETCD_ETCD_STEPS_H
#define DAEMON_LEADER_ETCD_ETCD_STEPS_H

#include "daemon/leader/etcd/etcd.h"
#include "daemon/leader/etcd/etcd_keys.h"
#include "daemon/leader/etcd/own_claim.h"

/* Used by one thread. The members up to @name are set by the owner, and what they point to outlives it. */
struct etcd_steps {
	struct etcd *etcd;
	const struct etcd_keys *keys;
	struct own_claim *own;
	const char *name; /* the name of this host */
	/* The revision of the last change of PREFIX/step, as is known since @claim; 0: unknown. */
	int64_t last;
	char claim[RECORD_ID_SIZE]; /* the claim of the last transaction */
};

/* Commit the puts and removals of @t, which has no condition yet and is done with then, while this host leads in
 * @term; 0: it does not. Fails: EAGAIN (this host does not lead any more), ESTALE (something else writes PREFIX/step);
 * as etcd.h says, and then nobody knows whether it was carried out. */
CHECKED int etcd_steps_commit(struct etcd_steps *s, struct etcd_txn *t, int64_t term, struct err *err);

#endif
