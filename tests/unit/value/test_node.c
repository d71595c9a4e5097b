/* YAML with places: kinds, lines and columns, mistakes. */
#include "value/node.h"

#include "base/buf.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static struct limits limits = LIMITS_DEFAULT;

/* The tree of @text, or NULL and the first problem in @problem. */
static struct node *parse(struct arena *a, const char *text, char *problem, size_t size)
{
	struct problems problems = { 0 };
	struct node *root = NULL;
	struct err err;
	int r = node_parse(str_from(text), "f.yaml", &limits, a, &root, &problems, &err);

	assert_int_equal(r < 0, problems_any(&problems));
	assert_int_equal(r < 0, root == NULL);
	if (r < 0) {
		assert_int_equal(r, -EBADMSG);
		(void)snprintf(problem, size, "%s", problems.list.p[0]);
	}
	problems_done(&problems);
	return root;
}

static void test_every_node_knows_its_place(void **state)
{
	static const char text[] = "# comment\na: one\n\"b\":\n  - x\n  - {k: 'v'}\n\xC3\xA9: \xC3\xA9\n";
	CLEANUP(arena_done) struct arena a;
	const struct node *root, *b, *v;

	(void)state;
	arena_init(&a, 0, 0);
	root = parse(&a, text, NULL, 0);
	assert_int_equal(root->kind, NODE_MAP);
	assert_int_equal(root->n, 3);
	assert_string_equal(node_where(root, &a).p, "f.yaml:2:1");
	assert_string_equal(node_where(node_get(root, "a"), &a).p, "f.yaml:2:4");
	b = node_get(root, "b");
	assert_int_equal(b->kind, NODE_LIST);
	assert_string_equal(node_where(b, &a).p, "f.yaml:4:3");
	assert_string_equal(node_where(b->items[1], &a).p, "f.yaml:5:5");
	v = node_get(b->items[1], "k");
	assert_string_equal(node_where(v, &a).p, "f.yaml:5:9");
	assert_false(v->plain);
	assert_true(b->items[0]->plain);
	/* columns count characters, not bytes */
	assert_string_equal(node_where(node_get(root, "\xC3\xA9"), &a).p, "f.yaml:6:4");
	assert_null(node_get(root, "c"));
	assert_null(node_get(b, "k"));
	assert_null(node_get(NULL, "k"));
}

static void test_empty_documents_are_empty_maps(void **state)
{
	static const char *const texts[] = { "", "\n", "# only a comment\n", "---\n", "~", "null\n", "---\n...\n" };
	CLEANUP(arena_done) struct arena a;

	(void)state;
	arena_init(&a, 0, 0);
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		const struct node *root = parse(&a, texts[i], NULL, 0);

		assert_int_equal(root->kind, NODE_MAP);
		assert_int_equal(root->n, 0);
	}
}

static void test_null(void **state)
{
	static const struct {
		const char *text;
		bool null;
	} cases[] = {
		{ "a:", true },         { "a: ~", true },   { "a: null", true }, { "a: ''", false },
		{ "a: 'null'", false }, { "a: []", false }, { "a: nul", false },
	};
	CLEANUP(arena_done) struct arena a;

	(void)state;
	arena_init(&a, 0, 0);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_int_equal(node_is_null(node_get(parse(&a, cases[i].text, NULL, 0), "a")), cases[i].null);
	assert_true(node_is_null(NULL));
}

static void test_long_lists_and_maps(void **state)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(1u << 20);
	CLEANUP(arena_done) struct arena a;
	const struct node *root;

	(void)state;
	arena_init(&a, 0, 0);
	for (int i = 0; i < 100; i++) {
		buf_printf(&text, "k%d: [0", i);
		for (int j = 1; j <= i; j++)
			buf_printf(&text, ", %d", j);
		buf_add_cstr(&text, "]\n");
	}
	root = parse(&a, text.p, NULL, 0);
	assert_int_equal(root->n, 100);
	for (size_t i = 0; i < 100; i++) {
		assert_int_equal(root->values[i]->n, i + 1);
		for (size_t j = 0; j <= i; j++)
			assert_int_equal(strtol(root->values[i]->items[j]->text.p, NULL, 10), j);
	}
}

static void test_mistakes(void **state)
{
	static const struct {
		const char *text, *problem;
	} cases[] = {
		{ "a: 1\nb: 2\na: 3\n", "f.yaml:3:1: this key appears twice here; first at 1:1" },
		{ "a: &x 1\nb: *x\n", "f.yaml:2:4: aliases are not allowed here" },
		{ "? [a]\n: 1\n", "f.yaml:1:3: a key must be a plain text" },
		{ "a: b: c\n", "f.yaml:1:5: mapping values are not allowed in this context" },
		{ "a: [1, 2\n", "f.yaml:2:1: did not find expected ',' or ']'" },
		{ "a:\n\t- b\n", "f.yaml:2:1: found character that cannot start any token; "
				 "YAML is indented by spaces, not by tabs" },
		{ "a: \"b\n", "f.yaml:2:1: found unexpected end of stream" },
	};
	CLEANUP(arena_done) struct arena a;
	char problem[256];

	(void)state;
	arena_init(&a, 0, 0);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		assert_null(parse(&a, cases[i].text, problem, sizeof(problem)));
		assert_string_equal(problem, cases[i].problem);
	}
}

