/* Describes certificates, and records in a callback of OpenSSL which one failed. */
#include "kubeclient/kc_tls.h"

#include "base/hex.h"
#include "kubeclient/kc_pem_internal.h"
#include "mask/foreign.h"

#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdio.h>

static void add_names(X509 *cert, struct buf *out)
{
	GENERAL_NAMES *names = X509_get_ext_d2i(cert, NID_subject_alt_name, NULL, NULL);
	const char *separator = ", for ";

	for (int i = 0; i < sk_GENERAL_NAME_num(names) && i < 8; i++) {
		const GENERAL_NAME *name = sk_GENERAL_NAME_value(names, i);
		const unsigned char *ip;

		if (name->type == GEN_DNS) {
			buf_printf(out, "%s%.*s", separator, ASN1_STRING_length(name->d.dNSName),
				   (const char *)ASN1_STRING_get0_data(name->d.dNSName));
		} else if (name->type == GEN_IPADD && ASN1_STRING_length(name->d.iPAddress) == 4) {
			ip = ASN1_STRING_get0_data(name->d.iPAddress);
			buf_printf(out, "%s%d.%d.%d.%d", separator, ip[0], ip[1], ip[2], ip[3]);
		} else {
			continue;
		}
		separator = ", ";
	}
	GENERAL_NAMES_free(names);
}

static void add_time(const ASN1_TIME *at, struct buf *out)
{
	struct tm tm;
	char text[32];

	if (ASN1_TIME_to_tm(at, &tm) && strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm))
		buf_add_cstr(out, text);
}

/* "certificate CN=a, for x.example, issued by CN=ca, valid from … to …" */
static void describe(X509 *cert, bool names, char *ret, size_t size)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(4096);
	char subject[80] = "", issuer[80] = "";

	X509_NAME_oneline(X509_get_subject_name(cert), subject, sizeof(subject));
	X509_NAME_oneline(X509_get_issuer_name(cert), issuer, sizeof(issuer));
	buf_printf(&out, "certificate %s", subject);
	if (names)
		add_names(cert, &out);
	buf_printf(&out, ", issued by %s, valid from ", issuer);
	add_time(X509_get0_notBefore(cert), &out);
	buf_add_cstr(&out, " to ");
	add_time(X509_get0_notAfter(cert), &out);
	foreign_print(foreign_bytes(buf_str(&out)), ret, size);
}

/* Verify as usual, and write down which certificate was rejected. */
static int verify(X509_STORE_CTX *store, void *ctx)
{
	struct kc_tls *t = ctx;
	X509 *leaf = X509_STORE_CTX_get0_cert(store), *culprit;
	int ok = X509_verify_cert(store);

	*t->problem = *t->peer = '\0';
	if (leaf)
		describe(leaf, true, t->peer, sizeof(t->peer));
	if (ok > 0)
		return ok;
	culprit = X509_STORE_CTX_get_current_cert(store);
	if (culprit)
		describe(culprit, culprit == leaf, t->problem, sizeof(t->problem));
	return ok;
}

/* Add certificates and revocation lists, as libcurl does with a file of them. */
static bool add_authorities(X509_STORE *store, const char *pem)
{
	STACK_OF(X509_INFO) *infos = kc_pem_read(str_from(pem));
	bool ok = sk_X509_INFO_num(infos) > 0; /* -1: none could be read */

	for (int i = 0; ok && i < sk_X509_INFO_num(infos); i++) {
		const X509_INFO *info = sk_X509_INFO_value(infos, i);

		ok = (!info->x509 || X509_STORE_add_cert(store, info->x509)) &&
		     (!info->crl || X509_STORE_add_crl(store, info->crl));
	}
	sk_X509_INFO_pop_free(infos, X509_INFO_free);
	return ok;
}

static CURLcode on_ssl_ctx(CURL *easy, void *ssl_ctx, void *ctx)
{
	const struct kc_tls_use *use = ctx;

	(void)easy;
	if (use->authorities && !add_authorities(SSL_CTX_get_cert_store(ssl_ctx), use->authorities))
		return CURLE_SSL_CACERT_BADFILE;
	SSL_CTX_set_cert_verify_callback(ssl_ctx, verify, use->seen);
	return CURLE_OK;
}

bool kc_tls_attach(struct kc_tls_use *use, CURL *easy)
{
	return !curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, on_ssl_ctx) &&
	       !curl_easy_setopt(easy, CURLOPT_SSL_CTX_DATA, use);
}

/* The name of a folder that does not exist: nobody can make a folder in /proc. */
bool kc_tls_folder(const char *authorities, char ret[KC_TLS_FOLDER_SIZE])
{
	unsigned char digest[SHA256_DIGEST_LENGTH];
	char hex[2 * sizeof(digest) + 1];

	if (EVP_Digest(authorities, strlen(authorities), digest, NULL, EVP_sha256(), NULL) != 1)
		return false;
	hex_write(digest, sizeof(digest), hex);
	(void)snprintf(ret, KC_TLS_FOLDER_SIZE, "/proc/self/authorities-%s", hex);
	return true;
}
