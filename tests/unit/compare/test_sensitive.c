/* What may be shown: tests/data/compare/sensitive.yaml. */
#include "compare/sensitive.h"
#include "support/memory_source.h"
#include "value/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void test_paths(void **state)
{
	struct doc *doc = data_document(TEST_DATA "/compare/sensitive.yaml");
	val cases;

	(void)state;
	assert_non_null(doc);
	cases = VAL_GET(doc->root, "cases");
	assert_true(val_count(cases) > 0);
	for (uint32_t i = 0; i < val_count(cases); i++) {
		val c = val_at(cases, i);
		val object = val_get(doc->root, val_str(VAL_GET(c, "object")));
		str extra = val_str(VAL_GET(c, "extra"));
		struct path p;
		struct arena a;

		arena_init(&a, 0, 0);
		assert_true(path_parse(val_str(VAL_GET(c, "path")), &a, &p));
		if (path_is_sensitive(object, p, &extra, extra.n > 0) != VAL_GET(c, "hidden").b)
			fail_msg("%.*s of %.*s", STR_ARG(val_str(VAL_GET(c, "path"))),
				 STR_ARG(val_str(VAL_GET(c, "object"))));
		arena_done(&a);
	}
	doc_unref(doc);
}

static val parse(const char *text, struct arena *a)
{
	struct limits limits = LIMITS_DEFAULT;
	struct json_options o = { .limits = &limits };
	size_t used;
	struct err err;
	val v;

	assert_int_equal(json_decode_value(str_from(text), &o, a, &v, &used, &err), 0);
	return v;
}

static void check_mask(const char *e, const char *a, bool differences, const char *want_e, const char *want_a)
{
	struct buf left = BUF_INIT(4096), right = BUF_INIT(4096);
	struct arena arena;
	struct err err;
	val me, ma;

	arena_init(&arena, 0, 0);
	assert_true(sensitive_mask(parse(e, &arena), parse(a, &arena), differences, &arena, &me, &ma));
	assert_int_equal(json_encode(me, JSON_PLAIN, NULL, &left, &err), 0);
	assert_int_equal(json_encode(ma, JSON_PLAIN, NULL, &right, &err), 0);
	assert_string_equal(left.p, want_e);
	assert_string_equal(right.p, want_a);
	buf_done(&left);
	buf_done(&right);
	arena_done(&arena);
}

static void test_mask(void **state)
{
	(void)state;
	check_mask("{\"a\":1,\"password\":\"x\"}", "{\"a\":2,\"password\":\"x\"}", false,
		   "{\"a\":1,\"password\":\"***\"}", "{\"a\":2,\"password\":\"***\"}");
	check_mask("{\"password\":\"x\"}", "{\"password\":\"y\"}", false, "{\"password\":\"*** (before)\"}",
		   "{\"password\":\"*** (after)\"}");
	check_mask("{\"password\":\"x\"}", "{}", false, "{\"password\":\"***\"}", "{}");
	check_mask("{\"a\":[1,2,{\"b\":1}]}", "{\"a\":[1,3,\"t\"]}", true,
		   "{\"a\":[1,\"*** (before)\",{\"b\":\"***\"}]}", "{\"a\":[1,\"*** (after)\",\"***\"]}");
	check_mask("{\"data\":{\"a\":\"x\",\"b\":\"y\"}}", "{\"data\":{\"a\":\"x\",\"b\":\"z\"},\"kind\":\"Secret\"}",
		   false, "{\"data\":{\"a\":\"***\",\"b\":\"*** (before)\"}}",
		   "{\"data\":{\"a\":\"***\",\"b\":\"*** (after)\"},\"kind\":\"Secret\"}");
	check_mask("{\"env\":[{\"name\":\"API_TOKEN\",\"value\":\"x\"}]}",
		   "{\"env\":[{\"name\":\"API_TOKEN\",\"value\":\"x\"}]}", false,
		   "{\"env\":[{\"name\":\"API_TOKEN\",\"value\":\"***\"}]}",
		   "{\"env\":[{\"name\":\"API_TOKEN\",\"value\":\"***\"}]}");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_paths), cmocka_unit_test(test_mask) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
