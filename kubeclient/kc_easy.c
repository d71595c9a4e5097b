#include "kubeclient/kc_http_internal.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <sys/socket.h>

/* Seconds; libcurl's HTTP/2 pings (curl_easy_upkeep) do not reach connections of a multi handle, so that a dead peer is
 * found by the kernel. */
#define KEEPALIVE_IDLE 30L
#define KEEPALIVE_INTERVAL 15L
#define USER_TIMEOUT_MS 45000
/* A response that is no watch must move. */
#define STALLED_SECONDS 60L

static void mark_dirty(struct kc_req *r)
{
	if (r->is_dirty)
		return;
	r->is_dirty = true;
	TAILQ_INSERT_TAIL(&r->http->dirty, r, dirty_link);
}

/* The empty line behind the headers. */
static size_t on_header(char *p, size_t size, size_t count, void *ctx)
{
	struct kc_req *r = ctx;
	size_t n = size * count;
	long status = 0;

	curl_easy_getinfo(r->easy, CURLINFO_RESPONSE_CODE, &status);
	if (n == 2 && p[0] == '\r' && status >= 200 && status < 300) {
		/* A quiet watch ends minutes later: the server is up from here on. */
		r->http->up = true;
		mark_dirty(r);
	}
	return n;
}

static size_t on_write(char *p, size_t size, size_t count, void *ctx)
{
	struct kc_req *r = ctx;
	size_t n = size * count;
	long status = 0;

	curl_easy_getinfo(r->easy, CURLINFO_RESPONSE_CODE, &status);
	if (status < 200 || status >= 300) {
		size_t room = KC_ERROR_BODY_MAX - r->error_body.n;

		buf_add(&r->error_body, p, n < room ? n : room);
		return n;
	}
	if (r->ops->write(r->ctx, p, n, &r->write_error) < 0)
		return 0;
	mark_dirty(r);
	return n;
}

static int on_socket(void *ctx, curl_socket_t fd, curlsocktype purpose)
{
	int ms = USER_TIMEOUT_MS;

	(void)ctx;
	(void)purpose;
	/* Best effort: keep-alive still finds a dead peer, later. */
	setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &ms, sizeof(ms));
	return CURL_SOCKOPT_OK;
}

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
	for (size_t i = 0; i < out.n; i++)
		if ((unsigned char)out.p[i] < 0x20 || (unsigned char)out.p[i] > 0x7E)
			out.p[i] = '?';
	snprintf(ret, size, "%s", out.p ? out.p : "");
}

/* Verification as always; it only writes down which certificate it did not like. */
static int verify(X509_STORE_CTX *store, void *ctx)
{
	struct kc_http *h = ctx;
	X509 *leaf = X509_STORE_CTX_get0_cert(store), *culprit;
	int ok = X509_verify_cert(store);

	*h->tls_problem = *h->tls_peer = '\0';
	if (leaf)
		describe(leaf, true, h->tls_peer, sizeof(h->tls_peer));
	if (ok > 0)
		return ok;
	culprit = X509_STORE_CTX_get_current_cert(store);
	if (culprit)
		describe(culprit, culprit == leaf, h->tls_problem, sizeof(h->tls_problem));
	return ok;
}

static CURLcode on_ssl_ctx(CURL *easy, void *ssl_ctx, void *ctx)
{
	(void)easy;
	SSL_CTX_set_cert_verify_callback(ssl_ctx, verify, ctx);
	return CURLE_OK;
}

static bool set_transfer(struct kc_req *r)
{
	CURL *e = r->easy;

	return !curl_easy_setopt(e, CURLOPT_PRIVATE, r) && !curl_easy_setopt(e, CURLOPT_WRITEFUNCTION, on_write) &&
	       !curl_easy_setopt(e, CURLOPT_WRITEDATA, r) && !curl_easy_setopt(e, CURLOPT_HEADERFUNCTION, on_header) &&
	       !curl_easy_setopt(e, CURLOPT_HEADERDATA, r) &&
	       !curl_easy_setopt(e, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L) &&
	       !curl_easy_setopt(e, CURLOPT_ERRORBUFFER, r->curl_error) && !curl_easy_setopt(e, CURLOPT_HTTPGET, 1L) &&
	       !curl_easy_setopt(e, CURLOPT_NOSIGNAL, 1L) &&
	       !curl_easy_setopt(e, CURLOPT_PROTOCOLS_STR, "http,https") &&
	       !curl_easy_setopt(e, CURLOPT_USERAGENT, r->http->user_agent) &&
	       !curl_easy_setopt(e, CURLOPT_CONNECTTIMEOUT_MS, (long)r->http->tuning->connect_ms) &&
	       !curl_easy_setopt(e, CURLOPT_QUICK_EXIT, 1L);
}

