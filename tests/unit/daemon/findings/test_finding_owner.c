/* Whose a finding is: each has one owner, whatever it is about; what one process cannot do stays with whoever has its
 * ordinal; what belongs to others is forgotten without a record, open or dormant. */
#include "daemon/findings/finding_owner.h"

#include "daemon/findings/clock.h"
#include "daemon/findings/finding_record.h"
#include "daemon/findings/findings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#define TOTAL 3

#define OBJECT .cluster = STR("c"), .api_version = STR("v1"), .kind = STR("Pod"), .namespace = STR("n")
#define COMPONENT .cluster = STR("c"), .reference = STR("r"), .part = STR("p")

/* Pairs that belong to the same process, and pairs that would not if something else counted. */
static const struct owner_case {
	enum finding_kind kind;
	struct finding_subject is, as;
} same[] = {
	{ FINDING_DRIFT,
	  { OBJECT, .name = STR("a"), .uid = STR("u1") },
	  { OBJECT, .name = STR("b"), .uid = STR("u1") } },
	{ FINDING_ACCEPTED, { OBJECT, .uid = STR("u2"), .acceptance = STR("x") }, { OBJECT, .uid = STR("u2") } },
	{ FINDING_VALIDATION, { OBJECT, .uid = STR("u3"), .rule = STR("x") }, { OBJECT, .uid = STR("u3") } },
	{ FINDING_DRIFT, { OBJECT, .name = STR("a") }, { .namespace = STR("n"), .name = STR("a") } },
	{ FINDING_COMPONENT,
	  { COMPONENT, .component = STR("x") },
	  { COMPONENT, .component = STR("x"), .uid = STR("u") } },
	{ FINDING_ACCEPTED,
	  { COMPONENT, .component = STR("y") },
	  { COMPONENT, .component = STR("y"), .owner = STR("me") } },
	{ FINDING_ERROR, { OBJECT, .rule = STR("1") }, { OBJECT, .rule = STR("1"), .uid = STR("ignored") } },
};

static struct finding finding_of(enum finding_kind kind, const struct finding_subject *s)
{
	return (struct finding){ .kind = kind, .severity = SEVERITY_WARNING, .subject = *s };
}

/* TOTAL: nobody, or several. */
static uint32_t owner_of(enum finding_kind kind, const struct finding_subject *s)
{
	uint32_t owner = TOTAL;

	for (uint32_t i = 0; i < TOTAL; i++) {
		if (!finding_is_own((struct shard){ i, TOTAL }, kind, s))
			continue;
		if (owner != TOTAL)
			return TOTAL;
		owner = i;
	}
	assert_true(finding_is_own((struct shard){ 0 }, kind, s));
	assert_true(finding_is_own((struct shard){ 0, 1 }, kind, s));
	return owner;
}

static void test_each_has_one_owner(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(same); i++) {
		uint32_t owner = owner_of(same[i].kind, &same[i].is);

		assert_int_not_equal(owner, TOTAL);
		assert_int_equal(owner_of(same[i].kind, &same[i].as), owner);
	}
}

static void test_names_are_distinguished(void **state)
{
	const char names[] = "abcdefghijklmnop";
	size_t owned[TOTAL] = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(names) - 1; i++) {
		struct finding_subject s = { COMPONENT, .component = { names + i, 1 } };

		owned[owner_of(FINDING_COMPONENT, &s)]++;
	}
	for (size_t i = 0; i < TOTAL; i++)
		assert_true(owned[i] > 0);
}

