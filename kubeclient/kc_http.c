/* The queue of requests: when each of them is sent, and whose callback gets the result. */
#include "kubeclient/kc_http.h"

#include "base/assert.h"
#include "kubeclient/kc_evidence.h"
#include "kubeclient/kc_http_internal.h"

#include <errno.h>
#include <stdio.h>

/* How long other requests wait for a connection that is being made: a server that does not answer must not stop
 * them. */
#define CONNECT_LEAD_MS 1000
/* The wait after a 429 without Retry-After. */
#define BUSY_MS 1000

static void pump(struct kc_http *h);

static void on_pump_timer(uv_timer_t *t)
{
	pump(t->data);
}

static void pump_in(struct kc_http *h, uint64_t ms)
{
	if (h->closing)
		return;
	uv_update_time(h->loop.uv);
	(void)uv_timer_start(&h->pump_timer, on_pump_timer, ms, 0);
}

/* Whether a connection that requests can share is being made. Only one is made at a time, because the requests that
 * wait for it may fit on it. */
static bool is_connecting(const struct kc_http *h)
{
	const struct kc_req *r;

	if (!h->server.tls || h->one_each)
		return false;
	for (r = TAILQ_FIRST(&h->active); r; r = TAILQ_NEXT(r, link)) {
		if (kc_easy_connecting(r))
			return true;
	}
	return false;
}

/* Try to send on the next turn, since something has ended that other requests may have waited for. */
static void pump_on(struct kc_http *h)
{
	bool led = h->lead_until_ms && !is_connecting(h);

	if (led)
		h->lead_until_ms = 0;
	if (!TAILQ_EMPTY(&h->waiting) && (led || !uv_is_active((uv_handle_t *)&h->pump_timer)))
		pump_in(h, 0);
}

static void drop_easy(struct kc_req *r)
{
	kc_transfer_end(&r->transfer);
	curl_slist_free_all(r->headers);
	r->headers = NULL;
	buf_clear(&r->error_body);
	r->write_error.code = 0;
	r->unpacked = 0;
}

static void unlink_req(struct kc_req *r)
{
	struct kc_http *h = r->http;

	if (r->is_dirty)
		TAILQ_REMOVE(&h->dirty, r, dirty_link);
	r->is_dirty = false;
	if (r->is_active)
		TAILQ_REMOVE(&h->active, r, link);
	else
		TAILQ_REMOVE(&h->waiting, r, link);
}

static void req_free(struct kc_req *r)
{
	drop_easy(r);
	buf_done(&r->error_body);
	free(r->path);
	free(r->body);
	free(r);
}

void kc_req_cancel(struct kc_req *r)
{
	struct kc_http *h = r ? r->http : NULL;

	if (!r)
		return;
	ASSERT(!r->is_over);
	if (r->is_active && r->transfer.easy)
		kc_loop_remove(&h->loop, r->transfer.easy);
	unlink_req(r);
	req_free(r);
	pump_on(h);
}

static void count_failure(struct kc_http *h, enum kc_verb verb, const struct kc_result *result)
{
	struct kc_counters *c = &h->counters;
	char code[12];
	size_t i;

	kc_result_code(result, code);
	for (i = 0; i < c->n_failures; i++)
		if (c->failures[i].verb == verb && strcmp(c->failures[i].code, code) == 0)
			break;
	if (i == KC_FAILURE_CODES)
		i = KC_FAILURE_CODES - 1;
	if (i == c->n_failures) {
		c->n_failures++;
		c->failures[i].verb = verb;
		(void)snprintf(c->failures[i].code, sizeof(c->failures[i].code), "%s",
			       i == KC_FAILURE_CODES - 1 ? "overflow" : code);
	}
	c->failures[i].n++;
}

/* Finish a request, which is in no list any more. The owner's callback comes last. */
static void finish(struct kc_req *r, const struct kc_result *result)
{
	if (result->err.code)
		count_failure(r->http, r->verb, result);
	r->is_over = true;
	r->ops->done(r->ctx, result);
	req_free(r);
}

