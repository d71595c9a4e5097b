/* Identities out of text that nobody else reads. */
#include "kubeclient/kc_identity.h"

#include "base/buf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct identity_case {
	const char *text, *found; /* "namespace name uid version" */
} cases[] = {
	{ "{\"metadata\":{\"name\":\"a\",\"namespace\":\"d\",\"uid\":\"1\",\"resourceVersion\":\"5\"}}", "d a 1 5" },
	{ " { \"spec\" : [[[{\"}\":\"]\"}]]] , \"metadata\" : { \"labels\" : {\"name\":\"no\"} , \"name\" : \"a\" } }",
	  " a  " },
	{ "{\"metadata\":{\"name\":\"a\"},\"spec\":", " a  " },
	{ "{\"metadata\":{\"name\":\"a\",\"uid\":\"1\",\"annotations\":{\"x\":\"never ends", " a 1 " },
	{ "{\"metadata\":{\"k\\u0000\":1,\"name\":\"a\"}}", " a  " },
	{ "{\"a\":\"\\\\\\\"\",\"b\":-1.5e3,\"c\":null,\"metadata\":{\"name\":\"a\"}}", " a  " },
	{ "{\"metadata\":{\"name\":\"a\\u0041\"}}", "" },
	{ "{\"metadata\":{\"name\":7}}", "" },
	{ "{\"metadata\":7,\"name\":\"a\"}", "" },
	{ "{\"metadata\":{\"name\":\"a", "" },
	{ "{\"metadata\"", "" },
	{ "[{\"metadata\":{\"name\":\"a\"}}]", "" },
	{ "", "" },
};

static void test_table(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(buf_done) struct buf found = BUF_INIT(4096);
		struct kc_identity id;

		if (kc_identity_scan(str_from(cases[i].text), &id))
			buf_printf(&found, "%.*s %.*s %.*s %.*s", STR_ARG(id.namespace), STR_ARG(id.name),
				   STR_ARG(id.uid), STR_ARG(id.resource_version));
		if (!str_eq(buf_str(&found), str_from(cases[i].found)))
			fail_msg("%s: '%.*s' instead of '%s'", cases[i].text, STR_ARG(buf_str(&found)), cases[i].found);
	}
}

static const struct identity_case glances[] = {
	{ "{\"metadata\":{\"name\":\"a\",\"namespace\":\"d\",\"uid\":\"1\",\"resourceVersion\":\"5\"}}", "d a 1 5" },
	{ "{\"metadata\":{\"uid\":\"1\",\"resourceVersion\":\"5\",\"name\":\"a\",\"namespace\":\"d\"}}", " a 1 5" },
	{ "{\"metadata\":{\"name\":\"a\",\"uid\":\"1\",\"resourceVersion\":\"5\",\"uid\":\"2\"}}", " a 1 5" },
	{ "{\"metadata\":{\"managedFields\":[{\"x\":\"\\\"]\"}],\"name\":\"a\",\"uid\":\"1\"}}", " a 1 " },
	{ "{\"spec\":{\"name\":\"}\"},\"metadata\":{\"labels\":{\"name\":\"no\"},\"name\":\"a\"}}", " a  " },
	{ "{\"metadata\":{\"name\":\"a\",\"labels\":{", " a  " },
	{ "{\"spec\":{\"metadata\":{\"name\":\"a\"}}", "" },
};

static void test_glances(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(glances); i++) {
		CLEANUP(buf_done) struct buf found = BUF_INIT(4096);
		struct kc_identity id;

		if (kc_identity_glance(str_from(glances[i].text), &id))
			buf_printf(&found, "%.*s %.*s %.*s %.*s", STR_ARG(id.namespace), STR_ARG(id.name),
				   STR_ARG(id.uid), STR_ARG(id.resource_version));
		if (!str_eq(buf_str(&found), str_from(glances[i].found)))
			fail_msg("%s: '%.*s'", glances[i].text, STR_ARG(buf_str(&found)));
	}
}

/* Every beginning of every text: nothing is read behind its end. */
static void test_cut_anywhere(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		size_t n = strlen(cases[i].text);

		for (size_t cut = 0; cut <= n; cut++) {
			char *copy = malloc(cut + 1);
			struct kc_identity id;

			assert_non_null(copy);
			memcpy(copy, cases[i].text, cut);
			(void)kc_identity_scan((str){ copy, cut }, &id);
			(void)kc_identity_glance((str){ copy, cut }, &id);
			free(copy);
		}
	}
}

static void test_depth_costs_nothing(void **state)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(16u << 20);
	struct kc_identity id;

	(void)state;
	buf_add_cstr(&text, "{\"spec\":");
	for (int i = 0; i < 1000000; i++)
		buf_add_byte(&text, '[');
	for (int i = 0; i < 1000000; i++)
		buf_add_byte(&text, ']');
	buf_add_cstr(&text, ",\"metadata\":{\"name\":\"deep\"}}");
	assert_true(kc_identity_scan(buf_str(&text), &id));
	assert_true(str_eq(id.name, STR("deep")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_glances),
		cmocka_unit_test(test_cut_anywhere),
		cmocka_unit_test(test_depth_costs_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
