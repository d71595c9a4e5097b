/* What the election asks of etcd: who holds the key, and to be its holder. */
#ifndef DAEMON_LEADER_ETCD_ETCD_ELECTION_H
#define DAEMON_LEADER_ETCD_ETCD_ELECTION_H

#include "daemon/leader/etcd/election.h"
#include "daemon/leader/etcd/etcd.h"
#include "daemon/leader/etcd/etcd_keys.h"
#include "daemon/leader/etcd/hash_key.h"
#include "daemon/leader/etcd/own_claim.h"
#include "daemon/leader/etcd/reporting.h"

/* Used by one thread. The members up to @lease_s are set by the owner, and what they point to outlives it. */
struct etcd_election {
	struct etcd *etcd;
	const struct etcd_keys *keys;
	struct hash_key *key;
	struct own_claim *own;
	struct reporting *reporting; /* shut when etcd was restored */
	const char *name;            /* the name of this host */
	int64_t lease_s;
	char claim[RECORD_ID_SIZE]; /* the claim of the last try */
	int64_t lease;              /* the lease of the last try */
	int64_t made_version;       /* the last seen revision of PREFIX/made/known; 0: there is none */
};

/* The context is a struct etcd_election. */
extern const struct election_ops etcd_election_ops;

#endif
