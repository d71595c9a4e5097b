/* Ties a client together: discovery on its timer, the watches that it informs, and the close. */
#include "kubeclient/kc_client_internal.h"

#include "base/assert.h"
#include "kubeclient/kc_wait.h"

#include <errno.h>

/* Several requests for discovery, as when an operator installs ten CRDs, become one round. */
#define REDISCOVER_MS 1000

static void notice(struct kc_client *c, enum kc_notice_kind kind, const char *resource, const char *message)
{
	if (!c->notice || c->closing)
		return;
	c->noticing = true;
	c->notice(c->notice_ctx, &(struct kc_notice){ kind, resource, message });
	c->noticing = false;
}

static void part_notice(void *ctx, enum kc_notice_kind kind, const char *message)
{
	notice(ctx, kind, NULL, message);
}

static void watch_notice(void *ctx, enum kc_notice_kind kind, const char *resource, const char *message)
{
	notice(ctx, kind, resource, message);
}

/* Count a closed handle; after the last one the client is freed. */
static void release(void *ctx)
{
	struct kc_client *c = ctx;
	void (*closed)(void *ctx) = c->closed;
	void *closed_ctx = c->closed_ctx;

	ASSERT(c->n_open > 0);
	if (--c->n_open > 0 || !c->closing)
		return;
	kubeconfig_unref(c->target.config);
	free(c);
	if (closed)
		closed(closed_ctx);
}

/* ---- discovery ---- */

static void on_timer(uv_timer_t *t);

static void discover_in(struct kc_client *c, uint64_t ms)
{
	if (!c->closing)
		(void)uv_timer_start(&c->timer, on_timer, ms, 0);
}

static void schedule(struct kc_client *c)
{
	uint64_t wait = c->tuning.discovery_max_age_ms;
	const struct kc_watch *w;

	/* Without watches only discovery shows whether the server answers. */
	if (TAILQ_EMPTY(&c->watches.list) && wait > c->tuning.idle_ms)
		wait = c->tuning.idle_ms;
	for (w = TAILQ_FIRST(&c->watches.list); w; w = TAILQ_NEXT(w, link)) {
		uint64_t own = kc_watch_rediscover_ms(w);

		wait = own < wait ? own : wait;
	}
	discover_in(c, wait);
}

/* Call @each for each watch. A handler may remove watches, so the list is walked from the front: a watch that had
 * its turn moves to the back. */
static void each_watch(struct kc_client *c, void (*each)(struct kc_watch *w, const void *arg), const void *arg)
{
	size_t n = 0;
	struct kc_watch *w;

	for (w = TAILQ_FIRST(&c->watches.list); w; w = TAILQ_NEXT(w, link))
		n++;
	while (n-- > 0 && !c->closing && (w = TAILQ_FIRST(&c->watches.list))) {
		TAILQ_REMOVE(&c->watches.list, w, link);
		TAILQ_INSERT_TAIL(&c->watches.list, w, link);
		each(w, arg);
	}
}

static void report_discovery(struct kc_watch *w, const void *err)
{
	if (err)
		kc_watch_undiscovered(w, err);
	else
		kc_watch_discovered(w);
}

/* Whether to ask for a group. Older servers need a request per group: only watched groups are asked for, or 30
 * requests would come before the first list; unless the owner wants to know all groups. */
static bool is_wanted(void *ctx, str api_version)
{
	struct kc_client *c = ctx;
	const struct kc_watch *w;

	for (w = TAILQ_FIRST(&c->watches.list); w; w = TAILQ_NEXT(w, link))
		if (str_eq(str_from(w->what.api_version), api_version))
			return true;
	return c->discovered || TAILQ_EMPTY(&c->watches.list);
}

