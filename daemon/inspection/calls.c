/* Holds the calls that run, that wait for their turn, and that wait for their next try. */
#include "daemon/inspection/calls_internal.h"

#include "base/assert.h"
#include "kubeclient/kc_loop.h"

#include <errno.h>
#include <stdio.h>

TAILQ_HEAD(call_list, call);

struct calls {
	struct calls_options options;
	struct kc_loop loop;
	struct kc_job pump; /* begins the calls whose turn it is */
	uv_timer_t timer;   /* runs out when the first of @later is due */
	struct call_list ready, running;
	struct call_list later; /* sorted by the time at which they are due */
	struct calls_counters counters;
	bool closing;
	unsigned n_open; /* handles that are open: the timer, and the loop of libcurl */
	void (*closed)(void *ctx);
	void *closed_ctx;
};

/* ---- the end of a call ---- */

/* Report that @x has failed, and free it. It must be in no list. */
static void fail(struct calls *c, struct call *x, const char *why)
{
	char text[2 * CALL_WHY_MAX];
	char tries[32] = "";

	c->counters.made++;
	c->counters.failed++;
	if (x->tries > 1)
		(void)snprintf(tries, sizeof(tries), " (tried %u times)", x->tries);
	(void)snprintf(text, sizeof(text), "%s%s", why, tries);
	c->options.failed(c->options.ctx, &x->origin, x->shown, text);
	call_free(x);
}

static void succeed(struct calls *c, struct call *x)
{
	c->counters.made++;
	call_free(x);
}

/* ---- waiting ---- */

static uint64_t now_ms(const struct calls *c)
{
	return uv_now(c->options.loop);
}

static uint64_t ends_ms(const struct calls *c, const struct call *x)
{
	return x->added_ms + c->options.total_max_ms;
}

/* How long to wait before the next try. The second try follows at once. */
static uint64_t pause_ms(const struct calls *c, const struct call *x)
{
	double ms = x->backoff_factor * 1000;

	if (x->tries < 2 || !(ms > 0))
		return 0;
	for (uint32_t n = 1; n < x->tries && ms < (double)c->options.pause_max_ms; n++)
		ms *= 2;
	return ms < (double)c->options.pause_max_ms ? (uint64_t)ms : c->options.pause_max_ms;
}

static void pump(void *ctx);

static void on_timer(uv_timer_t *timer)
{
	pump(timer->data);
}

static void set_timer(struct calls *c)
{
	const struct call *first = TAILQ_FIRST(&c->later);
	uint64_t now = now_ms(c);

	if (first)
		(void)uv_timer_start(&c->timer, on_timer, first->due_ms > now ? first->due_ms - now : 0, 0);
	else
		(void)uv_timer_stop(&c->timer); /* always 0 */
}

static void wait_until_due(struct calls *c, struct call *x)
{
	struct call *before = TAILQ_LAST(&c->later, call_list);

	while (before && before->due_ms > x->due_ms)
		before = TAILQ_PREV(before, call_list, link);
	if (before)
		TAILQ_INSERT_AFTER(&c->later, before, x, link);
	else
		TAILQ_INSERT_HEAD(&c->later, x, link);
}

/* The call has not succeeded, because of @why: try it again later, or let it fail when it has no more tries. */
static void try_again(struct calls *c, struct call *x, const char *why)
{
	uint64_t pause = pause_ms(c, x);
	char text[CALL_WHY_MAX + 64];

	if (x->tries > x->retries) {
		fail(c, x, why);
		return;
	}
	x->due_ms = now_ms(c) + pause;
	if (x->due_ms >= ends_ms(c, x)) {
		(void)snprintf(text, sizeof(text), "%s; there is no time for another try", why);
		fail(c, x, text);
		return;
	}
	c->counters.waiting++;
	if (pause == 0)
		TAILQ_INSERT_HEAD(&c->ready, x, link);
	else
		wait_until_due(c, x);
}

/* ---- running ---- */

static int try_now(struct calls *c, struct call *x, struct err *err)
{
	uint64_t left = ends_ms(c, x) - now_ms(c);

	return call_try_begin(x, left < x->timeout_ms ? left : x->timeout_ms, &c->options, &c->loop, err);
}

/* Begin a try of @x, which must be in no list. */
static void begin(struct calls *c, struct call *x)
{
	struct err err;

	if (x->refused) {
		fail(c, x, x->refused);
	} else if (now_ms(c) >= ends_ms(c, x)) {
		fail(c, x, "it has waited too long for its turn");
	} else {
		x->tries++;
		if (try_now(c, x, &err) < 0) {
			fail(c, x, err.msg);
			return;
		}
		c->counters.running++;
		TAILQ_INSERT_TAIL(&c->running, x, link);
	}
}

static void make_ready(struct calls *c)
{
	uint64_t now = now_ms(c);
	struct call *x;

	while ((x = TAILQ_FIRST(&c->later)) && x->due_ms <= now) {
		TAILQ_REMOVE(&c->later, x, link);
		TAILQ_INSERT_TAIL(&c->ready, x, link);
	}
}

