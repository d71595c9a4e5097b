/* Paths: text, parts, finding a value. */
#include "value/json.h"
#include "value/path.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define KEY(t)                                                                                                         \
	{                                                                                                              \
		.kind = PATH_KEY, .text = { t, sizeof(t) - 1 }                                                         \
	}
#define NAME(t)                                                                                                        \
	{                                                                                                              \
		.kind = PATH_NAME, .text = { t, sizeof(t) - 1 }                                                        \
	}
#define INDEX(i)                                                                                                       \
	{                                                                                                              \
		.kind = PATH_INDEX, .index = (i)                                                                       \
	}

static const struct {
	const char *text;
	size_t n;
	struct path_segment segments[6];
} paths[] = {
	{ ".", 0, { { 0 } } },
	{ "spec", 1, { KEY("spec") } },
	{ "spec.template.spec.containers[name=\"web\"].image",
	  6,
	  { KEY("spec"), KEY("template"), KEY("spec"), KEY("containers"), NAME("web"), KEY("image") } },
	{ "metadata.annotations[\"a.b/c\"]", 3, { KEY("metadata"), KEY("annotations"), KEY("a.b/c") } },
	{ "spec.args[2]", 3, { KEY("spec"), KEY("args"), INDEX(2) } },
	{ "[0][1].a", 3, { INDEX(0), INDEX(1), KEY("a") } },
	{ "[\"\"].b", 2, { KEY(""), KEY("b") } },
	{ "a[\"x y\"][\"[\"][\"\\\"\"][\"\\\\\"]", 5, { KEY("a"), KEY("x y"), KEY("["), KEY("\""), KEY("\\") } },
	{ "a[\"\\n\\u0000\"]", 2, { KEY("a"), KEY("\n\0") } },
	{ "a[name=\"\"][name=\"x]y\"]", 3, { KEY("a"), NAME(""), NAME("x]y") } },
	{ "a-b_c$1.\xC3\xA9", 2, { KEY("a-b_c$1"), KEY("\xC3\xA9") } },
	{ "a[4294967295]", 2, { KEY("a"), INDEX(UINT32_MAX) } },
	{ "0.1", 2, { KEY("0"), KEY("1") } },
};

static void test_format(void **state)
{
	CLEANUP(arena_done) struct arena a;

	(void)state;
	arena_init(&a, 0, 0);
	for (size_t i = 0; i < ARRAY_LEN(paths); i++)
		assert_string_equal(path_text((struct path){ paths[i].segments, paths[i].n }, &a).p, paths[i].text);
}

static void test_parse(void **state)
{
	CLEANUP(arena_done) struct arena a;

	(void)state;
	arena_init(&a, 0, 0);
	for (size_t i = 0; i < ARRAY_LEN(paths); i++) {
		struct path p;

		assert_true(path_parse(str_from(paths[i].text), &a, &p));
		assert_int_equal(p.n, paths[i].n);
		for (size_t j = 0; j < p.n; j++) {
			assert_int_equal(p.segments[j].kind, paths[i].segments[j].kind);
			if (p.segments[j].kind == PATH_INDEX)
				assert_int_equal(p.segments[j].index, paths[i].segments[j].index);
			else
				assert_true(str_eq(p.segments[j].text, paths[i].segments[j].text));
		}
	}
}

static void test_refuses(void **state)
{
	static const char *const texts[] = {
		"a.",
		"a..b",
		"..",
		"a[",
		"a[]",
		"a[1",
		"a[-1]",
		"a[x]",
		"a[4294967296]",
		"a[1]b",
		"a[\"b]",
		"a[\"b\"",
		"a[name=x]",
		"a[name=\"x\"",
		"a[name=]",
		"a[\"\\x\"]",
		"a[ 1]",
		"a[\"b\" ]",
		"[99999999999999999999]",
	};
	CLEANUP(arena_done) struct arena a;

	(void)state;
	arena_init(&a, 0, 0);
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct path p = { NULL, 77 };

		if (path_parse(str_from(texts[i]), &a, &p))
			fail_msg("%s", texts[i]);
		assert_int_equal(p.n, 77);
	}
}

static void test_get(void **state)
{
	static const struct {
		const char *path, *json; /* NULL: nothing there */
	} cases[] = {
		{ ".",
		  "{\"l\":[{\"name\":\"a\",\"v\":1},{\"name\":\"b\",\"v\":2},{\"name\":3}],\"m\":{\"name\":\"x\"}}" },
		{ "l[name=\"b\"].v", "2" },
		{ ".l[0].v", "1" },
		{ "l[name=\"c\"]", NULL },
		{ "l[3]", NULL },
		{ "m[name=\"x\"]", NULL },
		{ "m.name", "\"x\"" },
		{ "l.name", NULL },
		{ "m.name.x", NULL },
	};
	struct limits limits = LIMITS_DEFAULT;
	struct json_options o = { .limits = &limits };
	CLEANUP(arena_done) struct arena a;
	struct err err;
	size_t used;
	val root;

	(void)state;
	arena_init(&a, 0, 0);
	assert_int_equal(json_decode_value(str_from(cases[0].json), &o, &a, &root, &used, &err), 0);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct path p;
		val expected = { 0 };

		assert_true(path_parse(str_from(cases[i].path), &a, &p));
		if (cases[i].json)
			assert_int_equal(json_decode_value(str_from(cases[i].json), &o, &a, &expected, &used, &err), 0);
		assert_true(val_equal(path_get(root, p), expected));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_format),
		cmocka_unit_test(test_parse),
		cmocka_unit_test(test_refuses),
		cmocka_unit_test(test_get),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
