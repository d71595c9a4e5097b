/* Which word was meant. */
#include "base/nearest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_hints(void **state)
{
	static const char *const known[] = { "references", "reference", "name", "names",
					     "a-word-of-thirty-three-letters-xx" };
	static const struct {
		const char *given, *hint;
	} cases[] = {
		{ "refrences", "; did you mean 'references'?" }, /* one letter dropped; the other one lacks two */
		{ "nam", "; did you mean 'name'?" },
		{ "namse", "; did you mean 'name'?" }, /* the first of equal ones */
		{ "name", "; did you mean 'name'?" },
		{ "nothing", "" },
		{ "", "" },
		{ "xyme", "; did you mean 'name'?" },
		{ "xyze", "" },
		{ "a-word-of-thirty-three-letters-xy", "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct nearest x = { 0 };

		for (size_t k = 0; k < ARRAY_LEN(known); k++)
			nearest_offer(&x, str_from(cases[i].given), str_from(known[k]));
		assert_string_equal(nearest_hint(&x), cases[i].hint);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hints),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
