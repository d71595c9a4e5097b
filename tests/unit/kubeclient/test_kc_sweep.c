/* Tables that are released in slices, on a clock of its own: each look takes a millisecond. */
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
void *__real_index_drain(struct index *x);
void *__wrap_index_drain(struct index *x);

uint64_t __wrap_uv_hrtime(void)
{
	return ++now_ms * 1000000;
}

void *__wrap_index_drain(struct index *x)
{
	void *thing = __real_index_drain(x);

	freed += thing != NULL;
	return thing;
}
/* NOLINTEND(bugprone-reserved-identifier) */

static str key_of(const void *thing)
{
	return str_from(thing);
}

static struct index filled(void)
{
	struct index x = INDEX_OF(key_of);

	for (size_t i = 0; i < ENTRIES; i++) {
		char *thing = malloc(32);

		assert_non_null(thing);
		(void)snprintf(thing, 32, "%zu", i);
		assert_true(index_put(&x, thing, NULL));
	}
	return x;
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
	kc_sweep_take(&s, INDEX_OF(key_of));
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
