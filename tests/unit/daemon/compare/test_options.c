/* The command line of "driftd compare". */
#include "daemon/compare/options.h"

#include <errno.h>
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
	assert_int_equal(o.concurrency, 4);
	assert_int_equal(o.files.v.n, 0);
	assert_string_equal(o.reference, "b");
	compare_options_done(&o);
}

static void test_switch(void **state)
{
	static const struct {
		const char *arg;
		enum compare_switch mask;
	} cases[] = {
		{ "-v", SWITCH_UNSET },
		{ "--mask", SWITCH_ON },
		{ "--mask=T", SWITCH_ON },
		{ "--mask=false", SWITCH_OFF },
	};
	struct compare_options o;
	struct err err;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		assert_int_equal(
			parse(&o, &err, ARGS(cases[i].arg, "--manifests", "m", "--include=a", "--include", "b")), 0);
		assert_int_equal(o.mask, cases[i].mask);
		assert_string_equal(o.manifests, "m");
		assert_int_equal(o.include.v.n, 2);
		compare_options_done(&o);
	}
	assert_int_equal(parse(&o, &err, ARGS("--mask=maybe")), -EINVAL);
	compare_options_done(&o);
}

/* Only the first line of a value is read. */
static void test_records(void **state)
{
	static const struct {
		const char *value;
		size_t n;
		const char *last;
	} cases[] = {
		{ "a\nb", 1, "a" },    { "a,b\r\nc", 2, "b" }, { "\n\r\na", 1, "a" }, { "\"a\nb\"", 1, "a\nb" },
		{ "\"x\"\n", 1, "x" }, { "a,\n\"", 2, "" },    { "a,", 2, "" },       { "\"a,\"\"b\"\nc", 1, "a,\"b" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct compare_options o;
		struct err err;

		assert_int_equal(parse(&o, &err, ARGS("-f", cases[i].value)), 0);
		assert_int_equal(o.files.v.n, cases[i].n);
		assert_string_equal(o.files.v.p[cases[i].n - 1], cases[i].last);
		compare_options_done(&o);
	}
}

static void test_letter_equals(void **state)
{
	struct compare_options o;
	struct err err;

	(void)state;
	assert_int_equal(parse(&o, &err, ARGS("-r=", "-c==", "--version")), 0);
	assert_true(o.version);
	assert_string_equal(o.reference, "=");
	assert_string_equal(o.diff_config, "=");
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
		{ { "-A=a\"b" },
		  "invalid argument \"a\\\"b\" for \"-A, --all-resources\" flag: strconv.ParseBool: parsing "
		  "\"a\\\"b\": invalid syntax" },
		{ { "--concurrency=9223372036854775808" },
		  "invalid argument \"9223372036854775808\" for \"--concurrency\" flag: strconv.ParseInt: parsing "
		  "\"9223372036854775808\": value out of range" },
		{ { "--concurrency=08" },
		  "invalid argument \"08\" for \"--concurrency\" flag: strconv.ParseInt: parsing \"08\": invalid "
		  "syntax" },
		{ { "--concurrency=1__0" },
		  "invalid argument \"1__0\" for \"--concurrency\" flag: strconv.ParseInt: parsing \"1__0\": "
		  "invalid syntax" },
		{ { "--concurrency=" },
		  "invalid argument \"\" for \"--concurrency\" flag: strconv.ParseInt: parsing \"\": invalid syntax" },
		{ { "-f\"a" },
		  "invalid argument \"\\\"a\" for \"-f, --filename\" flag: parse error on line 1, column 3: extraneous "
		  "or missing \" in quoted-field" },
		{ { "-f\"a\"b" },
		  "invalid argument \"\\\"a\\\"b\" for \"-f, --filename\" flag: parse error on line 1, column 3: "
		  "extraneous or missing \" in quoted-field" },
		{ { "-fx,a\"b" },
		  "invalid argument \"x,a\\\"b\" for \"-f, --filename\" flag: parse error on line 1, column 4: bare "
		  "\" in non-quoted-field" },
		{ { "-f\n" }, "invalid argument \"\\n\" for \"-f, --filename\" flag: EOF" },
		{ { "-f\r" }, "invalid argument \"\\r\" for \"-f, --filename\" flag: EOF" },
		{ { "-fa\"\n" },
		  "invalid argument \"a\\\"\\n\" for \"-f, --filename\" flag: parse error on line 1, column 2: bare "
		  "\" in non-quoted-field" },
		{ { "-A=" }, "unknown shorthand flag: '=' in -=" },
		{ { "-\xC3\xA9" }, "unknown shorthand flag: '\u00C3' in -\xC3\xA9" },
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

static void test_numbers(void **state)
{
	static const struct {
		const char *arg;
		int value;
	} cases[] = {
		{ "--concurrency=0x1F", 31 }, { "--concurrency=0b11", 3 },     { "--concurrency=0o17", 15 },
		{ "--concurrency=010", 8 },   { "--concurrency=1_000", 1000 }, { "--concurrency=0x_f", 15 },
		{ "--concurrency=0", 0 },     { "--concurrency=-5", -5 },      { "--concurrency=+4", 4 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct compare_options o;
		struct err err;

		assert_int_equal(parse(&o, &err, ARGS(cases[i].arg)), 0);
		assert_int_equal(o.concurrency, cases[i].value);
		compare_options_done(&o);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_values),   cmocka_unit_test(test_switch),
					    cmocka_unit_test(test_records),  cmocka_unit_test(test_letter_equals),
					    cmocka_unit_test(test_mistakes), cmocka_unit_test(test_numbers) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
