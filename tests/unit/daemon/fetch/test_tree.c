/* What a tree of files takes, refuses and gives back. */
#include "daemon/fetch/tree.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#define MIB ((size_t)1 << 20)

static struct tree *make(void)
{
	struct err err = { 0 };
	struct tree *t = NULL;

	assert_int_equal(tree_new(&t, &err), 0);
	return t;
}

static int add(struct tree *t, const char *path, const char *text)
{
	struct err err = { 0 };
	int r = tree_add(t, str_from(path), str_from(text), &err);

	assert_int_equal(-err.code, r);
	return r;
}

/* All of it as "path=text;". */
static void assert_holds(struct tree *t, const char *expected)
{
	CLEANUP(buf_done) struct buf b = BUF_INIT(1 << 16);
	size_t n;
	const struct tree_file *files = tree_files(t, &n);

	for (size_t i = 0; i < n; i++)
		buf_printf(&b, "%.*s=%.*s;", STR_ARG(files[i].path), STR_ARG(files[i].text));
	assert_string_equal(n ? b.p : "", expected);
}

static void test_order_and_replacing(void **state)
{
	CLEANUP(tree_freep) struct tree *t = make();

	(void)state;
	assert_holds(t, "");
	assert_int_equal(add(t, "b/c", "1"), 0);
	assert_int_equal(add(t, "b.c", "2"), 0);
	assert_int_equal(add(t, "b/a/d", ""), 0);
	assert_int_equal(add(t, "a", "3"), 0);
	assert_holds(t, "a=3;b.c=2;b/a/d=;b/c=1;");
	assert_int_equal(tree_bytes(t), 3);
	assert_int_equal(add(t, "b/c", "longer"), 0);
	assert_holds(t, "a=3;b.c=2;b/a/d=;b/c=longer;");
	assert_int_equal(tree_bytes(t), 8);
}

static void test_removing(void **state)
{
	CLEANUP(tree_freep) struct tree *t = make();

	(void)state;
	(void)add(t, "a/b/c", "1");
	(void)add(t, "a/b/d", "2");
	(void)add(t, "a/e", "3");
	(void)add(t, "f", "4");
	tree_remove(t, STR("a/x"));
	tree_remove(t, STR("f/x"));
	tree_remove(t, STR("../f"));
	assert_holds(t, "a/b/c=1;a/b/d=2;a/e=3;f=4;");
	tree_remove(t, STR("a/b"));
	assert_holds(t, "a/e=3;f=4;");
	tree_remove(t, STR("a/e"));
	assert_int_equal(add(t, "a", "no folder any more"), 0);
	tree_remove(t, STR("a"));
	assert_int_equal(tree_bytes(t), 1);
	tree_remove(t, STR(""));
	assert_holds(t, "");
	assert_int_equal(tree_bytes(t), 0);
	assert_int_equal(add(t, "a/b", "5"), 0);
	assert_holds(t, "a/b=5;");
}

static void test_file_and_folder_of_one_name(void **state)
{
	CLEANUP(tree_freep) struct tree *t = make();

	(void)state;
	(void)add(t, "a/b", "1");
	assert_int_equal(add(t, "a", "2"), -EINVAL);
	assert_int_equal(add(t, "a/b/c", "3"), -EINVAL);
	assert_int_equal(add(t, "a/b/c/d/e", "3"), -EINVAL);
	assert_holds(t, "a/b=1;");
}

