/* The one place that makes handles of libcurl: the options of a transfer as tables, and what its codes mean. Where an
 * option has a successor that the oldest libcurl (docs/dependencies.md) does not have, it is the one that all have. */
#define CURL_DISABLE_DEPRECATION
#include "kubeclient/kc_transfer.h"

#include "kubeclient/kc_advice.h"
#include "mask/foreign.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <sys/socket.h>

#define TIMEOUT_MS 30000
#define STALLED_SECONDS 60
#define HEAD_BYTES_MAX ((size_t)256 << 10)
#define PORTION 32768
/* Seconds; libcurl's HTTP/2 pings (curl_easy_upkeep) do not reach connections of a multi handle, so that a dead peer is
 * found by the kernel. */
#define KEEPALIVE_IDLE 30
#define KEEPALIVE_INTERVAL 15
#define USER_TIMEOUT_MS 45000

/* ---- what libcurl calls back ---- */

static size_t on_head(char *p, size_t size, size_t count, void *ctx)
{
	struct kc_transfer *t = ctx;
	str line = { p, size * count };
	bool ends = str_eq(line, STR("\r\n")) || str_eq(line, STR("\n"));

	t->long_head = line.n > t->head_left;
	if (t->long_head)
		return 0;
	t->head_left -= line.n;
	if (t->ops->head)
		t->ops->head(t->ctx, line, ends ? kc_transfer_status(t) : 0);
	return line.n;
}

static size_t on_body(char *p, size_t size, size_t count, void *ctx)
{
	const struct kc_transfer *t = ctx;

	return t->ops->body(t->ctx, p, size * count) ? size * count : 0;
}

static int on_socket(void *ctx, curl_socket_t fd, curlsocktype purpose)
{
	struct kc_transfer *t = ctx;
	int ms = USER_TIMEOUT_MS;

	(void)purpose;
	t->connects = true;
	/* Best effort: keep-alive still finds a dead peer, later. */
	(void)setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &ms, sizeof(ms));
	return CURL_SOCKOPT_OK;
}

/* ---- options ---- */

static uint64_t protocols(bool plain)
{
	return plain ? CURLPROTO_HTTP | CURLPROTO_HTTPS : CURLPROTO_HTTPS;
}

static bool set_numbers(CURL *e, const struct kc_transfer_options *o, bool tls)
{
	uint64_t timeout_ms = o->timeout_ms ? o->timeout_ms : TIMEOUT_MS;
	bool moving = o->time == KC_TIME_MOVING;
	const struct {
		CURLoption option;
		uint64_t value;
	} all[] = {
		{ CURLOPT_PROTOCOLS, protocols(o->plain) },
		{ CURLOPT_REDIR_PROTOCOLS, protocols(o->plain && !tls) },
		{ CURLOPT_POSTFIELDSIZE, o->body.n },
		{ CURLOPT_NOSIGNAL, 1 },
#if LIBCURL_VERSION_NUM >= 0x075700
		{ CURLOPT_QUICK_EXIT, 1 }, /* no wait for a resolver */
#endif
		{ CURLOPT_NETRC, CURL_NETRC_IGNORED },
		{ CURLOPT_DISALLOW_USERNAME_IN_URL, !o->with_user },
		{ CURLOPT_PATH_AS_IS, !o->tidy },
		{ CURLOPT_FOLLOWLOCATION, o->redirects > 0 },
		{ CURLOPT_MAXREDIRS, o->redirects },
		{ CURLOPT_SUPPRESS_CONNECT_HEADERS, 1 },
		{ CURLOPT_HEADEROPT, CURLHEADER_SEPARATE }, /* no proxy sees the headers for the server */
		{ CURLOPT_HTTP_VERSION, o->http1 ? CURL_HTTP_VERSION_1_1 : CURL_HTTP_VERSION_2TLS },
		{ CURLOPT_FRESH_CONNECT, o->fresh },
		/* Only TLS can agree on HTTP/2; without it one would wait for the answer to another one, in vain. */
		{ CURLOPT_PIPEWAIT, tls && !o->fresh },
		{ CURLOPT_TIMEOUT_MS, o->time == KC_TIME_WHOLE ? timeout_ms : 0 },
		{ CURLOPT_CONNECTTIMEOUT_MS, o->connect_ms ? o->connect_ms : timeout_ms },
		{ CURLOPT_LOW_SPEED_LIMIT, moving },
		{ CURLOPT_LOW_SPEED_TIME, moving ? STALLED_SECONDS : 0 },
		{ CURLOPT_BUFFERSIZE, o->portion ? o->portion : PORTION },
		{ CURLOPT_TCP_KEEPALIVE, 1 },
		{ CURLOPT_TCP_KEEPIDLE, KEEPALIVE_IDLE },
		{ CURLOPT_TCP_KEEPINTVL, KEEPALIVE_INTERVAL },
	};

	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		if (curl_easy_setopt(e, all[i].option, (long)all[i].value))
			return false;
	return true;
}

