/* Runs the jobs of all clients in one queue. */
#include "kubeclient/kc_pace.h"

#include "base/assert.h"

/* The time of a turn begins with the first call in it. */
bool kc_pace_over(struct kc_pace *p)
{
	uint64_t now = uv_hrtime();

	if (!p->began_ns)
		p->began_ns = now;
	return now - p->began_ns >= KC_PACE_NS;
}

bool kc_pace_now(struct kc_pace *p)
{
	return !kc_pace_over(p) && TAILQ_EMPTY(&p->jobs);
}

/* Do jobs. The idle handle stops one turn after the last of them: before version 1.45 libuv computes only after the
 * callbacks of idle handles how long it may wait, and would wait for an event although the last job has left
 * something to do. */
static void on_work(uv_idle_t *work)
{
	struct kc_pace *p = work->data;

	if (TAILQ_EMPTY(&p->jobs)) {
		(void)uv_idle_stop(work); /* always 0 */
		return;
	}
	(void)kc_pace_over(p); /* the first job is done in any case */
	do {
		struct kc_job *job = TAILQ_FIRST(&p->jobs);

		kc_pace_never(p, job);
		job->run(job->ctx);
	} while (!TAILQ_EMPTY(&p->jobs) && !kc_pace_over(p));
}

/* Begin a turn before the loop waits: callbacks of sockets run after this one, those of idle handles have run. */
static void on_turn(uv_prepare_t *turn)
{
	struct kc_pace *p = turn->data;

	p->began_ns = 0;
}

void kc_pace_init(struct kc_pace *p, uv_loop_t *uv)
{
	*p = (struct kc_pace){ 0 };
	TAILQ_INIT(&p->jobs);
	(void)uv_idle_init(uv, &p->work); /* always 0, as is the next call */
	(void)uv_prepare_init(uv, &p->turn);
	(void)uv_prepare_start(&p->turn, on_turn);
	uv_unref((uv_handle_t *)&p->turn);
	p->work.data = p->turn.data = p;
}

static void on_closed(uv_handle_t *h)
{
	struct kc_pace *p = h->data;

	ASSERT(p->n_open > 0);
	if (--p->n_open == 0 && p->closed)
		p->closed(p->ctx);
}

void kc_pace_close(struct kc_pace *p, void (*closed)(void *ctx), void *ctx)
{
	ASSERT(TAILQ_EMPTY(&p->jobs));
	p->closed = closed;
	p->ctx = ctx;
	p->n_open = 2;
	uv_close((uv_handle_t *)&p->work, on_closed);
	uv_close((uv_handle_t *)&p->turn, on_closed);
}

void kc_pace_later(struct kc_pace *p, struct kc_job *job)
{
	if (job->waits)
		return;
	job->waits = true;
	TAILQ_INSERT_TAIL(&p->jobs, job, link);
	(void)uv_idle_start(&p->work, on_work); /* always 0 */
}

void kc_pace_never(struct kc_pace *p, struct kc_job *job)
{
	if (!job->waits)
		return;
	job->waits = false;
	TAILQ_REMOVE(&p->jobs, job, link);
}
