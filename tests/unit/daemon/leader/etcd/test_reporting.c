/* When a host may report: the state machine of reporting.h, without an etcd. */
#include "daemon/leader/etcd/reporting.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct election election;
static struct reporting reporting;

static int setup(void **state)
{
	(void)state;
	atomic_store(&election.deadline_ns, UINT64_MAX);
	reporting_init(&reporting, &election);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	reporting_done(&reporting);
	return 0;
}

/* Claim the term, and load its state. */
static struct leader_loaded claim(int64_t term)
{
	reporting_set_term(&reporting, term);
	return (struct leader_loaded){ .term = term, .generation = reporting_shut(&reporting) };
}

static void opens_with_what_it_knows(void **state)
{
	struct leader_loaded x = claim(7);

	(void)state;
	assert_true(reporting_is_shut(&reporting));
	assert_false(reporting_may(&reporting));
	reporting_open(&reporting, &x);
	assert_true(reporting_may(&reporting));
	atomic_store(&election.deadline_ns, 0);
	assert_false(reporting_may(&reporting));
}

static void stays_shut_for_old_states(void **state)
{
	struct leader_loaded first = claim(7), second = claim(7);

	(void)state;
	reporting_open(&reporting, &first);
	assert_true(reporting_is_shut(&reporting));
	reporting_set_term(&reporting, 8);
	reporting_open(&reporting, &second);
	assert_true(reporting_is_shut(&reporting));
}

static void waits_between_terms(void **state)
{
	struct leader_loaded x = claim(7);

	(void)state;
	reporting_open(&reporting, &x);
	reporting_set_term(&reporting, 0);
	assert_false(reporting_may(&reporting));
	reporting_set_term(&reporting, 9);
	assert_false(reporting_may(&reporting));
	reporting_resume(&reporting, 9);
	assert_true(reporting_may(&reporting));
}

static void shutting_leaves_a_batch(void **state)
{
	(void)state;
	assert_false(atomic_load(&reporting.batch_is_there));
	(void)claim(7);
	assert_true(atomic_load(&reporting.batch_is_there));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(opens_with_what_it_knows, setup, teardown),
		cmocka_unit_test_setup_teardown(stays_shut_for_old_states, setup, teardown),
		cmocka_unit_test_setup_teardown(waits_between_terms, setup, teardown),
		cmocka_unit_test_setup_teardown(shutting_leaves_a_batch, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
