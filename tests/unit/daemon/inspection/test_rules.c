/* The rules in force, and the quota of their effects. */
#include "daemon/inspection/rules.h"

#include "rules/inspection/insp_builtin.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define SECOND_NS UINT64_C(1000000000)

static struct limits limits;

static void read_rules(const char *text, struct insp_builtins *ret)
{
	struct problems problems = { 0 };
	struct err err;

	limits = LIMITS_DEFAULT;
	if (insp_builtins_parse(str_from(text), "rules", &limits, ret, &problems, &err) < 0)
		fail_msg("%s", problems_text(&problems));
	problems_done(&problems);
}

static struct inspection_rules *rules_with(const char *built_in)
{
	struct inspection_rules *s = NULL;
	struct insp_builtins b = { 0 };
	struct err err;

	read_rules(built_in, &b);
	assert_int_equal(inspection_rules_new(&b, &s, &err), 0);
	assert_int_equal(b.rules.n, 0);
	return s;
}

static void put(struct inspection_rules *s, const char *text, const char *created_at)
{
	struct insp_builtins b = { 0 };
	struct err err;

	read_rules(text, &b);
	assert_int_equal(b.rules.n, 1);
	b.rules.n = 0; /* it is taken over */
	assert_int_equal(inspection_rules_put(s, b.rules.p[0], str_from(created_at), (str){ NULL, 0 }, &err), 0);
	insp_builtins_done(&b);
}

static void test_users_rules(void **state)
{
	struct inspection_rules *s = rules_with("[{uuid: base, actions: [{op: log, args: [x]}]}]");
	uint64_t generation = inspection_rules_generation(s);

	(void)state;
	assert_int_equal(generation, 1);
	assert_true(inspection_rules_any(s));
	assert_null(inspection_rules_at(s, 0));
	assert_true(inspection_rules_has(s, STR("BASE")));
	put(s, "[{uuid: a, priority: 1, actions: [{op: log, args: [x]}]}]", "first");
	put(s, "[{uuid: b, actions: [{op: log, args: [x]}]}]", "second");
	assert_int_equal(inspection_rules_generation(s), generation + 2);
	put(s, "[{uuid: A, priority: 2, actions: [{op: log, args: [x]}]}]", "third"); /* in its place */
	assert_int_equal(inspection_rules_at(s, 0)->rule->priority, 2);
	assert_true(str_eq(inspection_rules_at(s, 0)->created_at, STR("third")));
	assert_null(inspection_rules_at(s, 0)->updated_at.p);
	assert_true(str_eq(inspection_rules_at(s, 1)->rule->uuid, STR("b")));
	assert_null(inspection_rules_at(s, 2));
	generation = inspection_rules_generation(s);
	inspection_rules_remove(s, STR("base")); /* it is no user's */
	inspection_rules_remove(s, STR("c"));
	assert_int_equal(inspection_rules_generation(s), generation);
	inspection_rules_remove(s, STR("a"));
	assert_false(inspection_rules_has(s, STR("a")));
	assert_true(str_eq(inspection_rules_at(s, 0)->rule->uuid, STR("b")));
	inspection_rules_clear(s);
	assert_null(inspection_rules_at(s, 0));
	assert_true(inspection_rules_any(s));
	assert_int_equal(inspection_rules_built_in(s)->rules.n, 1);
	assert_int_equal(inspection_rules_generation(s), generation + 2);
	inspection_rules_free(s);
}

static void expect_order(struct inspection_rules *s, const char *const *uuids, size_t n)
{
	const struct insp_set *set;
	struct err err;

	assert_int_equal(inspection_rules_set(s, &set, &err), 0);
	assert_int_equal(set->n[INSP_MAIN], n);
	for (size_t i = 0; i < n; i++)
		assert_true(str_eq(set->rules[INSP_MAIN][i]->uuid, str_from(uuids[i])));
}

static void test_order(void **state)
{
	static const char *const all[] = { "high", "a", "b", "base" }, *const left[] = { "a", "b", "base" };
	struct inspection_rules *s = rules_with("[{uuid: base, actions: [{op: log, args: [x]}]}]");
	const struct insp_set *set;
	struct err err;

	(void)state;
	put(s, "[{uuid: a, actions: [{op: log, args: [x]}]}]", "now");
	put(s, "[{uuid: high, priority: 9, actions: [{op: log, args: ['{ports}']}]}]", "now");
	put(s, "[{uuid: b, actions: [{op: log, args: [x]}]}]", "now");
	expect_order(s, all, ARRAY_LEN(all));
	assert_int_equal(inspection_rules_set(s, &set, &err), 0);
	assert_true(set->reads_dependents);
	inspection_rules_remove(s, STR("HIGH"));
	expect_order(s, left, ARRAY_LEN(left));
	assert_int_equal(inspection_rules_set(s, &set, &err), 0);
	assert_false(set->reads_dependents);
	inspection_rules_free(s);
}

static void test_quota(void **state)
{
	struct inspection_rules *s = rules_with("[{uuid: base, actions: [{op: log, args: [x]}]}]");
	uint64_t now = 1;
	bool news;

	(void)state;
	for (int i = 0; i < 60; i++) {
		assert_true(inspection_rules_take(s, STR("base"), 60, now, &news));
		assert_false(news);
	}
	assert_false(inspection_rules_take(s, STR("base"), 60, now, &news));
	assert_true(news);
	assert_false(inspection_rules_take(s, STR("base"), 60, now + SECOND_NS / 2, &news));
	assert_false(news);
	now += SECOND_NS; /* one a second */
	assert_true(inspection_rules_take(s, STR("base"), 60, now, &news));
	assert_false(inspection_rules_take(s, STR("base"), 60, now, &news));
	assert_false(news);
	now += 3600 * SECOND_NS; /* it does not fill any further */
	for (int i = 0; i < 60; i++)
		assert_true(inspection_rules_take(s, STR("base"), 60, now, &news));
	assert_false(inspection_rules_take(s, STR("base"), 60, now, &news));
	assert_true(news);
	inspection_rules_free(s);
}

/* Each rule has its own, which goes with the rule. */
static void test_quotas(void **state)
{
	struct inspection_rules *s = rules_with("[{uuid: base, actions: [{op: log, args: [x]}]}]");
	bool news;

	(void)state;
	put(s, "[{uuid: a, actions: [{op: log, args: [x]}]}]", "now");
	assert_true(inspection_rules_take(s, STR("a"), 1, 1, &news));
	assert_false(inspection_rules_take(s, STR("a"), 1, 1, &news));
	assert_true(inspection_rules_take(s, STR("base"), 1, 1, &news));
	put(s, "[{uuid: A, actions: [{op: log, args: [y]}]}]", "now"); /* the same rule */
	assert_false(inspection_rules_take(s, STR("A"), 1, 1, &news));
	inspection_rules_remove(s, STR("a"));
	put(s, "[{uuid: a, actions: [{op: log, args: [x]}]}]", "now");
	assert_true(inspection_rules_take(s, STR("a"), 1, 1, &news));
	inspection_rules_clear(s);
	assert_false(inspection_rules_take(s, STR("base"), 1, 1, &news));
	inspection_rules_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_users_rules),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_quota),
		cmocka_unit_test(test_quotas),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