/* Whether some request has an answer that goes on: then the server is there, whatever happens to another connection. */
static bool is_answered(const struct kc_http *h)
{
	const struct kc_req *r;

	for (r = TAILQ_FIRST(&h->active); r; r = TAILQ_NEXT(r, link)) {
		if (r->answered)
			return true;
	}
	return false;
}

/* Put the request back into the queue, as if it had never been sent. */
static void send_again(struct kc_req *r)
{
	struct kc_http *h = r->http;

	r->is_active = r->answered = r->is_paused = false;
	drop_easy(r);
	TAILQ_INSERT_HEAD(&h->waiting, r, link);
	pump_in(h, 0);
}

/* After how many milliseconds to repeat the request: as for client-go, it is no answer yet that a server is too busy
 * and names a time. 0: the result is the answer. */
static uint64_t repeat_after_ms(const struct kc_req *r, const struct kc_result *result)
{
	if (r->n_repeated >= r->http->tuning->retries || (result->status != 429 && result->status < 500))
		return 0;
	return result->status == 429 && !result->retry_after_ms ? BUSY_MS : result->retry_after_ms;
}

static void on_done(void *ctx, CURL *easy, CURLcode code)
{
	struct kc_http *h = ctx;
	struct kc_result result;
	char *private = NULL;
	uint64_t again_ms;
	struct kc_req *r;

	(void)curl_easy_getinfo(easy, CURLINFO_PRIVATE, &private);
	r = (struct kc_req *)(void *)private;
	ASSERT(r && r->transfer.easy == easy);
	kc_easy_result(r, code, &result);
	unlink_req(r);
	h->up = result.status != 0 || is_answered(h);
	if (result.status)
		h->heard_ns = uv_hrtime();
	/* the request has burdened no server */
	if (result.err.code == ECONNREFUSED || result.err.code == EHOSTUNREACH)
		kc_bucket_refund(&h->bucket);
	if (result.status == 401 && !r->retried && kc_auth_refused(&h->auth, r->generation, uv_now(h->loop.uv))) {
		count_failure(h, r->verb, &result);
		r->retried = true;
		send_again(r);
		return;
	}
	again_ms = repeat_after_ms(r, &result);
	if (again_ms) {
		count_failure(h, r->verb, &result);
		r->n_repeated++;
		r->not_before_ms = uv_now(h->loop.uv) + again_ms;
		send_again(r);
		return;
	}
	pump_on(h);
	finish(r, &result);
}

bool kc_http_up(const struct kc_http *h)
{
	return h->up && h->heard_ns && uv_hrtime() - h->heard_ns < kc_evidence_stale_ms(h->tuning) * 1000000;
}

void kc_http_distrust(struct kc_http *h)
{
	uint64_t idle_ns = h->tuning->idle_ms * 1000000, now = uv_hrtime();

	if (h->heard_ns)
		h->heard_ns = now > idle_ns ? now - idle_ns : 1;
}

static void on_turn(void *ctx)
{
	struct kc_http *h = ctx;
	struct kc_req *r;

	h->n_stored = 0;
	pump_on(h);
	while (!h->closing && (r = TAILQ_FIRST(&h->dirty))) {
		TAILQ_REMOVE(&h->dirty, r, dirty_link);
		r->is_dirty = false;
		if (r->ops->ready)
			r->ops->ready(r->ctx); /* the callback may cancel the request */
	}
	if (h->has_paused && !h->closing)
		kc_loop_later(&h->loop, &h->go_on);
	h->has_paused = false;
}

static struct kc_req *next_paused(const struct kc_http *h)
{
	struct kc_req *r;

	TAILQ_FOREACH(r, &h->active, link)
	{
		if (r->is_paused)
			return r;
	}
	return NULL;
}

static void go_on(void *ctx)
{
	struct kc_http *h = ctx;
	struct kc_req *r = next_paused(h);

	if (r) {
		r->is_paused = false;
		/* a callback may end any of the requests, and close the client */
		kc_loop_go_on(&h->loop, r->transfer.easy);
	}
	if (!h->closing && next_paused(h))
		kc_loop_later(&h->loop, &h->go_on);
}

