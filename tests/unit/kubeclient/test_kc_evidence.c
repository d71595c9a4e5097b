/* What proves a watch, over time that the test makes. */
#include "kubeclient/kc_evidence.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define S (UINT64_C(1000000000))

static const struct kc_tuning tuning = { .evidence_ms = 90000, .idle_ms = 65000 };

static void test_the_default_is_the_promise(void **state)
{
	struct kc_tuning t = KC_TUNING_DEFAULT;

	(void)state;
	assert_int_equal(t.evidence_ms, 90000);
	assert_int_equal(t.idle_ms, kc_tuning_idle_ms(t.evidence_ms));
	assert_true(kc_evidence_stale_ms(&t) < t.evidence_ms);
	assert_true(kc_evidence_stale_ms(&t) > t.idle_ms);
}

static void test_an_event_is_evidence(void **state)
{
	struct kc_evidence e = { 0 };
	struct err err;

	(void)state;
	kc_evidence_begin(&e, &tuning, false, false, 100 * S);
	assert_int_equal(e.until_ns, 123 * S); /* nothing was ever proved: it is a test */
	kc_evidence_event(&e, true, 101 * S);
	assert_int_equal(e.proved_ns, 101 * S);
	assert_false(kc_evidence_failed(&e, &tuning, "pods", 200 * S, &err));
	assert_false(kc_evidence_due(&e, &tuning, 165 * S));
	assert_true(kc_evidence_due(&e, &tuning, 166 * S));
	assert_int_equal(kc_evidence_wait_ms(&e, &tuning, 101 * S), 65001);
	assert_int_equal(kc_evidence_wait_ms(&e, &tuning, 170 * S), 1);
}

/* Each alone, and both in either order. */
static void test_both_answers_are_evidence(void **state)
{
	(void)state;
	for (int first = 0; first < 2; first++) {
		struct kc_evidence e = { .proved_ns = 10 * S };

		kc_evidence_begin(&e, &tuning, false, true, 80 * S);
		*(first ? &e.answered : &e.read) = true;
		assert_false(kc_evidence_answers(&e, 81 * S));
		assert_int_equal(e.proved_ns, 10 * S);
		e.answered = e.read = true;
		assert_true(kc_evidence_answers(&e, 82 * S));
		assert_int_equal(e.proved_ns, 82 * S);
		assert_int_equal(e.until_ns, 0);
		assert_false(kc_evidence_answers(&e, 83 * S)); /* a read counts once */
	}
}

/* It says that the connection is good, and no more: a server repeats it out of its memory. */
static void test_a_repeated_bookmark_needs_a_read(void **state)
{
	struct kc_evidence e = { .proved_ns = 10 * S, .answered = true };
	struct err err;

	(void)state;
	kc_evidence_event(&e, false, 71 * S);
	assert_int_equal(e.proved_ns, 10 * S);
	assert_true(e.repeated && kc_evidence_due(&e, &tuning, 75 * S));
	kc_evidence_test_read(&e, &tuning, 75 * S);
	assert_false(e.repeated);
	assert_true(kc_evidence_failed(&e, &tuning, "pods", 98 * S, &err));
	e.read = true;
	assert_true(kc_evidence_answers(&e, 99 * S));
	assert_int_equal(e.proved_ns, 99 * S);
}

static void test_a_mute_watch_is_proved_by_its_events_only(void **state)
{
	struct kc_evidence e = { .proved_ns = 10 * S, .mute = true };
	struct err err;

	(void)state;
	kc_evidence_begin(&e, &tuning, true, false, 80 * S);
	e.answered = true;
	assert_false(kc_evidence_answers(&e, 81 * S));
	assert_true(kc_evidence_failed(&e, &tuning, "pods", 103 * S, &err));
	assert_string_equal(err.msg, "watch of pods: it delivers nothing, though objects have changed");
	kc_evidence_event(&e, true, 104 * S);
	assert_false(e.mute);
	assert_int_equal(e.proved_ns, 104 * S);
}

static void test_what_did_not_come_is_said(void **state)
{
	static const struct {
		bool answered;
		const char *problem, *expected;
	} rows[] = {
		{ false, NULL, "watch of pods: no answer within 23 s" },
		{ true, NULL, "watch of pods: it is silent, and a read beside it was not answered within 23 s" },
		{ true, "list: 504 Gateway Timeout",
		  "watch of pods: it is silent, and a read beside it failed: list: 504 Gateway Timeout" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct kc_evidence e = { .proved_ns = 10 * S };
		struct err err;

		kc_evidence_begin(&e, &tuning, false, false, 75 * S);
		e.answered = rows[i].answered;
		if (rows[i].problem)
			(void)err_set(&e.problem, EREMOTEIO, "%s", rows[i].problem);
		assert_false(kc_evidence_failed(&e, &tuning, "pods", 98 * S - 1, &err));
		assert_true(kc_evidence_failed(&e, &tuning, "pods", 98 * S, &err));
		assert_string_equal(err.msg, rows[i].expected);
	}
}

/* Whatever happens in whatever order, as the reflector uses it: evidence is an event, or a read and an answer of one
 * round; a silent watch is tested in time for what it claims to fall in time. */
static void test_any_order(void **state)
{
	struct kc_evidence e = { 0 };
	uint64_t now = 1000 * S, event = 0;
	bool answered = false, read = false;
	unsigned proofs = 0, failures = 0;
	struct err err;

	(void)state;
	srandom(7);
	kc_evidence_begin(&e, &tuning, false, false, now);
	for (int i = 0; i < 200000; i++) {
		uint64_t before = e.proved_ns;

		now += (uint64_t)(random() % 20) * S;
		switch (random() % 6) {
		case 0:
			kc_evidence_event(&e, true, event = now);
			break;
		case 1:
			e.answered = answered = true;
			proofs += kc_evidence_answers(&e, now);
			break;
		case 2:
			e.read = read = true;
			proofs += kc_evidence_answers(&e, now);
			break;
		default:
			if (kc_evidence_failed(&e, &tuning, "pods", now, &err))
				failures++;
			else if (e.until_ns || !kc_evidence_due(&e, &tuning, now))
				continue;
			kc_evidence_begin(&e, &tuning, false, false, now);
			answered = read = false;
			assert_true(e.until_ns);
		}
		if (e.proved_ns == before)
			continue;
		assert_true(e.proved_ns == now && (event == now || (answered && read)));
		read = event == now && read;
	}
	assert_true(proofs > 1000 && failures > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_default_is_the_promise),
		cmocka_unit_test(test_an_event_is_evidence),
		cmocka_unit_test(test_both_answers_are_evidence),
		cmocka_unit_test(test_a_repeated_bookmark_needs_a_read),
		cmocka_unit_test(test_a_mute_watch_is_proved_by_its_events_only),
		cmocka_unit_test(test_what_did_not_come_is_said),
		cmocka_unit_test(test_any_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