/* Set a pointer option; NULL leaves the option unchanged. */
static bool set_pointer(CURL *e, CURLoption option, const void *value)
{
	return !value || !curl_easy_setopt(e, option, value);
}

static bool set_pointers(struct kc_transfer *t, const struct kc_transfer_options *o)
{
	const struct {
		CURLoption option;
		const void *value;
	} all[] = {
		{ CURLOPT_URL, o->url },
		{ CURLOPT_POSTFIELDS, o->body.p },
		{ CURLOPT_CUSTOMREQUEST, o->method },
		{ CURLOPT_HTTPHEADER, o->headers },
		{ CURLOPT_USERAGENT, KC_USER_AGENT },
		{ CURLOPT_ACCEPT_ENCODING, o->packed ? "gzip" : NULL },
		{ CURLOPT_UNIX_SOCKET_PATH, o->unix_socket },
		{ CURLOPT_CONNECT_TO, o->connect_to },
		{ CURLOPT_PROXY, o->proxy_of_environment ? NULL
				 : o->proxy              ? o->proxy
							 : "" },
		{ CURLOPT_NOPROXY, o->proxy_of_environment ? NULL : "" },
		{ CURLOPT_ERRORBUFFER, t->said },
		{ CURLOPT_PRIVATE, t->ctx },
		{ CURLOPT_HEADERDATA, t },
		{ CURLOPT_WRITEDATA, t },
		{ CURLOPT_SOCKOPTDATA, t },
	};

	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		if (!set_pointer(t->easy, all[i].option, all[i].value))
			return false;
	return !curl_easy_setopt(t->easy, CURLOPT_HEADERFUNCTION, on_head) &&
	       !curl_easy_setopt(t->easy, CURLOPT_WRITEFUNCTION, on_body) &&
	       !curl_easy_setopt(t->easy, CURLOPT_SOCKOPTFUNCTION, on_socket);
}

static bool set_pem(CURL *e, CURLoption option, const char *pem)
{
	struct curl_blob blob = { .data = (void *)(uintptr_t)pem,
				  .len = pem ? strlen(pem) : 0,
				  .flags = CURL_BLOB_COPY };

	return !pem || !curl_easy_setopt(e, option, &blob);
}

#define OF_SIDE(option) (proxy ? CURLOPT_PROXY_##option : CURLOPT_##option)

/* Set the authorities. The compiled-in file and folder of system authorities would be trusted beside the configured
 * ones. */
static bool set_authorities(CURL *e, const struct kc_trust *t, bool proxy)
{
	bool only = (t->ca || t->ca_file) && !t->system_too;
	char folder[KC_TLS_FOLDER_SIZE];

	/* kc_tls makes OpenSSL trust the authorities, of which libcurl knows nothing: libcurl must not reuse a
	 * connection that other authorities vouched for, nor its cache of a file, and distinguishes them by the
	 * folder. */
	if (t->ca)
		return kc_tls_folder(t->ca, folder) && !curl_easy_setopt(e, OF_SIDE(CAPATH), folder) &&
		       !curl_easy_setopt(e, OF_SIDE(CAINFO), NULL);
	return (!(only || t->ca_folder) || !curl_easy_setopt(e, OF_SIDE(CAPATH), t->ca_folder)) &&
	       set_pointer(e, OF_SIDE(CAINFO), t->ca_file);
}

