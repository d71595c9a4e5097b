/* YAML in, with its messages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "value/json.h"
#include "value/yaml.h"

/* The JSON of @text, or its error behind "! ". */
static void decode_to(str text, struct yaml_options o, struct limits limits, struct buf *out)
{
	CLEANUP(doc_unrefp) struct doc *doc = NULL;
	struct err err = { 0 };

	o.limits = &limits;
	buf_clear(out);
	if (yaml_decode(text, &o, &doc, &err) < 0)
		buf_printf(out, "! %s", err.msg);
	else
		assert_int_equal(json_encode(doc->root, JSON_GO, NULL, out, &err), 0);
}

static void check(const char *text, struct yaml_options o, const char *expected)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(1 << 20);

	decode_to(str_from(text), o, LIMITS_DEFAULT, &out);
	assert_string_equal(buf_str(&out).p, expected);
}

struct row {
	const char *text, *json;
};

static void check_rows(const struct row *rows, size_t n, struct yaml_options o)
{
	for (size_t i = 0; i < n; i++)
		check(rows[i].text, o, rows[i].json);
}

#define CHECK_ROWS(...)                                                                                                \
	do {                                                                                                           \
		static const struct row rows[] = { __VA_ARGS__ };                                                      \
		check_rows(rows, ARRAY_LEN(rows), (struct yaml_options){ 0 });                                         \
	} while (0)

static void test_structure(void **state)
{
	(void)state;
	CHECK_ROWS(
		{ "", "null" }, { "# only a comment\n", "null" }, { "---\n", "null" }, { "one\n--- two\n", "\"one\"" },
		{ "host: web\nports:\n- 80\n- 443\n", "{\"host\":\"web\",\"ports\":[80,443]}" },
		{ "- - x\n  - w\n-\n  k: v\n", "[[\"x\",\"w\"],{\"k\":\"v\"}]" },
		{ "? long key\n: - a\n  - b\n", "{\"long key\":[\"a\",\"b\"]}" },
		{ "{a: [1, {b: c}], d: }", "{\"a\":[1,{\"b\":\"c\"}],\"d\":null}" },
		{ "[a: b, c]", "[{\"a\":\"b\"},\"c\"]" }, { "url: http://h:1/x#y\n", "{\"url\":\"http://h:1/x#y\"}" },
		{ "a:\n\n\n  b: 1 # c\n", "{\"a\":{\"b\":1}}" },
		{ "m: one\n  two\n\n  three\n", "{\"m\":\"one two\\nthree\"}" },
		{ "t: |\n  x\n   y\n\nu: >-\n  p\n  q\n", "{\"t\":\"x\\n y\\n\",\"u\":\"p q\"}" },
		{ "t: |+\n  x\n\n", "{\"t\":\"x\\n\\n\"}" }, { "t: |2\n    x\n", "{\"t\":\"  x\\n\"}" },
		{ "q: \"a\\tb\\u00e9\\\n   c\"\n", "{\"q\":\"a\\tb\xC3\xA9"
						   "c\"}" },
		{ "q: 'it''s'\n", "{\"q\":\"it's\"}" },
		{ "\xEF\xBB\xBFk: v\r\nl: w\r\n", "{\"k\":\"v\",\"l\":\"w\"}" });
}

static void test_scalars(void **state)
{
	(void)state;
	CHECK_ROWS({ "[yes, No, ON, off, y, N, yEs]", "[true,false,true,false,true,false,\"yEs\"]" },
		   { "[null, ~, Null, nULL]", "[null,null,null,\"nULL\"]" },
		   { "[12, -3, 0x1f, 0o17, 017, 0b101, 1_000, 08]", "[12,-3,31,15,15,5,1000,8]" },
		   { "[1.50, 1e3, .5, 5., 1.2.3, 1e999]", "[1.5,1000,0.5,5,\"1.2.3\",\"1e999\"]" },
		   { "[18446744073709551615, 18446744073709551616]", "[18446744073709551615,18446744073709552000]" },
		   { "[2020-01-02, 12:30:45, 1.2-3]", "[\"2020-01-02\",\"12:30:45\",\"1.2-3\"]" },
		   { "[!!str 1, !!int \"7\", !!float 2, !other x]", "[\"1\",7,2,\"x\"]" },
		   { "!!binary aGk=", "\"hi\"" },
		   { "{1: a, true: b, 1.5: c}", "{\"1\":\"a\",\"1.5\":\"c\",\"true\":\"b\"}" });
}

