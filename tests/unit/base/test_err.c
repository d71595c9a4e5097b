/* Errors: codes, wrapping, cutting. */
#include "base/err.h"
#include "base/str.h"
#include "base/utf8.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_set_and_wrap(void **state)
{
	struct err e = { 0 };

	(void)state;
	assert_int_equal(err_set(&e, EINVAL, "field '%s': %d", "a", 7), -EINVAL);
	assert_int_equal(e.code, EINVAL);
	assert_string_equal(e.msg, "field 'a': 7");
	assert_int_equal(err_wrap(&e, "file %s", "x"), -EINVAL);
	assert_string_equal(e.msg, "file x: field 'a': 7");
	assert_int_equal(err_nomem(&e), -ENOMEM);
	assert_string_equal(e.msg, "out of memory");
}

/* A text of @n bytes of filler and then characters of 1, 2, 3 and 4 bytes without end. */
static void fill(char *text, size_t n, size_t size)
{
	static const char tail[] = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80";

	memset(text, 'x', n);
	for (size_t i = n; i < size; i++)
		text[i] = tail[(i - n) % (sizeof(tail) - 1)];
	text[size] = '\0';
}

static void test_long_text_is_cut_on_a_character(void **state)
{
	char text[1025];
	struct err e;

	(void)state;
	for (size_t n = 490; n < 512; n++) {
		fill(text, n, sizeof(text) - 1);
		(void)err_set(&e, EINVAL, "%s", text);
		assert_true(strlen(e.msg) >= sizeof(e.msg) - 1 - UTF8_MAX_BYTES);
		assert_true(utf8_valid(str_from(e.msg)));
		assert_memory_equal(e.msg, text, strlen(e.msg));
	}
}

static void test_wrapping_cuts_the_inner_text(void **state)
{
	char text[1025];
	struct err e;

	(void)state;
	for (size_t n = 470; n < 512; n++) {
		fill(text, n, sizeof(text) - 1);
		(void)err_set(&e, EINVAL, "%s", text);
		assert_int_equal(err_wrap(&e, "outer"), -EINVAL);
		assert_true(str_has_prefix(str_from(e.msg), STR("outer: xxx")));
		assert_true(utf8_valid(str_from(e.msg)));
		/* and with an outer text that fills the message by itself */
		assert_int_equal(err_wrap(&e, "%s", text), -EINVAL);
		assert_true(strlen(e.msg) < sizeof(e.msg));
		assert_true(utf8_valid(str_from(e.msg)));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_set_and_wrap),
		cmocka_unit_test(test_long_text_is_cut_on_a_character),
		cmocka_unit_test(test_wrapping_cuts_the_inner_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
