/* UTF-8: what is refused, and where. */
#include "base/utf8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static bool is_surrogate(uint32_t c)
{
	return c >= 0xD800 && c <= 0xDFFF;
}

static void test_every_character_there_and_back(void **state)
{
	char p[UTF8_MAX_BYTES];

	(void)state;
	for (uint32_t c = 0; c <= 0x10FFFF; c++) {
		size_t n = utf8_encode(c, p), len;
		uint32_t back = utf8_decode((str){ p, n }, &len);

		if (len != n || back != (is_surrogate(c) ? UTF8_REPLACEMENT : c) ||
		    n != (c < 0x80      ? 1u
			  : c < 0x800   ? 2u
			  : c < 0x10000 ? 3u
					: 4u) ||
		    !utf8_valid((str){ p, n }))
			fail_msg("U+%04X", c);
		/* cut short it is no character, and nothing behind the slice is read */
		for (size_t cut = 1; cut < n; cut++) {
			if (utf8_decode((str){ p, cut }, &len) != UTF8_REPLACEMENT || len != 1 ||
			    utf8_valid_prefix((str){ p, cut }) != 0)
				fail_msg("U+%04X cut at %zu", c, cut);
		}
	}
	assert_int_equal(utf8_encode(0x110000, p), 3);
	assert_memory_equal(p, "\xEF\xBF\xBD", 3);
	assert_int_equal(utf8_encode(UINT32_MAX, p), 3);
}

/* Is it a well-formed sequence of @n bytes? Table 3-7 of the Unicode Standard. */
static bool well_formed(const unsigned char *p, size_t n)
{
	static const struct {
		unsigned char lo[4], hi[4];
		size_t n;
	} rows[] = {
		{ { 0x00 }, { 0x7F }, 1 },
		{ { 0xC2, 0x80 }, { 0xDF, 0xBF }, 2 },
		{ { 0xE0, 0xA0, 0x80 }, { 0xE0, 0xBF, 0xBF }, 3 },
		{ { 0xE1, 0x80, 0x80 }, { 0xEC, 0xBF, 0xBF }, 3 },
		{ { 0xED, 0x80, 0x80 }, { 0xED, 0x9F, 0xBF }, 3 },
		{ { 0xEE, 0x80, 0x80 }, { 0xEF, 0xBF, 0xBF }, 3 },
		{ { 0xF0, 0x90, 0x80, 0x80 }, { 0xF0, 0xBF, 0xBF, 0xBF }, 4 },
		{ { 0xF1, 0x80, 0x80, 0x80 }, { 0xF3, 0xBF, 0xBF, 0xBF }, 4 },
		{ { 0xF4, 0x80, 0x80, 0x80 }, { 0xF4, 0x8F, 0xBF, 0xBF }, 4 },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		bool ok = rows[i].n == n;

		for (size_t j = 0; ok && j < n; j++)
			ok = p[j] >= rows[i].lo[j] && p[j] <= rows[i].hi[j];
		if (ok)
			return true;
	}
	return false;
}

/* All sequences whose bytes lie at the borders of the classes of bytes. */
static void test_every_border(void **state)
{
	static const unsigned char bytes[] = { 0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0,
					       0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF,
					       0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xF7, 0xF8, 0xFE, 0xFF };
	const size_t k = ARRAY_LEN(bytes);

	(void)state;
	for (size_t i = 0; i < k * k * k * k; i++) {
		const unsigned char p[4] = { bytes[i % k], bytes[i / k % k], bytes[i / k / k % k],
					     bytes[i / k / k / k] };
		size_t expected = 0, len;
		uint32_t c = utf8_decode((str){ (const char *)p, 4 }, &len);

		for (size_t n = 1; n <= 4; n++)
			expected = well_formed(p, n) ? n : expected;
		if (len != (expected ? expected : 1) || (!expected && c != UTF8_REPLACEMENT) ||
		    (utf8_valid_prefix((str){ (const char *)p, 4 }) == 0) != (expected == 0))
			fail_msg("%02X %02X %02X %02X", p[0], p[1], p[2], p[3]);
	}
}

static void test_prefix_and_count(void **state)
{
	static const struct {
		str s;
		size_t prefix, count;
	} cases[] = {
		{ { NULL, 0 }, 0, 0 },
		{ { "abcdefgh", 8 }, 8, 8 },
		{ { "abcdefghijklmno\xFF", 16 }, 15, 16 },
		{ { "abcdefg\xC3\xA9xyz", 12 }, 12, 11 },
		{ { "abcdefg\xC3", 8 }, 7, 8 },
		{ { "\xE2\x82\xAC\xE2\x82", 5 }, 3, 3 },
		{ { "a\0b", 3 }, 3, 3 },
		{ { "\xF0\x9F\x98\x80", 4 }, 4, 1 },
	};
	size_t len;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		assert_int_equal(utf8_valid_prefix(cases[i].s), cases[i].prefix);
		assert_int_equal(utf8_count(cases[i].s), cases[i].count);
		assert_int_equal(utf8_valid(cases[i].s), cases[i].prefix == cases[i].s.n);
	}
	assert_int_equal(utf8_decode((str){ NULL, 0 }, &len), UTF8_REPLACEMENT);
	assert_int_equal(len, 0);
}

static void test_cut(void **state)
{
	static const struct {
		const char *s;
		size_t max;
		const char *first, *last;
	} cases[] = {
		{ "abc", 3, "abc", "abc" },
		{ "abc", 2, "ab", "bc" },
		{ "abc", 0, "", "" },
		{ "a\xC3\xA9", 2, "a", "\xC3\xA9" },
		{ "\xC3\xA9z", 2, "\xC3\xA9", "z" },
		{ "a\xC3\xA9", 3, "a\xC3\xA9", "a\xC3\xA9" },
		{ "\xF0\x9F\x98\x80", 3, "", "" },
		{ "", 5, "", "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		assert_true(str_eq(utf8_cut(str_from(cases[i].s), cases[i].max), str_from(cases[i].first)));
		assert_true(str_eq(utf8_tail(str_from(cases[i].s), cases[i].max), str_from(cases[i].last)));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_character_there_and_back),
		cmocka_unit_test(test_every_border),
		cmocka_unit_test(test_prefix_and_count),
		cmocka_unit_test(test_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
