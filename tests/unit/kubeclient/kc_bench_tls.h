/* The server's side of TLS for kc_bench.h, over buffers: credentials only travel encrypted. The certificate is made for
 * the run. */
#ifndef KC_BENCH_TLS_H
#define KC_BENCH_TLS_H

#include "base/buf.h"

#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* With a certificate that signs itself, good for @san ("IP:127.0.0.1"; NULL: for nobody) until @seconds from now. @pem:
 * where it is appended; NULL: nowhere. */
static inline SSL_CTX *bench_tls_certified(const char *san, long seconds, struct buf *pem)
{
	SSL_CTX *ctx = SSL_CTX_new(TLS_server_method());
	EVP_PKEY *key = EVP_EC_gen("P-256");
	X509 *cert = X509_new();
	X509_NAME *name = X509_get_subject_name(cert);
	BIO *text = BIO_new(BIO_s_mem());
	char *p;
	long n;

	assert_true(ctx && key && cert && text);
	X509_gmtime_adj(X509_getm_notBefore(cert), -7200);
	X509_gmtime_adj(X509_getm_notAfter(cert), seconds);
	assert_int_equal(
		X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const unsigned char *)"bench", -1, -1, 0), 1);
	assert_int_equal(X509_set_issuer_name(cert, name), 1);
	assert_int_equal(X509_set_version(cert, X509_VERSION_3), 1);
	if (san) {
		X509_EXTENSION *names = X509V3_EXT_conf_nid(NULL, NULL, NID_subject_alt_name, san);

		assert_int_equal(X509_add_ext(cert, names, -1), 1);
		X509_EXTENSION_free(names);
	}
	assert_int_equal(X509_set_pubkey(cert, key), 1);
	assert_true(X509_sign(cert, key, EVP_sha256()) > 0);
	assert_int_equal(PEM_write_bio_X509(text, cert), 1);
	n = BIO_get_mem_data(text, &p);
	if (pem)
		buf_add(pem, p, (size_t)n);
	assert_int_equal(SSL_CTX_use_certificate(ctx, cert), 1);
	assert_int_equal(SSL_CTX_use_PrivateKey(ctx, key), 1);
	BIO_free(text);
	X509_free(cert);
	EVP_PKEY_free(key);
	return ctx;
}

static inline SSL_CTX *bench_tls_new(void)
{
	return bench_tls_certified(NULL, 3600, NULL);
}

/* A connection that reads and writes buffers. */
static inline SSL *bench_tls_accept(SSL_CTX *ctx)
{
	SSL *ssl = SSL_new(ctx);

	assert_non_null(ssl);
	SSL_set_bio(ssl, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
	SSL_set_accept_state(ssl);
	return ssl;
}

/* What came from the network, decrypted into @plain. */
static inline void bench_tls_read(SSL *ssl, const char *p, size_t n, struct buf *plain)
{
	char text[4096];
	int got;

	assert_int_equal(BIO_write(SSL_get_rbio(ssl), p, (int)n), n);
	while ((got = SSL_read(ssl, text, sizeof(text))) > 0)
		buf_add(plain, text, (size_t)got);
}

/* What waits to be sent, from malloc, *n bytes; @plain (NULL: nothing) is encrypted before, and @end says good-bye. */
static inline char *bench_tls_write(SSL *ssl, const char *plain, size_t n_plain, bool end, size_t *n)
{
	char *out;

	if (n_plain)
		assert_int_equal(SSL_write(ssl, plain, (int)n_plain), n_plain);
	if (end)
		(void)SSL_shutdown(ssl); /* it waits for no answer */
	*n = BIO_ctrl_pending(SSL_get_wbio(ssl));
	out = malloc(*n + 1);
	assert_non_null(out);
	if (*n)
		assert_int_equal(BIO_read(SSL_get_wbio(ssl), out, (int)*n), *n);
	return out;
}

#endif
