/* The server's side of TLS for kc_bench.h, over buffers: credentials only travel encrypted. The certificate is made for
 * the run and verified by nobody. */
#ifndef KC_BENCH_TLS_H
#define KC_BENCH_TLS_H

#include "base/buf.h"

#include <openssl/ssl.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static inline SSL_CTX *bench_tls_new(void)
{
	SSL_CTX *ctx = SSL_CTX_new(TLS_server_method());
	EVP_PKEY *key = EVP_EC_gen("P-256");
	X509 *cert = X509_new();

	assert_non_null(ctx);
	assert_non_null(key);
	assert_non_null(cert);
	X509_gmtime_adj(X509_getm_notBefore(cert), -3600);
	X509_gmtime_adj(X509_getm_notAfter(cert), 3600);
	assert_int_equal(X509_set_pubkey(cert, key), 1);
	assert_true(X509_sign(cert, key, EVP_sha256()) > 0);
	assert_int_equal(SSL_CTX_use_certificate(ctx, cert), 1);
	assert_int_equal(SSL_CTX_use_PrivateKey(ctx, key), 1);
	X509_free(cert);
	EVP_PKEY_free(key);
	return ctx;
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