static void send_req(struct kc_http *h, struct kc_req *r)
{
	struct kc_result result = { 0 };

	TAILQ_REMOVE(&h->waiting, r, link);
	r->is_active = true;
	TAILQ_INSERT_TAIL(&h->active, r, link);
	h->counters.requests[r->verb]++;
	r->sent_ns = uv_hrtime();
	r->generation = h->auth.generation;
	if (kc_easy_begin(r, &result.err) == 0)
		return;
	unlink_req(r);
	finish(r, &result);
}

/* For how many milliseconds requests still wait for the connection that is being made. */
static uint64_t lead_left(struct kc_http *h, uint64_t now)
{
	if (!is_connecting(h))
		h->lead_until_ms = 0;
	else if (!h->lead_until_ms)
		h->lead_until_ms = now + CONNECT_LEAD_MS;
	return now < h->lead_until_ms ? h->lead_until_ms - now : 0;
}

/* The first request that is not delayed; NULL: *wait is the time until one is due. */
static struct kc_req *next_due(const struct kc_http *h, uint64_t now, uint64_t *wait)
{
	struct kc_req *r;

	*wait = UINT64_MAX;
	TAILQ_FOREACH(r, &h->waiting, link)
	{
		if (r->not_before_ms <= now)
			return r;
		if (r->not_before_ms - now < *wait)
			*wait = r->not_before_ms - now;
	}
	return NULL;
}

/* Send all requests that may be sent now. Call this from the loop only, since a request may end here. */
static void pump(struct kc_http *h)
{
	while (!h->closing && !TAILQ_EMPTY(&h->waiting)) {
		uint64_t now = uv_now(h->loop.uv), wait;
		struct kc_req *next = next_due(h, now, &wait);

		if (!kc_auth_ready(&h->auth, now))
			return; /* auth_changed calls again */
		if (!next) {
			pump_in(h, wait);
			return;
		}
		wait = lead_left(h, now);
		if (wait == 0)
			wait = next->goes_on ? 0 : kc_bucket_take(&h->bucket, next->behind, now);
		if (wait > 0) {
			pump_in(h, wait);
			return;
		}
		send_req(h, next);
		if (h->server.tls && !h->one_each) { /* libcurl says in its next turn whether this takes a connection */
			pump_in(h, 1);
			return;
		}
	}
}

static void auth_changed(void *ctx)
{
	struct kc_http *h = ctx;

	pump_in(h, 0);
	if (h->renewed && !h->closing)
		h->renewed(h->ctx);
}

static void auth_notice(void *ctx, enum kc_notice_kind kind, const char *message)
{
	struct kc_http *h = ctx;

	if (h->notice)
		h->notice(h->ctx, kind, message);
}

/* The rank of a request: a lower one goes first, whichever was added first. */
static int rank(const struct kc_req *r)
{
	if (r->goes_on)
		return 0;
	if (r->proves)
		return 1;
	return r->behind ? 3 : 2;
}

/* Queue a request in order of arrival, but requests that may wait come after those that may not. */
static void queue(struct kc_http *h, struct kc_req *r)
{
	struct kc_req *at;

	for (at = TAILQ_FIRST(&h->waiting); at && rank(at) <= rank(r); at = TAILQ_NEXT(at, link))
		;
	if (at)
		TAILQ_INSERT_BEFORE(at, r, link);
	else
		TAILQ_INSERT_TAIL(&h->waiting, r, link);
}

int kc_http_ask(struct kc_http *h, const struct kc_ask *get, const struct kc_req_ops *ops, void *ctx,
		struct kc_req **ret, struct err *err)
{
	struct kc_req *r;

