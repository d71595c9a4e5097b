/* A revision that goes from one store to another as a file: the same id, and nothing else is taken for one. */
#include "daemon/fetch/portable.h"

#include "config/source_files.h"
#include "daemon/fetch/store.h"
#include "support/fetching.h"

#include <errno.h>
#include <stdlib.h>

static char folder[] = "/tmp/driftd-portable-XXXXXX";
static char *from, *to, *file;

static int setup(void **state)
{
	struct err err;

	(void)state;
	(void)snprintf(folder, sizeof(folder), "/tmp/driftd-portable-XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	from = fetching_path("%s/from", folder);
	to = fetching_path("%s/to", folder);
	file = fetching_path("%s/file", folder);
	return store_open(from, &err) < 0 || store_open(to, &err) < 0;
}

static int teardown(void **state)
{
	(void)state;
	store_remove(folder);
	return 0;
}

static void put(const char *name, const char *text, char id[SOURCE_ID_SIZE])
{
	const struct source_revision about = { .revision = STR("r"), .title = STR("v1") };
	CLEANUP(tree_freep) struct tree *tree = NULL;
	struct err err;

	assert_int_equal(tree_new(&tree, &err), 0);
	assert_int_equal(tree_add(tree, STR("metadata.yaml"), str_from(text), &err), 0);
	assert_int_equal(tree_add(tree, STR("deep/er.yaml"), STR("b"), &err), 0);
	assert_int_equal(store_put(from, &about, tree, id, &err), 0);
	assert_int_equal(fetching_shell("mkdir -p %s/sources/%s", from, name), 0);
	assert_int_equal(store_link(from, str_from(name), id, &err), 0);
}

static int import(const char *name, struct err *err)
{
	CLEANUP(freep) char *text = NULL;
	size_t n;

	assert_int_equal(file_read(file, PORTABLE_MAX, &text, &n, err), 0);
	return portable_import(to, str_from(name), (str){ text, n }, err);
}

static void expect_last(const char *name, const char *id, const char *text)
{
	CLEANUP(source_files_done) struct source_files files = { 0 };
	char last[SOURCE_ID_SIZE];
	struct err err;

	assert_int_equal(source_store_find(to, str_from(name), last, &err), 0);
	assert_string_equal(last, id);
	assert_int_equal(source_files_read(to, str_from(last), &files, &err), 0);
	assert_int_equal(files.list.n, 2);
	assert_true(str_eq(files.list.p[0].path, STR("deep/er.yaml")));
	assert_true(str_eq(files.list.p[0].text, STR("b")));
	assert_true(str_eq(files.list.p[1].text, str_from(text)));
}

static void test_there(void **state)
{
	char first[SOURCE_ID_SIZE], last[SOURCE_ID_SIZE];
	struct err err;

	(void)state;
	put("a", "1", first);
	put("a", "2", last);
	assert_int_equal(portable_export(from, STR("a"), STR(""), file, &err), 0);
	assert_int_equal(import("b", &err), 0);
	expect_last("b", last, "2");
	assert_int_equal(portable_export(from, STR("a"), str_from(first), file, &err), 0);
	assert_int_equal(import("b", &err), 0);
	expect_last("b", first, "1");
	assert_int_equal(import("b", &err), 0); /* twice */
	expect_last("b", first, "1");
}

static void test_nothing_to_export(void **state)
{
	char id[SOURCE_ID_SIZE];
	struct err err;

	(void)state;
	assert_int_equal(portable_export(from, STR("a"), STR(""), file, &err), -ENOENT);
	put("a", "1", id);
	assert_int_equal(portable_export(from, STR("a"), STR(""), "/nowhere/file", &err), -ENOENT);
	assert_int_equal(fetching_shell("rm %s/revisions/%s/revision.json", from, id), 0);
	assert_true(portable_export(from, STR("a"), STR(""), file, &err) < 0);
}

static void test_no_revision(void **state)
{
	static const struct {
		const char *make; /* in a folder of its own, which becomes the file */
		const char *why;
	} cases[] = {
		{ "mkdir files; echo x >files/a; echo {} >revision.json; echo y >other", "it has a file 'other'" },
		{ "mkdir files; echo x >files/a", "it has no revision.json" },
		{ "mkdir files; echo x >files/a; echo nothing >revision.json", "" },
		{ "echo '{\"revision\":\"r\"}' >revision.json", "" },
	};
	char id[SOURCE_ID_SIZE];
	struct err err;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		assert_int_equal(
			fetching_shell("rm -rf %s/made && mkdir %s/made && cd %s/made && { %s; } && tar -cf %s *",
				       folder, folder, folder, cases[i].make, file),
			0);
		assert_true(import("b", &err) < 0);
		if (!strstr(err.msg, cases[i].why))
			fail_msg("%zu: %s", i, err.msg);
		assert_int_equal(source_store_find(to, STR("b"), id, &err), -ENOENT);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_there, setup, teardown),
		cmocka_unit_test_setup_teardown(test_nothing_to_export, setup, teardown),
		cmocka_unit_test_setup_teardown(test_no_revision, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
