/* YAML out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "value/json.h"
#include "value/yaml.h"

/* @json as YAML, or the error behind "! ". */
static void check(const char *json, const char *expected)
{
	CLEANUP(doc_unrefp) struct doc *doc = NULL;
	CLEANUP(buf_done) struct buf out = BUF_INIT(1 << 20);
	struct limits limits = LIMITS_DEFAULT;
	struct json_options o = { .limits = &limits };
	struct err err = { 0 };

	assert_int_equal(json_decode(str_from(json), &o, &doc, &err), 0);
	if (yaml_encode(doc->root, &out, &err) < 0)
		buf_printf(&out, "! %s", err.msg);
	assert_string_equal(buf_str(&out).p, expected);
}

struct row {
	const char *json, *yaml;
};

#define CHECK_ROWS(...)                                                                                                \
	do {                                                                                                           \
		static const struct row rows[] = { __VA_ARGS__ };                                                      \
		for (size_t i = 0; i < ARRAY_LEN(rows); i++)                                                           \
			check(rows[i].json, rows[i].yaml);                                                             \
	} while (0)

static void test_collections(void **state)
{
	(void)state;
	CHECK_ROWS({ "{}", "{}\n" }, { "[]", "[]\n" }, { "{\"k\":{},\"l\":[]}", "k: {}\nl: []\n" },
		   { "{\"spec\":{\"list\":[{\"a\":1,\"b\":[2]},[3,[4]]]}}",
		     "spec:\n  list:\n  - a: 1\n    b:\n    - 2\n  - - 3\n    - - 4\n" },
		   { "[null,true,-5]", "- null\n- true\n- -5\n" });
}

static void test_styles(void **state)
{
	(void)state;
	CHECK_ROWS({ "[\"plain text\",\"\",\"yes\",\"12\",\"0x1f\",\"1:30\",\"2020-01-02\",\"~\"]",
		     "- plain text\n- \"\"\n- \"yes\"\n- \"12\"\n- \"0x1f\"\n- \"1:30\"\n- \"2020-01-02\"\n- \"~\"\n" },
		   { "[\"a: b\",\"# c\",\"x #y\",\"x#y\",\"- z\",\"-z\",\"it's\",\" lead\",\"{b}\"]",
		     "- 'a: b'\n- '# c'\n- 'x #y'\n- x#y\n- '- z'\n- -z\n- it's\n- ' lead'\n- '{b}'\n" },
		   { "[\"tab\\there\",\"bell\\u0007\",\"back\\\\ slash\"]",
		     "- \"tab\\there\"\n- \"bell\\a\"\n- back\\ slash\n" },
		   { "{\"t\":\"one\\ntwo\\n\",\"u\":\"no end\\nhere\",\"v\":\"\\n\"}",
		     "t: |\n  one\n  two\nu: |-\n  no end\n  here\nv: |2+\n\n" },
		   { "{\"caf\\u00e9\":\"\\u65e5\\u672c\",\"e\":\"\\ud83d\\ude00\"}",
		     "caf\xC3\xA9: \xE6\x97\xA5\xE6\x9C\xAC\ne: \"\\U0001F600\"\n" });
}

static void test_numbers(void **state)
{
	(void)state;
	CHECK_ROWS({ "[1.0,1e3,1.5,1e21,1234567.5,0.00001,1e-7,-0.0]",
		     "- 1\n- 1000\n- 1.5\n- 1e+21\n- 1.2345675e+06\n- 1e-05\n- 1e-07\n- 0\n" },
		   { "[9223372036854775807,9223372036854775808,-9223372036854775808]",
		     "- 9223372036854775807\n- 9223372036854776000\n- -9223372036854775808\n" });
}

static void test_key_order(void **state)
{
	(void)state;
	CHECK_ROWS({ "{\"b10\":1,\"b2\":2,\"B1\":3,\"_x\":4,\"a\":5,\"10\":6,\"9\":7}",
		     "_x: 4\n\"9\": 7\n\"10\": 6\nB1: 3\na: 5\nb2: 2\nb10: 1\n" });
}

static void test_long_lines(void **state)
{
	(void)state;
	check("{\"k\":\"aaaaaaaaa bbbbbbbbb ccccccccc ddddddddd eeeeeeeee fffffffff ggggggggg hhhhhhhhh iiiiiiiii "
	      "jjjj\"}",
	      "k: aaaaaaaaa bbbbbbbbb ccccccccc ddddddddd eeeeeeeee fffffffff ggggggggg hhhhhhhhh\n  iiiiiiiii jjjj\n");
}

static void test_reader_limits(void **state)
{
	(void)state;
	CHECK_ROWS({ "[\"\\u007f\"]", "! yaml: control characters are not allowed" }, { "[\"a\\u0085b\"]", "- a b\n" },
		   { "{\"a\\u0085b\":1}", "! yaml: line 1: did not find expected ',' or '}'" });
}

/* For people: nothing hides or turns what is read, and it is the same when it is read back. */
static void test_shown(void **state)
{
	static const struct row rows[] = {
		{ "{\"a\":\"x\\u202ey\",\"b\\u200f\":[\"\\u2066\",\"z\"]}",
		  "a: \"x\\u202Ey\"\n\"b\\u200F\":\n- \"\\u2066\"\n- z\n" },
		{ "[\"\\u200b\",\"two\\nlines\\u202e\",\"\\u007f\",\"caf\\u00e9 \\u65e5\"]",
		  "- \"\\u200B\"\n- \"two\\nlines\\u202E\"\n- \"\\x7F\"\n- caf\xC3\xA9 \xE6\x97\xA5\n" },
		{ "[\"<no value>\",\"plain\",\"one\\ntwo\"]", "- \"\\x3Cno value>\"\n- plain\n- |-\n  one\n  two\n" },
	};
	struct limits limits = LIMITS_DEFAULT;
	struct json_options o = { .limits = &limits };
	struct yaml_options y = { .limits = &limits };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		CLEANUP(doc_unrefp) struct doc *doc = NULL, *again = NULL;
		CLEANUP(buf_done) struct buf out = BUF_INIT(1 << 20);
		struct err err;

		assert_int_equal(json_decode(str_from(rows[i].json), &o, &doc, &err), 0);
		assert_int_equal(yaml_encode_shown(doc->root, &out, &err), 0);
		assert_string_equal(buf_str(&out).p, rows[i].yaml);
		assert_int_equal(yaml_decode(buf_str(&out), &y, &again, &err), 0);
		assert_true(val_equal(doc->root, again->root));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_collections), cmocka_unit_test(test_styles),
		cmocka_unit_test(test_numbers),     cmocka_unit_test(test_key_order),
		cmocka_unit_test(test_long_lines),  cmocka_unit_test(test_reader_limits),
		cmocka_unit_test(test_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
