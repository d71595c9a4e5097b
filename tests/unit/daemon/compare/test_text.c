/* Text of files as kubectl reads it. */
#include "daemon/compare/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void check_utf8(str in, const char *want)
{
	struct buf out = BUF_INIT(4096);

	assert_true(text_needs_utf8(in));
	text_to_utf8(in, &out);
	assert_string_equal(out.p ? out.p : "", want);
	buf_done(&out);
}

static void test_utf8(void **state)
{
	(void)state;
	assert_false(text_needs_utf8(STR("a: \xC3\xA9")));
	check_utf8(STR("\xEF\xBB\xBF"
		       "a: 1"),
		   "a: 1");
	check_utf8(STR("a\xFF"
		       "b\xC3"),
		   "a\xEF\xBF\xBD"
		   "b\xEF\xBF\xBD");
	check_utf8(STR("\xFF\xFE"
		       "a\0\xE9\0"),
		   "a\xC3\xA9");
	check_utf8(STR("\xFE\xFF\0a\xD8\x3D\xDE\0"), "a\xF0\x9F\x98\x80");
	check_utf8(STR("\xFE\xFF\xD8\x3D\0a\0"), "\xEF\xBF\xBD"
						 "a\xEF\xBF\xBD");
}

static void test_escapes(void **state)
{
	struct buf out = BUF_INIT(4096);

	(void)state;
	assert_false(text_repair_escapes(STR("\"\\ud83d\\ude00 \\\\ud83d \\n\""), &out));
	buf_clear(&out);
	assert_true(text_repair_escapes(STR("\"\\ud83d \\uDE00\\u0041\\ud83d\\ud83d\\ude00\""), &out));
	assert_string_equal(out.p, "\"\\uFFFD \\uFFFD\\u0041\\uFFFD\\ud83d\\ude00\"");
	buf_clear(&out);
	assert_true(text_repair_escapes(STR("\\ud83"), &out) == false);
	buf_clear(&out);
	assert_false(text_repair_escapes(STR("\\"), &out));
	buf_done(&out);
}

static void test_pages(void **state)
{
	(void)state;
	assert_true(text_is_page(STR("<!DOCTYPE html>\n<html>")));
	assert_true(text_is_page(STR("\xEF\xBB\xBF\r\n <!doctype HTML PUBLIC")));
	assert_true(text_is_page(STR("\n<HTML lang=\"en\">")));
	assert_false(text_is_page(STR("# <html\na: 1")));
	assert_false(text_is_page(STR("a: <html>")));
	assert_false(text_is_page(STR("<htm")));
	assert_false(text_is_page(STR("")));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_utf8), cmocka_unit_test(test_escapes),
					    cmocka_unit_test(test_pages) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
