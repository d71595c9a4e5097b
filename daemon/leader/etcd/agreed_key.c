/* Decides which key of the hashes counts. What etcd has wins. */
#include "daemon/leader/etcd/agreed_key.h"

#include "base/hex.h"

#include <errno.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#define FINGERPRINT_TEXT "driftd leader election"

bool agreed_key_fingerprint(const unsigned char key[FINDINGS_KEY_SIZE], char ret[RECORD_ID_SIZE])
{
	unsigned char digest[EVP_MAX_MD_SIZE];

	if (!HMAC(EVP_sha256(), key, FINDINGS_KEY_SIZE, (const unsigned char *)FINGERPRINT_TEXT,
		  strlen(FINGERPRINT_TEXT), digest, NULL))
		return false;
	hex_write(digest, 16, ret);
	return true;
}

static int refuse(const struct agreed_key_terms *t, struct err *err)
{
	if (!t->shares)
		return err_set(
			err, EKEYREJECTED,
			"leader_election: hash_key_file is another one than that of the hosts that use %s in etcd",
			t->own);
	if (t->key.p)
		return err_set(err, EKEYREJECTED,
			       "leader_election: %.*s/hash_key in etcd is not the key of the hosts that use %s",
			       STR_ARG(t->prefix), t->own);
	return err_set(err, EKEYREJECTED,
		       "leader_election: hosts that use %s in etcd have another key and do not share it: set their "
		       "hash_key_file here, or start one of them without it",
		       t->own);
}

int agreed_key(const unsigned char own[FINDINGS_KEY_SIZE], const struct agreed_key_terms *t,
	       unsigned char ret[FINDINGS_KEY_SIZE], struct err *err)
{
	bool theirs = t->shares && t->key.p;
	unsigned char key[FINDINGS_KEY_SIZE];
	char fingerprint[RECORD_ID_SIZE];

	if (theirs && !hex_read(t->key, key, sizeof(key)))
		return err_set(err, EKEYREJECTED, "leader_election: %.*s/hash_key in etcd is no key: remove it",
			       STR_ARG(t->prefix));
	if (!agreed_key_fingerprint(theirs ? key : own, fingerprint))
		return err_nomem(err);
	if (t->fingerprint.p && !str_eq(t->fingerprint, str_from(fingerprint)))
		return refuse(t, err);
	if (!theirs || memcmp(key, own, sizeof(key)) == 0)
		return 0;
	memcpy(ret, key, sizeof(key));
	return 1;
}
