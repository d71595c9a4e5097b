/* What may be quoted of a server. */
#include "kubeclient/kc_quote.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void test_line(void **state)
{
	static const struct {
		const char *text, *shown;
	} rows[] = {
		{ "", "" },
		{ "pods is forbidden", "pods is forbidden" },
		{ "a\033[31mred\x7F\xFF", "a [31mred  " },
		{ "sent Authorization: Bearer eyJhbGciOiJSUzI1NiJ9, Accept: x",
		  "sent Authorization: Bearer *** Accept: x" },
		{ "\"authorization\":\"bearer  Hunter2\"}", "\"authorization\":\"bearer  ***\"}" },
		{ "BASIC dTpodW50ZXIy", "BASIC ***" },
		{ "Basic authentication is off", "Basic authentication is off" },
		{ "the bearer", "the bearer" },
		{ "Bearer", "Bearer" },
		{ "Bearer ", "Bearer " },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		CLEANUP(buf_done) struct buf out = BUF_INIT(1000);

		kc_quote_line(str_from(rows[i].text), 200, &out);
		assert_string_equal(buf_str(&out).p, rows[i].shown);
	}
}

static void test_long_line_is_cut(void **state)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(1000), out = BUF_INIT(1000);

	(void)state;
	for (int i = 0; i < 150; i++)
		buf_add_cstr(&text, "no \xC3\xA9");
	kc_quote_line(buf_str(&text), 200, &out);
	assert_in_range(out.n, 195, 201);
}

static void test_hide(void **state)
{
	static const struct {
		const char *line, *text, *shown;
	} rows[] = {
		{ "Authorization: Bearer hunter2", "hunter2, \"hunter2\" and hunter",
		  "*******, \"*******\" and hunter" },
		{ "Authorization: Basic dTpodW50ZXIy", "dTpodW50ZXIy is u:hunter2", "************ is u:*******" },
		{ "Authorization: Bearer ****", "********", "********" },
		{ "Authorization: Bearer a", "a word", "a word" },
		{ "Accept: application/json", "application/json", "application/json" },
		{ "Authorization:", "x", "x" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		CLEANUP(buf_done) struct buf text = BUF_INIT(1000);

		buf_add_cstr(&text, rows[i].text);
		kc_quote_hide(str_from(rows[i].line), &text);
		assert_string_equal(buf_str(&text).p, rows[i].shown);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_line), cmocka_unit_test(test_long_line_is_cut),
					    cmocka_unit_test(test_hide) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
