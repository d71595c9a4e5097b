/* Which files a path means: folders and patterns, for objects and for rules. */
#include "config/paths.h"

#include "base/buf.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static const char *const folders[] = { "d", "d/in", "d/.git", "e[1]", "none" };
static const char *const files[] = { "d/b.yaml",    "d/a.yml",       "d/c.json",    "d/.h.yaml", "d/notes.txt",
				     "d/in/x.yaml", "d/.git/g.yaml", "e[1]/y.yaml", "e1.yaml",   "d/b.yaml~" };

static int setup(void **state)
{
	char dir[] = "/tmp/driftd-paths-XXXXXX";

	(void)state;
	if (!mkdtemp(dir) || chdir(dir) < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_LEN(folders); i++) {
		if (mkdir(folders[i], 0700) < 0)
			return -1;
	}
	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		FILE *f = fopen(files[i], "w");

		if (!f || fclose(f) != 0)
			return -1;
	}
	return symlink("in", "d/link") || mkfifo("d/z.yaml", 0600);
}

static int teardown(void **state)
{
	char dir[256];

	(void)state;
	(void)unlink("d/link");
	(void)unlink("d/z.yaml");
	for (size_t i = 0; i < ARRAY_LEN(files); i++)
		(void)unlink(files[i]);
	for (size_t i = ARRAY_LEN(folders); i > 0; i--)
		(void)rmdir(folders[i - 1]);
	return !getcwd(dir, sizeof(dir)) || chdir("/") < 0 || rmdir(dir) < 0;
}

static int add(void *ctx, const char *path, struct err *err)
{
	struct buf *b = ctx;

	(void)err;
	buf_printf(b, "%s%s", b->n ? " " : "", path);
	return 0;
}

enum how { RULES, OBJECTS, OBJECTS_BELOW, PATTERN };

static int find(enum how how, const char *name, struct buf *b, struct err *err)
{
	switch (how) {
	case RULES:
		return paths_of_rules(name, add, b, err);
	case OBJECTS:
		return paths_walk(name, false, add, b, err);
	case OBJECTS_BELOW:
		return paths_walk(name, true, add, b, err);
	case PATTERN:
		return paths_expand(name, add, b, err);
	}
	return 0;
}

static void test_found(void **state)
{
	static const struct {
		enum how how;
		const char *name, *expected;
	} cases[] = {
		{ RULES, "d", "d/a.yml d/b.yaml d/c.json" },
		{ RULES, "d/", "d/a.yml d/b.yaml d/c.json" },
		{ RULES, "d/*.yaml", "d/b.yaml" },
		{ RULES, "d/.*.yaml", "d/.h.yaml" },
		{ RULES, "d/[ab].y*l", "d/a.yml d/b.yaml" },
		{ RULES, "*/*.yaml", "d/b.yaml e[1]/y.yaml" },
		{ RULES, "d/i*", "d/in/x.yaml" },
		{ RULES, "e[1]/y.yaml", "e[1]/y.yaml" },
		{ RULES, "e[1]", "e[1]/y.yaml" },
		{ RULES, "e[1].yaml", "e1.yaml" },
		{ RULES, "absent.yaml", "absent.yaml" },
		{ OBJECTS, "d", "d/.h.yaml d/a.yml d/b.yaml d/c.json" },
		{ OBJECTS, "./d//", "d/.h.yaml d/a.yml d/b.yaml d/c.json" },
		{ OBJECTS_BELOW, "d", "d/.git/g.yaml d/.h.yaml d/a.yml d/b.yaml d/c.json d/in/x.yaml" },
		{ OBJECTS, "d/notes.txt", "d/notes.txt" },
		{ OBJECTS_BELOW, "none", "" },
		{ PATTERN, "d/b.yaml", "d/b.yaml" },
		{ PATTERN, "d/i*", "d/in" },
		{ PATTERN, "*/?.yml", "d/a.yml" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(buf_done) struct buf b = BUF_INIT(4096);
		struct err err;

		if (find(cases[i].how, cases[i].name, &b, &err) < 0)
			fail_msg("%s: %s", cases[i].name, err.msg);
		if (!str_eq(buf_str(&b), str_from(cases[i].expected)))
			fail_msg("%s: '%.*s' instead of '%s'", cases[i].name, STR_ARG(buf_str(&b)), cases[i].expected);
	}
}

static void test_not_found(void **state)
{
	static const struct {
		enum how how;
		const char *name;
		int code;
		const char *why;
	} cases[] = {
		{ RULES, "d/*.yam", ENOENT, "'d/*.yam' matches no file; there is a.yml, b.yaml, c.json and 1 more" },
		{ RULES, "x/*.yaml", ENOENT, "'x/*.yaml' matches no file; there is no folder 'x/'" },
		{ RULES, "*.yml", ENOENT, "'*.yml' matches no file; there is e1.yaml" },
		{ RULES, "?/?/*.yaml", ENOENT, "'?/?/*.yaml' matches no file" },
		{ RULES, "none", ENOENT, "the folder 'none' holds no *.yaml, *.yml or *.json" },
		{ RULES, "n*", ENOENT, "'n*' matches no file; there is e1.yaml" },
		{ RULES, "[", EINVAL, "pattern \"[\" is not valid: syntax error in pattern" },
		{ OBJECTS, "absent", ENOENT, "the path \"absent\" does not exist" },
		{ PATTERN, "absent*", ENOENT, "the path \"absent*\" does not exist" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(buf_done) struct buf b = BUF_INIT(4096);
		struct err err;

		assert_int_equal(find(cases[i].how, cases[i].name, &b, &err), -cases[i].code);
		assert_string_equal(err.msg, cases[i].why);
		assert_int_equal(b.n, 0);
	}
}

static void test_patterns(void **state)
{
	(void)state;
	assert_true(path_is_pattern("d/*.yaml"));
	assert_false(path_is_pattern("e[1]/y.yaml")); /* a file is called so */
	assert_false(path_is_pattern("absent.yaml"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_found),
		cmocka_unit_test(test_not_found),
		cmocka_unit_test(test_patterns),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
