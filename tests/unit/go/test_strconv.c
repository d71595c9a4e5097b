/* Numbers and quoting against Go's strconv. */
#include "go/quote.h"
#include "go/strconv.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void test_integers(void **state)
{
	static const struct {
		const char *text;
		unsigned base;
		bool ok;
		int64_t value;
	} cases[] = {
		{ "42", 10, true, 42 },
		{ "+7", 10, true, 7 },
		{ "-9223372036854775808", 10, true, INT64_MIN },
		{ "9223372036854775808", 10, false, 0 },
		{ "0x10", 10, false, 0 },
		{ "", 10, false, 0 },
		{ "-", 10, false, 0 },
		{ "-0x8000000000000000", 0, true, INT64_MIN },
		{ "0x8000000000000000", 0, false, 0 },
		{ "010", 0, true, 8 },
		{ "0o17", 0, true, 15 },
		{ "0b101", 0, true, 5 },
		{ "0x_ff", 0, true, 255 },
		{ "1_000", 0, true, 1000 },
		{ "1__0", 0, false, 0 },
		{ "1_", 0, false, 0 },
		{ "09", 0, false, 0 },
		{ "755", 8, true, 493 },
		{ "8", 8, false, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		int64_t v = 99;

		assert_int_equal(go_parse_int(str_from(cases[i].text), cases[i].base, &v), cases[i].ok);
		if (cases[i].ok)
			assert_true(v == cases[i].value);
	}
	assert_true(go_float_to_int64(-1.9) == -1);
	assert_true(go_float_to_int64(1e300) == INT64_MIN);
	assert_true(go_float_to_int64((double)NAN) == INT64_MIN);
}

static void test_floats(void **state)
{
	static const struct {
		const char *text;
		int r;
		double value;
	} cases[] = {
		{ "1.5", 0, 1.5 },
		{ "1_000.5", 0, 1000.5 },
		{ "0x1.8p1", 0, 3.0 },
		{ ".5", 0, 0.5 },
		{ "5.", 0, 5 },
		{ "-Inf", 0, -(double)INFINITY },
		{ "infinity", 0, (double)INFINITY },
		{ "1e-400", 0, 0 },
		{ "1e999", -ERANGE, 0 },
		{ "0x1.8", -EINVAL, 0 },
		{ "1e", -EINVAL, 0 },
		{ "_1", -EINVAL, 0 },
		{ "1 ", -EINVAL, 0 },
		{ "+nan", -EINVAL, 0 },
		{ "", -EINVAL, 0 },
	};
	double d;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		assert_int_equal(go_parse_float(str_from(cases[i].text), &d), cases[i].r);
		if (cases[i].r == 0)
			assert_true(d == cases[i].value);
	}
	assert_int_equal(go_parse_float(STR("NaN"), &d), 0);
	assert_true(isnan(d));
}

static void test_formats(void **state)
{
	static const struct {
		double d;
		char fmt;
		int prec;
		const char *text;
	} cases[] = {
		{ 0, 'g', -1, "0" },
		{ -0.0, 'g', -1, "-0" },
		{ 100000, 'g', -1, "100000" },
		{ 1000000, 'g', -1, "1e+06" },
		{ 123456789, 'g', -1, "1.23456789e+08" },
		{ 0.0001, 'g', -1, "0.0001" },
		{ 0.00001, 'g', -1, "1e-05" },
		{ 0.1, 'G', -1, "0.1" },
		{ 1e21, 'G', -1, "1E+21" },
		{ 1e21, 'f', -1, "1000000000000000000000" },
		{ 12.5, 'e', -1, "1.25e+01" },
		{ 0, 'e', -1, "0e+00" },
		{ 2.0 / 3, 'f', 3, "0.667" },
		{ 2.0 / 3, 'e', 2, "6.67e-01" },
		{ 2.5, 'f', 0, "2" },
		{ 1, 'b', -1, "4503599627370496p-52" },
		{ 1.5, 'x', -1, "0x1.8p+00" },
		{ 1.5, 'X', 2, "0X1.80P+00" },
		{ (double)INFINITY, 'g', -1, "+Inf" },
		{ -(double)INFINITY, 'f', 2, "-Inf" },
		{ (double)NAN, 'e', 1, "NaN" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(buf_done) struct buf out = BUF_INIT(100);

		go_format_float(&out, cases[i].d, cases[i].fmt, cases[i].prec);
		assert_string_equal(buf_str(&out).p, cases[i].text);
	}
}

static void test_float32(void **state)
{
	static const struct {
		double d;
		const char *text;
	} cases[] = {
		{ 0, "0" },       { 0.1, "0.1" },      { 16777217, "1.6777216e+07" },
		{ 1e40, "+Inf" }, { -1e-7, "-1e-07" }, { 3.4028235e38, "3.4028235e+38" },
		{ 100, "100" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(buf_done) struct buf out = BUF_INIT(100);

		go_format_float32(&out, cases[i].d);
		assert_string_equal(buf_str(&out).p, cases[i].text);
	}
}

static void test_quoting(void **state)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(200);

	(void)state;
	go_quote(&out, STR("a\"\\\n\x01\xff\xc3\xa9\xe2\x80\xa8"));
	assert_string_equal(out.p, "\"a\\\"\\\\\\n\\x01\\xff\xc3\xa9\\u2028\"");
	buf_clear(&out);
	go_quote_ascii(&out, STR("\xc3\xa9\xf0\x9f\x98\x80"));
	assert_string_equal(out.p, "\"\\u00e9\\U0001f600\"");
	buf_clear(&out);
	go_quote_rune(&out, '\'', false);
	go_quote_rune(&out, 0xD800, true);
	assert_string_equal(out.p, "'\\'''\\ufffd'");
	assert_true(go_can_backquote(STR("a\tb\"")));
	assert_false(go_can_backquote(STR("a`b")));
	assert_false(go_can_backquote(STR("a\nb")));
}

static void test_unquoting(void **state)
{
	static const struct {
		const char *quoted, *text; /* NULL: invalid */
	} cases[] = {
		{ "\"\"", "" },
		{ "\"a\\n\\x41\\101\\u00e9\\U0001F600\"", "a\nAA\xc3\xa9\xf0\x9f\x98\x80" },
		{ "`a\r\\n`", "a\\n" },
		{ "\"\\xff\"", "\xff" },
		{ "\"\xff\"", "\xef\xbf\xbd" },
		{ "\"\\'\"", NULL },
		{ "\"\\400\"", NULL },
		{ "\"\\ud800\"", NULL },
		{ "\"\\x4\"", NULL },
		{ "\"a\"b\"", NULL },
		{ "\"a", NULL },
		{ "\"", NULL },
		{ "", NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
		str got;
		int r = go_unquote(str_from(cases[i].quoted), &a, &got);

		assert_int_equal(r, cases[i].text ? 0 : -EINVAL);
		if (r == 0)
			assert_true(str_eq(got, str_from(cases[i].text)));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_integers), cmocka_unit_test(test_floats),  cmocka_unit_test(test_formats),
		cmocka_unit_test(test_float32),  cmocka_unit_test(test_quoting), cmocka_unit_test(test_unquoting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
