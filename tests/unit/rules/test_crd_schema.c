/* Which kinds a CustomResourceDefinition may be for. */
#include "rules/crd_schema.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_custom_groups(void **state)
{
	(void)state;
	assert_true(crd_may_define(STR("e.x/v1")));
	assert_true(crd_may_define(STR("gateway.networking.k8s.io/v1")));
	assert_false(crd_may_define(STR("networking.k8s.io/v1")));
	assert_false(crd_may_define(STR("apps/v1")));
	assert_false(crd_may_define(STR("v1")));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_custom_groups) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
