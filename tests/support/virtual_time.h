/* libuv's timers on a clock that stands until it is moved: whoever waits for minutes is there at once, and the same
 * happens each time. For programs that are linked with a --wrap of each of these; nothing of libuv but timers can be
 * used. */
#ifndef SUPPORT_VIRTUAL_TIME_H
#define SUPPORT_VIRTUAL_TIME_H

#include "base/assert.h"
#include "base/vec.h"

#include <uv.h>

struct virtual_timer {
	uv_handle_t *handle;
	uv_timer_cb fire; /* NULL: it is not active */
	uint64_t due_ms, order;
	uv_close_cb closed; /* the handle is closing */
	bool closing;
};

static struct {
	uint64_t now_ms, order;
	VEC(struct virtual_timer) timers;
} virtual_time = { .now_ms = 1000 };

static inline struct virtual_timer *virtual_timer_of(const void *handle)
{
	for (size_t i = 0; i < virtual_time.timers.n; i++) {
		if (virtual_time.timers.p[i].handle == handle)
			return &virtual_time.timers.p[i];
	}
	return NULL;
}

/* NOLINTBEGIN(bugprone-reserved-identifier): the linker's names */
int __wrap_uv_timer_init(uv_loop_t *loop, uv_timer_t *t);
int __wrap_uv_timer_start(uv_timer_t *t, uv_timer_cb fire, uint64_t ms, uint64_t repeat);
int __wrap_uv_timer_stop(uv_timer_t *t);
uint64_t __wrap_uv_timer_get_due_in(const uv_timer_t *t);
void __wrap_uv_close(uv_handle_t *h, uv_close_cb closed);
int __wrap_uv_is_active(const uv_handle_t *h);
int __wrap_uv_is_closing(const uv_handle_t *h);
uint64_t __wrap_uv_now(const uv_loop_t *loop);
uint64_t __wrap_uv_hrtime(void);
void __wrap_uv_update_time(uv_loop_t *loop);

int __wrap_uv_timer_init(uv_loop_t *loop, uv_timer_t *t)
{
	(void)loop;
	ASSERT(!virtual_timer_of(t));
	ASSERT(vec_push(&virtual_time.timers, (struct virtual_timer){ .handle = (uv_handle_t *)t }));
	return 0;
}

int __wrap_uv_timer_start(uv_timer_t *t, uv_timer_cb fire, uint64_t ms, uint64_t repeat)
{
	struct virtual_timer *v = virtual_timer_of(t);

	ASSERT(v && !v->closing && fire && repeat == 0);
	v->fire = fire;
	v->due_ms = virtual_time.now_ms + ms;
	v->order = ++virtual_time.order;
	return 0;
}

int __wrap_uv_timer_stop(uv_timer_t *t)
{
	struct virtual_timer *v = virtual_timer_of(t);

	ASSERT(v);
	v->fire = NULL;
	return 0;
}

uint64_t __wrap_uv_timer_get_due_in(const uv_timer_t *t)
{
	const struct virtual_timer *v = virtual_timer_of(t);

	ASSERT(v);
	return v->fire ? v->due_ms - virtual_time.now_ms : 0;
}

void __wrap_uv_close(uv_handle_t *h, uv_close_cb closed)
{
	struct virtual_timer *v = virtual_timer_of(h);

	ASSERT(v && !v->closing);
	v->fire = NULL;
	v->closed = closed;
	v->closing = true;
}

int __wrap_uv_is_active(const uv_handle_t *h)
{
	const struct virtual_timer *v = virtual_timer_of(h);

	return v && v->fire;
}

int __wrap_uv_is_closing(const uv_handle_t *h)
{
	const struct virtual_timer *v = virtual_timer_of(h);

	return v && v->closing;
}

uint64_t __wrap_uv_now(const uv_loop_t *loop)
{
	(void)loop;
	return virtual_time.now_ms;
}

uint64_t __wrap_uv_hrtime(void)
{
	return virtual_time.now_ms * 1000000;
}

void __wrap_uv_update_time(uv_loop_t *loop)
{
	(void)loop;
}
/* NOLINTEND(bugprone-reserved-identifier) */

/* Tell who closed a handle; false when nobody did. */
static inline bool virtual_time_close_one(void)
{
	for (size_t i = 0; i < virtual_time.timers.n; i++) {
		struct virtual_timer v = virtual_time.timers.p[i];

		if (!v.closing)
			continue;
		virtual_time.timers.p[i] = virtual_time.timers.p[--virtual_time.timers.n];
		if (v.closed)
			v.closed(v.handle);
		return true;
	}
	return false;
}

/* Move the clock to the next timer and run it; false when there is none. */
static inline bool virtual_time_fire_one(void)
{
	struct virtual_timer *next = NULL;
	uv_timer_cb fire;

	for (size_t i = 0; i < virtual_time.timers.n; i++) {
		struct virtual_timer *v = &virtual_time.timers.p[i];

		if (v->fire &&
		    (!next || v->due_ms < next->due_ms || (v->due_ms == next->due_ms && v->order < next->order)))
			next = v;
	}
	if (!next)
		return false;
	if (virtual_time.now_ms < next->due_ms)
		virtual_time.now_ms = next->due_ms;
	fire = next->fire;
	next->fire = NULL;
	fire((uv_timer_t *)next->handle);
	return true;
}

/* The clock begins anew; every handle must be closed, or be in the course of it. */
static inline void virtual_time_end(void)
{
	while (virtual_time_close_one() || virtual_time_fire_one())
		;
	ASSERT(virtual_time.timers.n == 0);
	vec_done(&virtual_time.timers);
	virtual_time.now_ms = 1000;
	virtual_time.order = 0;
}

#endif
