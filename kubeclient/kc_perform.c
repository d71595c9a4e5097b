/* A loop for one transfer at a time. */
#include "kubeclient/kc_perform.h"

#include "kubeclient/kc_loop.h"

#include <errno.h>

struct kc_perform {
	uv_loop_t uv;
	struct kc_loop loop;
	uv_timer_t look; /* ends a turn of the loop */
	bool done, closed;
	CURLcode code;
};

static void on_turn(void *ctx)
{
	(void)ctx;
}

static void on_done(void *ctx, CURL *easy, CURLcode code)
{
	struct kc_perform *p = ctx;

	(void)easy;
	p->code = code;
	p->done = true;
}

static void on_closed(void *ctx)
{
	struct kc_perform *p = ctx;

	p->closed = true;
}

static void on_look(uv_timer_t *t)
{
	(void)t;
}

int kc_perform_new(struct kc_perform **ret, struct err *err)
{
	struct kc_perform *p = calloc(1, sizeof(*p));
	int r;

	if (!p)
		return err_nomem(err);
	r = uv_loop_init(&p->uv);
	if (r < 0) {
		free(p);
		return err_set(err, -r, "begin a loop: %s", uv_strerror(r));
	}
	r = kc_loop_init(&p->loop, &p->uv, NULL, on_turn, on_done, p, err);
	if (r < 0) {
		(void)uv_loop_close(&p->uv); /* it has no handles */
		free(p);
		return r;
	}
	(void)uv_timer_init(&p->uv, &p->look); /* always 0 */
	*ret = p;
	return 0;
}

void kc_perform_free(struct kc_perform *p)
{
	if (!p)
		return;
	kc_loop_close(&p->loop, on_closed);
	uv_close((uv_handle_t *)&p->look, NULL);
	(void)uv_run(&p->uv, UV_RUN_DEFAULT); /* until all handles are closed */
	(void)uv_loop_close(&p->uv);
	free(p);
}

static bool is_stopped(const atomic_bool *stop)
{
	return stop && atomic_load(stop);
}

CURLcode kc_perform(struct kc_perform *p, CURL *easy, const atomic_bool *stop)
{
	struct err err;

	p->done = false;
	if (is_stopped(stop))
		return CURLE_ABORTED_BY_CALLBACK;
	if (kc_loop_add(&p->loop, easy, &err) < 0)
		return CURLE_OUT_OF_MEMORY;
	(void)uv_timer_start(&p->look, on_look, KC_PERFORM_LOOK_MS, KC_PERFORM_LOOK_MS); /* always 0 */
	while (!p->done && !is_stopped(stop))
		(void)uv_run(&p->uv, UV_RUN_ONCE);
	(void)uv_timer_stop(&p->look);
	if (p->done)
		return p->code;
	kc_loop_remove(&p->loop, easy);
	return CURLE_ABORTED_BY_CALLBACK;
}

void kc_perform_useful(struct kc_perform *p)
{
	kc_loop_useful(&p->loop);
}
