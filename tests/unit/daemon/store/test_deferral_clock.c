/* The clock of what is held, when the other clock is set: what is due later, and what is tried again. */
#include "daemon/store/deferral_clock.h"

#include "daemon/findings/clock.h"
#include "daemon/store/database/database_internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define SECOND INT64_C(1000000)
#define WALL (1000000 * SECOND)
#define STEADY (500 * SECOND)

static int64_t steady;

/* NOLINTBEGIN(bugprone-reserved-identifier): the linker's names */
uint64_t __wrap_uv_hrtime(void);

uint64_t __wrap_uv_hrtime(void)
{
	return (uint64_t)steady * 1000 + 999;
}
/* NOLINTEND(bugprone-reserved-identifier) */

struct fixture {
	struct database *d;
	struct deferral_clock clock;
};

static int setup(void **state)
{
	struct fixture *x = calloc(1, sizeof(*x));
	struct err reported, err;

	*state = x;
	if (!x || database_open("", &x->d, &reported, &err) < 0)
		return -1;
	steady = STEADY;
	clock_set(WALL, 1);
	deferral_clock_look(&x->clock);
	return 0;
}

static int teardown(void **state)
{
	struct fixture *x = *state;

	database_close(x->d);
	free(x);
	return 0;
}

/* The clock is set by @usec. */
static void set_by(int64_t usec)
{
	clock_set(clock_usec() + usec, 1);
}

static int64_t hold(struct fixture *x, int64_t due_usec, int64_t hold_usec)
{
	const struct outbox_new row = {
		.record = STR("r"), .deferred = true, .due_usec = due_usec, .hold_usec = hold_usec
	};
	struct err err;
	int64_t seq;

	assert_int_equal(database_add_to_outbox(x->d, &row, &seq, &err), 0);
	return seq;
}

static int64_t due(struct fixture *x, int64_t seq)
{
	char text[64];

	(void)snprintf(text, sizeof(text), "SELECT due_usec FROM outbox WHERE seq = %lld", (long long)seq);
	return database_pragma(x->d, text);
}

static void may_write(struct fixture *x, bool may)
{
	struct err err;

	assert_int_equal(database_execute(x->d, may ? "PRAGMA query_only=0" : "PRAGMA query_only=1", &err), 0);
}

static void it_goes_on_steadily(void **state)
{
	struct fixture *x = *state;

	assert_int_equal(steady_usec(), STEADY);
	assert_int_equal(steady_ms(), STEADY / 1000);
	assert_int_equal(deferral_clock_wall_usec(&x->clock), WALL);
	steady += 7;
	set_by(100 * SECOND);
	assert_int_equal(deferral_clock_wall_usec(&x->clock), WALL + 7);
}

static void what_is_no_step(void **state)
{
	static const struct {
		int64_t by;
		bool is;
	} cases[] = {
		{ 0, false },          { 2 * SECOND - 1, false }, { -2 * SECOND + 1, false }, { 2 * SECOND, true },
		{ -2 * SECOND, true }, { 3600 * SECOND, true },   { -3600 * SECOND, true }
	};
	struct fixture *x = *state;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		int64_t later = deferral_clock_wall_usec(&x->clock) + 5 * SECOND, seq = hold(x, later, 5 * SECOND);

		set_by(cases[i].by);
		assert_int_equal(deferral_clock_follow(&x->clock, x->d), cases[i].is);
		assert_int_equal(due(x, seq), later + (cases[i].is ? cases[i].by : 0));
		set_by(cases[i].is ? 0 : -cases[i].by);
		assert_false(deferral_clock_follow(&x->clock, x->d));
		assert_int_equal(deferral_clock_wall_usec(&x->clock), clock_usec());
	}
	set_by(SECOND + SECOND / 2); /* a drift adds up */
	assert_false(deferral_clock_follow(&x->clock, x->d));
	set_by(SECOND + SECOND / 2);
	assert_true(deferral_clock_follow(&x->clock, x->d));
}

/* What was due by either time is due. */
static void what_is_due_stays_so(void **state)
{
	static const struct {
		int64_t due, by, then; /* the times from the time before on */
	} cases[] = {
		{ 0, 10 * SECOND, 0 },
		{ 1, 10 * SECOND, 10 * SECOND + 1 },
		{ -5 * SECOND, -10 * SECOND, -15 * SECOND },
		{ -10 * SECOND, -10 * SECOND, -10 * SECOND },
		{ -10 * SECOND + 1, -10 * SECOND, -20 * SECOND + 1 },
		{ 5 * SECOND, -10 * SECOND, -5 * SECOND },
	};
	struct fixture *x = *state;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		int64_t before = deferral_clock_wall_usec(&x->clock), seq = hold(x, before + cases[i].due, 1);

		set_by(cases[i].by);
		assert_true(deferral_clock_follow(&x->clock, x->d));
		assert_int_equal(due(x, seq) - before, cases[i].then);
		assert_int_equal(deferral_clock_wall_usec(&x->clock), before + cases[i].by);
	}
}

/* Once; and from then on as any other. */
static void what_an_earlier_life_held(void **state)
{
	struct fixture *x = *state;
	int64_t far = hold(x, WALL + 90 * SECOND, 60 * SECOND), near = hold(x, WALL + 30 * SECOND, 60 * SECOND);

	assert_false(deferral_clock_follow(&x->clock, x->d)); /* nothing was left to it yet */
	assert_int_equal(due(x, far), WALL + 90 * SECOND);
	deferral_clock_inherit(&x->clock);
	may_write(x, false);
	assert_false(deferral_clock_follow(&x->clock, x->d));
	assert_int_equal(x->clock.by, DEFERRED_BY_ANY);
	may_write(x, true);
	assert_false(deferral_clock_follow(&x->clock, x->d));
	assert_int_equal(x->clock.by, DEFERRED_BY_OURS);
	assert_int_equal(due(x, far), WALL + 60 * SECOND);
	assert_int_equal(due(x, near), WALL + 30 * SECOND);
	set_by(100 * SECOND);
	assert_true(deferral_clock_follow(&x->clock, x->d));
	assert_int_equal(due(x, far), WALL + 160 * SECOND);
}

static void what_cannot_be_stored_is_tried_again(void **state)
{
	struct fixture *x = *state;
	int64_t seq = hold(x, WALL + SECOND, SECOND);

	set_by(10 * SECOND);
	may_write(x, false);
	assert_false(deferral_clock_follow(&x->clock, x->d));
	assert_int_equal(deferral_clock_wall_usec(&x->clock), WALL);
	may_write(x, true);
	assert_true(deferral_clock_follow(&x->clock, x->d));
	assert_int_equal(due(x, seq), WALL + 11 * SECOND);
	assert_false(deferral_clock_follow(&x->clock, x->d));
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = { CASE(it_goes_on_steadily), CASE(what_is_no_step),
					    CASE(what_is_due_stays_so), CASE(what_an_earlier_life_held),
					    CASE(what_cannot_be_stored_is_tried_again) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
