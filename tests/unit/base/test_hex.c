/* Characters and digits of ASCII, and bytes as hexadecimal digits. */
#include "base/hex.h"

#include "base/ascii.h"
#include "base/number.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* What is beyond ASCII, and what a read past the end gives, is nothing. */
static void test_characters(void **state)
{
	static const char digits[] = "0123456789abcdefABCDEF";

	(void)state;
	for (int c = -128; c < 256; c++) {
		const char *digit = c > 0 ? strchr(digits, c) : NULL;
		ptrdiff_t at = digit ? digit - digits : -1;

		assert_int_equal(ascii_hex_value(c), at > 15 ? at - 6 : at);
		assert_int_equal(ascii_is_hex(c), at >= 0);
		assert_int_equal(ascii_is_digit(c), at >= 0 && at < 10);
		assert_int_equal(ascii_is_lower(c), c >= 0x61 && c <= 0x7A);
		assert_int_equal(ascii_is_upper(c), c >= 0x41 && c <= 0x5A);
		assert_int_equal(ascii_is_alnum(c), ascii_is_digit(c) || ascii_is_lower(c | 0x20));
	}
}

static void test_bytes(void **state)
{
	static const unsigned char bytes[] = { 0x00, 0x09, 0xa0, 0xff, 0x5b };
	CLEANUP(buf_done) struct buf out = BUF_INIT(64);
	unsigned char read[sizeof(bytes)];
	char text[2 * sizeof(bytes) + 1];

	(void)state;
	hex_write(bytes, sizeof(bytes), text);
	assert_string_equal(text, "0009a0ff5b");
	buf_add_cstr(&out, "x");
	hex_add(&out, bytes, sizeof(bytes));
	assert_string_equal(out.p, "x0009a0ff5b");
	assert_true(hex_read(str_from(text), read, sizeof(read)));
	assert_memory_equal(read, bytes, sizeof(bytes));
	assert_false(hex_read(STR("0009a0ff5"), read, sizeof(read)));
	assert_false(hex_read(STR("0009a0ff5b00"), read, sizeof(read)));
	assert_false(hex_read(STR("0009A0ff5b"), read, sizeof(read)));
	assert_false(hex_read(STR("0009a0ff5g"), read, sizeof(read)));
	assert_true(hex_is(STR("0af")) && hex_is(STR("")) && !hex_is(STR("0aF")) && !hex_is(STR("0\0f")));
}

static void test_digits(void **state)
{
	static const struct {
		const char *text;
		size_t n;
		int base;
		int64_t expected;
	} cases[] = {
		{ "1fG", 2, 16, 0x1f }, { "1fG", 3, 16, -1 }, { "1f", 3, 16, -1 },
		{ "0778", 3, 8, 077 },  { "0778", 4, 8, -1 }, { "FfFfFfFf", 8, 16, 0xffffffff },
		{ "", 0, 16, 0 },       { "+1", 2, 10, -1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_true(digits_parse(str_from(cases[i].text), cases[i].n, cases[i].base) == cases[i].expected);
}

static void test_utf8(void **state)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(64);

	(void)state;
	buf_add_utf8(&out, 'a');
	buf_add_utf8(&out, 0xe9);
	buf_add_utf8(&out, 0x1F600);
	buf_add_utf8(&out, 0xD800);
	assert_string_equal(out.p, "a\xc3\xa9\xf0\x9f\x98\x80\xef\xbf\xbd");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_characters),
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_digits),
		cmocka_unit_test(test_utf8),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
