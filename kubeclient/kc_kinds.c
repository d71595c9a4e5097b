/* Running the loop until discovery has an answer. */
#include "kubeclient/kc_kinds.h"

#include "kubeclient/kc_client_internal.h"

#include <errno.h>

struct wait {
	struct kc_client *client;
	uv_timer_t timer;
	uv_prepare_t before_poll;
	bool late;
	unsigned n_open;
};

static bool is_over(const struct wait *w)
{
	return w->late || w->client->discovery.known || w->client->discovery_error.code;
}

static void on_timeout(uv_timer_t *t)
{
	((struct wait *)t->data)->late = true;
}

/* Discovery may end in the loop's timers, before it waits for input: nothing that comes is worth waiting for. */
static void on_prepare(uv_prepare_t *p)
{
	if (is_over(p->data))
		uv_stop(p->loop);
}

static void on_closed(uv_handle_t *h)
{
	((struct wait *)h->data)->n_open--;
}

static void wait_for_discovery(struct wait *w, uint64_t timeout_ms)
{
	uv_loop_t *loop = w->client->loop;

	(void)uv_timer_init(loop, &w->timer);
	(void)uv_prepare_init(loop, &w->before_poll); /* this and starting it always give 0 */
	w->timer.data = w->before_poll.data = w;
	w->n_open = 2;
	uv_update_time(loop);
	if (timeout_ms)
		(void)uv_timer_start(&w->timer, on_timeout, timeout_ms, 0);
	(void)uv_prepare_start(&w->before_poll, on_prepare);
	while (!is_over(w))
		(void)uv_run(loop, UV_RUN_ONCE);
	uv_close((uv_handle_t *)&w->timer, on_closed);
	uv_close((uv_handle_t *)&w->before_poll, on_closed);
	while (w->n_open)
		(void)uv_run(loop, UV_RUN_NOWAIT);
}

int kc_discover(struct kc_client *c, uint64_t timeout_ms, struct err *err)
{
	struct wait w = { .client = c };

	wait_for_discovery(&w, timeout_ms);
	if (c->discovery.known)
		return 0;
	if (!c->discovery_error.code)
		return err_set(err, ETIMEDOUT, "discovery: not complete after %llu ms", (unsigned long long)timeout_ms);
	*err = c->discovery_error;
	return -err->code;
}

const struct kc_resource *kc_listable(const struct kc_client *c, size_t *at)
{
	const struct kc_resources *known = c->discovery.known;

	while (known && *at < known->list.n) {
		const struct kc_resource *r = known->list.p[(*at)++];

		if (r->can_list)
			return r;
	}
	return NULL;
}

const char *kc_doubt(const struct kc_client *c, size_t *at, str *api_version)
{
	const struct kc_resources *known = c->discovery.known;
	const struct strmap_entry *e = known ? strmap_each(&known->doubts, at) : NULL;

	if (!e)
		return NULL;
	*api_version = (str){ e->key, e->n };
	return e->value;
}
