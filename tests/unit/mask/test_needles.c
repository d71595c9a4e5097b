/* mask/needles.h: texts in every spelling. */
#include "mask/needles.h"

#include "go/base64.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define TOKEN "s3cr3t.Token_of-ours/4711+x"
#define QUOTED "p\"ss<w&rd\\%41"

static const str needles[] = { { TOKEN, sizeof(TOKEN) - 1 }, { QUOTED, sizeof(QUOTED) - 1 }, { "short", 5 } };

static struct needles *made(void)
{
	struct needles *n;
	struct err err;

	assert_int_equal(needles_new(needles, ARRAY_LEN(needles), &n, &err), 0);
	return n;
}

static void test_spellings(void **state)
{
	static const struct {
		const char *text, *shown;
	} cases[] = {
		{ "nothing", "nothing" },
		{ "", "" },
		{ "short", "short" },
		{ TOKEN, "***" },
		{ "a " TOKEN " b", "a *** b" },
		{ TOKEN TOKEN, "******" },
		{ "S3CR3T.TOKEN_OF-OURS/4711+X", "***" },
		{ "=s3cr3t.Token_of-ours%2F4711%2bx&", "=***&" },
		{ "%73%33cr3t.Token_of-ours/4711+x", "***" },
		{ "\"s3cr3t.Token_of-ours\\/4711\\u002bx\"", "\"***\"" },
		{ "s3cr3t.Token_of-ours\\x2f4711+x", "***" },
		{ "s3cr3t.Token_of-ours&#47;4711&#x2b;x!", "***!" },
		{ "s3cr3t.Token_of-ours/4711+", "s3cr3t.Token_of-ours/4711+" },
		{ "s3cr3t.s3cr3t.Token_of-ours/4711+x", "s3cr3t.***" },
		{ QUOTED, "***" },
		{ "p\\\"ss<w&rd\\\\%41", "***" },
		{ "p&quot;ss&lt;w&amp;rd\\%41", "***" },
		{ "p%22ss%3Cw%26rd%5C%2541", "***" },
		{ "p\\u0022ss\\u003cw\\u0026rd\\\\%41", "***" },
		{ "%", "%" },
		{ "\\u00", "\\u00" },
		{ "&#;&amp", "&#;&amp" },
	};
	CLEANUP(needles_freep) struct needles *n = made();

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(buf_done) struct buf out = BUF_INIT(4096);

		needles_replace(n, str_from(cases[i].text), NULL, 0, &out);
		assert_string_equal(out.n ? out.p : "", cases[i].shown);
	}
}

/* Wherever it stands in what is encoded. */
static void test_base64(void **state)
{
	CLEANUP(needles_freep) struct needles *n = made();

	(void)state;
	for (size_t before = 0; before < 8; before++) {
		for (size_t after = 0; after < 4; after++) {
			CLEANUP(buf_done) struct buf raw = BUF_INIT(4096), text = BUF_INIT(4096), out = BUF_INIT(4096);
			size_t from = 0, to;

			buf_fill(&raw, 'u', before);
			buf_add_cstr(&raw, TOKEN);
			buf_fill(&raw, 'x', after);
			go_base64_encode(&text, buf_str(&raw));
			assert_true(needles_find(n, buf_str(&text), &from, &to));
			needles_replace(n, buf_str(&text), NULL, 0, &out);
			from = 0;
			assert_false(needles_find(n, buf_str(&out), &from, &to));
			assert_true(out.n <= text.n - sizeof(TOKEN) + 3);
		}
	}
}

static void test_names_stay(void **state)
{
	static const str names[] = { { "production", 10 }, { "production-db", 13 } };
	static const str secret[] = { { "production", 10 } };
	CLEANUP(buf_done) struct buf out = BUF_INIT(4096);
	struct needles *n;
	struct err err;

	(void)state;
	assert_int_equal(needles_new(secret, 1, &n, &err), 0);
	needles_replace(n, STR("production-db of production: production1, xproduction"), names + 1, 1, &out);
	assert_string_equal(out.p, "production-db of ***: ***1, x***");
	needles_free(n);
}

static void test_none(void **state)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(4096);
	size_t from = 0, to;

	(void)state;
	assert_false(needles_find(NULL, STR("anything at all"), &from, &to));
	needles_replace(NULL, STR("anything at all"), NULL, 0, &out);
	assert_string_equal(out.p, "anything at all");
	needles_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_spellings),
		cmocka_unit_test(test_base64),
		cmocka_unit_test(test_names_stay),
		cmocka_unit_test(test_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
