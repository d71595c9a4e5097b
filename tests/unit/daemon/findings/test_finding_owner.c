/* Owners of findings: each has one, its records have the same, and what is about no object is the first shard's. */
#include "daemon/findings/finding_owner.h"

#include "daemon/findings/finding_record.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#define SHARDS 5

static const struct finding_subject object = {
	.cluster = STR("prod"),
	.reference = STR("base"),
	.part = STR("p"),
	.component = STR("c"),
	.kind = STR("Pod"),
	.namespace = STR("ns"),
	.name = STR("web"),
	.uid = STR("6d62c5a6-1f3a-4c5e-9f0e-7a1b2c3d4e5f"),
};
static const struct finding_subject component = {
	.cluster = STR("prod"),
	.reference = STR("base"),
	.part = STR("p"),
	.component = STR("c"),
};
static const struct finding_subject gap = { .cluster = STR("prod"), .kind = STR("Pod"), .resource = STR("pods") };

static const struct {
	enum finding_kind kind;
	const struct finding_subject *subject;
	const char *name; /* of its owner */
} cases[] = {
	{ FINDING_DRIFT, &object, "6d62c5a6-1f3a-4c5e-9f0e-7a1b2c3d4e5f" },
	{ FINDING_ERROR, &object, "6d62c5a6-1f3a-4c5e-9f0e-7a1b2c3d4e5f" },
	{ FINDING_VALIDATION, &object, "6d62c5a6-1f3a-4c5e-9f0e-7a1b2c3d4e5f" },
	{ FINDING_INSPECTION, &object, "6d62c5a6-1f3a-4c5e-9f0e-7a1b2c3d4e5f" },
	{ FINDING_ACCEPTED, &object, "6d62c5a6-1f3a-4c5e-9f0e-7a1b2c3d4e5f" },
	{ FINDING_COMPONENT, &component,
	  "prod\x1f"
	  "base\x1fp\x1f"
	  "c" },
	{ FINDING_ACCEPTED, &component,
	  "prod\x1f"
	  "base\x1fp\x1f"
	  "c" },
	{ FINDING_GAP, &gap, "" },
	{ FINDING_ERROR, &gap, "" },
};

static void test_names_of_owners(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(buf_done) struct buf name = BUF_INIT(1000);
		str want = str_from(cases[i].name);

		finding_owner_name(cases[i].kind, cases[i].subject, &name);
		assert_true(str_eq(buf_str(&name), want));
		for (uint32_t n = 0; n < SHARDS; n++) {
			struct shard s = { n, SHARDS };
			bool owned = want.n ? shard_owns(s, want) : n == 0;

			assert_int_equal(finding_is_of_shard(cases[i].subject, cases[i].kind, s), owned);
		}
		assert_true(finding_is_of_shard(cases[i].subject, cases[i].kind, (struct shard){ 0, 0 }));
		assert_true(finding_is_of_shard(cases[i].subject, cases[i].kind, (struct shard){ 0, 1 }));
	}
}

static void check_record(const struct record *r, size_t i)
{
	struct finding_subject s;
	enum finding_kind kind;

	assert_true(finding_of_record(r, &kind, &s));
	assert_int_equal(kind, cases[i].kind);
	for (uint32_t n = 0; n < SHARDS; n++)
		assert_int_equal(record_is_of_shard(r, (struct shard){ n, SHARDS }),
				 finding_is_of_shard(cases[i].subject, cases[i].kind, (struct shard){ n, SHARDS }));
}

/* Of each transition, and of an end for want of time, which has a message of its own. */
static void test_records_have_the_owner_of_their_finding(void **state)
{
	static const struct record_terms terms;
	static const struct blame nobody;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct finding x = { .kind = cases[i].kind, .severity = SEVERITY_ERROR, .subject = *cases[i].subject };
		struct finding_report report = { .kind = x.kind, .severity = x.severity, .subject = x.subject };
		struct record r;

		for (int t = TRANSITION_BEGIN; t <= TRANSITION_CHANGE; t++) {
			record_report(&r, &x, (enum transition)t, &report, &terms);
			check_record(&r, i);
			record_done(&r);
		}
		record_end(&r, &x, NULL, NULL, &nobody, &terms);
		check_record(&r, i);
		record_done(&r);
		record_end(&r, &x, NULL, FINDING_EXPIRED, &nobody, &terms);
		check_record(&r, i);
		record_done(&r);
	}
}

static void test_a_record_about_nothing_is_the_first_shards(void **state)
{
	struct finding_subject s;
	enum finding_kind kind;
	struct record r;

	(void)state;
	record_init(&r, MESSAGE_NOTICE, SEVERITY_INFO);
	record_add(&r, "DRIFTD_UID", object.uid);
	assert_false(finding_of_record(&r, &kind, &s));
	for (uint32_t n = 0; n < SHARDS; n++)
		assert_int_equal(record_is_of_shard(&r, (struct shard){ n, SHARDS }), n == 0);
	record_done(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_of_owners),
		cmocka_unit_test(test_records_have_the_owner_of_their_finding),
		cmocka_unit_test(test_a_record_about_nothing_is_the_first_shards),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
