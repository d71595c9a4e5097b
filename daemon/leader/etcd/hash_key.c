/* Keeps the key by which this host recognises values, and agrees on it with etcd. */
#include "daemon/leader/etcd/hash_key.h"

#include "base/assert.h"
#include "base/hex.h"
#include "daemon/leader/etcd/agreed_key.h"
#include "mask/credentials.h"

void hash_key_init(struct hash_key *k, const struct etcd_keys *keys, bool shares)
{
	*k = (struct hash_key){ .keys = keys, .shares = shares };
	(void)pthread_mutex_init(&k->lock, NULL); /* a mutex of the default kind does not fail */
}

void hash_key_done(struct hash_key *k)
{
	(void)pthread_mutex_destroy(&k->lock);
}

/* The key is a credential, which an etcd might repeat in an answer that is shown. */
void hash_key_use(struct hash_key *k, const unsigned char key[FINDINGS_KEY_SIZE])
{
	char text[AGREED_KEY_TEXT_SIZE];

	hex_write(key, FINDINGS_KEY_SIZE, text);
	credentials_add(str_from(text));
	(void)pthread_mutex_lock(&k->lock);
	memcpy(k->is, key, sizeof(k->is));
	(void)pthread_mutex_unlock(&k->lock);
	if (!agreed_key_fingerprint(key, k->fingerprint))
		*k->fingerprint = '\0';
}

void hash_key_read(struct hash_key *k, unsigned char ret[FINDINGS_KEY_SIZE])
{
	(void)pthread_mutex_lock(&k->lock);
	memcpy(ret, k->is, FINDINGS_KEY_SIZE);
	(void)pthread_mutex_unlock(&k->lock);
}

int hash_key_agree(struct hash_key *k, str shared, str fingerprint, struct err *err)
{
	const struct agreed_key_terms terms = { k->keys->shared, k->keys->prefix, k->shares, shared, fingerprint };
	unsigned char key[FINDINGS_KEY_SIZE];
	int r = agreed_key(k->is, &terms, key, err);

	k->sees_shared = shared.p != NULL;
	k->sees_fingerprint = fingerprint.p != NULL;
	if (r > 0)
		hash_key_use(k, key);
	if (r >= 0 && !*k->fingerprint && !agreed_key_fingerprint(k->is, k->fingerprint))
		return err_nomem(err);
	return r < 0 ? r : 0;
}

void hash_key_claim(const struct hash_key *k, struct etcd_txn *t)
{
	char text[AGREED_KEY_TEXT_SIZE];
	struct etcd_key key;

	ASSERT(*k->fingerprint); /* without one, hosts with other keys could claim what this one reports */
	if (k->sees_fingerprint)
		etcd_txn_if_value(t, etcd_key_of(k->keys, "key", &key), str_from(k->fingerprint));
	else
		etcd_txn_if_created(t, etcd_key_of(k->keys, "key", &key), 0);
	etcd_txn_put(t, etcd_key_of(k->keys, "key", &key), str_from(k->fingerprint), 0);
	if (!k->shares)
		return;
	hex_write(k->is, FINDINGS_KEY_SIZE, text);
	if (k->sees_shared)
		etcd_txn_if_value(t, etcd_key_of_shards(k->keys, "hash_key", &key), str_from(text));
	else
		etcd_txn_if_created(t, etcd_key_of_shards(k->keys, "hash_key", &key), 0);
	etcd_txn_put(t, etcd_key_of_shards(k->keys, "hash_key", &key), str_from(text), 0);
}