/* Set TLS options for one side: Go has one configuration of TLS for the server and for a proxy that is reached over
 * TLS.   net/http, Transport */
static bool set_side(CURL *e, const struct kc_trust *t, bool proxy)
{
	return set_authorities(e, t, proxy) && set_pem(e, OF_SIDE(SSLCERT_BLOB), t->cert) &&
	       set_pointer(e, OF_SIDE(SSLCERT), t->cert_file) && set_pem(e, OF_SIDE(SSLKEY_BLOB), t->key) &&
	       set_pointer(e, OF_SIDE(SSLKEY), t->key_file) && !curl_easy_setopt(e, OF_SIDE(KEYPASSWD), "") &&
	       !curl_easy_setopt(e, OF_SIDE(SSLVERSION), (long)CURL_SSLVERSION_TLSv1_2) &&
	       !curl_easy_setopt(e, OF_SIDE(SSL_VERIFYPEER), t->insecure ? 0L : 1L) &&
	       !curl_easy_setopt(e, OF_SIDE(SSL_VERIFYHOST), t->insecure ? 0L : 2L);
}

static bool trust_authorities(struct kc_transfer *t, const char *ca)
{
	t->authorities = ca ? strdup(ca) : NULL;
	t->handshake = (struct kc_tls_use){ .seen = &t->loop->tls, .authorities = t->authorities };
	return (!ca || t->authorities) && kc_tls_attach(&t->handshake, t->easy);
}

int kc_transfer_begin(struct kc_transfer *t, const struct kc_transfer_options *o, struct kc_loop *loop, struct err *err)
{
	int r;

	*t = (struct kc_transfer){ .easy = curl_easy_init(), .ops = o->ops, .ctx = o->ctx, .loop = loop };
	t->proxy = o->proxy_shown ? o->proxy_shown : "";
	t->tls = strncmp(o->url, "https:", 6) == 0;
	t->head_left = o->head_bytes_max ? o->head_bytes_max : HEAD_BYTES_MAX;
	if (t->easy && set_numbers(t->easy, o, t->tls) && set_pointers(t, o) && set_side(t->easy, &o->trust, false) &&
	    set_side(t->easy, &o->trust, true) && (o->trust.insecure || trust_authorities(t, o->trust.ca)))
		r = kc_loop_add(loop, t->easy, err);
	else
		r = err_nomem(err);
	if (r < 0)
		kc_transfer_end(t);
	return r;
}

void kc_transfer_end(struct kc_transfer *t)
{
	curl_easy_cleanup(TAKE(t->easy));
	free(TAKE(t->authorities));
}

/* ---- what came of it ---- */

static long number_of(const struct kc_transfer *t, CURLINFO info)
{
	long n = 0;

	(void)curl_easy_getinfo(t->easy, info, &n); /* the number stays 0 when this fails */
	return n;
}

long kc_transfer_status(const struct kc_transfer *t)
{
	return number_of(t, CURLINFO_RESPONSE_CODE);
}

long kc_transfer_refusal(const struct kc_transfer *t)
{
	long status = number_of(t, CURLINFO_HTTP_CONNECTCODE);

	return status >= 300 ? status : 0;
}

