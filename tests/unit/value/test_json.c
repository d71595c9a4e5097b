/* The decoder against jansson, which the contract names as its meaning, and the encoder against Go's formats. */
#include "value/json.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct limits limits = LIMITS_DEFAULT;

static int decode(str text, struct doc **ret, struct err *err)
{
	struct json_options o = { .limits = &limits };

	return json_decode(text, &o, ret, err);
}

static void test_accepts_what_jansson_accepts(void **state)
{
	static const char *const texts[] = {
		"null",
		" true ",
		"[]",
		"{}",
		"[1,-2,3.5e2,0,-0]",
		"{\"a\":{\"b\":[null,false]},\"a\":1}",
		"\"\\u00e9\\ud83d\\ude00\\n\\/\"",
		"\"\\u0000\"",
		"[1e5,1E+2,0.1]",
		"\"\xC3\xA9\"",
		"\t\r\n[ 1 , 2 ]",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		CLEANUP(doc_unrefp) struct doc *doc = NULL;
		struct err err;
		json_t *j = json_loads(texts[i], JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);

		assert_non_null(j);
		json_decref(j);
		assert_int_equal(decode(str_from(texts[i]), &doc, &err), 0);
	}
}

static void test_refuses_with_line_and_column(void **state)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{ "", "line 1 column 1: unexpected end" },
		{ "{\"a\":}", "line 1 column 6: invalid token" },
		{ "[1,\n 2,]", "line 2 column 4: invalid token" },
		{ "[01]", "line 1 column 2: invalid number" },
		{ "[1.]", "line 1 column 2: invalid number" },
		{ "[1e400]", "line 1 column 2: number out of range" },
		{ "\"\\ud800\"", "line 1 column 8: invalid Unicode escape: lone surrogate" },
		{ "\"a\nb\"", "line 1 column 3: control character in string" },
		{ "\"\xC0\x80\"", "line 1 column 2: invalid UTF-8" },
		{ "{\"a\\u0000\":1}", "line 1 column 11: NUL in an object key" },
		{ "{1:2}", "line 1 column 2: expected a string as object key" },
		{ "[1 2]", "line 1 column 4: expected ',' or ']'" },
		{ "1 2", "line 1 column 3: end of text expected" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct doc *doc = NULL;
		struct err err;

		assert_int_equal(decode(str_from(cases[i].text), &doc, &err), -EBADMSG);
		assert_null(doc);
		assert_string_equal(err.msg, cases[i].message);
	}
}

static void test_numbers_keep_their_kind(void **state)
{
	CLEANUP(doc_unrefp) struct doc *doc = NULL;
	struct err err;

	(void)state;
	assert_int_equal(
		decode(STR("[1,1.0,9223372036854775807,9223372036854775808,-9223372036854775808]"), &doc, &err), 0);
	assert_int_equal(val_at(doc->root, 0).kind, VAL_INT);
	assert_int_equal(val_at(doc->root, 1).kind, VAL_DOUBLE);
	assert_true(val_at(doc->root, 2).i == INT64_MAX);
	assert_true(val_at(doc->root, 3).kind == VAL_DOUBLE && val_at(doc->root, 3).d == 9223372036854775808.0);
	assert_true(val_at(doc->root, 4).i == INT64_MIN);
}

static void test_maps_are_sorted_and_last_key_wins(void **state)
{
	CLEANUP(doc_unrefp) struct doc *doc = NULL;
	struct err err;

	(void)state;
	assert_int_equal(decode(STR("{\"b\":1,\"a\":2,\"b\":3,\"\":4}"), &doc, &err), 0);
	assert_int_equal(val_count(doc->root), 3);
	assert_true(str_eq(key_str(doc->root.members[0].key), STR("")));
	assert_int_equal(VAL_GET(doc->root, "b").i, 3);
}

static void test_skip_leaves_out_and_keeps_raw(void **state)
{
	static const char *const path[] = { "metadata", "managedFields", NULL };
	str raw;
	struct json_skip skip = { .path = path, .raw = &raw };
	struct json_options o = { .limits = &limits, .skips = &skip, .n_skips = 1 };
	CLEANUP(doc_unrefp) struct doc *doc = NULL;
	struct err err;
	str text = STR("{\"spec\":{\"metadata\":{\"managedFields\":1}},\"metadata\":{\"name\":\"x\",\"managedFields\": "
		       "[ {\"a\":\"\\u00e9\"} ],\"z\":{\"managedFields\":2}}}");

	(void)state;
	assert_int_equal(json_decode(text, &o, &doc, &err), 0);
	assert_false(val_exists(val_dig(doc->root, "metadata", "managedFields", NULL)));
	/* cppcheck-suppress uninitvar ; json_decode sets it */
	assert_true(str_eq(raw, STR("[ {\"a\":\"\\u00e9\"} ]")));
	assert_int_equal(val_dig(doc->root, "metadata", "z", "managedFields", NULL).i, 2);
	assert_int_equal(val_dig(doc->root, "spec", "metadata", "managedFields", NULL).i, 1);
	doc_unref(TAKE(doc));
	assert_int_equal(json_decode(STR("{\"metadata\":{\"managedFields\":[1,}}"), &o, &doc, &err), -EBADMSG);
}

