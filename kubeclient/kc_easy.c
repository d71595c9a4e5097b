/* One request as a transfer of libcurl: its options, its callbacks, and what a code of libcurl means to us. */
#include "kubeclient/kc_advice.h"
#include "kubeclient/kc_http_internal.h"
#include "mask/foreign.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <sys/socket.h>

/* Bytes at once: libcurl's memory for each request, which a watch has for minutes. */
#define READ_BYTES 32768L
#define READ_LIST_BYTES 131072L
/* Seconds; libcurl's HTTP/2 pings (curl_easy_upkeep) do not reach connections of a multi handle, so that a dead peer is
 * found by the kernel. */
#define KEEPALIVE_IDLE 30L
#define KEEPALIVE_INTERVAL 15L
#define USER_TIMEOUT_MS 45000
/* A response that is no watch must move. */
#define STALLED_SECONDS 60L
/* What an answer may unpack to: so much in any case, beyond it so many times what was sent. Lists of pods that are much
 * alike come to 40; a page that is refused is asked for again with fewer objects. */
#define UNPACKED_BYTES ((uint64_t)16 << 20)
#define UNPACKED_RATIO 100
/* What an answer that refuses may have. */
#define REFUSAL_BYTES ((uint64_t)1 << 20)

static void mark_dirty(struct kc_req *r)
{
	if (r->is_dirty)
		return;
	r->is_dirty = true;
	TAILQ_INSERT_TAIL(&r->http->dirty, r, dirty_link);
}

/* Once: trailers end with an empty line too. */
static void count_answer(struct kc_req *r)
{
	struct kc_counters *c = &r->http->counters;

	if (!r->sent_ns)
		return;
	c->answers[r->verb]++;
	c->answer_ns[r->verb] += uv_hrtime() - r->sent_ns;
	r->sent_ns = 0;
}

/* The empty line behind the headers. */
static size_t on_header(char *p, size_t size, size_t count, void *ctx)
{
	struct kc_req *r = ctx;
	size_t n = size * count;
	long status = 0, version = 0;

	if (n != 2 || p[0] != '\r')
		return n;
	(void)curl_easy_getinfo(r->easy, CURLINFO_RESPONSE_CODE, &status); /* these stay 0 when they fail */
	(void)curl_easy_getinfo(r->easy, CURLINFO_HTTP_VERSION, &version);
	r->http->one_each = version != 0 && version < CURL_HTTP_VERSION_2_0;
	if (status >= 200) /* not "100 Continue" */
		count_answer(r);
	if (status >= 200 && status < 300) {
		/* A quiet watch ends minutes later: the server is up from here on, if it has been heard of late. */
		r->http->up = r->answered = true;
		mark_dirty(r);
	}
	return n;
}

/* Whether @n more bytes are too many for those that were sent. */
static bool is_bomb(struct kc_req *r, size_t n)
{
	curl_off_t sent = 0;

	r->unpacked += n;
	if (r->unpacked <= UNPACKED_BYTES)
		return false;
	(void)curl_easy_getinfo(r->easy, CURLINFO_SIZE_DOWNLOAD_T, &sent); /* it stays 0 when it fails */
	return r->unpacked / UNPACKED_RATIO > (uint64_t)sent;
}

static bool is_packed(const struct kc_req *r)
{
	struct curl_header *encoding;

	return curl_easy_header(r->easy, "Content-Encoding", 0, CURLH_HEADER, -1, &encoding) == CURLHE_OK;
}

/* libcurl reads from a socket as long as it has something, and from all sockets of a client at once. */
static bool has_enough(const struct kc_http *h)
{
	return h->n_stored > KC_TURN_BYTES || kc_pace_over(h->loop.pace);
}

static size_t on_write(char *p, size_t size, size_t count, void *ctx)
{
	struct kc_req *r = ctx;
	size_t n = size * count;
	long status = 0;

	/* These bytes are taken: those that CURL_WRITEFUNC_PAUSE refuses libcurl copies, to tell them again. What is
	 * unpacked from few bytes it would go on unpacking, into memory of its own. */
	kc_loop_useful(&r->http->loop);
	r->http->n_stored += n;
	r->http->heard_ns = uv_hrtime();
	if (has_enough(r->http) && !is_packed(r) && curl_easy_pause(r->easy, CURLPAUSE_RECV) == CURLE_OK)
		r->is_held = r->http->held = true;
	if (is_bomb(r, n)) {
		(void)err_set(&r->write_error, E2BIG, "the compressed answer unpacks to more than %d times its size",
			      UNPACKED_RATIO);
		return 0;
	}
	(void)curl_easy_getinfo(r->easy, CURLINFO_RESPONSE_CODE, &status); /* it stays 0 when it fails */
	if (status < 200 || status >= 300) {
		size_t room = KC_ERROR_BODY_MAX - r->error_body.n;

		buf_add(&r->error_body, p, n < room ? n : room);
		return r->unpacked > REFUSAL_BYTES ? 0 : n; /* the refusal stands, whatever else it says */
	}
	if (r->ops->write(r->ctx, p, n, &r->write_error) < 0)
		return 0;
	mark_dirty(r);
	return n;
}

