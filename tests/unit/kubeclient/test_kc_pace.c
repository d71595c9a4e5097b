/* Jobs in one line, on a clock of their own. */
#include "kubeclient/kc_pace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static uint64_t now_ns;

/* CMakeLists.txt wraps it. NOLINTBEGIN(bugprone-reserved-identifier): the linker's name */
uint64_t __wrap_uv_hrtime(void);

uint64_t __wrap_uv_hrtime(void)
{
	return now_ns;
}
/* NOLINTEND(bugprone-reserved-identifier) */

struct fixture {
	uv_loop_t loop;
	struct kc_pace pace;
	uv_prepare_t turn;
	char log[128]; /* names of jobs as they are run, "|" where a turn ends */
};

/* A job that takes some time, and comes again some times. */
struct work {
	struct kc_job job;
	struct fixture *f;
	char name;
	unsigned us, times;
};

static void note(struct fixture *f, char c)
{
	size_t n = strlen(f->log);

	assert_true(n + 1 < sizeof(f->log));
	f->log[n] = c;
	f->log[n + 1] = '\0';
}

static void run_work(void *ctx)
{
	struct work *w = ctx;

	note(w->f, w->name);
	now_ns += w->us * UINT64_C(1000);
	if (--w->times > 0)
		kc_pace_later(&w->f->pace, &w->job);
}

static void on_turn(uv_prepare_t *turn)
{
	note(turn->data, '|');
}

static void set_up(struct fixture *f)
{
	now_ns = 1;
	f->log[0] = '\0';
	assert_int_equal(uv_loop_init(&f->loop), 0);
	kc_pace_init(&f->pace, &f->loop);
	assert_int_equal(uv_prepare_init(&f->loop, &f->turn), 0);
	assert_int_equal(uv_prepare_start(&f->turn, on_turn), 0);
	uv_unref((uv_handle_t *)&f->turn);
	f->turn.data = f;
}

static void on_closed(void *ctx)
{
	*(bool *)ctx = true;
}

/* All jobs are done. */
static void tear_down(struct fixture *f)
{
	bool closed = false;

	uv_close((uv_handle_t *)&f->turn, NULL);
	kc_pace_close(&f->pace, on_closed, &closed);
	(void)uv_run(&f->loop, UV_RUN_DEFAULT);
	assert_true(closed);
	assert_int_equal(uv_loop_close(&f->loop), 0);
}

/* The loop runs until no job waits, and one turn more. */
static void check_order(struct work *w, size_t n, const char *expected)
{
	struct fixture f;

	set_up(&f);
	for (size_t i = 0; i < n; i++) {
		w[i].f = &f;
		w[i].job = (struct kc_job){ .run = run_work, .ctx = &w[i] };
		kc_pace_later(&f.pace, &w[i].job);
		kc_pace_later(&f.pace, &w[i].job); /* it waits already */
	}
	(void)uv_run(&f.loop, UV_RUN_DEFAULT);
	assert_string_equal(f.log, expected);
	tear_down(&f);
}

static void test_order(void **state)
{
	(void)state;
	check_order(NULL, 0, ""); /* the loop is not kept alive */
	check_order((struct work[]){ { .name = 'a', .times = 2 },
				     { .name = 'b', .times = 1 },
				     { .name = 'c', .times = 3 } },
		    3, "abcacc||");
}

/* What is over with its time ends the turn; the next goes on with who waits longest. */
static void test_time(void **state)
{
	(void)state;
	check_order((struct work[]){ { .name = 'a', .us = 800, .times = 3 }, { .name = 'b', .us = 800, .times = 2 } },
		    2, "aba|ba||");
	check_order((struct work[]){ { .name = 'a', .us = 90000, .times = 2 }, { .name = 'b', .us = 300, .times = 6 } },
		    2, "a|ba|bbbbb||");
}

/* What comes in a young turn, when nobody waits, need not wait. */
static void test_now(void **state)
{
	struct fixture f;
	struct work w = { .f = &f, .name = 'w', .times = 2 };

	(void)state;
	w.job = (struct kc_job){ .run = run_work, .ctx = &w };
	set_up(&f);
	assert_true(kc_pace_now(&f.pace));
	kc_pace_later(&f.pace, &w.job);
	assert_false(kc_pace_now(&f.pace));
	kc_pace_never(&f.pace, &w.job);
	kc_pace_never(&f.pace, &w.job);
	assert_true(kc_pace_now(&f.pace));
	now_ns += KC_PACE_NS;
	assert_true(kc_pace_over(&f.pace));
	assert_false(kc_pace_now(&f.pace));
	kc_pace_later(&f.pace, &w.job);
	(void)uv_run(&f.loop, UV_RUN_NOWAIT); /* one at least */
	assert_string_equal(f.log, "w|");
	kc_pace_never(&f.pace, &w.job);
	assert_false(kc_pace_over(&f.pace));
	assert_true(kc_pace_now(&f.pace));
	tear_down(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_time),
		cmocka_unit_test(test_now),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
