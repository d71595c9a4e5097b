/* Filters of one finding: what passes each of them and what does not, what orders it, and copies. */
#include "daemon/view/finding_filter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>

static const struct finding drift = {
	.kind = FINDING_DRIFT,
	.severity = SEVERITY_ERROR,
	.first_seen_usec = 1777629600500000, /* 2026-05-01T10:00:00.5Z */
	.subject = { .cluster = STR("c"),
		     .reference = STR("r"),
		     .component = STR("part/web"),
		     .kind = STR("Deployment"),
		     .resource = STR("deployments.apps"),
		     .namespace = STR("prod"),
		     .name = STR("web-1") },
	.paths = STR("spec.replicas\nspec.list[0].image"),
	.manager = STR("helm"),
	.actions = STR("page\nmail"),
};
static const struct finding violation = {
	.kind = FINDING_VALIDATION,
	.severity = SEVERITY_INFO,
	.subject = { .kind = STR("Pod"), .rule_path = STR("spec.hosts") },
};

static void test_passes(void **state)
{
	static const struct {
		const char *name, *passes, *not ;
		const struct finding *x; /* NULL: the first */
	} cases[] = {
		{ "cluster", "c", "C", NULL },
		{ "cluster", "c", "", NULL },
		{ "namespace", "prod", "pro", NULL },
		{ "namespace", "", "prod", &violation },
		{ "name", "web-1", "web", NULL },
		{ "name", "web-*", "*-2", NULL },
		{ "reference", "r", "q", NULL },
		{ "component", "part/web", "part", NULL },
		{ "action", "page", "pag", NULL },
		{ "action", "mail", "mailx", NULL },
		{ "kind", "deployment", "deploy", NULL },
		{ "kind", "pods,deployments.apps", "pods,nodes", NULL },
		{ "manager", "h*m", "hel", NULL },
		{ "field", "spec.replicas", "spec.replica", NULL },
		{ "field", "spec.list", "spec.list[1]", NULL },
		{ "field", "spec.hosts", "spec.replicas", &violation },
		{ "type", "drift", "error", NULL },
		{ "type", "validation", "drift", &violation },
		{ "severity", "error", "critical", NULL },
		{ "severity", "info", "notice", &violation },
		{ "severity_is", "error", "warning", NULL },
		{ "since", "2026-05-01T10:00:00.5Z", "2026-05-01T10:00:00.500001Z", NULL },
		{ "since", "1970-01-01T00:00:00Z", "1970-01-01T00:00:01Z", &violation },
		{ "cause", "anything", NULL, NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct finding *x = cases[i].x ? cases[i].x : &drift;
		struct finding_filter yes = { 0 }, no = { 0 };
		struct err err;

		assert_int_equal(finding_filter_add(&yes, cases[i].name, cases[i].passes, &err), 0);
		if (!finding_filter_passes(&yes, x))
			fail_msg("%s %s", cases[i].name, cases[i].passes);
		if (!cases[i].not )
			continue;
		assert_int_equal(finding_filter_add(&no, cases[i].name, cases[i].not, &err), 0);
		if (finding_filter_passes(&no, x))
			fail_msg("not %s %s", cases[i].name, cases[i].not );
	}
}

/* What is repeated is one or the other. */
static void test_repeated(void **state)
{
	struct finding_filter f = { 0 };
	struct err err;

	(void)state;
	assert_int_equal(finding_filter_add(&f, "type", "gap", &err), 0);
	assert_int_equal(finding_filter_add(&f, "type", "drift", &err), 0);
	assert_int_equal(finding_filter_add(&f, "severity_is", "error", &err), 0);
	assert_true(finding_filter_passes(&f, &drift));
	assert_false(finding_filter_passes(&f, &violation));
	assert_int_equal(finding_filter_add(&f, "severity_is", "info", &err), 0);
	assert_int_equal(finding_filter_add(&f, "type", "validation", &err), 0);
	assert_true(finding_filter_passes(&f, &violation));
}

static void test_numbers(void **state)
{
	static const struct {
		const char *name, *value;
		uint64_t known;
		int64_t since_usec;
		int error;
	} cases[] = {
		{ "after", "1", 1, 0, 0 },
		{ "after", "0", 0, 0, -EINVAL },
		{ "after", "-1", 0, 0, -EINVAL },
		{ "after", "x", 0, 0, -EINVAL },
		{ "after", "9223372036854775807", INT64_MAX, 0, 0 },
		{ "since", "1970-01-01T00:00:01.000002Z", 0, 1000002, 0 },
		{ "since", "1969-12-31T23:59:59Z", 0, 0, -EINVAL },
		{ "severity", "bad", 0, 0, -EINVAL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct finding_filter f = { 0 };
		struct err err;

		assert_int_equal(finding_filter_add(&f, cases[i].name, cases[i].value, &err), cases[i].error);
		assert_int_equal(f.known, cases[i].known);
		assert_int_equal(f.since_usec, cases[i].since_usec);
	}
}

/* Each of what filters; neither the order nor the grouping does. */
static void test_is_set(void **state)
{
	static const struct {
		const char *name, *value;
		bool is_set;
	} cases[] = {
		{ "cluster", "c", true },        { "cause", "1", true },
		{ "type", "drift", true },       { "severity", "info", true },
		{ "severity_is", "info", true }, { "since", "1970-01-01T00:00:01Z", true },
		{ "sort", "name", false },       { "group", "cause", false },
		{ "after", "1", false },         { "cluster", "", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct finding_filter f = { 0 };
		struct err err;

		assert_int_equal(finding_filter_add(&f, cases[i].name, cases[i].value, &err), 0);
		if (finding_filter_is_set(&f) != cases[i].is_set)
			fail_msg("%s %s", cases[i].name, cases[i].value);
	}
}

static void test_order(void **state)
{
	static const struct {
		const char *name, *text, *of_violation;
	} cases[] = {
		{ "severity", "", "" },
		{ "since", "", "" },
		{ "cluster", "c", "" },
		{ "namespace", "prod", "" },
		{ "kind", "deployments.apps", "Pod" },
		{ "name", "web-1", "" },
		{ "field", "spec.replicas", "" },
		{ "manager", "helm", "" },
		{ "reference", "r", "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct finding_filter f = { 0 };
		struct err err;

		assert_int_equal(finding_filter_add(&f, "sort", cases[i].name, &err), 0);
		assert_string_equal(findings_order_name(f.order), cases[i].name);
		if (!str_eq(findings_order_text(f.order, &drift), str_from(cases[i].text)))
			fail_msg("%s", cases[i].name);
		if (!str_eq(findings_order_text(f.order, &violation), str_from(cases[i].of_violation)))
			fail_msg("%s, of another", cases[i].name);
	}
}

/* A copy outlives the request, and an empty text stays one that was given. */
static void test_copy(void **state)
{
	char name[] = "web-*";
	const struct finding_filter f = { .name = { name, 5 }, .namespace = STR(""), .types = 3, .grouped = true };
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	struct finding_filter copy;

	(void)state;
	assert_true(finding_filter_copy(&f, &a, &copy));
	name[0] = 'x';
	assert_true(str_eq(copy.name, STR("web-*")));
	assert_non_null(copy.namespace.p);
	assert_int_equal(copy.namespace.n, 0);
	assert_null(copy.cluster.p);
	assert_int_equal(copy.types, 3);
	assert_true(copy.grouped);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_passes), cmocka_unit_test(test_repeated), cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_is_set), cmocka_unit_test(test_order),    cmocka_unit_test(test_copy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