static int on_socket(void *ctx, curl_socket_t fd, curlsocktype purpose)
{
	struct kc_req *r = ctx;
	int ms = USER_TIMEOUT_MS;

	(void)purpose;
	r->took_socket = true;
	/* Best effort: keep-alive still finds a dead peer, later. */
	(void)setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &ms, sizeof(ms));
	return CURL_SOCKOPT_OK;
}

static bool set_transfer(struct kc_req *r)
{
	CURL *e = r->easy;

	return !curl_easy_setopt(e, CURLOPT_PRIVATE, r) && !curl_easy_setopt(e, CURLOPT_WRITEFUNCTION, on_write) &&
	       !curl_easy_setopt(e, CURLOPT_WRITEDATA, r) &&
	       !curl_easy_setopt(e, CURLOPT_BUFFERSIZE, r->lists ? READ_LIST_BYTES : READ_BYTES) &&
	       !curl_easy_setopt(e, CURLOPT_HEADERFUNCTION, on_header) && !curl_easy_setopt(e, CURLOPT_HEADERDATA, r) &&
	       !curl_easy_setopt(e, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L) &&
	       !curl_easy_setopt(e, CURLOPT_ERRORBUFFER, r->curl_error) &&
	       !curl_easy_setopt(e, r->body ? CURLOPT_POST : CURLOPT_HTTPGET, 1L) &&
	       (!r->body || !curl_easy_setopt(e, CURLOPT_POSTFIELDS, r->body)) &&
	       !curl_easy_setopt(e, CURLOPT_NOSIGNAL, 1L) &&
	       !curl_easy_setopt(e, CURLOPT_PROTOCOLS_STR, "http,https") &&
	       !curl_easy_setopt(e, CURLOPT_USERAGENT, r->http->user_agent) &&
	       !curl_easy_setopt(e, CURLOPT_CONNECTTIMEOUT_MS, (long)r->http->tuning->connect_ms) &&
	       !curl_easy_setopt(e, CURLOPT_QUICK_EXIT, 1L);
}

/* Only TLS can agree on HTTP/2; without it a request would wait for the answer to another one, in vain. */
static bool waits_for_connection(const struct kc_req *r)
{
	return r->http->server.tls && !r->fresh;
}

static bool set_connection(struct kc_req *r)
{
	CURL *e = r->easy;

	return !curl_easy_setopt(e, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2TLS) &&
	       !curl_easy_setopt(e, CURLOPT_PIPEWAIT, waits_for_connection(r) ? 1L : 0L) &&
	       !curl_easy_setopt(e, CURLOPT_FRESH_CONNECT, r->fresh ? 1L : 0L) &&
	       !curl_easy_setopt(e, CURLOPT_TCP_KEEPALIVE, 1L) &&
	       !curl_easy_setopt(e, CURLOPT_TCP_KEEPIDLE, KEEPALIVE_IDLE) &&
	       !curl_easy_setopt(e, CURLOPT_TCP_KEEPINTVL, KEEPALIVE_INTERVAL) &&
	       !curl_easy_setopt(e, CURLOPT_SOCKOPTFUNCTION, on_socket) &&
	       !curl_easy_setopt(e, CURLOPT_SOCKOPTDATA, r) &&
	       !curl_easy_setopt(e, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2) &&
	       (r->http->target->cluster->insecure || kc_tls_attach(&r->http->tls, e));
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

/* Whether there is a proxy was decided before: libcurl's own rules are put out of force. */
static bool set_route(struct kc_req *r)
{
	struct kc_http *h = r->http;
	struct curl_slist *connect = h->connect_to;

	if (curl_easy_setopt(r->easy, CURLOPT_PROXY, h->proxy.url) || curl_easy_setopt(r->easy, CURLOPT_NOPROXY, ""))
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
	    (r->body && !add_header(r, "Content-Type", "application/json")) ||
	    curl_easy_setopt(r->easy, CURLOPT_URL, url))
		return err_nomem(err);
	n = kc_auth_apply(&r->http->auth, r->easy, &r->headers, err);
	if (n < 0)
		return n;
	return curl_easy_setopt(r->easy, CURLOPT_HTTPHEADER, r->headers) ? err_nomem(err) : 0;
}

bool kc_easy_connecting(const struct kc_req *r)
{
	curl_off_t tls_done = 0;

	if (!r->took_socket || !r->easy)
		return false;
	(void)curl_easy_getinfo(r->easy, CURLINFO_APPCONNECT_TIME_T, &tls_done); /* it stays 0 when it fails */
	return tls_done == 0;
}

