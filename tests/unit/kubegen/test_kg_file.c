/* Names of files. */
#include "kubegen/kg_file.h"

#include "cases.h"

static void test_join(void **state)
{
	static const struct {
		const char *dir, *name, *expected;
	} cases[] = {
		{ "", "", "." },          { "", "a/./b//c/", "a/b/c" }, { ".", "a", "a" },
		{ "a/b", "../c", "a/c" }, { "a", "../../c", "../c" },   { "..", "../c", "../../c" },
		{ "../a", "..", ".." },   { "a", "..", "." },           { "a", "/b", "/b" },
		{ "/", "../b", "/b" },    { "/a", "../../b/", "/b" },   { "/a", "..", "/" },
		{ "a", "...", "a/..." },
	};
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_string_equal(kg_path_join(&a, str_from(cases[i].dir), str_from(cases[i].name)).p,
				    cases[i].expected);
}

static void test_parts(void **state)
{
	static const struct {
		const char *path, *dir, *base, *extension;
		bool known, yaml;
	} cases[] = {
		{ "a.yaml", ".", "a.yaml", ".yaml", true, true },
		{ "x.y/a.yml", "x.y", "a.yml", ".yml", true, true },
		{ "/a.b.json", "/", "a.b.json", ".json", true, false },
		{ "x.json/a", "x.json", "a", "", false, false },
		{ "a.YAML", ".", "a.YAML", ".YAML", false, false },
		{ "a.", ".", "a.", ".", false, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		str path = str_from(cases[i].path);
		bool yaml;

		assert_true(str_eq(kg_path_dir(path), str_from(cases[i].dir)));
		assert_true(str_eq(kg_path_base(path), str_from(cases[i].base)));
		assert_true(str_eq(kg_path_extension(path), str_from(cases[i].extension)));
		assert_int_equal(kg_path_is_yaml(path, &yaml), cases[i].known);
		assert_int_equal(yaml, cases[i].yaml);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_join),
		cmocka_unit_test(test_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
