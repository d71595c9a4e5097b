/* The claim of a host, over lives of its process. */
#include "daemon/leader/etcd/own_claim.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CLAIM "0123456789abcdef0123456789abcdef"
#define NEXT "fedcba9876543210fedcba9876543210"

static char folder[] = "/tmp/own-claim-XXXXXX", path[64];
static struct own_claim claim;

static int setup(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	(void)snprintf(path, sizeof(path), "%s/leader", folder);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	(void)unlink(path);
	return rmdir(folder);
}

static int open_anew(void **state)
{
	(void)state;
	(void)unlink(path);
	own_claim_open(&claim, path);
	return 0;
}

static int close_it(void **state)
{
	(void)state;
	own_claim_done(&claim);
	return 0;
}

static void restart(void)
{
	own_claim_done(&claim);
	own_claim_open(&claim, path);
}

static void knows_its_claim_again(void **state)
{
	(void)state;
	assert_false(own_claim_is(&claim, STR(CLAIM " here")));
	own_claim_win(&claim, CLAIM);
	assert_true(own_claim_is(&claim, STR(CLAIM " here")));
	assert_false(own_claim_is(&claim, STR(NEXT " here")));
	assert_false(claim.former);
	own_claim_made_step(&claim, 12);
	own_claim_keep_step(&claim, CLAIM, 12);
	restart();
	assert_true(own_claim_is(&claim, STR(CLAIM " here")));
	assert_true(claim.former);
	assert_int_equal(own_claim_seen(&claim), 12);
}

static void forgets_what_is_over(void **state)
{
	(void)state;
	own_claim_win(&claim, CLAIM);
	own_claim_lose(&claim);
	assert_false(own_claim_is(&claim, STR(CLAIM " here")));
	own_claim_keep_step(&claim, CLAIM, 5); /* the writer comes too late */
	restart();
	assert_false(claim.former);
	assert_int_equal(own_claim_seen(&claim), 0);
}

static void keeps_no_step_of_an_earlier_claim(void **state)
{
	char now[RECORD_ID_SIZE];

	(void)state;
	own_claim_win(&claim, CLAIM);
	own_claim_win(&claim, NEXT);
	own_claim_keep_step(&claim, CLAIM, 5);
	own_claim_of_term(&claim, now);
	assert_string_equal(now, NEXT);
	restart();
	assert_true(own_claim_is(&claim, STR(NEXT " here")));
	assert_int_equal(own_claim_seen(&claim), 0);
}

static void notices_a_restored_etcd(void **state)
{
	(void)state;
	own_claim_made_step(&claim, 12);
	assert_false(own_claim_went_back(&claim, 12, 14));
	assert_int_equal(own_claim_seen(&claim), 14);
	assert_true(own_claim_went_back(&claim, 14, 3));
	assert_int_equal(own_claim_seen(&claim), 3);
	own_claim_made_step(&claim, 9); /* the writer has made a step while etcd was asked */
	assert_false(own_claim_went_back(&claim, 3, 3));
	assert_int_equal(own_claim_seen(&claim), 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(knows_its_claim_again, open_anew, close_it),
		cmocka_unit_test_setup_teardown(forgets_what_is_over, open_anew, close_it),
		cmocka_unit_test_setup_teardown(keeps_no_step_of_an_earlier_claim, open_anew, close_it),
		cmocka_unit_test_setup_teardown(notices_a_restored_etcd, open_anew, close_it),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
