/* PEM text that is whole, and text that is not. */
#include "kubeclient/kc_pem.h"

#include "base/buf.h"
#include "base/str.h"

#include <errno.h>
#include <openssl/pem.h>
#include <setjmp.h>
#include <stdarg.h>
#include <time.h>

#include <cmocka.h>

static char *text_of(BIO *b)
{
	char *p, *copy;
	long n = BIO_get_mem_data(b, &p);

	copy = str_dup((str){ p, (size_t)n });
	assert_non_null(copy);
	BIO_free(b);
	return copy;
}

static void make_pair_for(long seconds, char **cert, char **key)
{
	EVP_PKEY *k = EVP_EC_gen("P-256");
	X509 *c = X509_new();
	BIO *cert_out = BIO_new(BIO_s_mem()), *key_out = BIO_new(BIO_s_mem());

	assert_non_null(k);
	X509_gmtime_adj(X509_getm_notBefore(c), 0);
	X509_gmtime_adj(X509_getm_notAfter(c), seconds);
	assert_int_equal(X509_set_pubkey(c, k), 1);
	assert_true(X509_sign(c, k, EVP_sha256()) > 0);
	assert_int_equal(PEM_write_bio_X509(cert_out, c), 1);
	assert_int_equal(PEM_write_bio_PrivateKey(key_out, k, NULL, NULL, 0, NULL, NULL), 1);
	X509_free(c);
	EVP_PKEY_free(k);
	*cert = text_of(cert_out);
	*key = text_of(key_out);
}

static void make_pair(char **cert, char **key)
{
	make_pair_for(3600, cert, key);
}

static char *encrypted(const char *key)
{
	BIO *in = BIO_new_mem_buf(key, -1), *out = BIO_new(BIO_s_mem());
	EVP_PKEY *k = PEM_read_bio_PrivateKey(in, NULL, NULL, NULL);

	assert_non_null(k);
	assert_int_equal(PEM_write_bio_PKCS8PrivateKey(out, k, EVP_aes_256_cbc(), "pw", 2, NULL, NULL), 1);
	BIO_free(in);
	EVP_PKEY_free(k);
	return text_of(out);
}

static void expect(int r, const struct err *err, const char *part)
{
	if (!part) {
		assert_int_equal(r, 0);
		return;
	}
	assert_int_equal(r, -EINVAL);
	if (!strstr(err->msg, part))
		fail_msg("not '%s': %s", part, err->msg);
}

static void test_authorities(void **state)
{
	CLEANUP(freep) char *a = NULL;
	CLEANUP(freep) char *b = NULL;
	CLEANUP(freep) char *key = NULL;
	CLEANUP(freep) char *other_key = NULL;
	char text[8192];
	struct err err;
	size_t n;

	(void)state;
	make_pair(&a, &key);
	make_pair(&b, &other_key);
	(void)snprintf(text, sizeof(text), "# a comment\n%s\n%s", a, b);
	expect(kc_pem_check_authorities(str_from(text), &err), &err, NULL);
	/* However much of the second one is there, but for its first line and what follows its last one. */
	n = strlen(text);
	for (size_t cut = n - strlen(b) + 30; cut < n - 20; cut += 7)
		expect(kc_pem_check_authorities((str){ text, cut }, &err), &err, "damaged or cut off");
	expect(kc_pem_check_authorities(STR(""), &err), &err, "no certificate");
	expect(kc_pem_check_authorities(str_from(key), &err), &err, "no certificate");
}

static void test_pairs(void **state)
{
	CLEANUP(freep) char *cert = NULL;
	CLEANUP(freep) char *key = NULL;
	CLEANUP(freep) char *other_cert = NULL;
	CLEANUP(freep) char *other_key = NULL;
	CLEANUP(freep) char *locked = NULL;
	struct err err;

	(void)state;
	make_pair(&cert, &key);
	make_pair(&other_cert, &other_key);
	locked = encrypted(key);
	str c = str_from(cert), k = str_from(key);

	expect(kc_pem_check_pair(c, k, &err), &err, NULL);
	expect(kc_pem_check_pair(c, str_from(other_key), &err), &err, "does not belong");
	expect(kc_pem_check_pair(c, str_sub(k, 0, k.n / 2), &err), &err, "client-key: no private key");
	expect(kc_pem_check_pair(str_sub(c, 0, c.n / 2), k, &err), &err, "client-certificate: no certificate");
	expect(kc_pem_check_pair(c, str_from(locked), &err), &err, "damaged or encrypted");
}

static void test_ends(void **state)
{
	CLEANUP(buf_done) struct buf both = BUF_INIT(1 << 16);
	CLEANUP(freep) char *late = NULL;
	CLEANUP(freep) char *late_key = NULL;
	CLEANUP(freep) char *soon = NULL;
	CLEANUP(freep) char *soon_key = NULL;
	int64_t now = (int64_t)time(NULL);
	struct kc_pem_ends ends;

	(void)state;
	make_pair_for(7200, &late, &late_key);
	make_pair_for(-60, &soon, &soon_key);
	buf_add_cstr(&both, late_key);
	buf_add_cstr(&both, late);
	buf_add_cstr(&both, soon);
	assert_true(kc_pem_ends(buf_str(&both), &ends));
	assert_in_range(ends.first - now + 100, 35, 45);
	assert_in_range(ends.last - now, 7195, 7205);
	assert_false(kc_pem_ends(str_from(late_key), &ends));
	assert_false(kc_pem_ends(STR("nothing"), &ends));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_authorities), cmocka_unit_test(test_pairs),
					    cmocka_unit_test(test_ends) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
