/* Maps that are released in slices, on a clock of its own: each look takes a millisecond. */
#include "kubeclient/kc_sweep.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define ENTRIES 10000
#define SLICE_MS 5
#define TURN_MAX 1000 /* entries: some slices of 64 */

static uint64_t now_ms;
static size_t freed, most; /* in all, and in one turn */

/* CMakeLists.txt wraps both. NOLINTBEGIN(bugprone-reserved-identifier): the linker's names */
uint64_t __wrap_uv_hrtime(void);
bool __real_strmap_drain(struct strmap *m, size_t *at, void **value);
bool __wrap_strmap_drain(struct strmap *m, size_t *at, void **value);

uint64_t __wrap_uv_hrtime(void)
{
	return ++now_ms * 1000000;
}

bool __wrap_strmap_drain(struct strmap *m, size_t *at, void **value)
{
	bool more = __real_strmap_drain(m, at, value);

	freed += more;
	return more;
}
/* NOLINTEND(bugprone-reserved-identifier) */

static struct strmap filled(void)
{
	struct strmap m = { 0 };

	for (size_t i = 0; i < ENTRIES; i++) {
		char key[32];

		(void)snprintf(key, sizeof(key), "%zu", i);
		assert_true(strmap_put(&m, str_from(key), malloc(10), NULL));
	}
	return m;
}

static void on_closed(void *ctx)
{
	*(bool *)ctx = true;
}

static void run(uv_loop_t *loop)
{
	bool alive = true;

	while (alive) {
		size_t before = freed;

		alive = uv_run(loop, UV_RUN_ONCE) != 0;
		most = freed - before > most ? freed - before : most;
	}
}

static void test_in_slices(void **state)
{
	struct kc_sweep s;
	bool closed = false;
	uv_loop_t loop;

	(void)state;
	assert_int_equal(uv_loop_init(&loop), 0);
	kc_sweep_init(&s, &loop, SLICE_MS);
	kc_sweep_take(&s, (struct strmap){ 0 });
	kc_sweep_take(&s, filled());
	kc_sweep_take(&s, filled());
	assert_int_equal(freed, 0);
	run(&loop);
	assert_int_equal(freed, 2 * ENTRIES);
	assert_in_range(most, 1, TURN_MAX);
	kc_sweep_take(&s, filled());
	kc_sweep_close(&s, on_closed, &closed); /* it is not over */
	run(&loop);
	assert_true(closed);
	assert_int_equal(freed, 3 * ENTRIES);
	assert_in_range(most, 1, TURN_MAX);
	assert_int_equal(uv_loop_close(&loop), 0);
}

static void test_with_nothing_left(void **state)
{
	struct kc_sweep s;
	bool closed = false;
	uv_loop_t loop;

	(void)state;
	assert_int_equal(uv_loop_init(&loop), 0);
	kc_sweep_init(&s, &loop, 0); /* a slice is never empty */
	kc_sweep_take(&s, filled());
	run(&loop);
	kc_sweep_close(&s, on_closed, &closed);
	run(&loop);
	assert_true(closed);
	assert_int_equal(uv_loop_close(&loop), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_in_slices),
					    cmocka_unit_test(test_with_nothing_left) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