static void test_paths(void **state)
{
	static const struct {
		const char *path;
		int r;
	} cases[] = {
		{ "a", 0 },
		{ "...", 0 },
		{ "a b/\xC3\xA4", 0 },
		{ "-rf", 0 },
		{ "", -EINVAL },
		{ "/", -EINVAL },
		{ "/a", -EINVAL },
		{ "a/", -EINVAL },
		{ "a//b", -EINVAL },
		{ ".", -EINVAL },
		{ "./a", -EINVAL },
		{ "..", -EINVAL },
		{ "a/../b", -EINVAL },
		{ "a\\..\\b", -EINVAL },
		{ "a\nb", -EINVAL },
		{ "a\x1b[2J", -EINVAL },
		{ "a\x7F", -EINVAL },
		{ "a\xC2\x9B"
		  "2J",
		  -EINVAL },
		{ "a\xFF", -EINVAL },
		{ "a\xC0\xAE\xC0\xAE", -EINVAL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(tree_freep) struct tree *t = make();

		if (add(t, cases[i].path, "x") != cases[i].r)
			fail_msg("case %zu", i);
		assert_int_equal(tree_bytes(t), cases[i].r == 0);
	}
}

static void test_nul_in_a_path(void **state)
{
	CLEANUP(tree_freep) struct tree *t = make();
	struct err err = { 0 };

	(void)state;
	assert_int_equal(tree_add(t, (str){ "a\0b", 3 }, STR("x"), &err), -EINVAL);
	assert_int_equal(tree_add(t, (str){ NULL, 0 }, STR("x"), &err), -EINVAL);
	assert_int_equal(tree_add(t, STR("a"), (str){ "x\0y", 3 }, &err), 0);
	assert_int_equal(tree_bytes(t), 3);
}

/* A path of @n parts of @size bytes. */
static void make_path(struct buf *b, size_t n, size_t size)
{
	for (size_t i = 0; i < n; i++) {
		if (i)
			buf_add_byte(b, '/');
		buf_fill(b, 'x', size);
	}
}

static void test_long_paths(void **state)
{
	static const struct {
		size_t parts, size;
		int r;
	} cases[] = {
		{ 32, 1, 0 },        { 33, 1, -EINVAL }, { 1, 255, 0 },
		{ 1, 256, -EINVAL }, { 32, 31, 0 },      { 31, 33, -EINVAL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(tree_freep) struct tree *t = make();
		CLEANUP(buf_done) struct buf b = BUF_INIT(4096);

		make_path(&b, cases[i].parts, cases[i].size);
		if (add(t, b.p, "") != cases[i].r)
			fail_msg("%zu parts of %zu", cases[i].parts, cases[i].size);
	}
}

static void test_size_limits(void **state)
{
	CLEANUP(tree_freep) struct tree *t = make();
	CLEANUP(freep) char *text = calloc(1, TREE_FILE_MAX + 1);
	struct err err = { 0 };
	char name[8];

	(void)state;
	assert_non_null(text);
	assert_int_equal(tree_add(t, STR("a"), (str){ text, TREE_FILE_MAX + 1 }, &err), -E2BIG);
	for (int i = 0; i < 8; i++) {
		(void)snprintf(name, sizeof(name), "d/%d", i);
		assert_int_equal(tree_add(t, str_from(name), (str){ text, TREE_FILE_MAX }, &err), 0);
	}
	assert_int_equal(tree_bytes(t), 64 * MIB);
	assert_int_equal(tree_add(t, STR("e/f"), STR("x"), &err), -E2BIG);
	assert_string_equal(err.msg, "the files have more than 64 MiB together");
	assert_int_equal(add(t, "e", ""), 0); /* the folder e did not stay */
	assert_int_equal(tree_add(t, STR("d/1"), (str){ text, TREE_FILE_MAX }, &err), 0);
	tree_remove(t, STR("d"));
	assert_int_equal(add(t, "e", "x"), 0);
	assert_int_equal(tree_bytes(t), 1);
}

static void test_number_limit(void **state)
{
	CLEANUP(tree_freep) struct tree *t = make();
	char name[32];
	size_t n;

	(void)state;
	for (int i = 0; i < TREE_FILES_MAX; i++) {
		(void)snprintf(name, sizeof(name), "%d/x/%d", i % 100, i);
		assert_int_equal(add(t, name, ""), 0);
	}
	assert_int_equal(add(t, "one/more", ""), -E2BIG);
	assert_int_equal(add(t, "0/x/0", "replaced"), 0);
	(void)tree_files(t, &n);
	assert_int_equal(n, TREE_FILES_MAX);
	tree_remove(t, STR("7"));
	assert_int_equal(add(t, "one/more", ""), 0);
	(void)tree_files(t, &n);
	assert_int_equal(n, TREE_FILES_MAX - 200 + 1);
}

static void test_left_out(void **state)
{
	CLEANUP(tree_freep) struct tree *t = make();

	(void)state;
	assert_int_equal(tree_left_out(t), 0);
	tree_leave_out(t);
	tree_leave_out(t);
	assert_int_equal(tree_left_out(t), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order_and_replacing),
		cmocka_unit_test(test_removing),
		cmocka_unit_test(test_file_and_folder_of_one_name),
		cmocka_unit_test(test_paths),
		cmocka_unit_test(test_nul_in_a_path),
		cmocka_unit_test(test_long_paths),
		cmocka_unit_test(test_size_limits),
		cmocka_unit_test(test_number_limit),
		cmocka_unit_test(test_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
