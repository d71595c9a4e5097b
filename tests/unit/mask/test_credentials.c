/* mask/credentials.h */
#include "mask/credentials.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static int forget(void **state)
{
	(void)state;
	credentials_forget();
	return 0;
}

static void assert_shown(const char *text, const char *shown)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(4096);

	credentials_hide(str_from(text), NULL, 0, &out);
	assert_string_equal(out.n ? out.p : "", shown);
	assert_int_equal(credentials_in(str_from(text)), strcmp(text, shown) != 0);
}

static void test_known(void **state)
{
	(void)state;
	assert_shown("the first token", "the first token");
	credentials_add(STR("first-token"));
	credentials_add(STR("second-token"));
	credentials_add(STR("first-token"));
	credentials_add(STR("short"));
	assert_shown("first-token, second-token, short", "***, ***, short");
}

static void test_lines_of_a_key(void **state)
{
	(void)state;
	credentials_add(STR("-----BEGIN PRIVATE KEY-----\nAAAABBBBCCCC\nDDDDEEEEFFFF\n-----END PRIVATE KEY-----\n"));
	assert_shown("DDDDEEEEFFFF", "***");
	assert_shown("-----BEGIN PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----");
}

static void test_urls(void **state)
{
	static const struct {
		const char *url, *shown;
	} cases[] = {
		{ "https://example.com/a@b", "https://example.com/a@b" },
		{ "https://us%65r-name:pa%73sword@example.com:1/a", "https://***@example.com:1/a" },
		{ "https://u:p@example.com", "https://***@example.com" },
		{ "https://u:p@q@example.com/", "https://***@example.com/" },
		{ "another-user:another-one@example.com:3128", "***@example.com:3128" },
		{ "", "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(buf_done) struct buf out = BUF_INIT(4096);

		credentials_add_url(str_from(cases[i].url));
		credentials_show_url(str_from(cases[i].url), &out);
		assert_string_equal(out.n ? out.p : "", cases[i].shown);
	}
	assert_shown("user-name password another-user another-one example.com", "*** *** *** *** example.com");
}

/* Those that were used last stay. */
static void test_ceiling(void **state)
{
	char text[32];

	(void)state;
	credentials_add(STR("used-again"));
	for (int i = 0; i < CREDENTIALS_MAX; i++) {
		(void)snprintf(text, sizeof(text), "token-number-%d.", i);
		credentials_add(str_from(text));
		credentials_add(STR("used-again"));
	}
	assert_shown("used-again token-number-0. token-number-1.", "*** token-number-0. ***");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_known, forget),
		cmocka_unit_test_teardown(test_lines_of_a_key, forget),
		cmocka_unit_test_teardown(test_urls, forget),
		cmocka_unit_test_teardown(test_ceiling, forget),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
