/* One request as a transfer of libcurl: its options, its callbacks, and how libcurl's codes become errors. */
#include "kubeclient/kc_advice.h"
#include "kubeclient/kc_http_internal.h"
#include "mask/foreign.h"

#include <errno.h>
#include <stdio.h>

/* Lists are read in larger pieces. */
#define LIST_PORTION ((size_t)128 << 10)
/* What an answer may unpack to: UNPACKED_BYTES in any case, beyond that a multiple of the bytes sent. Lists of pods
 * that are much alike come to a factor of 40; a refused page is asked for again with fewer objects. */
#define UNPACKED_BYTES ((uint64_t)16 << 20)
#define UNPACKED_RATIO 100
/* The largest answer that refuses a request. */
#define REFUSAL_BYTES ((uint64_t)1 << 20)

static void mark_dirty(struct kc_req *r)
{
	if (r->is_dirty)
		return;
	r->is_dirty = true;
	TAILQ_INSERT_TAIL(&r->http->dirty, r, dirty_link);
}

/* Count the answer once: trailers end with an empty line too. */
static void count_answer(struct kc_req *r)
{
	struct kc_counters *c = &r->http->counters;

	if (!r->sent_ns)
		return;
	c->answers[r->verb]++;
	c->answer_ns[r->verb] += uv_hrtime() - r->sent_ns;
	r->sent_ns = 0;
}

/* Note whether the answer is compressed. With several answers each has its own status line. */
static void note_packing(struct kc_req *r, str line)
{
	static const str header = { "content-encoding:", 17 };

	if (str_has_prefix(line, STR("HTTP/")))
		r->packed = false;
	r->packed |= str_eq_nocase(str_sub(line, 0, header.n), header);
}

static void on_head(void *ctx, str line, long status)
{
	struct kc_req *r = ctx;
	long version = 0;

	note_packing(r, line);
	if (!status)
		return;
	/* the version stays 0 when this fails */
	(void)curl_easy_getinfo(r->transfer.easy, CURLINFO_HTTP_VERSION, &version);
	r->http->one_each = version != 0 && version < CURL_HTTP_VERSION_2_0;
	if (status >= 200) /* not "100 Continue" */
		count_answer(r);
	if (status >= 200 && status < 300) {
		/* A quiet watch ends minutes later: the server is up from here on, if it has been heard of late. */
		r->http->up = r->answered = true;
		mark_dirty(r);
	}
}

/* Whether @n more bytes are too many for the bytes that were sent. */
static bool is_bomb(struct kc_req *r, size_t n)
{
	curl_off_t sent = 0;

	r->unpacked += n;
	if (r->unpacked <= UNPACKED_BYTES)
		return false;
	/* the size stays 0 when this fails */
	(void)curl_easy_getinfo(r->transfer.easy, CURLINFO_SIZE_DOWNLOAD_T, &sent);
	return r->unpacked / UNPACKED_RATIO > (uint64_t)sent;
}

/* Whether the transfer has read enough for this turn: libcurl reads from a socket as long as it has something, and
 * from all sockets of a client at once. */
static bool has_enough(const struct kc_http *h)
{
	return h->n_stored > KC_TURN_BYTES || kc_pace_over(h->loop.pace);
}

static bool on_body(void *ctx, char *p, size_t n)
{
	struct kc_req *r = ctx;
	long status = kc_transfer_status(&r->transfer);

	/* This function takes the bytes and pauses the transfer instead of returning CURL_WRITEFUNC_PAUSE: libcurl
	 * copies what is refused that way, to deliver it again. A compressed answer is not paused, because libcurl
	 * would go on unpacking it into memory of its own. */
	kc_loop_useful(&r->http->loop);
	r->http->n_stored += n;
	r->http->heard_ns = uv_hrtime();
	if (has_enough(r->http) && !r->packed && curl_easy_pause(r->transfer.easy, CURLPAUSE_RECV) == CURLE_OK)
		r->is_paused = r->http->has_paused = true;
	if (is_bomb(r, n)) {
		(void)err_set(&r->write_error, E2BIG, "the compressed answer unpacks to more than %d times its size",
			      UNPACKED_RATIO);
		return false;
	}
	if (status < 200 || status >= 300) {
		size_t room = KC_ERROR_BODY_MAX - r->error_body.n;

		buf_add(&r->error_body, p, n < room ? n : room);
		return r->unpacked <= REFUSAL_BYTES; /* the refusal stands, whatever else the answer contains */
	}
	if (r->ops->write(r->ctx, p, n, &r->write_error) < 0)
		return false;
	mark_dirty(r);
	return true;
}