	ASSERT(!h->closing && *get->path == '/');
	r = calloc(1, sizeof(*r));
	if (!r)
		return err_nomem(err);
	r->path = strdup(get->path);
	r->body = get->body ? strdup(get->body) : NULL;
	if (!r->path || (get->body && !r->body)) {
		free(r->path);
		free(r);
		return err_nomem(err);
	}
	r->http = h;
	r->verb = get->verb;
	r->accept = get->accept;
	r->fresh = get->fresh;
	r->behind = get->behind;
	r->proves = get->proves;
	r->goes_on = get->goes_on;
	r->lists = get->lists;
	r->ops = ops;
	r->ctx = ctx;
	r->error_body = BUF_INIT(KC_ERROR_BODY_MAX);
	queue(h, r);
	/* A request that may wait, can wait for long. */
	if (!r->behind || !uv_is_active((uv_handle_t *)&h->pump_timer))
		pump_in(h, 0);
	*ret = r;
	return 0;
}

static void free_parts(struct kc_http *h)
{
	kc_auth_done(&h->auth);
	kc_server_done(&h->server);
	curl_slist_free_all(h->connect_to);
	kc_proxy_done(&h->proxy);
}

static int init_parts(struct kc_http *h, uv_loop_t *uv, struct err *err)
{
	const struct kube_cluster *c = h->target->cluster;
	struct kc_proxy_env env;

	kc_proxy_env_read(&env);
	if (kc_server_init(&h->server, c->server, c->tls_server_name, err) < 0 ||
	    kc_proxy_init(&h->proxy, h->server.shown, c->proxy_url, &env, err) < 0)
		return err_wrap(err, "%s: cluster '%s'", c->where, c->name);
	if (h->server.connect_to && !(h->connect_to = curl_slist_append(NULL, h->server.connect_to)))
		return err_nomem(err);
	h->auth.plain = !h->server.tls;
	return kc_auth_init(&h->auth, uv, h->target, h->tuning, err);
}

int kc_http_init(struct kc_http *h, uv_loop_t *uv, struct kc_pace *pace, const struct kube_target *target,
		 const struct kc_tuning *tuning, struct err *err)
{
	int r;

	*h = (struct kc_http){ .target = target, .tuning = tuning };
	TAILQ_INIT(&h->waiting);
	TAILQ_INIT(&h->active);
	TAILQ_INIT(&h->dirty);
	h->go_on = (struct kc_job){ .run = go_on, .ctx = h };
	h->auth.notice = auth_notice;
	h->auth.changed = auth_changed;
	h->auth.ctx = h;
	r = init_parts(h, uv, err);
	if (r == 0)
		r = kc_loop_init(&h->loop, uv, pace, on_turn, on_done, h, err);
	if (r < 0) {
		free_parts(h);
		return r;
	}
	kc_auth_start(&h->auth);
	(void)uv_timer_init(uv, &h->pump_timer);
	h->pump_timer.data = h;
	kc_bucket_init(&h->bucket, tuning->requests_per_second, tuning->burst, uv_now(uv));
	return 0;
}

static void release(struct kc_http *h)
{
	ASSERT(h->n_open > 0);
	if (--h->n_open > 0)
		return;
	free_parts(h);
	h->closed(h->ctx);
}

static void on_part_closed(void *ctx)
{
	release(ctx);
}

static void on_pump_closed(uv_handle_t *t)
{
	release(t->data);
}

void kc_http_close(struct kc_http *h, void (*closed)(void *ctx))
{
	ASSERT(!h->closing);
	h->closing = true;
	h->closed = closed;
	h->n_open = 3; /* pump timer, curl loop, credentials */
	/* NOLINTBEGIN(clang-analyzer-unix.Malloc): cancelling takes the request out of its list */
	while (!TAILQ_EMPTY(&h->waiting))
		kc_req_cancel(TAILQ_FIRST(&h->waiting));
	while (!TAILQ_EMPTY(&h->active))
		kc_req_cancel(TAILQ_FIRST(&h->active));
	/* NOLINTEND(clang-analyzer-unix.Malloc) */
	kc_loop_never(&h->loop, &h->go_on);
	uv_close((uv_handle_t *)&h->pump_timer, on_pump_closed);
	kc_loop_close(&h->loop, on_part_closed);
	kc_auth_close(&h->auth, on_part_closed);
}