static int errno_of(CURLcode code)
{
	switch (code) {
	case CURLE_OUT_OF_MEMORY:
		return ENOMEM;
	case CURLE_COULDNT_CONNECT:
	case CURLE_PROXY:
		return ECONNREFUSED;
	case CURLE_COULDNT_RESOLVE_HOST:
	case CURLE_COULDNT_RESOLVE_PROXY:
		return EHOSTUNREACH;
	case CURLE_OPERATION_TIMEDOUT:
		return ETIMEDOUT;
	case CURLE_PEER_FAILED_VERIFICATION:
	case CURLE_SSL_CONNECT_ERROR:
	case CURLE_SSL_CERTPROBLEM:
	case CURLE_SSL_CACERT_BADFILE:
	case CURLE_SSL_ISSUER_ERROR:
	case CURLE_SSL_CIPHER:
		return EKEYREJECTED;
	case CURLE_PARTIAL_FILE:
	case CURLE_GOT_NOTHING:
	case CURLE_SEND_ERROR:
	case CURLE_RECV_ERROR:
	case CURLE_HTTP2:
	case CURLE_HTTP2_STREAM:
#if LIBCURL_VERSION_NUM >= 0x075400
	case CURLE_UNRECOVERABLE_POLL: /* how poll reports a reset socket */
#endif
		return ECONNRESET;
	default:
		return EIO;
	}
}

int kc_transfer_why(const struct kc_transfer *t, CURLcode code, char ret[KC_WHY_MAX])
{
	/* libcurl does not put it into its message */
	long cause = code == CURLE_COULDNT_CONNECT ? number_of(t, CURLINFO_OS_ERRNO) : 0;
	long refusal = kc_transfer_refusal(t);
	const char *said = *t->said ? t->said : curl_easy_strerror(code), *certificate = "", *advice;
	const struct kc_loop *l = t->loop;
	char text[CURL_ERROR_SIZE];
	int n = errno_of(code);

	if (refusal) {
		(void)snprintf(ret, KC_WHY_MAX, "the proxy%s%s answers %ld%s", *t->proxy ? " " : "", t->proxy, refusal,
			       refusal == 407 || refusal == 401 ? " (it wants a user and a password, or others)" : "");
		return ECONNREFUSED;
	}
	if (t->long_head || code == KC_CURLE_TOO_LARGE)
		said = "the head of the answer is too long";
	else if (code == CURLE_OUT_OF_MEMORY) /* libcurl 7.88 gives this code for both */
		said = "no memory, or the head of the answer is too long";
	else if (l->cut.code && n == ECONNRESET)
		said = l->cut.msg;
	foreign_print(foreign_bytes(str_from(said)), text, sizeof(text));
	advice = kc_advice_scheme(t->tls, foreign_bytes(str_from(text)), foreign_bytes(STR("")));
	if (!*advice && n == EKEYREJECTED)
		certificate = *l->tls.problem ? l->tls.problem : l->tls.peer;
	(void)snprintf(ret, KC_WHY_MAX, "%s%s%s%s%s%s%s", text, cause ? ": " : "", cause ? strerror((int)cause) : "",
		       advice, *certificate ? " (" : "", certificate, *certificate ? ")" : "");
	return n;
}

/* ---- headers ---- */

bool kc_is_header_text(str s)
{
	for (size_t i = 0; i < s.n; i++) {
		if (((unsigned char)s.p[i] < 0x20 && s.p[i] != '\t') || s.p[i] == 0x7F)
			return false;
	}
	return true;
}

int kc_header_add(struct curl_slist **headers, str name, str value)
{
	CLEANUP(freep) char *line = NULL;
	struct curl_slist *longer;
	/* libcurl takes "NAME:" for the request to leave the header out; a semicolon sends it. */
	int n;

	if (!kc_is_header_text(name) || !kc_is_header_text(value))
		return -EINVAL;
	n = asprintf(&line, "%.*s%s%.*s", STR_ARG(name), value.n ? ": " : ";", STR_ARG(value));
	if (n < 0) {
		line = NULL;
		return -ENOMEM;
	}
	longer = curl_slist_append(*headers, line);
	explicit_bzero(line, (size_t)n); /* the header may be a credential */
	if (!longer)
		return -ENOMEM;
	*headers = longer;
	return 0;
}
