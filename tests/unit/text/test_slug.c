/* One line for each script and rule. */
#include "text/slug.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_slugs(void **state)
{
	static const struct {
		const char *text, *slug;
	} cases[] = {
		{ "apps/v1_Deployment_prod_web", "apps-v1_deployment_prod_web" },
		{ "  a -- b  ", "a-b" },
		{ "AT&T @ home", "atandt-at-home" },
		{ "Żółć Ærø", "zolc-aero" },
		{ "Привет, мир", "privet-mir" },
		{ "Ωmega θ", "omega-th" },
		{ "日本 テスト", "ri-ben-tesuto" },
		{ "한국", "hangug" },
		{ "懖潃", "gua-xun" },
		{ "ﾜｶｻ ㌀", "wakasa-apartment" },
		{ "a\xE2\x80\x97z \xEE\x80\x80", "a_z" },
		{ "_-_", "" },
		{ "\xff", "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(buf_done) struct buf out = BUF_INIT(1000);

		slug_make(str_from(cases[i].text), &out);
		assert_string_equal(buf_str(&out).p, cases[i].slug);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_slugs) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