static void on_discovered(void *ctx, const struct err *err)
{
	struct kc_client *c = ctx;
	uint64_t wait, now = uv_now(c->loop);

	c->discovered_ms = now;
	c->discovery_error.code = 0;
	if (err) {
		c->discovery_error = *err;
		notice(c, KC_NOTICE_DISCOVERY, NULL, err->msg);
		wait = kc_backoff_next(&c->discovery_backoff, now, kc_random());
		if (c->discovery.retry_after_ms)
			wait = kc_backoff_asked(c->discovery.retry_after_ms, kc_random());
		discover_in(c, wait);
	} else {
		kc_backoff_clear(&c->discovery_backoff);
	}
	each_watch(c, report_discovery, err);
	if (err || c->closing)
		return;
	if (c->discovered)
		c->discovered(c->discovered_ctx);
	if (c->discovery_due)
		discover_in(c, REDISCOVER_MS);
	else
		schedule(c);
	c->discovery_due = false;
}

static void on_timer(uv_timer_t *t)
{
	struct kc_client *c = t->data;
	struct err err;

	if (c->target.cluster->insecure && !c->insecure_reported) {
		c->insecure_reported = true;
		notice(c, KC_NOTICE_INSECURE, NULL,
		       "insecure-skip-tls-verify is set: the identity of the API server is not verified");
	}
	if (kc_discovery_start(&c->discovery, &err) < 0)
		on_discovered(c, &err);
}

static void rediscover(void *ctx, uint64_t ms)
{
	struct kc_client *c = ctx;

	if (c->discovery.next)
		c->discovery_due = true;
	else if (c->discovery_error.code == 0 &&
		 (!uv_is_active((uv_handle_t *)&c->timer) || uv_timer_get_due_in(&c->timer) > ms))
		discover_in(c, ms);
}

void kc_client_rediscover(struct kc_client *c)
{
	rediscover(c, REDISCOVER_MS);
}

/* ---- life ---- */

static void copy_options(struct kc_client *c, const struct kc_options *o)
{
	c->target = *o->target;
	c->tuning = o->tuning ? *o->tuning : KC_TUNING_DEFAULT;
	if (c->tuning.watch_max_s < c->tuning.watch_min_s)
		c->tuning.watch_max_s = c->tuning.watch_min_s;
	ASSERT(c->tuning.backoff_first_ms > 0);
	c->limits = *o->limits;
	c->notice = o->notice;
	c->notice_ctx = o->notice_ctx;
	c->discovered = o->discovered;
	c->discovered_ctx = o->discovered_ctx;
	c->discovery_backoff = (struct kc_backoff){ .first_ms = c->tuning.backoff_first_ms,
						    .max_ms = c->tuning.backoff_max_ms,
						    .reset_ms = c->tuning.backoff_reset_ms };
}

static void share_budget(struct kc_client *c, int watches)
{
	kc_bucket_widen(&c->http.bucket, watches * c->tuning.requests_per_second_per_watch,
			watches * c->tuning.burst_per_watch);
}

static void on_watch_closed(void *ctx)
{
	struct kc_client *c = ctx;

	share_budget(c, -1);
	release(c);
}

static void on_renewed(void *ctx)
{
	kc_client_retry(ctx);
}

static void init_parts(struct kc_client *c, struct key_table *keys)
{
	c->http.notice = part_notice;
	c->http.renewed = on_renewed;
	c->http.ctx = c;
	kc_discovery_init(&c->discovery, &c->http);
	c->discovery.done = on_discovered;
	c->discovery.notice = part_notice;
	c->discovery.wanted = is_wanted;
	c->discovery.ctx = c;
	c->watches = (struct kc_watches){
		.loop = c->loop,
		.tuning = &c->tuning,
		.limits = &c->limits,
		.keys = keys,
		.http = &c->http,
		.discovery = &c->discovery,
		.notice = watch_notice,
		.rediscover = rediscover,
		.closed = on_watch_closed,
		.ctx = c,
	};
	TAILQ_INIT(&c->watches.list);
}

int kc_client_new(uv_loop_t *loop, const struct kc_options *o, struct kc_client **ret, struct err *err)
{
	struct kc_client *c = calloc(1, sizeof(*c));
	int r;

	if (!c)
		return err_nomem(err);
	c->loop = loop;
	copy_options(c, o);
	r = kc_http_init(&c->http, loop, o->pace, &c->target, &c->tuning, err);
	if (r < 0) {
		free(c);
		return r;
	}
	(void)kubeconfig_ref(c->target.config);
	init_parts(c, o->keys);
	(void)uv_timer_init(loop, &c->timer);
	c->timer.data = c;
	c->n_open = 2; /* timer, HTTP client */
	discover_in(c, 0);
	*ret = c;
	return 0;
}

