/* What is known of the kinds of a live cluster, and which arguments are URLs. */
#include "daemon/compare/known.h"
#include "daemon/compare/reference.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const char *why_of_template(const struct compare_known *k, str api_version, str kind)
{
	const struct ref_template t = { .identity = { .api_version = api_version, .kind = kind } };

	return compare_known_template(k, &t);
}

static void test_kinds(void **state)
{
	struct compare_known k;
	struct err err;

	(void)state;
	compare_known_init(&k);
	assert_int_equal(compare_known_add(&k, STR("v1"), STR("Pod"), &err), 0);
	assert_int_equal(compare_known_mark_unknown(&k, STR("e.x/v1"), STR("Widget"), "first", &err), 0);
	assert_int_equal(compare_known_mark_unknown(&k, STR("e.x/v1"), STR("Widget"), "second", &err), 0);
	assert_int_equal(compare_known_mark_unknown(&k, STR("e.x/v2"), STR("Widget"), "third", &err), 0);
	assert_int_equal(compare_known_add(&k, STR("e.x/v1"), STR("Widget"), &err), 0); /* it stays unknown */
	assert_true(compare_known_has(&k, STR("v1"), STR("Pod")) &&
		    compare_known_has(&k, STR("e.x/v1"), STR("Widget")));
	assert_false(compare_known_has(&k, STR("v2"), STR("Pod")));
	assert_null(compare_known_why(&k, STR("v1"), STR("Pod")));
	assert_string_equal(compare_known_why(&k, STR("v2"), STR("Pod")), "it was not asked for");
	assert_string_equal(compare_known_why(&k, STR("e.x/v1"), STR("Widget")), "first");
	assert_string_equal(compare_known_why(&k, STR("e.x/v2"), STR("Widget")), "third");
	assert_null(why_of_template(&k, STR("v1"), STR("Pod")));
	assert_null(why_of_template(&k, STR(""), STR("Pod")));
	assert_string_equal(why_of_template(&k, STR(""), STR("Widget")), "first");
	/* what is known becomes unknown */
	assert_int_equal(compare_known_mark_unknown(&k, STR("v1"), STR("Pod"), "late", &err), 0);
	assert_string_equal(compare_known_why(&k, STR("v1"), STR("Pod")), "late");
	compare_known_done(&k);
}

static void test_urls(void **state)
{
	(void)state;
	assert_true(is_url("http://h") && is_url("https://h"));
	assert_false(is_url("http:/h") || is_url("https:/h") || is_url("/http://h") || is_url("HTTP://h"));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_kinds), cmocka_unit_test(test_urls) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
