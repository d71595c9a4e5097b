/* Checks cosign's signatures with libcrypto. */
#include "daemon/fetch/cosign.h"

#include "daemon/fetch/digest.h"
#include "go/base64.h"
#include "mask/foreign.h"
#include "value/json.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#define RSA_BITS_MIN 2048
#define TYPE "cosign container image signature"

struct cosign_key {
	EVP_PKEY *public;
	/* the signature may use any of these; all NULL: the algorithm has a hash of its own */
	const EVP_MD *hashes[2];
	char name[DIGEST_SIZE];
};

DEFINE_CLEANUP(BIO *, BIO_free_all)
DEFINE_CLEANUP(EVP_MD_CTX *, EVP_MD_CTX_free)

/* ---- the key ---- */

static int refuse_key(const char *why, struct err *err)
{
	ERR_clear_error();
	return err_set(err, EINVAL, "%s", why);
}

/* Choose the accepted hashes. Cosign uses SHA-256 for any curve; newer releases use the hash of the curve's size. */
static int choose_hashes(struct cosign_key *k, struct err *err)
{
	char curve[64] = "";

	switch (EVP_PKEY_get_base_id(k->public)) {
	case EVP_PKEY_ED25519:
		return 0;
	case EVP_PKEY_RSA:
		k->hashes[0] = EVP_sha256();
		if (EVP_PKEY_get_bits(k->public) < RSA_BITS_MIN)
			return refuse_key("its RSA key has less than 2048 bits", err);
		return 0;
	case EVP_PKEY_EC:
		k->hashes[0] = EVP_sha256();
		(void)EVP_PKEY_get_group_name(k->public, curve, sizeof(curve), NULL);
		if (strcmp(curve, "secp384r1") == 0)
			k->hashes[1] = EVP_sha384();
		else if (strcmp(curve, "prime256v1") != 0)
			return refuse_key("its key is on another curve than P-256 and P-384", err);
		return 0;
	default:
		return refuse_key("its key is neither ECDSA nor RSA nor Ed25519", err);
	}
}
_Static_assert(RSA_BITS_MIN == 2048, "a message says so");

static int name_key(struct cosign_key *k, struct err *err)
{
	unsigned char *der = NULL;
	int n = i2d_PUBKEY(k->public, &der), r;

	if (n <= 0)
		return err_nomem(err);
	r = digest_of((str){ (const char *)der, (size_t)n }, k->name, err);
	OPENSSL_free(der);
	return r;
}

int cosign_key_read(str pem, struct cosign_key **ret, struct err *err)
{
	CLEANUP(cosign_key_freep) struct cosign_key *k = calloc(1, sizeof(*k));
	CLEANUP(BIO_free_allp) BIO *in = NULL;
	int r;

	if (pem.n > COSIGN_KEY_MAX)
		return err_set(err, EINVAL, "it is too large for a public key");
	in = BIO_new_mem_buf(pem.n ? pem.p : "", (int)pem.n);
	if (!k || !in)
		return err_nomem(err);
	k->public = PEM_read_bio_PUBKEY(in, NULL, NULL, NULL);
	if (!k->public)
		return refuse_key("it holds no public key in PEM", err);
	r = choose_hashes(k, err);
	if (r == 0)
		r = name_key(k, err);
	if (r < 0)
		return r;
	*ret = TAKE(k);
	return 0;
}

void cosign_key_free(struct cosign_key *k)
{
	if (!k)
		return;
	EVP_PKEY_free(k->public);
	free(k);
}

str cosign_key_name(const struct cosign_key *k)
{
	return str_from(k->name);
}

/* ---- signatures ---- */

static int reject(const char *why, struct err *err)
{
	return err_set(err, EKEYREJECTED, "the signature %s", why);
}

static bool verifies(const struct cosign_key *k, const EVP_MD *hash, str signature, str payload)
{
	CLEANUP(EVP_MD_CTX_freep) EVP_MD_CTX *check = EVP_MD_CTX_new();
	bool good = check && EVP_DigestVerifyInit(check, NULL, hash, NULL, k->public) == 1 &&
		    EVP_DigestVerify(check, (const unsigned char *)signature.p, signature.n,
				     (const unsigned char *)payload.p, payload.n) == 1;

	ERR_clear_error();
	return good;
}

static int check_bytes(const struct cosign_key *k, str signature, str payload, struct err *err)
{
	if (verifies(k, k->hashes[0], signature, payload))
		return 0;
	if (k->hashes[1] && verifies(k, k->hashes[1], signature, payload))
		return 0;
	return reject("was not made with this key", err);
}

/* Check what was signed. A text that was signed for another purpose must not pass. */
static int check_payload(str payload, str digest, struct err *err)
{
	CLEANUP(doc_unrefp) struct doc *doc = NULL;
	struct err why;
	val critical, image;
	int r = json_decode(payload, JSON_DEFAULTS, &doc, &why);

	if (r == -ENOMEM)
		return err_nomem(err);
	if (r < 0)
		return reject("is of something that is no JSON", err);
	critical = VAL_GET(doc->root, "critical");
	image = VAL_GET(critical, "image");
	if (!foreign_is(foreign_of(VAL_GET(critical, "type")), STR(TYPE)))
		return reject("is of something that is not an image", err);
	if (!foreign_is(foreign_of(VAL_GET(image, "docker-manifest-digest")), digest))
		return reject("is of another image", err);
	return 0;
}

int cosign_check(const struct cosign_key *key, str payload, str signature, str digest, struct err *err)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(4 * COSIGN_SIGNATURE_MAX);
	str bytes;
	int r;

	if (payload.n > COSIGN_PAYLOAD_MAX || signature.n > COSIGN_SIGNATURE_MAX)
		return reject("is too large", err);
	if (go_base64_decode(&go_base64_std, signature, &a, &bytes, NULL) < 0)
		return reject("is not a base64", err);
	r = check_bytes(key, bytes, payload, err);
	return r < 0 ? r : check_payload(payload, digest, err);
}