static void on_client_timer_closed(uv_handle_t *h)
{
	release(h->data);
}

void kc_client_close(struct kc_client *c, void (*closed)(void *ctx), void *ctx)
{
	ASSERT(!c->closing && !c->noticing);
	c->closing = true;
	c->closed = closed;
	c->closed_ctx = ctx;
	while (!TAILQ_EMPTY(&c->watches.list))
		kc_watch_remove(TAILQ_FIRST(&c->watches.list));
	kc_discovery_done(&c->discovery);
	uv_close((uv_handle_t *)&c->timer, on_client_timer_closed);
	kc_http_close(&c->http, release);
}

int kc_watch_add(struct kc_client *c, const struct kc_watch_spec *spec, const struct kc_handler *h, void *ctx,
		 struct kc_watch **ret, struct err *err)
{
	int r = kc_watch_new(&c->watches, spec, h, ctx, ret, err);

	if (r < 0)
		return r;
	c->n_open++;
	share_budget(c, 1);
	/* A kind may be unknown only because nobody wanted its group until now. */
	if (c->discovery.known &&
	    !kc_resources_find(c->discovery.known, str_from(spec->api_version), str_from(spec->kind))) {
		(*ret)->patient = true;
		kc_client_rediscover(c);
	}
	return 0;
}

/* ---- questions ---- */

const struct kc_counters *kc_client_counters(const struct kc_client *c)
{
	return &c->http.counters;
}

void kc_client_retry(struct kc_client *c)
{
	struct kc_watch *w;

	for (w = TAILQ_FIRST(&c->watches.list); w; w = TAILQ_NEXT(w, link))
		kc_watch_hurry(w);
}

static void test_watch(struct kc_watch *w, const void *arg)
{
	(void)arg;
	kc_watch_test(w);
}

void kc_client_test_connections(struct kc_client *c)
{
	kc_http_distrust(&c->http);
	each_watch(c, test_watch, NULL);
}

void kc_client_reread(struct kc_client *c)
{
	kc_auth_reread(&c->http.auth);
}

bool kc_client_up(const struct kc_client *c)
{
	return kc_http_up(&c->http);
}

const char *kc_client_server(const struct kc_client *c)
{
	return c->http.server.shown;
}

bool kc_client_discovered(const struct kc_client *c)
{
	return c->discovery.known != NULL;
}

/* ---- one list ---- */

struct once {
	bool done;
	struct err err;
	void (*object)(void *ctx, const struct kc_object *o);
	void *ctx;
};

static void once_object(void *ctx, const struct kc_object *object)
{
	struct once *o = ctx;

	if (object->event != KC_DELETED)
		o->object(o->ctx, object);
}

static void once_done(struct kc_watch *w, const struct err *err)
{
	struct once *o = w->report.ctx;

	o->done = true;
	o->err = *err;
}

static bool once_over(void *ctx)
{
	return ((const struct once *)ctx)->done;
}

int kc_list_all(struct kc_client *c, const struct kc_watch_spec *spec, uint64_t timeout_ms,
		void (*object)(void *ctx, const struct kc_object *o), void *ctx, struct err *err)
{
	struct once o = { .object = object, .ctx = ctx };
	const struct kc_handler handler = { .object = once_object };
	struct kc_watch *w;
	int r = kc_watch_add(c, spec, &handler, &o, &w, err);

	if (r < 0)
		return r;
	w->once = once_done;
	w->report.one_shot = true;
	if (!kc_wait(c->loop, once_over, &o, timeout_ms))
		(void)err_set(&o.err, ETIMEDOUT, "list of %s: not complete after %llu ms", kc_watch_resource(w),
			      (unsigned long long)timeout_ms);
	kc_watch_remove(w);
	if (o.err.code == 0)
		return 0;
	*err = o.err;
	return -err->code;
}