static int add_headers(struct kc_req *r)
{
	const char *accept = r->accept ? r->accept : "application/json", *host = r->http->server.host;
	int n = kc_header_add(&r->headers, STR("Accept"), str_from(accept));

	if (n == 0 && host)
		n = kc_header_add(&r->headers, STR("Host"), str_from(host));
	if (n == 0 && r->body)
		n = kc_header_add(&r->headers, STR("Content-Type"), STR("application/json"));
	return n;
}

/* Fill in the options. kc_proxy.h has decided the route, and the readers of the answer limit it. */
static void fill_options(struct kc_req *r, const char *url, struct kc_transfer_options *ret)
{
	static const struct kc_transfer_ops ops = { on_head, on_body };
	const struct kc_http *h = r->http;

	*ret = (struct kc_transfer_options){
		.url = url,
		.body = str_from(r->body),
		/* A watch is never compressed: the server would hold back events to fill a block. */
		.packed = r->verb != KC_WATCH && !h->target->cluster->disable_compression,
		.plain = !h->server.tls, /* the kubeconfig decides; no credential is sent without TLS */
		.proxy_shown = h->proxy.shown,
		.proxy = h->proxy.url, /* the kubeconfig or the environment decides */
		.connect_to = h->connect_to,
		.trust = { .insecure = h->target->cluster->insecure },
		.fresh = r->fresh,
		/* A list may take as long as it moves; a watch is quiet as long as nothing changes. */
		.time = r->verb == KC_WATCH ? KC_TIME_OPEN : KC_TIME_MOVING,
		.connect_ms = h->tuning->connect_ms,
		.portion = r->lists ? LIST_PORTION : 0,
		.ops = &ops,
		.ctx = r,
	};
}

int kc_easy_begin(struct kc_req *r, struct err *err)
{
	CLEANUP(freep) char *url = NULL;
	struct kc_transfer_options o;
	int n = asprintf(&url, "%s%s", r->http->server.base, r->path);

	if (n < 0)
		url = NULL;
	if (!url || add_headers(r) < 0)
		return err_nomem(err);
	fill_options(r, url, &o);
	n = kc_auth_apply(&r->http->auth, &o.trust, &r->headers, err);
	if (n < 0)
		return n;
	o.headers = r->headers;
	return kc_transfer_begin(&r->transfer, &o, &r->http->loop, err);
}

bool kc_easy_connecting(const struct kc_req *r)
{
	curl_off_t tls_done = 0;

	if (!r->transfer.connects || !r->transfer.easy)
		return false;
	/* the time stays 0 when this fails */
	(void)curl_easy_getinfo(r->transfer.easy, CURLINFO_APPCONNECT_TIME_T, &tls_done);
	return tls_done == 0;
}

/* ---- what came of it ---- */

/* Name the request, such as "watch /api/v1/pods". The query is driftd's own and would only make messages long. */
static void name_request(const struct kc_req *r, char what[128])
{
	(void)snprintf(what, 128, "%s %.*s", kc_verb_name(r->verb), (int)strcspn(r->path, "?"), r->path);
}

static void transport_failure(struct kc_req *r, CURLcode code, struct kc_result *result)
{
	const struct kc_http *h = r->http;
	char what[128], why[KC_WHY_MAX];
	int n = kc_transfer_why(&r->transfer, code, why);

	(void)err_set(&result->err, n, "%s", why);
	if (r->write_error.code)
		result->err = r->write_error;
	name_request(r, what);
	(void)err_wrap(&result->err, "%s", what);
	if (h->proxy.shown && !kc_transfer_refusal(&r->transfer)) /* kc_transfer_refusal names the proxy by itself */
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
	long status = kc_transfer_status(&r->transfer);
	char what[128];

	*result = (struct kc_result){ 0 };
	result->status = (int)status;
	if (curl_easy_getinfo(r->transfer.easy, CURLINFO_RETRY_AFTER, &wait) == CURLE_OK && wait > 0)
		result->retry_after_ms = (uint64_t)(wait < 3600 ? wait : 3600) * 1000;
	/* the texts stay NULL when this fails */
	(void)curl_easy_getinfo(r->transfer.easy, CURLINFO_CONTENT_TYPE, &type);
	(void)curl_easy_getinfo(r->transfer.easy, CURLINFO_REDIRECT_URL, &redirect);
	kc_result_headers(result, type, redirect);
	name_request(r, what);
	if (status >= 300 || (status != 0 && status < 200))
		refused(r, what, result);
	else if (code != CURLE_OK)
		transport_failure(r, code, result);
	else if (!status) /* libcurl takes a status line such as "HTTP/1.1 20" for one without a status */
		(void)err_set(&result->err, EPROTO, "%s: the answer has no status", what);
}
