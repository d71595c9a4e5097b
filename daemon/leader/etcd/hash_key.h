/* The key by which this host recognises values, and what the last look at etcd found of the keys there (agreed_key.h
 * decides which of them counts). Each claim puts the key where there is none, so that it comes back when etcd has lost
 * it, and counts only while etcd has the key as at the last look. */
#ifndef DAEMON_LEADER_ETCD_HASH_KEY_H
#define DAEMON_LEADER_ETCD_HASH_KEY_H

#include "daemon/findings/record.h"
#include "daemon/leader/etcd/etcd.h"
#include "daemon/leader/etcd/etcd_keys.h"

#include <pthread.h>

struct hash_key {
	const struct etcd_keys *keys;
	bool shares; /* no administrator has given this host its key */
	/* The members up to the lock are the election's thread's, once it runs. */
	char fingerprint[RECORD_ID_SIZE]; /* identifies @is; "": it is unknown for lack of memory */
	/* at the last look etcd had the shared key, or the fingerprint, and it was this host's */
	bool sees_shared, sees_fingerprint;
	pthread_mutex_t lock; /* protects the member below */
	unsigned char is[FINDINGS_KEY_SIZE];
};

/* @keys outlives @k. */
void hash_key_init(struct hash_key *k, const struct etcd_keys *keys, bool shares);
void hash_key_done(struct hash_key *k);

/* Use this key from now on: before the election's thread is started, or on it. */
void hash_key_use(struct hash_key *k, const unsigned char key[FINDINGS_KEY_SIZE]);
/* In any thread. */
void hash_key_read(struct hash_key *k, unsigned char ret[FINDINGS_KEY_SIZE]);

/* Agree on the key with what etcd has: @shared, the key itself, and @fingerprint; p NULL: there is none. Fails as
 * agreed_key. */
CHECKED int hash_key_agree(struct hash_key *k, str shared, str fingerprint, struct err *err);
/* Add to the transaction of a claim, after hash_key_agree, that the keys are as they were then, and stay there. */
void hash_key_claim(const struct hash_key *k, struct etcd_txn *t);

#endif