static bool set_connection(struct kc_req *r)
{
	CURL *e = r->easy;

	return !curl_easy_setopt(e, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2TLS) &&
	       !curl_easy_setopt(e, CURLOPT_PIPEWAIT, r->fresh ? 0L : 1L) &&
	       !curl_easy_setopt(e, CURLOPT_FRESH_CONNECT, r->fresh ? 1L : 0L) &&
	       !curl_easy_setopt(e, CURLOPT_TCP_KEEPALIVE, 1L) &&
	       !curl_easy_setopt(e, CURLOPT_TCP_KEEPIDLE, KEEPALIVE_IDLE) &&
	       !curl_easy_setopt(e, CURLOPT_TCP_KEEPINTVL, KEEPALIVE_INTERVAL) &&
	       !curl_easy_setopt(e, CURLOPT_SOCKOPTFUNCTION, on_socket) &&
	       !curl_easy_setopt(e, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2) &&
	       (r->http->target->cluster->insecure || (!curl_easy_setopt(e, CURLOPT_SSL_CTX_FUNCTION, on_ssl_ctx) &&
						       !curl_easy_setopt(e, CURLOPT_SSL_CTX_DATA, r->http)));
}

static bool add_header(struct kc_req *r, const char *name, const char *value)
{
	CLEANUP(freep) char *line = NULL;
	struct curl_slist *longer;

	if (asprintf(&line, "%s: %s", name, value) < 0) {
		line = NULL;
		return false;
	}
	longer = curl_slist_append(r->headers, line);
	if (longer)
		r->headers = longer;
	return longer != NULL;
}

/* The proxy of the kubeconfig is used without exceptions; without one libcurl follows the environment. */
static bool set_route(struct kc_req *r)
{
	struct kc_http *h = r->http;
	struct curl_slist *connect = h->connect_to;

	if (h->proxy &&
	    (curl_easy_setopt(r->easy, CURLOPT_PROXY, h->proxy) || curl_easy_setopt(r->easy, CURLOPT_NOPROXY, "")))
		return false;
	if (connect && curl_easy_setopt(r->easy, CURLOPT_CONNECT_TO, connect))
		return false;
	return !h->server.host || add_header(r, "Host", h->server.host);
}

/* A watch is never compressed: the server would hold back events to fill a block. */
static bool set_kind(struct kc_req *r)
{
	if (r->verb == KC_WATCH)
		return true;
	if (curl_easy_setopt(r->easy, CURLOPT_LOW_SPEED_LIMIT, 1L) ||
	    curl_easy_setopt(r->easy, CURLOPT_LOW_SPEED_TIME, STALLED_SECONDS))
		return false;
	return r->http->target->cluster->disable_compression ||
	       !curl_easy_setopt(r->easy, CURLOPT_ACCEPT_ENCODING, "gzip");
}

int kc_easy_setup(struct kc_req *r, struct err *err)
{
	CLEANUP(freep) char *url = NULL;
	int n;

	r->easy = curl_easy_init();
	if (!r->easy)
		return err_nomem(err);
	n = asprintf(&url, "%s%s", r->http->server.base, r->path);
	if (n < 0) {
		url = NULL;
		return err_nomem(err);
	}
	if (!set_transfer(r) || !set_connection(r) || !set_route(r) || !set_kind(r) ||
	    !add_header(r, "Accept", r->accept ? r->accept : "application/json") ||
	    curl_easy_setopt(r->easy, CURLOPT_URL, url))
		return err_nomem(err);
	n = kc_auth_apply(&r->http->auth, r->easy, &r->headers, err);
	if (n < 0)
		return n;
	return curl_easy_setopt(r->easy, CURLOPT_HTTPHEADER, r->headers) ? err_nomem(err) : 0;
}
