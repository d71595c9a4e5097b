/* Tables on their way out. */
#include "kubeclient/kc_sweep.h"

#include "base/assert.h"

#include <stdlib.h>

/* A timer that is due at once would fire again within the same turn. */
#define NEXT_TURN_MS 1
#define AT_ONCE 64 /* things, at least; then the clock is looked at */

struct kc_swept {
	struct kc_swept *next;
	struct index known;
};

/* True when it is empty. */
static bool release_some(struct kc_swept *m)
{
	for (size_t i = 0; i < AT_ONCE; i++) {
		void *thing = index_drain(&m->known);

		if (!thing)
			return true;
		free(thing);
	}
	return false;
}

static void on_closed(uv_handle_t *h)
{
	struct kc_sweep *s = h->data;

	s->closed(s->ctx);
}

static void on_timer(uv_timer_t *t)
{
	struct kc_sweep *s = t->data;
	uint64_t until_ns = uv_hrtime() + s->slice_ms * 1000000;
	struct kc_swept *m;

	while ((m = s->first)) {
		if (release_some(m)) {
			s->first = m->next;
			free(m);
		}
		if (uv_hrtime() >= until_ns)
			break;
	}
	if (s->first)
		(void)uv_timer_start(t, on_timer, NEXT_TURN_MS,
				     0); /* fails only without a callback, and when closing */
	else if (s->closed)
		uv_close((uv_handle_t *)t, on_closed);
}

void kc_sweep_init(struct kc_sweep *s, uv_loop_t *loop, uint64_t slice_ms)
{
	*s = (struct kc_sweep){ .slice_ms = slice_ms };
	(void)uv_timer_init(loop, &s->timer); /* always 0 */
	s->timer.data = s;
}

void kc_sweep_take(struct kc_sweep *s, struct index known)
{
	struct kc_swept here = { .known = known }, *m = known.n ? malloc(sizeof(*m)) : NULL;

	ASSERT(!s->closed);
	if (!m) {
		while (!release_some(&here))
			;
		return;
	}
	*m = here;
	m->next = s->first;
	s->first = m;
	(void)uv_timer_start(&s->timer, on_timer, 0, 0);
}

void kc_sweep_close(struct kc_sweep *s, void (*closed)(void *ctx), void *ctx)
{
	ASSERT(!s->closed);
	s->closed = closed;
	s->ctx = ctx;
	if (!s->first)
		uv_close((uv_handle_t *)&s->timer, on_closed);
}
