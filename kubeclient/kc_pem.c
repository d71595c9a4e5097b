/* Reads PEM as libcurl does, to find out whether libcurl can. */
#include "kubeclient/kc_pem_internal.h"

#include "kubeclient/kc_pem.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <time.h>

DEFINE_CLEANUP(BIO *, BIO_free_all)
DEFINE_CLEANUP(X509 *, X509_free)
DEFINE_CLEANUP(EVP_PKEY *, EVP_PKEY_free)

static void free_infos(STACK_OF(X509_INFO) * *infos)
{
	sk_X509_INFO_pop_free(*infos, X509_INFO_free);
}

/* Refuse the PEM, and clear OpenSSL's queue of errors, which the whole thread shares: libcurl must not find driftd's
 * errors in it. */
static int refuse(struct err *err, const char *why)
{
	ERR_clear_error();
	return err_set(err, EINVAL, "%s", why);
}

/* Refuse to give a password: an encrypted key fails instead of asking on the terminal. */
static int no_password(char *to, int size, int writing, void *ctx)
{
	(void)to;
	(void)size;
	(void)writing;
	(void)ctx;
	return -1;
}

/* Read all entries; NULL: the text is damaged, or there is no memory. */
static STACK_OF(X509_INFO) * read_infos(BIO *in)
{
	return PEM_X509_INFO_read_bio(in, NULL, no_password, NULL);
}

STACK_OF(X509_INFO) * kc_pem_read(str pem)
{
	CLEANUP(BIO_free_allp) BIO *in = BIO_new_mem_buf(pem.p, (int)pem.n);
	STACK_OF(X509_INFO) *ret = in ? read_infos(in) : NULL;

	ERR_clear_error();
	return ret;
}

int kc_pem_check_authorities(str pem, struct err *err)
{
	CLEANUP(BIO_free_allp) BIO *in = BIO_new_mem_buf(pem.p, (int)pem.n);
	CLEANUP(free_infos) STACK_OF(X509_INFO) *infos = NULL;
	bool any = false;

	if (!in)
		return err_nomem(err);
	infos = read_infos(in);
	if (!infos)
		return refuse(err, "its PEM text is damaged or cut off");
	for (int i = 0; i < sk_X509_INFO_num(infos); i++)
		any = any || sk_X509_INFO_value(infos, i)->x509;
	return any ? 0 : refuse(err, "no certificate in it");
}

int kc_pem_check_pair(str cert, str key, struct err *err)
{
	CLEANUP(BIO_free_allp) BIO *cert_in = BIO_new_mem_buf(cert.p, (int)cert.n);
	CLEANUP(BIO_free_allp) BIO *key_in = BIO_new_mem_buf(key.p, (int)key.n);
	CLEANUP(X509_freep) X509 *leaf = NULL;
	CLEANUP(EVP_PKEY_freep) EVP_PKEY *private = NULL;

	if (!cert_in || !key_in)
		return err_nomem(err);
	leaf = PEM_read_bio_X509_AUX(cert_in, NULL, no_password, NULL);
	if (!leaf)
		return refuse(err, "client-certificate: no certificate in it, or a damaged one");
	private = PEM_read_bio_PrivateKey(key_in, NULL, no_password, NULL);
	if (!private)
		return refuse(err, "client-key: no private key in it, or one that is damaged or encrypted");
	if (X509_check_private_key(leaf, private) != 1)
		return refuse(err, "client-key: it does not belong to the client-certificate");
	return 0;
}

static bool read_time(const ASN1_TIME *t, int64_t *ret)
{
	struct tm tm;

	if (!ASN1_TIME_to_tm(t, &tm))
		return false;
	*ret = (int64_t)timegm(&tm);
	return true;
}

bool kc_pem_ends(str pem, struct kc_pem_ends *ret)
{
	CLEANUP(free_infos) STACK_OF(X509_INFO) *infos = kc_pem_read(pem);
	bool any = false;
	int64_t ends;

	for (int i = 0; infos && i < sk_X509_INFO_num(infos); i++) {
		const X509 *cert = sk_X509_INFO_value(infos, i)->x509;

		if (!cert || !read_time(X509_get0_notAfter(cert), &ends))
			continue;
		ret->first = any && ret->first < ends ? ret->first : ends;
		ret->last = any && ret->last > ends ? ret->last : ends;
		any = true;
	}
	return any;
}
