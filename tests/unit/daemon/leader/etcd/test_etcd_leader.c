/* The last batch, as etcd has it or as somebody has made it. */
#include "daemon/leader/leader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>

static const struct {
	str batch;
	size_t n; /* records that can be read */
	bool whole;
} cases[] = {
	{ { "", 0 }, 0, true },
	{ { "\1\0\0\0a", 5 }, 1, true },
	{ { "\1\0\0\0a\0\0\0\0\2\0\0\0bc", 15 }, 3, true },
	{ { "\1", 1 }, 0, false },
	{ { "\1\0\0", 3 }, 0, false },
	{ { "\1\0\0\0", 4 }, 0, false },
	{ { "\1\0\0\0a\1", 6 }, 1, false },
	{ { "\377\377\377\377a", 5 }, 0, false },
	{ { "\5\0\0\0abcd", 8 }, 0, false },
};

static void reads_batches(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		str batch = cases[i].batch, record;
		struct err err;
		size_t n = 0;
		int r;

		while ((r = leader_batch_next(&batch, &record, &err)) > 0)
			n++;
		assert_int_equal(r, cases[i].whole ? 0 : -EBADMSG);
		assert_int_equal(n, cases[i].n);
	}
}

/* Without an etcd it never tells, and ends at once. */
static void is_alone(void **state)
{
	const str url = STR("http://127.0.0.1:1");
	const struct cfg_leader from = {
		.endpoints = &url, .n_endpoints = 1, .prefix = STR("/test"), .lease_ns = 3 * INT64_C(1000000000)
	};
	const struct leader_options o = { .from = &from };
	struct leader_status s;
	struct leader *l;
	struct err err;

	(void)state;
	assert_int_equal(leader_over_etcd(&o, &l, &err), 0);
	leader_status(l, &s);
	assert_false(s.reports);
	assert_int_equal(s.renewal_age_ns, -1);
	assert_false(l->agreement.may_report(l->agreement.ctx));
	assert_int_equal(l->agreement.agree(l->agreement.ctx, NULL, 0, &err), -EAGAIN);
	assert_null(leader_take_loaded(l));
	leader_stop(l);
	leader_stop(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_batches),
		cmocka_unit_test(is_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
