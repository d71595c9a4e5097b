/* Texts of one shape: decoded by it they are what they are, and it is not taken for others. */
#include "support/yaml_filled.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define PATTERNS 200000

static unsigned seed;
static struct limits limits = LIMITS_DEFAULT;

static unsigned draw(unsigned n)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 16) % n;
}

/* All that scalars can be, some that may be in no slot, and some that are something else behind a sign. */
static const str values[] = {
	{ "web-1", 5 },
	{ "1", 1 },
	{ "0x1F", 4 },
	{ "007", 3 },
	{ "1.5", 3 },
	{ "1e3", 3 },
	{ "1e999", 5 },
	{ "true", 4 },
	{ "No", 2 },
	{ "null", 4 },
	{ "nan", 3 },
	{ "inf", 3 },
	{ "2026-01-02", 10 },
	{ "2026-01-02T03:04:05Z", 20 },
	{ "12:30:45", 8 },
	{ "1_000", 5 },
	{ "registry.example.com:5000/a/b@sha256:0f", 39 },
	{ "9223372036854775808", 19 },
	{ "18446744073709551616", 20 },
	{ "a=b", 3 },
	{ "x", 1 },
	{ "", 0 },
	{ "two words", 9 },
	{ "a:", 2 },
	{ "- a", 3 },
	{ "'", 1 },
	{ "{b: c}", 6 },
	{ "x\n  y: z", 8 },
	{ "zslotaa", 7 },
	{ "n", 1 },
};

static const struct yaml_options options[] = {
	{ .limits = &limits, .valid_text = true, .uints_as_double = true },
	{ .limits = &limits, .numbers_as_double = true },
};

/* The places of a pattern are written "@". */
static str pattern_of(const char *text, char *to)
{
	size_t n = strlen(text);

	assert_true(n < 256);
	for (size_t i = 0; i < n; i++)
		to[i] = text[i] == '@' ? FILLED_PLACE : text[i];
	return (str){ to, n };
}

static size_t times_known(const char *text)
{
	char room[256];
	size_t known = 0;

	for (size_t i = 0; i < ARRAY_LEN(options); i++) {
		if (!filled_agree(pattern_of(text, room), values, ARRAY_LEN(values), &options[i], &known))
			fail_msg("not what the decoder gives: %s", text);
	}
	return known;
}

static void test_known(void **state)
{
	static const char *const texts[] = {
		"a: @\n",
		"a: '@'\nb: \"@\"\n",
		"a: {b: @, c: [@, 1]}\n",
		"- @\n- - @\n  - x: @\n",
		"a: pre-@-mid-@\n",
		"a: .@\n",
		"a: -@\n",
		"a: 0x@\n",
		"a: \"it is @ and @\"\n",
		"a: |\n  @\n  b @\nc: >\n  @\n  @\n",
		"a: !!str @\n",
		"a: @ # why\n",
		"x: &x {a: 1}\nb: *x\nc: @\n",
		"x: {<<: {a: @}, b: 1}\n",
		"--- \na: @\n...\n",
		"a: x\n  @\n  y\n",
		"a: @@\n",
		"a: {b: http://@/@}\n",
		"only: constants\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		if (times_known(texts[i]) < 20)
			fail_msg("has hardly a shape: %s", texts[i]);
	}
}

static void test_unknown(void **state)
{
	static const char *const texts[] = {
		"? @\n: b\n",
		"@ : a\n",
		"a: 1 # @\n",
		"a: !!int @\n",
		"a: !@ b\n",
		"a: &@ b\n",
		"a: \"\\@\"\n",
		"a: \"\\u0@\"\n",
		"a: |@\n  b\n",
		"%@\n",
		"a: 1\n---\nb: @\n",
		"a: @\na: 2\n",
		"x: &x @\ny: *x\n",
		"a: [@\n",
		"a: zslotaa @\n",
		"a: \"\\x7aslotaa\" # @\n",
		"a: 'zs''lotaa' # @\n",
		"a: !!binary enNsb3RhYQ== # @\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		if (times_known(texts[i]) != 0)
			fail_msg("has a shape: %s", texts[i]);
	}
}

/* What differs outside of slots, or has slots elsewhere, is of another shape. */
static void test_others(void **state)
{
	static const char *const others[] = { "a: @\nb: 2\n", "a: @\nb: 1 \n", "a: @\nb: @\n", "a: 1\nb: @\n",
					      "c: @\nb: 1\n" };
	const str web = STR("web");
	char room[256];
	struct filled f;
	struct yaml_shape *shape;
	struct err err;
	size_t known = 0;

	(void)state;
	filled_make(pattern_of("a: @\nb: 1\n", room), &web, 1, 0, &f);
	assert_int_equal(yaml_shape_new(buf_str(&f.text), &f.slots, &options[0], &shape, &err), 0);
	assert_non_null(shape);
	assert_true(filled_is_right(shape, &f, &options[0], &known));
	assert_int_equal(known, 1);
	buf_done(&f.text);
	for (size_t i = 0; i < ARRAY_LEN(others); i++) {
		filled_make(pattern_of(others[i], room), &web, 1, 0, &f);
		assert_true(filled_is_right(shape, &f, &options[0], &known));
		assert_int_equal(known, 1);
		buf_done(&f.text);
	}
	yaml_shape_free(shape);
}