static void test_anchors(void **state)
{
	(void)state;
	CHECK_ROWS(
		{ "x: &p {q: 1}\nz: *p\n", "{\"x\":{\"q\":1},\"z\":{\"q\":1}}" },
		{ "x: &p {q: 1, r: 2}\nz:\n  <<: *p\n  q: 3\n", "{\"x\":{\"q\":1,\"r\":2},\"z\":{\"q\":3,\"r\":2}}" },
		{ "<<: [{k: 1}, {k: 2, l: 3}]", "{\"k\":1,\"l\":3}" },
		{ "*nope", "! yaml: unknown anchor 'nope' referenced" },
		{ "&loop {again: *loop}", "! yaml: anchor 'loop' value contains itself" },
		{ "<<: 7", "! yaml: map merge requires map or sequence of maps as the value" });
}

static void test_errors(void **state)
{
	(void)state;
	CHECK_ROWS({ "a: b: c", "! yaml: mapping values are not allowed in this context" },
		   { "a:\nb\n", "! yaml: line 3: could not find expected ':'" },
		   { "[1, 2", "! yaml: line 1: did not find expected ',' or ']'" },
		   { "a: \"x", "! yaml: found unexpected end of stream" },
		   { "a:\n\tb: c", "! yaml: line 2: found character that cannot start any token" }, { "{}: v", "{}" },
		   { "k: \x01", "! yaml: control characters are not allowed" },
		   { "k: \xC3", "! yaml: incomplete UTF-8 octet sequence" },
		   { "k: \xFFz", "! yaml: invalid leading UTF-8 octet" },
		   { "!!int word", "! yaml: cannot decode !!str `word` as a !!int" },
		   { ".inf", "! json: unsupported value: +Inf" },
		   { "? [k]\n: v", "! yaml: invalid map key: []interface {}{\"k\"}" },
		   { "~: [1]", "! unsupported map key of type: %!s(<nil>), key: <nil>, value: []interface {}{1}" });
}

static void test_repeated_keys(void **state)
{
	(void)state;
	check("k: 1\nk: 2\n", (struct yaml_options){ 0 }, "{\"k\":2}");
	check("k: 1\nl: 0\nk: 2\n", (struct yaml_options){ .strict = true },
	      "! yaml: unmarshal errors:\n  line 3: key \"k\" already set in map");
	check("1: a\n'1': b\n", (struct yaml_options){ .strict = true }, "{\"1\":\"b\"}");
}

static void test_number_options(void **state)
{
	CLEANUP(doc_unrefp) struct doc *doc = NULL;
	CLEANUP(buf_done) struct buf out = BUF_INIT(1000);
	struct limits limits = LIMITS_DEFAULT;
	struct yaml_options o = { .limits = &limits, .yaml_numbers = true };
	struct err err;

	(void)state;
	assert_int_equal(yaml_decode(STR("[1e6, .nan, no, 0x10, ~, text, 0.1]"), &o, &doc, &err), 0);
	for (uint32_t i = 0; i < doc->root.n; i++) {
		assert_true(yaml_scalar_text(val_at(doc->root, i), &out));
		buf_add_byte(&out, '|');
	}
	assert_string_equal(buf_str(&out).p, "1e+06|NaN|false|16||text|0.1|");
	assert_false(yaml_scalar_text(doc->root, &out));
	doc_unref(TAKE(doc));
	o = (struct yaml_options){ .limits = &limits, .numbers_as_double = true };
	assert_int_equal(yaml_decode(STR("7"), &o, &doc, &err), 0);
	assert_int_equal(doc->root.kind, VAL_DOUBLE);
	doc_unref(TAKE(doc));
	o.numbers_as_double = false;
	assert_int_equal(yaml_decode(STR("7.0"), &o, &doc, &err), 0);
	assert_int_equal(doc->root.kind, VAL_INT);
}

/* Wherever they stand, and however they came there; the largest int64 and the smallest stay what they are. */
static void test_uints_as_double(void **state)
{
	static const char text[] =
		"{a: 9223372036854775808, b: [&x 18446744073709551615, *x], c: {<<: {d: 9223372036854775808}},\n"
		" e: 9223372036854775807, f: -9223372036854775808, g: '9223372036854775808'}";

	(void)state;
	check("18446744073709551615", (struct yaml_options){ .uints_as_double = true }, "18446744073709552000");
	check(text, (struct yaml_options){ .uints_as_double = true },
	      "{\"a\":9223372036854776000,\"b\":[18446744073709552000,18446744073709552000],"
	      "\"c\":{\"d\":9223372036854776000},\"e\":9223372036854775807,\"f\":-9223372036854775808,"
	      "\"g\":\"9223372036854775808\"}");
}

