/* The command line of "driftd compare". */
#include "daemon/compare_options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static int parse(struct compare_options *o, struct err *err, const char *const *args)
{
	int argc = 1;
	char *argv[32] = { (char *)(uintptr_t) "compare" };

	while (*args)
		argv[argc++] = (char *)(uintptr_t)*args++;
	return compare_options_parse(o, argc, argv, err);
}

#define ARGS(...) ((const char *const[]){ __VA_ARGS__, NULL })

static void test_values(void **state)
{
	struct compare_options o;
	struct err err;

	(void)state;
	assert_int_equal(parse(&o, &err,
			       ARGS("-Rv", "-rref", "-f", "a,\"b,\"\"c\",d", "--filename=e", "-p=o.yaml",
				    "--concurrency", "7", "-A=false", "x", "--", "-y")),
			 0);
	assert_true(o.recursive && o.verbose && !o.all);
	assert_string_equal(o.reference, "ref");
	assert_string_equal(o.overrides, "o.yaml");
	assert_int_equal(o.concurrency, 7);
	assert_int_equal(o.files.v.n, 4);
	assert_string_equal(o.files.v.p[1], "b,\"c");
	assert_string_equal(o.files.v.p[3], "e");
	assert_int_equal(o.args.v.n, 2);
	assert_string_equal(o.args.v.p[1], "-y");
	compare_options_done(&o);
	assert_int_equal(parse(&o, &err, ARGS("-f", "", "-r", "a", "-r", "b")), 0);
	assert_int_equal(o.files.v.n, 0);
	assert_string_equal(o.reference, "b");
	compare_options_done(&o);
}

static void test_mistakes(void **state)
{
	static const struct {
		const char *args[4];
		const char *text;
	} cases[] = {
		{ { "-z" }, "unknown shorthand flag: 'z' in -z" },
		{ { "-Rz" }, "unknown shorthand flag: 'z' in -z" },
		{ { "--nosuch" }, "unknown flag: --nosuch" },
		{ { "--nosuch=1" }, "unknown flag: --nosuch" },
		{ { "--=x" }, "bad flag syntax: --=x" },
		{ { "-r" }, "flag needs an argument: 'r' in -r" },
		{ { "--reference" }, "flag needs an argument: --reference" },
		{ { "--concurrency", "many" },
		  "invalid argument \"many\" for \"--concurrency\" flag: strconv.ParseInt: parsing \"many\": invalid "
		  "syntax" },
		{ { "-A=perhaps" },
		  "invalid argument \"perhaps\" for \"-A, --all-resources\" flag: strconv.ParseBool: parsing "
		  "\"perhaps\": invalid syntax" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct compare_options o;
		struct err err;

		assert_int_equal(parse(&o, &err, cases[i].args), -22);
		assert_string_equal(err.msg, cases[i].text);
		compare_options_done(&o);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_values), cmocka_unit_test(test_mistakes) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
