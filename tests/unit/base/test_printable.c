/* What of a text reaches a terminal. */
#include "base/printable.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void test_escapes(void **state)
{
	static const struct {
		str text;
		const char *expected;
	} cases[] = {
		{ { "", 0 }, "" },
		{ { "web \"a\\b\"", 9 }, "web \"a\\b\"" },
		{ { "\x1b[31m\a\x7f", 7 }, "\\x1b[31m\\x07\\x7f" },
		{ { "a\0b", 3 }, "a\\x00b" },
		{ { "a\tb\rc", 5 }, "a\\x09b\\x0dc" },
		{ { "one\ntwo\n", 8 }, "one|two|" },
		{ { "\xC2\x9B", 2 }, "\\u009b" },             /* CSI in one character */
		{ { "\xE2\x80\xAE", 3 }, "\\u202e" },         /* right-to-left override */
		{ { "\xE2\x81\xA6", 3 }, "\\u2066" },         /* left-to-right isolate */
		{ { "\xD8\x9C", 2 }, "\\u061c" },             /* Arabic letter mark */
		{ { "\xE2\x80\x8B", 3 }, "\\u200b" },         /* zero width space */
		{ { "\xE2\x80\xA8", 3 }, "\\u2028" },         /* line separator */
		{ { "\xEF\xBB\xBF", 3 }, "\\ufeff" },         /* byte order mark */
		{ { "\xF3\xA0\x80\x81", 4 }, "\\U000e0001" }, /* language tag */
		{ { "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80", 9 }, "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80" },
		{ { "\xEF\xBF\xBD", 3 }, "\xEF\xBF\xBD" }, /* the replacement character itself */
		{ { "a\xFF\xC3", 3 }, "a\\xff\\xc3" },
		{ { "\xE2\x82", 2 }, "\\xe2\\x82" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(buf_done) struct buf out = BUF_INIT(1000);

		printable_add(&out, cases[i].text, "|");
		assert_string_equal(buf_str(&out).p, cases[i].expected);
	}
}

/* Wherever it is cut, what is left is a beginning, and ends where a character or an escape does. */
static void test_cut(void **state)
{
	static const struct {
		const char *text;
		size_t max, n;
	} cases[] = {
		{ "ab\\u202ecd", 7, 2 },
		{ "ab\\u202ecd", 8, 8 },
		{ "ab\\u202ecd", 3, 2 },
		{ "ab\\u202ecd", 2, 2 },
		{ "a\\\\u202e", 3, 3 },
		{ "a\\\\u202e", 2, 1 },
		{ "a\\\\\\u202e", 4, 3 },
		{ "a\\\\\\u202e", 5, 3 },
		{ "\\x1b!", 3, 0 },
		{ "\\x1b!", 4, 4 },
		{ "\\U000e0001", 9, 0 },
		{ "\\U000e0001", 10, 10 },
		{ "\\nn", 1, 0 },
		{ "\\nn", 2, 2 },
		{ "\xC3\xA9\\n", 1, 0 },
		{ "\xC3\xA9\\n", 3, 2 },
		{ "no escape here", 4, 4 },
		{ "\\", 1, 1 },
		{ "", 0, 0 },
		{ "abc\\", 4, 4 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_int_equal(printable_cut(str_from(cases[i].text), cases[i].max).n, cases[i].n);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_escapes), cmocka_unit_test(test_cut) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
