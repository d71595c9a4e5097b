/* Numbers: shortest text, and back to the same bits. */
#include "base/number.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static void test_known_shortest(void **state)
{
	static const struct {
		double d;
		const char *digits;
		int exponent; /* d = 0.DIGITS x 10^exponent */
	} cases[] = {
		{ 0.0, "0", 1 },
		{ -0.0, "0", 1 },
		{ 1.0, "1", 1 },
		{ -1.5, "15", 1 },
		{ 0.1, "1", 0 },
		{ 0.3, "3", 0 },
		{ 100, "1", 3 },
		{ 1e21, "1", 22 },
		{ 1e22, "1", 23 },
		{ 1e23, "1", 24 }, /* below 1e23, which is no double */
		{ 1.0 / 3, "3333333333333333", 0 },
		{ 2.0 / 3, "6666666666666666", 0 },
		{ 5e-324, "5", -323 },
		{ 1e-323, "1", -322 },
		{ 1.5e-323, "15", -322 },
		{ 2.2250738585072014e-308, "22250738585072014", -307 },
		{ 2.225073858507201e-308, "2225073858507201", -307 }, /* the largest subnormal */
		{ DBL_MAX, "17976931348623157", 309 },
		{ 0x1p-44, "5684341886080802",
		  -13 }, /* a power of two: the nearest 16 digits (…801) are another double */
		{ 0x1p-1022, "22250738585072014", -307 },
		{ 0x1p53, "9007199254740992", 16 },
		{ 0x1p63, "9223372036854776", 19 },
		{ 0x1p122, "5316911983139664", 37 },
		{ 123456789012345680.0, "12345678901234568", 18 },
		{ 4.35, "435", 1 },
		{ 0.000001, "1", -5 },
		{ 5e-5, "5", -4 },
		{ 9.5367431640625e-7, "95367431640625", -6 },
		{ 8.41, "841", 1 },
		{ 2.0919495182368195e19, "20919495182368195", 20 },
		{ 2.6153245263757308e19, "26153245263757308", 20 },
		{ 9.109e-31, "9109", -30 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char digits[DOUBLE_DIGITS_MAX + 2];
		int exponent;
		size_t n = double_digits(cases[i].d, digits, &exponent);

		assert_string_equal(digits, cases[i].digits);
		assert_int_equal(n, strlen(digits));
		assert_int_equal(exponent, cases[i].exponent);
	}
}

static double read_back(const char *digits, int exponent)
{
	char text[64];

	(void)snprintf(text, sizeof(text), "0.%se%d", digits, exponent);
	return strtod(text, NULL);
}

/* The fewest digits that %.*e needs to read back: a bound from above that needs no cleverness. */
static size_t printf_digits(double d)
{
	char text[64];
	int precision = 1;

	for (; precision < 17; precision++) {
		(void)snprintf(text, sizeof(text), "%.*e", precision - 1, d);
		if (strtod(text, NULL) == d)
			break;
	}
	return (size_t)precision;
}

static void check(double d)
{
	char digits[DOUBLE_DIGITS_MAX + 2];
	int exponent;
	size_t n = double_digits(d, digits, &exponent), most = printf_digits(fabs(d));

	if (read_back(digits, exponent) != fabs(d) || n > most || (n > 1 && (digits[n - 1] == '0' || digits[0] == '0')))
		fail_msg("%.17g (%a): %s e%d, printf needs %zu digits", d, d, digits, exponent, most);
}

static void test_powers_of_two_and_their_neighbours(void **state)
{
	(void)state;
	for (int e = -1074; e <= 1023; e++) {
		double d = ldexp(1, e);

		check(d);
		check(nextafter(d, INFINITY));
		if (e > -1074)
			check(nextafter(d, 0));
	}
}

static void test_random_bits(void **state)
{
	uint64_t x = 88172645463325252u;

	(void)state;
	for (int i = 0; i < 60000; i++) {
		uint64_t bits;
		double d;

		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		/* every fourth is subnormal, every fourth has few digits */
		bits = i % 4 == 0 ? x & 0x800FFFFFFFFFFFFFu : x;
		memcpy(&d, &bits, sizeof(d));
		if (i % 4 == 1)
			d = (double)(x % 1000000) / 1000;
		if (isfinite(d) && d != 0)
			check(d);
	}
}

static void test_parse_double(void **state)
{
	static const struct {
		const char *text;
		double value;
	} cases[] = {
		{ "0", 0 },
		{ "-1.5", -1.5 },
		{ "+2e3", 2000 },
		{ "1e400", INFINITY },
		{ "-1e400", -INFINITY },
		{ "1e-400", 0 },
		{ "9007199254740993", 9007199254740992.0 },
		{ "5e-324", 5e-324 },
		{ "2.4703282292062327e-324", 0 },
	};
	char text[400];
	double d;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		/* the slice ends where it ends, whatever stands behind it */
		int n = snprintf(text, sizeof(text), "%s123", cases[i].text);

		assert_true(double_parse((str){ text, (size_t)n - 3 }, &d));
		assert_true(d == cases[i].value);
	}
	memset(text, '1', sizeof(text));
	text[1] = '.';
	assert_true(double_parse((str){ text, sizeof(text) }, &d));
	assert_true(d == 10.0 / 9);
}

static void test_parse_int64(void **state)
{
	static const struct {
		const char *text;
		bool ok;
		int64_t value;
	} cases[] = {
		{ "0", true, 0 },
		{ "-0", true, 0 },
		{ "+7", true, 7 },
		{ "007", true, 7 },
		{ "9223372036854775807", true, INT64_MAX },
		{ "-9223372036854775808", true, INT64_MIN },
		{ "9223372036854775808", false, 0 },
		{ "-9223372036854775809", false, 0 },
		{ "18446744073709551616", false, 0 },
		{ "99999999999999999999999999", false, 0 },
		{ "", false, 0 },
		{ "-", false, 0 },
		{ "+", false, 0 },
		{ "1.0", false, 0 },
		{ " 1", false, 0 },
		{ "1 ", false, 0 },
		{ "0x1", false, 0 },
		{ "1\xFF", false, 0 },
		{ "--1", false, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		int64_t v = 42;

		assert_int_equal(int64_parse(str_from(cases[i].text), &v), cases[i].ok);
		assert_true(v == (cases[i].ok ? cases[i].value : 42));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known_shortest), cmocka_unit_test(test_powers_of_two_and_their_neighbours),
		cmocka_unit_test(test_random_bits),    cmocka_unit_test(test_parse_double),
		cmocka_unit_test(test_parse_int64),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
