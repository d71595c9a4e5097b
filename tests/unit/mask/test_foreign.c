/* What may be quoted of a text from outside. */
#include "mask/foreign.h"

#include "mask/credentials.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void expect(const char *text, size_t max, const char *shown)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(10000);

	foreign_quote(foreign_bytes(str_from(text)), max, &out);
	assert_string_equal(out.n ? out.p : "", shown);
}

static void test_line(void **state)
{
	static const struct {
		const char *text, *shown;
	} rows[] = {
		{ "", "" },
		{ "pods is forbidden", "pods is forbidden" },
		{ " \n two\r\nlines \n", "two  lines" },
		{ "a\033[31mred\x7F\xFF", "a [31mred  " },
		{ "Basic authentication is off", "Basic authentication is off" },
		{ "the bearer", "the bearer" },
		{ "Bearer", "Bearer" },
		{ "a Bearer ab", "a Bearer ab" },
		{ "BASIC dTpodW50ZXIy", "BASIC ***" },
		{ "wants \"Bearer A1\"", "wants \"Bearer ***\"" },
		{ "Bearer\r\nA1 begins a line", "Bearer *** begins a line" },
		{ "basic\t\v dTpodW50ZXIy", "basic ***" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		expect(rows[i].text, 200, rows[i].shown);
}

/* The whole text is looked at, however little of it is shown. */
static void test_secrets(void **state)
{
	static const char *const rows[] = {
		"the password: hunter2-hunter2 is wrong",
		"ghp_0123456789abcdefghijklmnopqrstuvwxyz",
		"{\"kind\":\"Secret\",\"apiVersion\":\"v1\",\"data\":{\"a\":\"aHVudGVyMg==\"}}",
		"https://u:hunter2@host.example/x",
		"0123456789, and then --token=abcdefgh",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		expect(rows[i], 10, "(hidden: it may hold a secret)");
}

/* What driftd proves itself with, also where it stands across the end of what is shown. */
static void test_own_credentials(void **state)
{
	(void)state;
	credentials_add(STR("Qz8credential"));
	expect("it says Qz8credential again", 200, "it says *** again");
	expect("it says Qz8credential again", 12, "it says *** ...");
	expect("it says UXo4Y3JlZGVudGlhbA== again", 200, "it says ***A== again");
	credentials_forget();
	expect("it says Qz8credential again", 200, "it says Qz8credential again");
}

static void test_long_line_is_cut(void **state)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(1000), out = BUF_INIT(1000);

	(void)state;
	for (int i = 0; i < 150; i++)
		buf_add_cstr(&text, "no \xC3\xA9");
	foreign_quote(foreign_bytes(buf_str(&text)), 200, &out);
	assert_in_range(out.n, 198, 204);
	assert_true(str_has_suffix(buf_str(&out), STR("...")));
}

static void test_print(void **state)
{
	char small[8];

	(void)state;
	foreign_print(foreign_bytes(STR("v1.2")), small, sizeof(small));
	assert_string_equal(small, "v1.2");
	foreign_print(foreign_bytes(STR("v1.2.3-beta")), small, sizeof(small));
	assert_string_equal(small, "v1.2...");
	foreign_print(foreign_bytes(STR("")), small, sizeof(small));
	assert_string_equal(small, "");
	foreign_print(foreign_bytes(STR("\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9")), small, sizeof(small));
	assert_string_equal(small, "\xC3\xA9\xC3\xA9..."); /* no half character */
	foreign_print(foreign_bytes(STR("https://u:hunter2@h/")), small, sizeof(small));
	assert_string_equal(small, "(hidden");
}

static void test_questions(void **state)
{
	struct foreign t = foreign_of(val_string(STR("Status")));

	(void)state;
	assert_true(foreign_is(t, STR("Status")) && !foreign_is(t, STR("Statu")));
	assert_true(foreign_holds(t, STR("tat")) && !foreign_holds(t, STR("x")));
	assert_true(!foreign_is_empty(t) && foreign_is_empty(foreign_of(val_int(1))));
	assert_true(str_eq(foreign_data(t), STR("Status")));
	assert_true(str_eq(foreign_name(val_string(STR("pods"))), STR("pods")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_line),
		cmocka_unit_test(test_secrets),
		cmocka_unit_test(test_own_credentials),
		cmocka_unit_test(test_long_line_is_cut),
		cmocka_unit_test(test_print),
		cmocka_unit_test(test_questions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
