/* Digests of texts and of trees. */
#include "daemon/fetch/digest.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void test_texts(void **state)
{
	char got[DIGEST_SIZE];
	struct err err;

	(void)state;
	assert_int_equal(digest_of(STR("abc"), got, &err), 0);
	assert_string_equal(got, "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	assert_int_equal(digest_of((str){ 0 }, got, &err), 0);
	assert_string_equal(got, "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	assert_true(digest_is_good(str_from(got)));
	assert_int_equal(digest_hex(str_from(got)).n, 64);
}

static void test_forms(void **state)
{
	static const char *const bad[] = {
		"",
		"sha256:",
		"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		"sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b85",
		"sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b8555",
		"sha256:E3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		"sha512:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		"sha256:../0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		assert_false(digest_is_good(str_from(bad[i])));
}

static void of_tree(const str *files, size_t n, char ret[DIGEST_SIZE])
{
	CLEANUP(tree_freep) struct tree *t = NULL;
	struct err err;

	assert_int_equal(tree_new(&t, &err), 0);
	for (size_t i = 0; i < n; i += 2)
		assert_int_equal(tree_add(t, files[i], files[i + 1], &err), 0);
	assert_int_equal(digest_of_tree(t, ret, &err), 0);
}

/* No two of these are the same files, however they are put one behind the other. */
static void test_trees(void **state)
{
	static const str trees[][4] = {
		{ STR("a"), STR("bc"), STR("b"), STR("") },           { STR("a"), STR("b"), STR("b"), STR("c") },
		{ STR("a"), STR("b\0002\000bc"), STR("b"), STR("") }, { STR("ab"), STR("c"), STR("b"), STR("") },
		{ STR("a"), STR("bcb"), STR("a"), STR("") },
	};
	static const str turned[] = { STR("b"), STR(""), STR("a"), STR("bc") };
	char got[ARRAY_LEN(trees)][DIGEST_SIZE], other[DIGEST_SIZE];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(trees); i++) {
		of_tree(trees[i], 4, got[i]);
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(got[i], got[k]);
	}
	of_tree(turned, 4, other);
	assert_string_equal(other, got[0]);
	of_tree(NULL, 0, other);
	assert_string_not_equal(other, got[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_trees),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
