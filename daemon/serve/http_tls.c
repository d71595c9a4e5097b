/* Serves TLS. Client certificates are verified in the handshake. */
#include "daemon/serve/http_tls.h"

#include <arpa/inet.h>
#include <errno.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>

/* ---- what is configured ---- */

static int tls_error(struct err *err, const char *what, int code)
{
	return err_set(err, EINVAL, "%s: %s", what, gnutls_strerror(code));
}

static gnutls_datum_t pem(const char *text)
{
	return (gnutls_datum_t){ (unsigned char *)(uintptr_t)text, (unsigned)strlen(text) };
}

static int load(gnutls_certificate_credentials_t c, const struct web_config *w, struct err *err)
{
	gnutls_datum_t cert = pem(w->cert), key = pem(w->key), ca = pem(w->client_ca ? w->client_ca : "");
	gnutls_priority_t priorities;
	int r = gnutls_certificate_set_x509_key_mem(c, &cert, &key, GNUTLS_X509_FMT_PEM);

	if (r < 0)
		return tls_error(err, "the certificate with its key", r);
	if (w->client_ca) {
		r = gnutls_certificate_set_x509_trust_mem(c, &ca, GNUTLS_X509_FMT_PEM);
		if (r <= 0)
			return tls_error(err, "the CA of client certificates",
					 r < 0 ? r : GNUTLS_E_NO_CERTIFICATE_FOUND);
	}
	r = gnutls_priority_init(&priorities, w->priorities, NULL);
	if (r < 0)
		return tls_error(err, "versions and curves of TLS", r);
	gnutls_priority_deinit(priorities);
	return 0;
}

int http_tls_check(const struct web_config *w, struct err *err)
{
	gnutls_certificate_credentials_t c;
	int r;

	if (!w->tls)
		return 0;
	if (gnutls_certificate_allocate_credentials(&c) < 0)
		return err_nomem(err);
	r = load(c, w, err);
	gnutls_certificate_free_credentials(c);
	return r;
}

/* ---- clients ---- */

static bool is_allowed(const struct web_config *w, const char *name)
{
	for (size_t i = 0; i < w->n_client_sans; i++) {
		if (strcmp(w->client_sans[i], name) == 0)
			return true;
	}
	return false;
}

/* Write the @i-th alternative name of @crt to @out. GNUTLS_E_REQUESTED_DATA_NOT_AVAILABLE: there is none. */
static int alternative_name(gnutls_x509_crt_t crt, unsigned i, char *out, size_t size)
{
	char raw[512] = "";
	size_t n = sizeof(raw) - 1;
	int type = gnutls_x509_crt_get_subject_alt_name(crt, i, raw, &n, NULL);

	out[0] = '\0';
	if (type < 0)
		return type;
	if (type == GNUTLS_SAN_IPADDRESS) {
		(void)inet_ntop(n == 4 ? AF_INET : AF_INET6, raw, out, (socklen_t)size);
	} else if (n < size && !memchr(raw, '\0', n)) {
		memcpy(out, raw, n);
		out[n] = '\0';
	}
	return type;
}

static bool has_allowed_name(const struct web_config *w, const gnutls_datum_t *der)
{
	gnutls_x509_crt_t crt;
	char name[512];
	bool found = false;
	int r = 0;

	if (gnutls_x509_crt_init(&crt) < 0)
		return false;
	if (gnutls_x509_crt_import(crt, der, GNUTLS_X509_FMT_DER) == 0) {
		for (unsigned i = 0; !found && r != GNUTLS_E_REQUESTED_DATA_NOT_AVAILABLE && i < 1000; i++) {
			r = alternative_name(crt, i, name, sizeof(name));
			found = r >= 0 && is_allowed(w, name);
		}
	}
	gnutls_x509_crt_deinit(crt);
	return found;
}

/* Verify the certificate. 0: the handshake continues. */
static int verify(gnutls_session_t session)
{
	const struct web_config *w = gnutls_db_get_ptr(session);
	unsigned n = 0, status = 0;
	const gnutls_datum_t *chain = gnutls_certificate_get_peers(session, &n);

	if (!chain || n == 0)
		return w->client_auth == WEB_CLIENT_REQUIRE_ANY || w->client_auth == WEB_CLIENT_REQUIRE_AND_VERIFY;
	if (web_config_verifies(w)) {
		gnutls_typed_vdata_st purpose = { .type = GNUTLS_DT_KEY_PURPOSE_OID,
						  .data = (unsigned char *)(uintptr_t)GNUTLS_KP_TLS_WWW_CLIENT };

		if (gnutls_certificate_verify_peers(session, &purpose, 1, &status) < 0 || status)
			return 1;
	}
	return w->n_client_sans && !has_allowed_name(w, &chain[0]);
}

void http_tls_prepare(void *session, const struct web_config *w)
{
	bool required = w->client_auth == WEB_CLIENT_REQUIRE_ANY || w->client_auth == WEB_CLIENT_REQUIRE_AND_VERIFY;

	if (w->client_auth == WEB_CLIENT_NONE)
		return;
	gnutls_db_set_ptr(session, (void *)(uintptr_t)w); /* libmicrohttpd uses the session's own pointer */
	gnutls_certificate_server_set_request(session, required ? GNUTLS_CERT_REQUIRE : GNUTLS_CERT_REQUEST);
	gnutls_session_set_verify_function(session, verify);
}
