/* The key by which all hosts recognise values (daemon/store/database/state_key.h), without an administrator who copies
 * it: the first claim of an empty etcd puts the claimant's key there, and whoever finds one takes it over.
 *
 *   PREFIX/hash_key            the key in hexadecimal digits, for all shards
 *   PREFIX[/shards/N/M]/key    the fingerprint of the key under which what is there was reported
 */
#ifndef DAEMON_LEADER_ETCD_AGREED_KEY_H
#define DAEMON_LEADER_ETCD_AGREED_KEY_H

#include "daemon/findings/findings.h"
#include "daemon/findings/record.h"

#define AGREED_KEY_TEXT_SIZE (2 * FINDINGS_KEY_SIZE + 1) /* size of the key's text in etcd, with a NUL */

/* Write what identifies @key without revealing it. False without memory. */
CHECKED bool agreed_key_fingerprint(const unsigned char key[FINDINGS_KEY_SIZE], char ret[RECORD_ID_SIZE]);

/* What a host finds in etcd. p NULL: there is none. */
struct agreed_key_terms {
	str prefix;      /* the prefix of the configuration, for messages */
	const char *own; /* @prefix with the shard */
	bool shares;     /* no administrator has given this host its key */
	str key;         /* PREFIX/hash_key */
	str fingerprint; /* PREFIX/key */
};

/* Find out which key counts. 0: @own; 1: *ret, which the host has to take over. Fails: ENOMEM; EKEYREJECTED: other
 * hosts have another key that this one cannot get, or etcd has what is no key. */
CHECKED int agreed_key(const unsigned char own[FINDINGS_KEY_SIZE], const struct agreed_key_terms *t,
		       unsigned char ret[FINDINGS_KEY_SIZE], struct err *err);

#endif
