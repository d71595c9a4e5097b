/* Measuring turns: libuv says how long it has waited so far. */
#include "daemon/app/turns.h"

static void on_turn(uv_prepare_t *prepare)
{
	struct turns *t = prepare->data;
	uint64_t now = uv_hrtime(), waited = uv_metrics_idle_time(prepare->loop);
	uint64_t all = now - t->last_ns, wait = waited - t->last_waited_ns;

	if (t->last_ns)
		histogram_observe(&t->durations, all > wait ? all - wait : 0);
	t->last_ns = now;
	t->last_waited_ns = waited;
}

int turns_init(struct turns *t, uv_loop_t *loop)
{
	int r = uv_loop_configure(loop, UV_METRICS_IDLE_TIME);

	if (r == 0)
		r = uv_prepare_init(loop, &t->before_wait);
	if (r < 0)
		return r;
	t->before_wait.data = t;
	(void)uv_prepare_start(&t->before_wait, on_turn); /* always 0 */
	uv_unref((uv_handle_t *)&t->before_wait);
	return 0;
}

void turns_close(struct turns *t)
{
	uv_close((uv_handle_t *)&t->before_wait, NULL);
}
