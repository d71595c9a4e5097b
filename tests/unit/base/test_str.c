/* Slices: searching, cutting, trimming. */
#include "base/str.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const str none = { NULL, 0 };

static void test_compare(void **state)
{
	static const struct {
		str a, b;
		int order;
	} cases[] = {
		{ { NULL, 0 }, { "", 0 }, 0 },    { { "a", 1 }, { "a", 1 }, 0 },   { { "a", 1 }, { "b", 1 }, -1 },
		{ { "a", 1 }, { "ab", 2 }, -1 },  { { NULL, 0 }, { "a", 1 }, -1 }, { { "a\0b", 3 }, { "a\0c", 3 }, -1 },
		{ { "\xFF", 1 }, { "a", 1 }, 1 }, /* bytes are unsigned */
		{ { "a\0", 2 }, { "a", 1 }, 1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		int r = str_cmp(cases[i].a, cases[i].b), q = str_cmp(cases[i].b, cases[i].a);

		assert_int_equal((r > 0) - (r < 0), cases[i].order);
		assert_int_equal((q > 0) - (q < 0), -cases[i].order);
		assert_int_equal(str_eq(cases[i].a, cases[i].b), cases[i].order == 0);
	}
	assert_true(str_eq_nocase(STR("AbC-1"), STR("aBc-1")));
	assert_false(str_eq_nocase(STR("abc"), STR("abd")));
	assert_true(str_eq_nocase(none, STR("")));
	assert_int_equal(str_from(NULL).n, 0);
}

static void test_sub_is_clamped(void **state)
{
	str s = STR("hello");

	(void)state;
	assert_true(str_eq(str_sub(s, 1, 3), STR("el")));
	assert_true(str_eq(str_sub(s, 0, 99), s));
	assert_int_equal(str_sub(s, 3, 2).n, 0);
	assert_int_equal(str_sub(s, 99, 100).n, 0);
	assert_ptr_equal(str_sub(s, 5, 5).p, s.p + 5);
	assert_null(str_sub(none, 0, 1).p);
	assert_true(str_has_prefix(s, STR("he")) && str_has_prefix(s, STR("")) && !str_has_prefix(s, STR("hello!")));
	assert_true(str_has_suffix(s, STR("lo")) && str_has_suffix(s, none) && !str_has_suffix(s, STR("ho")));
}

static void test_find(void **state)
{
	static const struct {
		const char *s, *needle;
		ptrdiff_t first, last;
	} cases[] = {
		{ "abcabc", "bc", 1, 4 }, { "abc", "", 0, 3 },       { "", "", 0, 0 },       { "", "a", -1, -1 },
		{ "aaa", "aa", 0, 1 },    { "abc", "abcd", -1, -1 }, { "abc", "abc", 0, 0 }, { "abc", "x", -1, -1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		str s = str_from(cases[i].s), needle = str_from(cases[i].needle);

		assert_int_equal(str_find(s, needle), cases[i].first);
		assert_int_equal(str_rfind(s, needle), cases[i].last);
		if (needle.n == 1)
			assert_int_equal(str_find_byte(s, needle.p[0]), cases[i].first);
	}
	assert_int_equal(str_find_byte(none, 'a'), -1);
	assert_int_equal(str_find((str){ "a\0b", 3 }, (str){ "\0b", 2 }), 1);
}

static void test_trim(void **state)
{
	static const char *const cases[][2] = {
		{ "  a b\t\r\n", "a b" }, { "", "" }, { " \v\f ", "" }, { "a", "a" }, { "\xC2\xA0x", "\xC2\xA0x" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_true(str_eq(str_trim(str_from(cases[i][0])), str_from(cases[i][1])));
}

static void test_media_type(void **state)
{
	static const struct {
		const char *header;
		bool json;
	} rows[] = {
		{ "application/json", true },
		{ "Application/JSON", true },
		{ " application/json ; charset=utf-8", true },
		{ "application/json;", true },
		{ "application/jsonx", false },
		{ "application/json-patch+json", false },
		{ "application/json, text/plain", false },
		{ "text/plain; a=application/json", false },
		{ "application/jso", false },
		{ ";", false },
		{ "", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		if (str_is_media_type(str_from(rows[i].header), STR("application/json")) != rows[i].json)
			fail_msg("'%s': expected %d", rows[i].header, rows[i].json);
	}
}

static void test_parts(void **state)
{
	static const struct {
		const char *s;
		size_t n;
		const char *parts[4];
	} cases[] = {
		{ "a,,b", 3, { "a", "", "b" } }, { "", 1, { "" } },
		{ ",", 2, { "", "" } },          { "a", 1, { "a" } },
		{ "a,", 2, { "a", "" } },        { ",,x,", 4, { "", "", "x", "" } },
	};
	str rest, part;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		size_t n = 0;

		for (rest = str_from(cases[i].s); str_next_part(&rest, ',', &part); n++) {
			assert_true(n < cases[i].n);
			assert_true(str_eq(part, str_from(cases[i].parts[n])));
		}
		assert_int_equal(n, cases[i].n);
		assert_null(rest.p);
	}
	rest = none;
	assert_false(str_next_part(&rest, ',', &part));
}

static void test_dup(void **state)
{
	CLEANUP(freep) char *copy = str_dup((str){ "a\0b", 3 }), *empty = str_dup(none);

	(void)state;
	assert_memory_equal(copy, "a\0b", 4);
	assert_string_equal(empty, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_compare),    cmocka_unit_test(test_sub_is_clamped), cmocka_unit_test(test_find),
		cmocka_unit_test(test_trim),       cmocka_unit_test(test_parts),          cmocka_unit_test(test_dup),
		cmocka_unit_test(test_media_type),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
