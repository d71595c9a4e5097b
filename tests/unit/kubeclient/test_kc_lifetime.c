/* When tokens say that they end, of any text. */
#include "kubeclient/kc_lifetime.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void test_token(void **state)
{
	static const struct {
		const char *token;
		int64_t ends;
	} rows[] = {
		{ "", 0 },
		{ "opaque", 0 },
		{ "..", 0 },
		{ "a.b", 0 },
		{ "h.eyJleHAiOjE3MDAwMDAwMDB9.s", 1700000000 },    /* {"exp":1700000000} */
		{ "h.eyJleHAiOjE3MDAwMDAwMDAuNX0.s", 1700000000 }, /* {"exp":1700000000.5} */
		{ "h.eyJzdWIiOiI_Pz4-IiwiZXhwIjo3fQ.s", 7 },       /* {"sub":"??>>","exp":7}, in base64url */
		{ "h.eyJzdWIiOiJ4In0.s", 0 },                      /* {"sub":"x"} */
		{ "h.eyJleHAiOi01fQ.s", 0 },                       /* {"exp":-5} */
		{ "h.eyJleHAiOiI5In0.s", 0 },                      /* {"exp":"9"} */
		{ "h.eyJleHAiOjFlMzAwfQ.s", 0 },                   /* {"exp":1e300} */
		{ "h.W10.s", 0 },                                  /* [] */
		{ "h.eyJleHAiOjE3MDAwMDAwMDB9.s.more", 0 },        /* four parts: encrypted */
		{ "h.eyJleHAiOjE3MDAwMDAwMDB9=.s", 0 },            /* padded */
		{ "h.!!!.s", 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		assert_int_equal(kc_token_ends(str_from(rows[i].token)), rows[i].ends);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_token),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
