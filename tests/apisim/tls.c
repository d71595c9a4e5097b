/* Making certificates with GnuTLS. */
#include "tls.h"

#include "base/buf.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define PEM_MAX ((size_t)1 << 20)
#define VALID_SECONDS ((long)10 * 365 * 24 * 3600)

DEFINE_CLEANUP(EVP_PKEY *, EVP_PKEY_free)
DEFINE_CLEANUP(X509 *, X509_free)
DEFINE_CLEANUP(BIO *, BIO_free)

void tls_files_done(struct tls_files *f)
{
	free(f->ca);
	free(f->server_cert);
	free(f->server_key);
	free(f->client_cert);
	free(f->client_key);
	*f = (struct tls_files){ 0 };
}

static int write_file(const char *path, str text, mode_t mode, struct err *err)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
	int e = errno;

	if (fd < 0)
		return err_set(err, e, "open '%s': %s", path, strerror(e));
	while (text.n) {
		ssize_t n = write(fd, text.p, text.n);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			e = errno;
			close(fd);
			return err_set(err, e, "write '%s': %s", path, strerror(e));
		}
		text = str_sub(text, (size_t)n, text.n);
	}
	if (close(fd) < 0)
		return err_set(err, errno, "close '%s'", path);
	return 0;
}

static int write_in(const char *dir, const char *name, BIO *text, mode_t mode, struct err *err)
{
	char path[4096], *p;
	long n = BIO_get_mem_data(text, &p);

	(void)snprintf(path, sizeof(path), "%s/%s", dir, name);
	return write_file(path, (str){ p, (size_t)n }, mode, err);
}

/* What a certificate says; NULL parts are left out. */
struct cert_spec {
	const char *file, *key_file;
	const char *common_name, *organization;
	const char *basic_constraints, *key_usage, *extended_usage, *alt_names;
};

static bool add_extension(X509 *cert, X509 *issuer, int nid, const char *value)
{
	X509_EXTENSION *ext;
	X509V3_CTX ctx;
	bool ok;

	if (!value)
		return true;
	X509V3_set_ctx_nodb(&ctx);
	X509V3_set_ctx(&ctx, issuer, cert, NULL, NULL, 0);
	ext = X509V3_EXT_conf_nid(NULL, &ctx, nid, value);
	ok = ext && X509_add_ext(cert, ext, -1) == 1;
	X509_EXTENSION_free(ext);
	return ok;
}

static bool add_name(X509_NAME *name, const char *field, const char *value)
{
	return !value ||
	       X509_NAME_add_entry_by_txt(name, field, MBSTRING_UTF8, (const unsigned char *)value, -1, -1, 0) == 1;
}

static bool set_serial(X509 *cert)
{
	unsigned char bytes[8];
	uint64_t serial = 0;

	if (RAND_bytes(bytes, sizeof(bytes)) != 1)
		return false;
	for (size_t i = 0; i < sizeof(bytes); i++)
		serial = serial << 8 | bytes[i];
	return ASN1_INTEGER_set_uint64(X509_get_serialNumber(cert), serial >> 1 | 1) == 1;
}

/* @issuer NULL: signed by itself. */
static X509 *make_cert(const struct cert_spec *spec, EVP_PKEY *key, X509 *issuer, EVP_PKEY *issuer_key)
{
	X509 *cert = X509_new();
	X509_NAME *name = cert ? X509_get_subject_name(cert) : NULL;

	if (!issuer) {
		issuer = cert;
		issuer_key = key;
	}
	if (cert && X509_set_version(cert, 2) && set_serial(cert) &&
	    X509_gmtime_adj(X509_getm_notBefore(cert), -3600) &&
	    X509_gmtime_adj(X509_getm_notAfter(cert), VALID_SECONDS) && X509_set_pubkey(cert, key) &&
	    add_name(name, "O", spec->organization) && add_name(name, "CN", spec->common_name) &&
	    X509_set_issuer_name(cert, X509_get_subject_name(issuer)) &&
	    add_extension(cert, issuer, NID_basic_constraints, spec->basic_constraints) &&
	    add_extension(cert, issuer, NID_key_usage, spec->key_usage) &&
	    add_extension(cert, issuer, NID_ext_key_usage, spec->extended_usage) &&
	    add_extension(cert, issuer, NID_subject_alt_name, spec->alt_names) &&
	    add_extension(cert, issuer, NID_subject_key_identifier, "hash") &&
	    add_extension(cert, issuer, NID_authority_key_identifier, "keyid") &&
	    X509_sign(cert, issuer_key, EVP_sha256()))
		return cert;
	X509_free(cert);
	return NULL;
}

static int save_pair(const char *dir, const struct cert_spec *spec, X509 *cert, EVP_PKEY *key, struct err *err)
{
	CLEANUP(BIO_freep) BIO *cert_text = BIO_new(BIO_s_mem());
	CLEANUP(BIO_freep) BIO *key_text = BIO_new(BIO_s_mem());
	int r;

	if (!cert_text || !key_text || !PEM_write_bio_X509(cert_text, cert) ||
	    !PEM_write_bio_PrivateKey(key_text, key, NULL, NULL, 0, NULL, NULL))
		return err_set(err, EIO, "certificate '%s': encoding", spec->file);
	r = write_in(dir, spec->file, cert_text, 0644, err);
	return r < 0 ? r : write_in(dir, spec->key_file, key_text, 0600, err);
}

