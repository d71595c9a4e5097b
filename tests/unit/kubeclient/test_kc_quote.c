/* What may be quoted of the complaints of a plugin. */
#include "kubeclient/kc_quote.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define HIDDEN "(what it said is not shown, it could hold a secret)"

static bool knows_hunter(const void *ctx, str line)
{
	(void)ctx;
	return str_find(line, STR("hunter2")) >= 0;
}

static void test_last_line(void **state)
{
	static const struct {
		const char *text, *shown;
	} rows[] = {
		{ "", "" },
		{ " \n\n", "" },
		{ "first\nthe reason\n\n", "the reason" },
		{ "Unable to locate credentials. You can configure them by running \"aws configure\".",
		  "Unable to locate credentials. You can configure them by running \"aws configure\"." },
		{ "dial tcp: lookup oidc.eks.eu-west-1.amazonaws.com on 10.0.0.2:53: no such host",
		  "dial tcp: lookup oidc.eks.eu-west-1.amazonaws.com on 10.0.0.2:53: no such host" },
		{ "open /usr/lib/python3/dist-packages/plugin.py: permission denied",
		  "open /usr/lib/python3/dist-packages/plugin.py: permission denied" },
		{ "a\033[31mred\x7F\xFF", "a [31mred  " },
		{ "refused: eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJrIn0.c2ln", HIDDEN },
		{ "token k8s-aws-v1.aHR0cHM6Ly9zdHMuZXUtd2VzdC0xLmFtYXpvbmF3cy5jb20 expired", HIDDEN },
		{ "ya29.c.b0AXv0zTPxyz/xyzxyzxyz7xyzxyzxyzxyz", HIDDEN },
		{ "-----END PRIVATE KEY-----", HIDDEN },
		{ "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7", HIDDEN },
		{ "password hunter2 is wrong", HIDDEN },
		{ "eyJhbGciOiJSUzI1NiJ9\nthe reason", "the reason" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		CLEANUP(buf_done) struct buf out = BUF_INIT(1000);

		kc_quote_last_line(str_from(rows[i].text), knows_hunter, NULL, &out);
		assert_string_equal(buf_str(&out).p, rows[i].shown);
	}
}

static void test_long_line_is_cut(void **state)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(1000), out = BUF_INIT(1000);

	(void)state;
	for (int i = 0; i < 150; i++)
		buf_add_cstr(&text, "no \xC3\xA9");
	kc_quote_last_line(buf_str(&text), NULL, NULL, &out);
	assert_in_range(out.n, 195, 201);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_last_line), cmocka_unit_test(test_long_line_is_cut) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