static void test_what_was_ones_own(void **state)
{
	static const struct {
		str shard;
		uint32_t owner;
	} gaps[] = {
		{ STR(""), 0 },     { STR("0/2"), 0 }, { STR("1/2"), 1 },
		{ STR("2/3"), 2 },  { STR("3/4"), 0 }, { STR("x"), 0 },
		{ STR("-1/2"), 0 }, { STR("1"), 1 },   { STR("99999999999999999999/2"), 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(gaps); i++) {
		struct finding_subject s = { .cluster = STR("c"), .shard = gaps[i].shard };

		assert_int_equal(owner_of(FINDING_GAP, &s), gaps[i].owner);
		s = (struct finding_subject){ OBJECT, .rule = STR("r"), .rule_path = STR("cost"),
					      .shard = gaps[i].shard };
		if (gaps[i].shard.n)
			assert_int_equal(owner_of(FINDING_ERROR, &s), gaps[i].owner);
	}
}

static void test_what_each_process_has(void **state)
{
	static const struct {
		enum finding_kind kind;
		struct finding_subject subject;
		bool own;
	} each[] = {
		{ FINDING_GAP, { .cluster = STR("c") }, true },
		{ FINDING_GAP, { .cluster = STR("c"), .shard = STR("1/2") }, true },
		{ FINDING_ERROR, { OBJECT, .rule = STR("r"), .rule_path = STR("cost") }, true },
		{ FINDING_ERROR, { OBJECT, .rule = STR("r"), .rule_path = STR("cost"), .shard = STR("1/2") }, true },
		{ FINDING_ERROR, { OBJECT, .rule = STR("r"), .shard = STR("1/2") }, true },
		{ FINDING_ERROR, { OBJECT, .rule = STR("r"), .rule_path = STR("spec") }, false },
		{ FINDING_ERROR, { OBJECT, .rule_path = STR("cost") }, false },
		{ FINDING_ERROR, { OBJECT, .name = STR("a") }, false },
		{ FINDING_VALIDATION, { OBJECT, .rule = STR("r"), .rule_path = STR("cost") }, false },
		{ FINDING_DRIFT, { OBJECT, .name = STR("a") }, false },
		{ FINDING_COMPONENT, { COMPONENT, .component = STR("x") }, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(each); i++)
		assert_int_equal(finding_is_of_process(each[i].kind, &each[i].subject), each[i].own);
}

/* ---- what belongs to others ---- */

static struct {
	size_t over, reported;
} heard;

static void take(void *ctx, const struct emission *t)
{
	(void)ctx;
	heard.over += t->finding && t->over;
	heard.reported += t->record != NULL;
}

#define MANY (FINDINGS_AT_ONCE * 3)

static void test_others_are_forgotten(void **state)
{
	static const struct sink_taker taker = { .take = take };
	const struct shard shard = { 1, TOTAL };
	CLEANUP(sink_freep) struct sink *sink = sink_new(&taker);
	CLEANUP(findings_freep) struct findings *f = NULL;
	const struct finding *x;
	size_t own = 0, at = 0;
	struct err err;

	(void)state;
	assert_int_equal(findings_new(sink, &f, &err), 0);
	findings_set_flapping(f, 5, UINT64_C(60000000000));
	for (int i = 0; i < MANY; i++) {
		char name[16];
		struct finding_subject s = { OBJECT, .name = { name, (size_t)snprintf(name, sizeof(name), "o%d", i) } };
		struct finding y = finding_of(FINDING_DRIFT, &s);

		y.subject.uid = s.name;
		y.flaps = i % 7 == 0 ? 9 : 0; /* some flap, and some of these are not open now */
		y.dormant = i % 14 == 0;
		own += !y.dormant && finding_is_own(shard, y.kind, &y.subject);
		assert_int_equal(findings_restore(f, &y, &err), 0);
	}
	heard.over = heard.reported = 0;
	findings_drop_foreign(f, shard);
	assert_int_equal(heard.reported, 0);
	assert_true(heard.over > MANY / 2);
	while ((x = findings_each(f, &at))) {
		assert_true(finding_is_own(shard, x->kind, &x->subject));
		own--;
	}
	assert_int_equal(own, 0);
	for (size_t t = 0; t < TRANSITIONS; t++)
		assert_int_equal(findings_counters(f, STR("c"))->transitions[t][SEVERITY_WARNING], 0);
	findings_tick(f, UINT64_MAX); /* those that flapped and are ours become quiet; of others nothing is left */
	assert_in_range(heard.reported, 1, MANY / 7);
}

/* ---- names, and records ---- */

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
static const struct finding_subject shards_gap = { .cluster = STR("prod"), .shard = STR("1/2") };
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
	{ FINDING_GAP, &shards_gap, "" },
	{ FINDING_ERROR, &gap, "\x1f" },
};

static void test_names_of_owners(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(buf_done) struct buf name = BUF_INIT(1000);
		str want = str_from(cases[i].name);

		finding_owner_name(cases[i].kind, cases[i].subject, &name);
		assert_true(str_eq(buf_str(&name), want));
		if (!want.n && cases[i].subject->shard.n)
			continue;
		for (uint32_t n = 0; n < TOTAL; n++) {
			struct shard s = { n, TOTAL };
			bool owned = want.n ? shard_owns(s, want) : n == 0;

			assert_int_equal(finding_is_own(s, cases[i].kind, cases[i].subject), owned);
		}
		assert_true(finding_is_own((struct shard){ 0, 0 }, cases[i].kind, cases[i].subject));
		assert_true(finding_is_own((struct shard){ 0, 1 }, cases[i].kind, cases[i].subject));
	}
}

static void check_record(const struct record *r, size_t i)
{
	struct finding_subject s;
	enum finding_kind kind;

	assert_true(finding_of_record(r, &kind, &s));
	assert_int_equal(kind, cases[i].kind);
	for (uint32_t n = 0; n < TOTAL; n++)
		assert_int_equal(record_is_own((struct shard){ n, TOTAL }, r),
				 finding_is_own((struct shard){ n, TOTAL }, cases[i].kind, cases[i].subject));
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
	for (uint32_t n = 0; n < TOTAL; n++)
		assert_int_equal(record_is_own((struct shard){ n, TOTAL }, &r), n == 0);
	record_done(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_has_one_owner),
		cmocka_unit_test(test_names_are_distinguished),
		cmocka_unit_test(test_what_was_ones_own),
		cmocka_unit_test(test_what_each_process_has),
		cmocka_unit_test(test_others_are_forgotten),
		cmocka_unit_test(test_names_of_owners),
		cmocka_unit_test(test_records_have_the_owner_of_their_finding),
		cmocka_unit_test(test_a_record_about_nothing_is_the_first_shards),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