/* Begin the calls whose turn it is. The callback for a failure may close @c. */
static void pump(void *ctx)
{
	struct calls *c = ctx;
	struct call *x;

	make_ready(c);
	while (!c->closing && c->counters.running < c->options.running_max && (x = TAILQ_FIRST(&c->ready))) {
		TAILQ_REMOVE(&c->ready, x, link);
		ASSERT(c->counters.waiting > 0);
		c->counters.waiting--;
		begin(c, x);
	}
	if (!c->closing)
		set_timer(c);
}

static void on_turn(void *ctx)
{
	(void)ctx;
}

static void on_done(void *ctx, CURL *easy, CURLcode code)
{
	struct calls *c = ctx;
	char why[CALL_WHY_MAX];
	struct call *x = NULL;

	(void)curl_easy_getinfo(easy, CURLINFO_PRIVATE, &x); /* always set, so that this cannot fail */
	TAILQ_REMOVE(&c->running, x, link);
	ASSERT(c->counters.running > 0);
	c->counters.running--;
	switch (call_try_end(x, code, why)) {
	case CALL_SUCCEEDED:
		succeed(c, x);
		break;
	case CALL_AGAIN:
		try_again(c, x, why);
		break;
	case CALL_FAILED:
		fail(c, x, why);
		break;
	}
	if (!c->closing)
		pump(c);
}

/* ---- the whole ---- */

static void set_defaults(struct calls_options *o)
{
	if (!o->running_max)
		o->running_max = 16;
	if (!o->waiting_max)
		o->waiting_max = 1000;
	if (!o->head_bytes_max)
		o->head_bytes_max = (size_t)64 << 10;
	if (!o->body_bytes_max)
		o->body_bytes_max = (size_t)1 << 20;
	if (!o->pause_max_ms)
		o->pause_max_ms = UINT64_C(300) * 1000;
	if (!o->total_max_ms)
		o->total_max_ms = UINT64_C(900) * 1000;
}

int calls_new(const struct calls_options *o, struct calls **ret, struct err *err)
{
	struct calls *c = calloc(1, sizeof(*c));
	int r;

	if (!c)
		return err_nomem(err);
	c->options = *o;
	set_defaults(&c->options);
	TAILQ_INIT(&c->ready);
	TAILQ_INIT(&c->running);
	TAILQ_INIT(&c->later);
	c->pump = (struct kc_job){ .run = pump, .ctx = c };
	r = kc_loop_init(&c->loop, o->loop, NULL, on_turn, on_done, c, err);
	if (r < 0) {
		free(c);
		return r;
	}
	(void)uv_timer_init(o->loop, &c->timer); /* always 0 */
	c->timer.data = c;
	c->n_open = 2;
	*ret = c;
	return 0;
}

int calls_add(struct calls *c, const struct insp_call *call, const struct call_origin *origin, struct err *err)
{
	struct call *x;
	int r = 0;

	if (c->counters.waiting >= c->options.waiting_max)
		r = err_set(err, EBUSY, "%zu calls wait already", c->counters.waiting);
	if (r == 0)
		r = call_new(call, origin, &x, err);
	if (r < 0) {
		c->counters.dropped++;
		return r;
	}
	x->added_ms = now_ms(c);
	TAILQ_INSERT_TAIL(&c->ready, x, link);
	c->counters.waiting++;
	kc_loop_later(&c->loop, &c->pump);
	return 0;
}

const struct calls_counters *calls_counters(const struct calls *c)
{
	return &c->counters;
}

static void drop_all(struct call_list *list)
{
	struct call *x;

	while ((x = TAILQ_FIRST(list))) {
		TAILQ_REMOVE(list, x, link);
		call_free(x);
	}
}

static void release(struct calls *c)
{
	void (*closed)(void *ctx) = c->closed;
	void *ctx = c->closed_ctx;

	ASSERT(c->n_open > 0);
	if (--c->n_open > 0)
		return;
	free(c);
	if (closed)
		closed(ctx);
}

static void on_timer_closed(uv_handle_t *timer)
{
	release(timer->data);
}

static void on_loop_closed(void *ctx)
{
	release(ctx);
}

void calls_close(struct calls *c, void (*closed)(void *ctx), void *ctx)
{
	struct call *x;

	ASSERT(!c->closing);
	c->closing = true;
	c->closed = closed;
	c->closed_ctx = ctx;
	TAILQ_FOREACH(x, &c->running, link)
	kc_loop_remove(&c->loop, x->transfer.easy);
	drop_all(&c->running);
	drop_all(&c->ready);
	drop_all(&c->later);
	kc_loop_never(&c->loop, &c->pump);
	uv_close((uv_handle_t *)&c->timer, on_timer_closed);
	kc_loop_close(&c->loop, on_loop_closed);
}
