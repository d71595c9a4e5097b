/* What makes a component's problem the one that it is: which objects are at fault, in whatever order they come. */
#include "daemon/watch/verdict/verdict_report.h"

#include "support/capture.h"
#include "support/direct_sink.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct capture capture;
static struct sink *sink;
static struct findings *findings;

static int setup(void **state)
{
	struct err err;

	(void)state;
	if (!capture_begin(&capture))
		return -1;
	sink = sink_new_direct(CFG_OUTPUT_JSON);
	return findings_new(sink, &findings, &err);
}

static int teardown(void **state)
{
	(void)state;
	findings_free(findings);
	sink_free(sink);
	capture_end(&capture);
	return 0;
}

/* @uids: a letter each. How many records that makes. */
static size_t report(const char *uids)
{
	static const struct ref_template template = { .path = { "gizmo.yaml", 10 }, .identity.kind = { "Gizmo", 5 } };
	const struct ref_template *templates[] = { &template };
	const struct component_verdict v = { .problem = COMPONENT_FORBIDDEN, .templates = templates, .n_templates = 1 };
	const struct component_terms terms = { .kind = FINDING_COMPONENT, .severity = SEVERITY_WARNING };
	const struct finding_subject s = { .cluster = STR("c"), .part = STR("p"), .component = STR("none") };
	struct offender offenders[OFFENDERS_MAX] = { 0 };
	size_t n = strlen(uids);
	struct err err;

	for (size_t i = 0; i < n; i++)
		offenders[i] = (struct offender){ .identity.name = { uids + i, 1 }, .uid = { uids + i, 1 } };
	assert_int_equal(component_report(findings, &v, &s, &terms, offenders, n, 1, &err), 0);
	return capture_count(&capture);
}

static void the_order_is_no_news(void **state)
{
	static const char *const orders[] = { "acb", "bac", "bca", "cab", "cba", "abc" };

	(void)state;
	assert_int_equal(report("abc"), 1);
	for (size_t i = 0; i < ARRAY_LEN(orders); i++)
		assert_int_equal(report(orders[i]), 0);
	assert_int_equal(report("dcba"), 1);
	assert_int_equal(report("abcd"), 0);
	assert_int_equal(report("badc"), 0);
}

static void another_object_is(void **state)
{
	static const char *const others[] = { "b", "ba", "bac", "cb", "c", "ca", "" };

	(void)state;
	assert_int_equal(report("a"), 1);
	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		assert_int_equal(report(others[i]), 1);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = { CASE(the_order_is_no_news), CASE(another_object_is) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
