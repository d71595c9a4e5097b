/* Shared texts: once for all who have them, as long as somebody does. */
#include "daemon/findings/shared_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_equal_texts_are_one(void **state)
{
	struct shared_texts *s = shared_texts_new();
	str a = shared_text_take(s, STR("deployments.apps")), b = shared_text_take(s, STR("deployments.apps"));
	str other = shared_text_take(s, STR("pods")), empty = shared_text_take(s, STR(""));

	(void)state;
	assert_ptr_equal(a.p, b.p);
	assert_true(str_eq(a, STR("deployments.apps")) && a.p[a.n] == '\0');
	assert_true(str_eq(other, STR("pods")));
	assert_true(empty.p && !empty.n);
	shared_text_drop(a);
	assert_true(str_eq(b, STR("deployments.apps")));
	shared_text_drop(b);
	a = shared_text_take(s, STR("deployments.apps"));
	assert_true(str_eq(a, STR("deployments.apps")));
	shared_text_drop(a);
	shared_text_drop(empty);
	shared_texts_close(s); /* while one is held */
	assert_true(str_eq(other, STR("pods")));
	shared_text_drop(other);
	shared_texts_close(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_equal_texts_are_one) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
