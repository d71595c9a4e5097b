/* How the keys are called under which hosts share their state in etcd; leader.h says what each is for. */
#ifndef DAEMON_LEADER_ETCD_ETCD_KEYS_H
#define DAEMON_LEADER_ETCD_ETCD_KEYS_H

#include "base/shard.h"
#include "daemon/store/made.h"

#define ETCD_KEY_BYTES_MAX 512

/* Keys below "findings/" and "made/", and "batch" itself, end before these: 0 follows the slash. */
#define ETCD_FINDINGS_END "findings0"
#define ETCD_MADE_END "made0"
#define ETCD_BATCH_END "batch0"
/* what follows "made/" in the key of an item that users made, before its id */
#define ETCD_ACCEPTED_PATH "accepted/"
#define ETCD_RULES_PATH "rules/"

struct etcd_keys {
	str shared; /* the prefix of the keys of all shards, borrowed */
	/* the prefix of all other keys: each shard has a leader of its own */
	char prefix[ETCD_KEY_BYTES_MAX / 2];
};

/* @prefix: that of the configuration, which outlives @keys. */
void etcd_keys_init(struct etcd_keys *keys, str prefix, struct shard shard);

/* The text of a key. */
struct etcd_key {
	char text[ETCD_KEY_BYTES_MAX];
};

/* Each function writes a key to @to and returns its text, which lives as long as @to. */
str etcd_key_of(const struct etcd_keys *keys, const char *name, struct etcd_key *to);
/* With @id "" the prefix of the keys of all findings. */
str etcd_key_of_finding(const struct etcd_keys *keys, const char *id, struct etcd_key *to);
/* The key of what all shards share. */
str etcd_key_of_shards(const struct etcd_keys *keys, const char *name, struct etcd_key *to);
/* The key of an item that users made; with @id "" the prefix of the keys of all items of this kind. */
str etcd_key_of_made(const struct etcd_keys *keys, enum made_kind kind, str id, struct etcd_key *to);

#endif