/* The bytes of all items; negative: the walk failed. */
static int walk_list(str text, const struct json_options *o, struct arena *a, val *rest, struct err *err)
{
	struct json_list *l = json_list_new(text, o, a);
	int bytes = 0, r;
	str item;

	assert_non_null(l);
	while ((r = json_list_next(l, &item, rest, err)) > 0)
		bytes += (int)item.n;
	json_list_free(l);
	return r < 0 ? r : bytes;
}

static void test_list_hands_out_items(void **state)
{
	struct json_options o = { .limits = &limits };
	CLEANUP(arena_done) struct arena a;
	struct err err;
	val rest;

	(void)state;
	arena_init(&a, 0, 0);
	assert_int_equal(
		walk_list(STR("{\"kind\":\"L\",\"items\":[ {\"a\":1} , [2],\"x\" ],\"metadata\":{\"continue\":\"c\"}}"),
			  &o, &a, &rest, &err),
		7 + 3 + 3);
	assert_true(str_eq(val_str(val_dig(rest, "metadata", "continue", NULL)), STR("c")));
	assert_false(val_exists(VAL_GET(rest, "items")));
	assert_int_equal(walk_list(STR("{\"items\":[],\"items\":[1]}"), &o, &a, &rest, &err), 1);
	assert_int_equal(walk_list(STR(" {} "), &o, &a, &rest, &err), 0);
	assert_int_equal(walk_list(STR("{\"items\":[1,]}"), &o, &a, &rest, &err), -EBADMSG);
	assert_int_equal(walk_list(STR("{\"items\":[1"), &o, &a, &rest, &err), -EBADMSG);
	assert_int_equal(walk_list(STR("{\"items\":null} x"), &o, &a, &rest, &err), -EBADMSG);
	assert_int_equal(walk_list(STR("[]"), &o, &a, &rest, &err), -EBADMSG);
}

static void test_limits_are_checked(void **state)
{
	struct limits small = LIMITS_DEFAULT;
	struct json_options o = { .limits = &small };
	struct doc *doc = NULL;
	struct err err;

	(void)state;
	small.depth = 3;
	assert_int_equal(json_decode(STR("[[[[]]]]"), &o, &doc, &err), -E2BIG);
	small.depth = 4;
	assert_int_equal(json_decode(STR("[[[[]]]]"), &o, &doc, &err), 0);
	doc_unref(TAKE(doc));
	small.document_nodes = 2;
	assert_int_equal(json_decode(STR("[1,2]"), &o, &doc, &err), -E2BIG);
	small = LIMITS_DEFAULT;
	small.object_bytes = 4;
	assert_int_equal(json_decode(STR("[1,2]"), &o, &doc, &err), -E2BIG);
}

static void test_encodes_as_go_does(void **state)
{
	static const struct {
		double d;
		const char *text;
	} numbers[] = {
		{ 0, "0" },
		{ -0.0, "-0" },
		{ 1, "1" },
		{ 0.1, "0.1" },
		{ 1e20, "100000000000000000000" },
		{ 1e21, "1e+21" },
		{ 1e-6, "0.000001" },
		{ 1e-7, "1e-7" },
		{ 5e-324, "5e-324" },
		{ 1.5e300, "1.5e+300" },
		{ 5.684341886080802e-14, "5.684341886080802e-14" },
		{ 123456.789, "123456.789" },
		{ 1e-10, "1e-10" },
		{ 9007199254740993.0, "9007199254740992" },
		{ 2.2250738585072014e-308, "2.2250738585072014e-308" },
	};
	CLEANUP(buf_done) struct buf out = BUF_INIT(1000);
	struct err err;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
		buf_clear(&out);
		json_encode_double(numbers[i].d, &out);
		assert_string_equal(out.p, numbers[i].text);
	}
	buf_clear(&out);
	json_encode_string(STR("<a>&\"\\\x01\n\xE2\x80\xA8\xFF"), JSON_GO, &out);
	assert_string_equal(out.p, "\"\\u003ca\\u003e\\u0026\\\"\\\\\\u0001\\n\\u2028\\ufffd\"");
	buf_clear(&out);
	assert_int_equal(json_encode(val_double(NAN), JSON_GO, NULL, &out, &err), -EINVAL);
	assert_string_equal(err.msg, "json: unsupported value: NaN");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_accepts_what_jansson_accepts),
		cmocka_unit_test(test_refuses_with_line_and_column),
		cmocka_unit_test(test_numbers_keep_their_kind),
		cmocka_unit_test(test_maps_are_sorted_and_last_key_wins),
		cmocka_unit_test(test_skip_leaves_out_and_keeps_raw),
		cmocka_unit_test(test_list_hands_out_items),
		cmocka_unit_test(test_limits_are_checked),
		cmocka_unit_test(test_encodes_as_go_does),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