static void test_limits(void **state)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(1000);
	struct limits limits = LIMITS_DEFAULT;

	(void)state;
	limits.depth = 3;
	decode_to(STR("[[[x]]]"), (struct yaml_options){ 0 }, limits, &out);
	assert_string_equal(buf_str(&out).p, "[[[\"x\"]]]");
	decode_to(STR("[[[[x]]]]"), (struct yaml_options){ 0 }, limits, &out);
	assert_string_equal(buf_str(&out).p, "! yaml: nested deeper than 3");
	limits.document_nodes = 4;
	decode_to(STR("[1, 2, 3, 4]"), (struct yaml_options){ 0 }, limits, &out);
	assert_string_equal(buf_str(&out).p, "! yaml: more than 4 values");
	decode_to(STR("[&a [1], *a]"), (struct yaml_options){ 0 }, limits, &out);
	assert_string_equal(buf_str(&out).p, "! yaml: more than 4 values");
	limits.file_bytes = 2;
	decode_to(STR("abc"), (struct yaml_options){ 0 }, limits, &out);
	assert_string_equal(buf_str(&out).p, "! yaml: longer than 2 bytes");
}

/* Ten levels of ten aliases each: refused early, in little time and memory. */
static void test_alias_bomb(void **state)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(1 << 16), out = BUF_INIT(1000);

	(void)state;
	buf_add_cstr(&text, "a0: &a0 [z,z,z,z,z,z,z,z,z,z]\n");
	for (int i = 1; i <= 10; i++) {
		buf_printf(&text, "a%d: &a%d [", i, i);
		for (int k = 0; k < 10; k++)
			buf_printf(&text, "*a%d,", i - 1);
		buf_add_cstr(&text, "]\n");
	}
	decode_to(buf_str(&text), (struct yaml_options){ 0 }, LIMITS_DEFAULT, &out);
	assert_string_equal(buf_str(&out).p, "! yaml: document contains excessive aliasing");
}

/* A text that is broken behind a syntax error in an earlier block of 512 bytes fails by the syntax error. */
static void test_error_order(void **state)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(1 << 16), out = BUF_INIT(1000);

	(void)state;
	buf_add_cstr(&text, "a: }\n");
	buf_fill(&text, '#', 600);
	buf_add_byte(&text, 1);
	decode_to(buf_str(&text), (struct yaml_options){ 0 }, LIMITS_DEFAULT, &out);
	assert_string_equal(buf_str(&out).p, "! yaml: did not find expected node content");
	text.p[0] = ' ';
	text.p[1] = ' ';
	text.p[3] = '#';
	decode_to(buf_str(&text), (struct yaml_options){ 0 }, LIMITS_DEFAULT, &out);
	assert_string_equal(buf_str(&out).p, "! yaml: control characters are not allowed");
}

static void test_parts(void **state)
{
	str rest = STR("a\n--- # x\nb\n---\n");
	size_t line = 1;
	struct yaml_part part;

	(void)state;
	assert_true(yaml_next_part(&rest, &line, &part));
	assert_true(str_eq(part.text, STR("a\n")) && part.line == 1 && !part.bad_separator);
	assert_true(yaml_next_part(&rest, &line, &part));
	assert_true(str_eq(part.text, STR("b\n")) && part.line == 3);
	assert_true(yaml_next_part(&rest, &line, &part));
	assert_true(part.text.n == 0 && part.line == 5);
	assert_false(yaml_next_part(&rest, &line, &part));
	rest = STR("a\n--- b\n");
	line = 1;
	assert_true(yaml_next_part(&rest, &line, &part));
	assert_true(part.bad_separator);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_structure),       cmocka_unit_test(test_scalars),
		cmocka_unit_test(test_anchors),         cmocka_unit_test(test_errors),
		cmocka_unit_test(test_repeated_keys),   cmocka_unit_test(test_number_options),
		cmocka_unit_test(test_uints_as_double), cmocka_unit_test(test_limits),
		cmocka_unit_test(test_alias_bomb),      cmocka_unit_test(test_error_order),
		cmocka_unit_test(test_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