/* ---- what came of it ---- */

static int curl_errno(CURLcode code)
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
	case CURLE_UNRECOVERABLE_POLL: /* what a reset socket is to poll */
		return ECONNRESET;
	default:
		return EIO;
	}
}

/* "watch /api/v1/pods": the query is ours and only makes messages long. */
static void name_request(const struct kc_req *r, char what[128])
{
	(void)snprintf(what, 128, "%s %.*s", kc_verb_name(r->verb), (int)strcspn(r->path, "?"), r->path);
}

/* The answer of a proxy that makes no way to the server; 0: there is none. */
static long proxy_refusal(const struct kc_req *r)
{
	long status = 0;

	if (!r->http->proxy.shown)
		return 0;
	(void)curl_easy_getinfo(r->easy, CURLINFO_HTTP_CONNECTCODE, &status); /* it stays 0 when it fails */
	return status >= 300 ? status : 0;
}

static void transport_failure(struct kc_req *r, CURLcode code, struct kc_result *result)
{
	const struct kc_http *h = r->http;
	long refusal = proxy_refusal(r);
	char what[128];
	struct foreign why = foreign_bytes(str_from(*r->curl_error ? r->curl_error : curl_easy_strerror(code)));
	const char *advice = kc_advice_scheme(h->server.tls, why, foreign_bytes(STR("")));
	char text[CURL_ERROR_SIZE];
	int n = curl_errno(code);
	long cause = 0; /* that the system gave; curl says only that it failed */

	if (code == CURLE_COULDNT_CONNECT)
		(void)curl_easy_getinfo(r->easy, CURLINFO_OS_ERRNO, &cause);
	name_request(r, what);
	foreign_print(why, text, sizeof(text)); /* it may repeat what the server sent, as names of a certificate */
	if (r->write_error.code) {
		result->err = r->write_error;
		(void)err_wrap(&result->err, "%s", what);
	} else if (refusal) {
		(void)err_set(&result->err, ECONNREFUSED, "%s: the proxy %s answers %ld%s", what, h->proxy.shown,
			      refusal,
			      refusal == 407 || refusal == 401 ? " (it wants a user and a password, or others)" : "");
		return;
	} else if (h->loop.cut.code && n == ECONNRESET) {
		(void)err_set(&result->err, n, "%s: %s", what, h->loop.cut.msg);
	} else if (*advice) {
		(void)err_set(&result->err, n, "%s: %s%s", what, text, advice);
	} else if (n == EKEYREJECTED && *h->tls.problem) {
		(void)err_set(&result->err, n, "%s: %s (%s)", what, text, h->tls.problem);
	} else if (n == EKEYREJECTED && *h->tls.peer) {
		(void)err_set(&result->err, n, "%s: %s (%s)", what, text, h->tls.peer);
	} else {
		(void)err_set(&result->err, n, "%s: %s%s%s", what, text, cause ? ": " : "",
			      cause ? strerror((int)cause) : "");
	}
	if (h->proxy.shown)
		(void)err_wrap(&result->err, "through the proxy %.100s", h->proxy.shown);
}

static void refused(struct kc_req *r, const char *what, struct kc_result *result)
{
	CLEANUP(buf_done) struct buf advice = BUF_INIT(1024);
	struct foreign body = foreign_bytes(buf_str(&r->error_body));

	if (result->status == 403)
		kc_advice_grant(kc_verb_name(r->verb), r->path, &advice);
	else if (result->status == 400)
		buf_add_cstr(&advice, kc_advice_scheme(r->http->server.tls, foreign_bytes(STR("")), body));
	kc_result_status(result, what, advice.n ? advice.p : "", body);
}

void kc_easy_result(struct kc_req *r, CURLcode code, struct kc_result *result)
{
	const char *type = NULL, *redirect = NULL;
	curl_off_t wait = 0;
	char what[128];
	long status = 0;

	*result = (struct kc_result){ 0 };
	(void)curl_easy_getinfo(r->easy, CURLINFO_RESPONSE_CODE, &status); /* it stays 0 when it fails */
	result->status = (int)status;
	if (curl_easy_getinfo(r->easy, CURLINFO_RETRY_AFTER, &wait) == CURLE_OK && wait > 0)
		result->retry_after_ms = (uint64_t)(wait < 3600 ? wait : 3600) * 1000;
	(void)curl_easy_getinfo(r->easy, CURLINFO_CONTENT_TYPE, &type); /* they stay NULL when it fails */
	(void)curl_easy_getinfo(r->easy, CURLINFO_REDIRECT_URL, &redirect);
	kc_result_headers(result, type, redirect);
	name_request(r, what);
	if (status >= 300 || (status != 0 && status < 200))
		refused(r, what, result);
	else if (code != CURLE_OK)
		transport_failure(r, code, result);
}
