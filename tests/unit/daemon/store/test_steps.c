/* When a step of the writer is stuck, since when, and when that ends: the time is the test's. */
#include "daemon/store/steps.h"

#include "base/defs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>

#define S(n) ((n)*UINT64_C(1000000000))

enum act { BEGIN, GO_ON, END, FAIL, REST };

/* What happens to a step at a second, and what it is then. */
struct scene {
	uint64_t at;
	enum act act;
	enum step_state is;
};

static void do_act(struct step_health *h, enum act act, uint64_t at)
{
	struct err err;

	switch (act) {
	case BEGIN:
		step_begin(h, S(at));
		break;
	case GO_ON:
		step_progress(h, true, S(at));
		break;
	case END:
		step_progress(h, false, S(at));
		break;
	case FAIL:
		(void)!err_set(&err, EIO, "broken");
		step_fail(h, &err, S(at));
		break;
	case REST:
		step_rest(h);
		break;
	}
}

static struct step_health play(enum store_step step, const struct scene *scenes, size_t n)
{
	struct step_health h = { 0 };

	for (size_t i = 0; i < n; i++) {
		do_act(&h, scenes[i].act, scenes[i].at);
		if (step_state(&h, step, S(scenes[i].at)) != scenes[i].is)
			fail_msg("%s, scene %zu: %s", step_name(step), i,
				 step_state_name(step_state(&h, step, S(scenes[i].at))));
	}
	return h;
}

/* How long each may fail, and say nothing. */
static const struct {
	uint64_t failing, silent;
} patience[STORE_STEPS] = {
	[STEP_FILES] = { 0, 30 },  [STEP_OUTBOX] = { 5, 30 }, [STEP_RECOVERY] = { 30, 60 },
	[STEP_COMMIT] = { 0, 10 }, [STEP_SEND] = { 10, 60 },  [STEP_READ_BACK] = { 60, 120 },
};

static void test_a_step_that_rests_is_never_stuck(void **state)
{
	(void)state;
	for (int i = 0; i < STORE_STEPS; i++) {
		struct step_health h = play((enum store_step)i,
					    (struct scene[]){ { 1, REST, STEP_RESTS },
							      { 5, BEGIN, STEP_WORKS },
							      { 6, END, STEP_RESTS },
							      { 100000, REST, STEP_RESTS } },
					    4);

		assert_true(h.progress_ns == S(6));
		assert_int_equal(h.failures, 0);
	}
}

static void test_silence_is_no_evidence(void **state)
{
	(void)state;
	for (int i = 0; i < STORE_STEPS; i++) {
		enum store_step step = (enum store_step)i;
		uint64_t end = 10 + patience[i].silent;
		struct err why;
		struct step_health h = play(step,
					    (struct scene[]){ { 10, BEGIN, STEP_WORKS },
							      { end - 1, BEGIN, STEP_WORKS },
							      { end, BEGIN, STEP_STUCK } },
					    3);

		assert_true(h.since_ns == S(10)); /* what is begun twice has waited since the first time */
		step_why_stuck(&h, step, S(end), &why);
		assert_int_equal(why.code, ETIMEDOUT);
		step_why_stuck(&h, step, S(end - 1), &why);
		assert_int_equal(why.code, 0);
	}
}

static void test_failing_again_and_again(void **state)
{
	(void)state;
	for (int i = 0; i < STORE_STEPS; i++) {
		enum store_step step = (enum store_step)i;
		uint64_t last = 10 + patience[i].failing;
		struct err why;
		struct step_health h = play(step, (struct scene[]){ { 10, BEGIN, STEP_WORKS } }, 1);

		for (uint64_t at = 10; at < last; at++) {
			do_act(&h, FAIL, at);
			assert_int_equal(step_state(&h, step, S(at)), STEP_WORKS);
		}
		do_act(&h, FAIL, last);
		assert_int_equal(step_state(&h, step, S(last)), STEP_STUCK);
		assert_int_equal(h.failures, last - 10 + 1);
		step_why_stuck(&h, step, S(last), &why);
		assert_int_equal(why.code, EIO);
		assert_string_equal(why.msg, "broken");
		do_act(&h, REST, last + 1); /* nothing to do is no progress */
		assert_int_equal(step_state(&h, step, S(last + 1)), STEP_STUCK);
		do_act(&h, GO_ON, last + 2);
		assert_int_equal(step_state(&h, step, S(last + 2)), STEP_WORKS);
		assert_int_equal(h.error.code, 0);
		assert_int_equal(h.failures, last - 10 + 1);
	}
}

/* What comes now and then, as the second try of a journal that is started anew, is none. */
static void test_progress_between_failures(void **state)
{
	struct step_health h = { 0 };

	(void)state;
	for (uint64_t at = 10; at < 1000; at += 4) {
		do_act(&h, FAIL, at);
		assert_int_equal(step_state(&h, STEP_SEND, S(at)), STEP_WORKS);
		do_act(&h, GO_ON, at + 2);
	}
	assert_int_equal(step_state(&h, STEP_SEND, S(1060)), STEP_STUCK); /* the last one left something to do */
}

/* Since when it waits is said only while it does. */
static void test_since_when(void **state)
{
	struct step_health h = { 0 };

	(void)state;
	do_act(&h, BEGIN, 10);
	assert_int_equal(h.since_ns, S(10));
	do_act(&h, BEGIN, 11);
	do_act(&h, FAIL, 12);
	assert_int_equal(h.since_ns, S(10));
	do_act(&h, REST, 13);
	assert_int_equal(h.since_ns, S(10)); /* it failed last */
	do_act(&h, GO_ON, 14);
	assert_int_equal(h.since_ns, S(14));
	do_act(&h, END, 15);
	assert_int_equal(h.since_ns, 0);
	assert_int_equal(h.progress_ns, S(15));
	do_act(&h, BEGIN, 16);
	do_act(&h, REST, 17);
	assert_int_equal(h.since_ns, 0);
	assert_int_equal(h.progress_ns, S(15));
	do_act(&h, FAIL, 18);
	assert_int_equal(h.since_ns, S(18));
}

static void test_each_has_a_name(void **state)
{
	(void)state;
	for (int i = 0; i < STORE_STEPS; i++) {
		assert_true(step_name((enum store_step)i)[0] && step_gap((enum store_step)i)[0]);
		for (int k = 0; k < i; k++) {
			assert_string_not_equal(step_name((enum store_step)i), step_name((enum store_step)k));
			assert_string_not_equal(step_gap((enum store_step)i), step_gap((enum store_step)k));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_step_that_rests_is_never_stuck),
		cmocka_unit_test(test_silence_is_no_evidence),
		cmocka_unit_test(test_failing_again_and_again),
		cmocka_unit_test(test_progress_between_failures),
		cmocka_unit_test(test_since_when),
		cmocka_unit_test(test_each_has_a_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
