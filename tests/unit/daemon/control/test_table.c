/* Columns, and what of a text reaches a terminal. */
#include "daemon/control/table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void expect(const char *const *cells, size_t n, bool headings, const char *text)
{
	static const char *const heads[] = { "A", "LONG" };
	CLEANUP(buf_done) struct buf out = BUF_INIT(4096);
	struct table t;
	struct err err;

	table_init(&t, heads, ARRAY_LEN(heads));
	for (size_t i = 0; i < n; i++)
		table_add(&t, str_from(cells[i]));
	assert_int_equal(table_print(&t, headings, &out, &err), 0);
	table_done(&t);
	assert_string_equal(out.n ? out.p : "", text);
}

static void test_columns(void **state)
{
	static const char *const cells[] = { "wide one", "x", "", "y", "\xC3\xA9t\xC3\xA9", "z" };

	(void)state;
	expect(cells, 6, true, "A          LONG\nwide one   x\n           y\n\xC3\xA9t\xC3\xA9        z\n");
	expect(cells, 2, false, "wide one   x\n");
	expect(NULL, 0, true, "A   LONG\n");
	expect(NULL, 0, false, "");
}

static void test_nothing_speaks_to_the_terminal(void **state)
{
	static const char *const hostile[] = { "\x1B[2J",
					       "a\r\nb\t",
					       "\xE2\x80\xAE",
					       "\xC2\x9B"
					       "1m",
					       "\xFF\xFE",
					       "\x7F" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(hostile); i++) {
		static const char *const heads[] = { "H" };
		CLEANUP(buf_done) struct buf out = BUF_INIT(4096);
		struct table t;
		struct err err;

		table_init(&t, heads, 1);
		table_add(&t, str_from(hostile[i]));
		assert_int_equal(table_print(&t, false, &out, &err), 0);
		table_done(&t);
		for (size_t k = 0; k + 1 < out.n; k++)
			assert_true(out.p[k] >= ' ' && out.p[k] < 0x7F);
	}
}

static void test_long_texts_are_cut(void **state)
{
	char text[400], wanted[200];
	const char *cells[] = { text, "x" };

	(void)state;
	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	memset(wanted, 'a', 120);
	memcpy(wanted + 120, "...   x\n", sizeof("...   x\n"));
	expect(cells, 2, false, wanted);
}

static void test_ages(void **state)
{
	static const struct {
		int64_t seconds;
		const char *text;
	} cases[] = {
		{ -5, "0s" },     { 0, "0s" },         { 119, "119s" },   { 120, "2m" },       { 3599, "59m" },
		{ 3600, "1h0m" }, { 86399, "23h59m" }, { 86400, "1d0h" }, { INT64_MAX, NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char text[32];

		age_text(cases[i].seconds, text);
		if (cases[i].text)
			assert_string_equal(text, cases[i].text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_columns),
		cmocka_unit_test(test_nothing_speaks_to_the_terminal),
		cmocka_unit_test(test_long_texts_are_cut),
		cmocka_unit_test(test_ages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