/* What was made from a shape outlives it. */
static void test_outlives(void **state)
{
	const str web = STR("web");
	char room[256];
	struct filled f;
	struct doc *doc;
	struct yaml_shape *shape;
	struct err err;

	(void)state;
	filled_make(pattern_of("a: {b: [1, 2]}\nc: @\n", room), &web, 1, 0, &f);
	assert_int_equal(yaml_shape_new(buf_str(&f.text), &f.slots, &options[0], &shape, &err), 0);
	assert_non_null(shape);
	assert_true(yaml_shape_decode(shape, buf_str(&f.text), &f.slots, &options[0], &doc));
	yaml_shape_free(shape);
	buf_done(&f.text);
	assert_int_equal(val_at(val_dig(doc->root, "a", "b", NULL), 1).i, 2);
	assert_true(str_eq(val_str(VAL_GET(doc->root, "c")), STR("web")));
	doc_unref(doc);
}

/* Patterns drawn of what means something to YAML. */
static void test_drawn(void **state)
{
	static const char *const words[] = { "\1", "\1",   "\1",  "a", "b: ",  "c: ",   ": ",  ":",      "- ",   "\n",
					     "\n", "\n  ", "\n ", "{", "}",    "[",     "]",   ", ",     "'",    "'",
					     "\"", "\"",   "# ",  " ", "? ",   "&x ",   "*x ", "!!str ", "|\n ", ">\n ",
					     "-",  ".",    "0x",  "1", "<<: ", "---\n", "%",   "zslot" };
	size_t known = 0;

	(void)state;
	for (seed = 1; seed != 0 && known < PATTERNS;) {
		CLEANUP(buf_done) struct buf pattern = BUF_INIT(1000);
		str some[4];

		for (unsigned n = 2 + draw(14); n > 0; n--)
			buf_add_cstr(&pattern, words[draw(ARRAY_LEN(words))]);
		for (size_t i = 0; i < ARRAY_LEN(some); i++)
			some[i] = values[draw(ARRAY_LEN(values))];
		if (!filled_agree(buf_str(&pattern), some, ARRAY_LEN(some), &options[draw(2)], &known))
			fail_msg("not what the decoder gives: %s", buf_str(&pattern).p);
	}
}

/* What is kept of a text that stands between "<" and ">": the slots in brackets. */
static void test_slots(void **state)
{
	static const char *const rows[][2] = {
		{ "a <web-1> b", "a [web-1] b" },
		{ "<>", "" },
		{ "<-a->", "-[a]-" },
		{ "<a: b>", "a: [b]" },
		{ "<a b:c:>", "[a] b:c:" },
		{ "<a>: <b>", "a: [b]" },
		{ "<a>:<b>", "[a]:[b]" },
		{ "<a>:", "a:" },
		{ "<\"a\">", "\"[a]\"" },
		{ "<{\"a\":\"b\"}>", "{\"a\":\"[b]\"}" },
		{ "<'a': 1>", "'a': [1]" },
		{ "<a#b,c>", "[a]#[b],[c]" },
		{ "<\xC3\xA4"
		  "b>",
		  "\xC3\xA4[b]" },
		{ "<k: v\n- w>", "k: [v]\n- [w]" },
		{ "<registry:5000/a/b@sha256:0f>", "[registry:5000/a/b@sha256:0f]" },
		{ "<a=>", "[a]=" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		CLEANUP(buf_done) struct buf text = BUF_INIT(1000), got = BUF_INIT(1000);
		struct spans s = { .n = 0 };
		size_t from = 0, at = 0;

		for (const char *p = rows[i][0]; *p; p++) {
			if (*p == '<')
				from = text.n;
			else if (*p == '>')
				(void)spans_add(&s, from, text.n);
			else
				buf_add_byte(&text, *p);
		}
		yaml_slots_keep(buf_str(&text), &s);
		for (size_t k = 0; k < s.n; at = s.at[k++].to) {
			buf_add_str(&got, str_sub(buf_str(&text), at, s.at[k].from));
			buf_printf(&got, "[%.*s]", STR_ARG(str_sub(buf_str(&text), s.at[k].from, s.at[k].to)));
		}
		buf_add_str(&got, str_sub(buf_str(&text), at, text.n));
		assert_string_equal(buf_str(&got).p, rows[i][1]);
	}
}

/* No more than there is room for; none that is long; no byte that ends a C string. */
static void test_slot_limits(void **state)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(10000);
	struct spans s = { .n = 0 };

	(void)state;
	for (size_t i = 0; i < SPANS_MAX + 10; i++)
		buf_add_cstr(&text, "a ");
	(void)spans_add(&s, 0, text.n);
	yaml_slots_keep(buf_str(&text), &s);
	assert_int_equal(s.n, SPANS_MAX);
	buf_clear(&text);
	buf_fill(&text, 'a', 600);
	buf_add(&text, "\0b", 2);
	s = (struct spans){ 1, { { 0, text.n } } };
	yaml_slots_keep(buf_str(&text), &s);
	assert_int_equal(s.n, 1);
	assert_int_equal(s.at[0].from, 601);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_slots),   cmocka_unit_test(test_slot_limits), cmocka_unit_test(test_known),
		cmocka_unit_test(test_unknown), cmocka_unit_test(test_others),      cmocka_unit_test(test_outlives),
		cmocka_unit_test(test_drawn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