static void test_depth_is_bounded(void **state)
{
	CLEANUP(arena_done) struct arena a;
	char text[5000], problem[256];

	(void)state;
	arena_init(&a, 0, 0);
	memset(text, '[', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	assert_null(parse(&a, text, problem, sizeof(problem)));
	assert_string_equal(problem, "f.yaml:1:65: nested too deeply");
}

static void test_size_is_bounded(void **state)
{
	CLEANUP(arena_done) struct arena a;
	char problem[256];

	(void)state;
	arena_init(&a, 0, 0);
	limits.file_bytes = 3;
	assert_null(parse(&a, "a: 1", problem, sizeof(problem)));
	assert_string_equal(problem, "f.yaml: larger than 3 bytes");
	limits = LIMITS_DEFAULT;
}

/* "line:column" of the path in @text. */
static const char *located(const char *text, const char *path_text, struct arena *a)
{
	size_t line = 0, column = 0;
	struct path p = { 0 };

	if (*path_text)
		assert_true(path_parse(str_from(path_text), a, &p));
	return node_locate(str_from(text), p, &line, &column) ? arena_printf(a, "%zu:%zu", line, column).p : "none";
}

static void test_locate(void **state)
{
	static const char yaml[] = "base: &b\n  x: 1\n  deep: {y: [1, 2]}\nlist: &l\n- *b\n- <<: *b\n  own: 3\n"
				   "- <<: [*b, {z: 1}]\nagain: *l\n";
	static const char json[] = "{\n\t\"a\": [\n\t\t{\"b\": 1}\n\t]\n}\n";
	static const struct {
		const char *text, *path, *expected;
	} cases[] = {
		{ yaml, "", "1:1" },
		{ yaml, "base.x", "2:3" },
		{ yaml, "base.deep.y[1]", "3:17" },
		{ yaml, "base.deep.y[7]", "3:10" }, /* what there is of the way */
		{ yaml, "base.nothing.more", "1:1" },
		{ yaml, "list[1].own", "7:3" },
		{ yaml, "list[0].x", "2:3" },
		{ yaml, "list[1].deep", "3:3" },
		{ yaml, "list[2].z", "8:13" },
		{ yaml, "again[1].own", "7:3" },
		{ yaml, "list.own", "4:1" },
		{ json, "a[0].b", "3:4" },
		{ "a: 1\na: 2\nb: 3\n", "b", "3:1" },
		{ "a: *b\n", "a", "none" },
		{ "a: &a [*a]\n", "a", "none" },
		{ "a: [", "a", "none" },
		{ "", "a", "none" },
	};
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const char *got = located(cases[i].text, cases[i].path, &a);

		if (strcmp(got, cases[i].expected) != 0)
			fail_msg("%s: expected %s, got %s", cases[i].path, cases[i].expected, got);
	}
}

static void test_repeated_keys(void **state)
{
	static const struct {
		const char *text, *expected; /* NULL: none */
	} cases[] = {
		{ "a: 1\nb: {c: 1, d: 2, \"c\": 3}\na: 1\n", "line 2 column 17: the key 'c' stands there twice" },
		{ "x: 1\na: 1\nb: 1\na: 2\nb: 2\n", "line 4 column 1: the key 'a' stands there twice" },
		{ "{\"a\": 1, \"a\": 1}", "line 1 column 10: the key 'a' stands there twice" },
		{ "a: &a {x: 1}\nb:\n  <<: *a\n  x: 2\n", NULL },
		{ "a: [\na: 1\na: 1", NULL },
		{ "", NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct err err;
		int r = node_refuse_repeated_keys(str_from(cases[i].text), &err);

		assert_int_equal(r, cases[i].expected ? -EBADMSG : 0);
		if (r < 0)
			assert_string_equal(err.msg, cases[i].expected);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_node_knows_its_place),
		cmocka_unit_test(test_empty_documents_are_empty_maps),
		cmocka_unit_test(test_null),
		cmocka_unit_test(test_long_lists_and_maps),
		cmocka_unit_test(test_mistakes),
		cmocka_unit_test(test_depth_is_bounded),
		cmocka_unit_test(test_size_is_bounded),
		cmocka_unit_test(test_locate),
		cmocka_unit_test(test_repeated_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