static int make_pair(const char *dir, const struct cert_spec *spec, X509 *ca, EVP_PKEY *ca_key, X509 **ret_cert,
		     EVP_PKEY **ret_key, struct err *err)
{
	CLEANUP(EVP_PKEY_freep) EVP_PKEY *key = EVP_EC_gen("P-256");
	CLEANUP(X509_freep) X509 *cert = key ? make_cert(spec, key, ca, ca_key) : NULL;
	int r;

	if (!cert)
		return err_set(err, EIO, "certificate '%s': making it", spec->file);
	r = save_pair(dir, spec, cert, key, err);
	if (r < 0)
		return r;
	if (ret_cert) {
		*ret_cert = TAKE(cert);
		*ret_key = TAKE(key);
	}
	return 0;
}

static int make_all(const char *dir, const char *bind, struct err *err)
{
	CLEANUP(X509_freep) X509 *ca = NULL;
	CLEANUP(EVP_PKEY_freep) EVP_PKEY *ca_key = NULL;
	char alt[256];
	bool extra = strcmp(bind, "127.0.0.1") != 0 && strcmp(bind, "0.0.0.0") != 0;
	struct cert_spec authority = { .file = "ca.crt",
				       .key_file = "ca.key",
				       .common_name = "apisim-ca",
				       .basic_constraints = "critical,CA:TRUE",
				       .key_usage = "critical,keyCertSign,cRLSign" };
	struct cert_spec server = { .file = "server.crt",
				    .key_file = "server.key",
				    .common_name = "apisim",
				    .basic_constraints = "critical,CA:FALSE",
				    .key_usage = "critical,digitalSignature",
				    .extended_usage = "serverAuth",
				    .alt_names = alt };
	struct cert_spec client = { .file = "client.crt",
				    .key_file = "client.key",
				    .common_name = "apisim-client",
				    .organization = "system:masters",
				    .basic_constraints = "critical,CA:FALSE",
				    .key_usage = "critical,digitalSignature",
				    .extended_usage = "clientAuth" };
	int r;

	(void)snprintf(alt, sizeof(alt), "DNS:localhost,IP:127.0.0.1,IP:::1%s%.100s", extra ? ",IP:" : "",
		       extra ? bind : "");
	r = make_pair(dir, &authority, NULL, NULL, &ca, &ca_key, err);
	if (r == 0)
		r = make_pair(dir, &server, ca, ca_key, NULL, NULL, err);
	return r < 0 ? r : make_pair(dir, &client, ca, ca_key, NULL, NULL, err);
}

static int read_all(const char *dir, struct tls_files *ret, struct err *err)
{
	struct tls_files f = { 0 };
	struct {
		const char *name;
		char **to;
	} files[] = {
		{ "ca.crt", &f.ca },
		{ "server.crt", &f.server_cert },
		{ "server.key", &f.server_key },
		{ "client.crt", &f.client_cert },
		{ "client.key", &f.client_key },
	};

	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		char path[4096];
		size_t n;
		int r;

		(void)snprintf(path, sizeof(path), "%s/%s", dir, files[i].name);
		r = file_read(path, PEM_MAX, files[i].to, &n, err);
		if (r < 0) {
			tls_files_done(&f);
			return r;
		}
	}
	*ret = f;
	return 0;
}

int tls_load(const char *dir, const char *bind, struct tls_files *ret, struct err *err)
{
	int r = read_all(dir, ret, err);

	if (r != -ENOENT)
		return r;
	if (mkdir(dir, 0755) < 0 && errno != EEXIST)
		return err_set(err, errno, "mkdir '%s': %s", dir, strerror(errno));
	r = make_all(dir, bind, err);
	return r < 0 ? r : read_all(dir, ret, err);
}

static void add_base64(struct buf *b, const char *key, const char *text)
{
	size_t n = strlen(text);
	char *to;

	buf_printf(b, "    %s: ", key);
	to = buf_reserve(b, n / 3 * 4 + 8);
	if (to)
		buf_commit(b, (size_t)EVP_EncodeBlock((unsigned char *)to, (const unsigned char *)text, (int)n));
	buf_add_byte(b, '\n');
}

int kubeconfig_write(const char *path, const char *url, const struct tls_files *f, const char *token, struct err *err)
{
	CLEANUP(buf_done) struct buf b = BUF_INIT(PEM_MAX);
	int r;

	buf_printf(&b,
		   "apiVersion: v1\nkind: Config\ncurrent-context: apisim\nclusters:\n- name: apisim\n  cluster:\n"
		   "    server: %s\n",
		   url);
	if (f)
		add_base64(&b, "certificate-authority-data", f->ca);
	buf_add_cstr(&b, "contexts:\n- name: apisim\n  context:\n    cluster: apisim\n    user: apisim\nusers:\n- "
			 "name: apisim\n");
	if (token) {
		buf_printf(&b, "  user:\n    token: \"%s\"\n", token);
	} else if (f) {
		buf_add_cstr(&b, "  user:\n");
		add_base64(&b, "client-certificate-data", f->client_cert);
		add_base64(&b, "client-key-data", f->client_key);
	} else {
		buf_add_cstr(&b, "  user: {}\n");
	}
	r = buf_error(&b, "kubeconfig", err);
	return r < 0 ? r : write_file(path, buf_str(&b), 0600, err);
}
