/* Buffers: growth, the ceiling, the sticky error. */
#include "base/buf.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_appends(void **state)
{
	CLEANUP(buf_done) struct buf b = BUF_INIT(1000);
	struct err err;

	(void)state;
	assert_true(str_eq(buf_str(&b), STR("")));
	buf_add(&b, "a\0b", 3);
	buf_add_cstr(&b, "-c");
	buf_add_byte(&b, '!');
	buf_add_str(&b, STR("de"));
	buf_fill(&b, '.', 3);
	buf_printf(&b, "%d%s", 42, "x");
	assert_true(str_eq(buf_str(&b), STR("a\0b-c!de...42x")));
	assert_int_equal(b.p[b.n], '\0');
	assert_int_equal(buf_error(&b, "text", &err), 0);
	buf_truncate(&b, 100);
	assert_int_equal(b.n, 14);
	buf_truncate(&b, 4);
	assert_true(str_eq(buf_str(&b), STR("a\0b-")));
	assert_int_equal(b.p[4], '\0');
	buf_clear(&b);
	assert_int_equal(b.n, 0);
	assert_string_equal(b.p, "");
}

static void test_the_limit_is_exact_and_sticky(void **state)
{
	CLEANUP(buf_done) struct buf b = BUF_INIT(10);
	struct err err;

	(void)state;
	buf_add_cstr(&b, "0123456789");
	assert_int_equal(b.error, 0);
	buf_add_cstr(&b, "");
	assert_int_equal(b.error, 0);
	buf_add_byte(&b, 'x');
	assert_int_equal(b.error, -E2BIG);
	assert_true(str_eq(buf_str(&b), STR("0123456789")));
	buf_truncate(&b, 5);
	buf_add_byte(&b, 'x'); /* after a failure nothing is added, even if it would fit now */
	buf_printf(&b, "y");
	buf_fill(&b, 'z', 1);
	assert_null(buf_reserve(&b, 0));
	assert_int_equal(b.n, 5);
	assert_int_equal(buf_error(&b, "the text", &err), -E2BIG);
	assert_string_equal(err.msg, "the text is larger than 10 bytes");
	assert_null(buf_steal(&b));
	buf_clear(&b);
	buf_add_cstr(&b, "again");
	assert_int_equal(b.error, 0);
}

static void test_sizes_do_not_wrap(void **state)
{
	CLEANUP(buf_done) struct buf b = BUF_INIT(100);

	(void)state;
	buf_add_cstr(&b, "abc");
	buf_fill(&b, 'x', SIZE_MAX);
	assert_int_equal(b.error, -E2BIG);
	buf_clear(&b);
	buf_fill(&b, 'x', SIZE_MAX - 2);
	assert_int_equal(b.error, -E2BIG);
	assert_int_equal(b.n, 0);
}

static void test_reserve_and_commit(void **state)
{
	CLEANUP(buf_done) struct buf b = BUF_INIT(1u << 20);

	(void)state;
	for (int i = 0; i < 1000; i++) {
		char *p = buf_reserve(&b, 100);

		assert_non_null(p);
		memset(p, 'a' + i % 26, 100);
		buf_commit(&b, (size_t)(i % 100));
	}
	assert_int_equal(b.n, 10 * 99 * 100 / 2);
	assert_int_equal(b.p[b.n], '\0');
}

static void test_steal(void **state)
{
	CLEANUP(buf_done) struct buf b = BUF_INIT(100);
	CLEANUP(freep) char *empty = buf_steal(&b), *text = NULL;

	(void)state;
	assert_string_equal(empty, "");
	buf_add_cstr(&b, "text");
	text = buf_steal(&b);
	assert_string_equal(text, "text");
	assert_int_equal(b.n, 0);
	assert_null(b.p);
	assert_int_equal(b.max, 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_appends),
		cmocka_unit_test(test_the_limit_is_exact_and_sticky),
		cmocka_unit_test(test_sizes_do_not_wrap),
		cmocka_unit_test(test_reserve_and_commit),
		cmocka_unit_test(test_steal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
