/* Signatures of images: each algorithm, and all that is not one. */
#include "daemon/fetch/cosign.h"

#include "base/buf.h"
#include "go/base64.h"

#include <errno.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#define DIGEST "sha256:0123456789012345678901234567890123456789012345678901234567890123"
#define PAYLOAD(type, digest)                                                                                          \
	"{\"critical\":{\"identity\":{\"docker-reference\":\"r\"},\"image\":{\"docker-manifest-digest\":\"" digest     \
	"\"},\"type\":\"" type "\"},\"optional\":{}}"
#define GOOD PAYLOAD("cosign container image signature", DIGEST)

static void pem_of(EVP_PKEY *key, struct buf *out)
{
	BIO *b = BIO_new(BIO_s_mem());
	char *p;
	long n;

	assert_int_equal(PEM_write_bio_PUBKEY(b, key), 1);
	n = BIO_get_mem_data(b, &p);
	buf_add(out, p, (size_t)n);
	BIO_free(b);
}

static void sign(EVP_PKEY *key, const EVP_MD *hash, const char *text, struct buf *out)
{
	EVP_MD_CTX *c = EVP_MD_CTX_new();
	unsigned char bytes[1024];
	size_t n = sizeof(bytes);

	assert_int_equal(EVP_DigestSignInit(c, NULL, hash, NULL, key), 1);
	assert_int_equal(EVP_DigestSign(c, bytes, &n, (const unsigned char *)text, strlen(text)), 1);
	EVP_MD_CTX_free(c);
	go_base64_encode(out, (str){ (const char *)bytes, n });
}

static struct cosign_key *read_key(EVP_PKEY *key)
{
	CLEANUP(buf_done) struct buf pem = BUF_INIT(1 << 16);
	struct cosign_key *k = NULL;
	struct err err = { 0 };

	pem_of(key, &pem);
	if (cosign_key_read(buf_str(&pem), &k, &err) < 0)
		fail_msg("%s", err.msg);
	return k;
}

static void test_algorithms(void **state)
{
	struct {
		EVP_PKEY *key;
		const EVP_MD *hash;
		bool good;
	} ways[] = {
		{ EVP_EC_gen("P-256"), EVP_sha256(), true }, { EVP_EC_gen("P-256"), EVP_sha512(), false },
		{ EVP_EC_gen("P-384"), EVP_sha256(), true }, { EVP_EC_gen("P-384"), EVP_sha384(), true },
		{ EVP_EC_gen("P-384"), EVP_sha1(), false },  { EVP_RSA_gen(2048), EVP_sha256(), true },
		{ EVP_RSA_gen(2048), EVP_sha512(), false },  { EVP_PKEY_Q_keygen(NULL, NULL, "ED25519"), NULL, true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(ways); i++) {
		CLEANUP(buf_done) struct buf signature = BUF_INIT(1 << 16);
		CLEANUP(cosign_key_freep) struct cosign_key *k = read_key(ways[i].key);
		struct err err = { 0 };

		sign(ways[i].key, ways[i].hash, GOOD, &signature);
		assert_int_equal(cosign_check(k, STR(GOOD), buf_str(&signature), STR(DIGEST), &err),
				 ways[i].good ? 0 : -EKEYREJECTED);
		assert_int_equal(cosign_check(k, STR(GOOD " "), buf_str(&signature), STR(DIGEST), &err), -EKEYREJECTED);
		EVP_PKEY_free(ways[i].key);
	}
}

static void test_payloads(void **state)
{
	static const struct {
		const char *payload, *wanted;
	} rows[] = {
		{ PAYLOAD("cosign container image signature", "sha256:11"), "the signature is of another image" },
		{ PAYLOAD("cosign container image signature", ""), "the signature is of another image" },
		{ PAYLOAD("atomic container signature", DIGEST), "the signature is of something that is not an image" },
		{ "{}", "the signature is of something that is not an image" },
		{ "[]", "the signature is of something that is not an image" },
		{ "\"" DIGEST "\"", "the signature is of something that is not an image" },
		{ "", "the signature is of something that is no JSON" },
		{ GOOD "x", "the signature is of something that is no JSON" },
		{ GOOD GOOD, "the signature is of something that is no JSON" },
	};
	EVP_PKEY *key = EVP_EC_gen("P-256");
	CLEANUP(cosign_key_freep) struct cosign_key *k = read_key(key);

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		CLEANUP(buf_done) struct buf signature = BUF_INIT(1 << 16);
		struct err err = { 0 };

		sign(key, EVP_sha256(), rows[i].payload, &signature);
		assert_int_equal(cosign_check(k, str_from(rows[i].payload), buf_str(&signature), STR(DIGEST), &err),
				 -EKEYREJECTED);
		assert_string_equal(err.msg, rows[i].wanted);
	}
	EVP_PKEY_free(key);
}

static void test_signatures(void **state)
{
	static const char *const bad[] = { "", "AAAA", "not base64", "MEUCIQ==" };
	EVP_PKEY *key = EVP_EC_gen("P-256"), *other = EVP_EC_gen("P-256");
	CLEANUP(cosign_key_freep) struct cosign_key *k = read_key(key);
	CLEANUP(buf_done) struct buf signature = BUF_INIT(1 << 16), long_one = BUF_INIT(1 << 20);
	struct err err;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		assert_int_equal(cosign_check(k, STR(GOOD), str_from(bad[i]), STR(DIGEST), &err), -EKEYREJECTED);
	sign(other, EVP_sha256(), GOOD, &signature);
	assert_int_equal(cosign_check(k, STR(GOOD), buf_str(&signature), STR(DIGEST), &err), -EKEYREJECTED);
	assert_string_equal(err.msg, "the signature was not made with this key");
	buf_fill(&long_one, 'A', COSIGN_PAYLOAD_MAX + 4);
	assert_int_equal(cosign_check(k, STR(GOOD), buf_str(&long_one), STR(DIGEST), &err), -EKEYREJECTED);
	assert_int_equal(cosign_check(k, buf_str(&long_one), buf_str(&signature), STR(DIGEST), &err), -EKEYREJECTED);
	EVP_PKEY_free(key);
	EVP_PKEY_free(other);
}

static void test_keys(void **state)
{
	struct {
		EVP_PKEY *key;
		const char *wanted;
	} keys[] = {
		{ EVP_RSA_gen(1024), "its RSA key has less than 2048 bits" },
		{ EVP_EC_gen("P-224"), "its key is on another curve than P-256 and P-384" },
		{ EVP_EC_gen("secp256k1"), "its key is on another curve than P-256 and P-384" },
		{ EVP_PKEY_Q_keygen(NULL, NULL, "X25519"), "its key is neither ECDSA nor RSA nor Ed25519" },
	};
	static const char *const texts[] = { "", "x", "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n",
					     "-----BEGIN PUBLIC KEY-----\n" };
	struct cosign_key *k;
	struct err err;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		CLEANUP(buf_done) struct buf pem = BUF_INIT(1 << 16);

		pem_of(keys[i].key, &pem);
		assert_int_equal(cosign_key_read(buf_str(&pem), &k, &err), -EINVAL);
		assert_string_equal(err.msg, keys[i].wanted);
		EVP_PKEY_free(keys[i].key);
	}
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		assert_int_equal(cosign_key_read(str_from(texts[i]), &k, &err), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_algorithms),
		cmocka_unit_test(test_payloads),
		cmocka_unit_test(test_signatures),
		cmocka_unit_test(test_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
