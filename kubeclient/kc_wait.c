/* Waits for an answer, for commands that end. */
#include "kubeclient/kc_wait.h"

struct wait {
	kc_is_over *is_over;
	void *ctx;
	uv_timer_t timer;
	uv_prepare_t before_poll;
	bool late;
	unsigned n_open;
};

static bool ends(const struct wait *w)
{
	return w->late || w->is_over(w->ctx);
}

static void on_timeout(uv_timer_t *t)
{
	((struct wait *)t->data)->late = true;
}

/* Stops the loop before it waits for input: the wait may have ended in one of the loop's timers, and then no input is
 * worth waiting for. */
static void on_prepare(uv_prepare_t *p)
{
	if (ends(p->data))
		uv_stop(p->loop);
}

static void on_closed(uv_handle_t *h)
{
	((struct wait *)h->data)->n_open--;
}

bool kc_wait(uv_loop_t *loop, kc_is_over *is_over, void *ctx, uint64_t timeout_ms)
{
	struct wait w = { .is_over = is_over, .ctx = ctx, .n_open = 2 };

	(void)uv_timer_init(loop, &w.timer);
	(void)uv_prepare_init(loop, &w.before_poll); /* uv_prepare_init and uv_prepare_start always give 0 */
	w.timer.data = w.before_poll.data = &w;
	uv_update_time(loop);
	if (timeout_ms)
		(void)uv_timer_start(&w.timer, on_timeout, timeout_ms, 0);
	(void)uv_prepare_start(&w.before_poll, on_prepare);
	while (!ends(&w))
		(void)uv_run(loop, UV_RUN_ONCE);
	uv_close((uv_handle_t *)&w.timer, on_closed);
	uv_close((uv_handle_t *)&w.before_poll, on_closed);
	while (w.n_open)
		(void)uv_run(loop, UV_RUN_NOWAIT);
	return !w.late;
}
