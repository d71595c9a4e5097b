/* Texts with braces as templates that give them back. */
#include "text/template_escape.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_escape(void **state)
{
	static const struct {
		const char *text, *expected;
	} cases[] = {
		{ "", "" },
		{ "{ } }}", "{ } }}" },
		{ "{{", "{{ \"{{\" }}" },
		{ "a {{ b }} {{{{c", "a {{ \"{{\" }} b }} {{ \"{{\" }}{{ \"{{\" }}c" },
		{ "{{{", "{{ \"{{\" }}{" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(buf_done) struct buf out = BUF_INIT(1000);

		template_escape(str_from(cases[i].text), &out);
		assert_string_equal(buf_str(&out).p, cases[i].expected);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_escape),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
