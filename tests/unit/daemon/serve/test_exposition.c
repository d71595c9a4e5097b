/* The exposition formats, escaping and numbers. */
#include "daemon/serve/exposition.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_escapes(void **state)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(1u << 16);
	struct exposition e = { .out = &out };

	(void)state;
	exposition_family(&e, "driftd_x", METRIC_GAUGE, "A \"help\" with \\ and\nnewline");
	exposition_sample(&e, 1, LABELS({ "a", STR("q\"b\\c\nd") }, { "b", STR("\xC3\xA9{}=,") }, { "c", STR("") }));
	exposition_sample(&e, -2, NULL, 0);
	assert_string_equal(out.p, "# HELP driftd_x A \"help\" with \\\\ and\\nnewline\n# TYPE driftd_x gauge\n"
				   "driftd_x{a=\"q\\\"b\\\\c\\nd\",b=\"\xC3\xA9{}=,\",c=\"\"} 1\ndriftd_x -2\n");
}

static void test_numbers(void **state)
{
	static const struct {
		double value;
		const char *text;
	} cases[] = {
		{ 0, "x 0\n" },
		{ 1.5, "x 1.5\n" },
		{ 1e15, "x 1000000000000000\n" },
		{ 0.1, "x 0.1\n" },
		{ 1714000000.25, "x 1714000000.25\n" },
		{ NAN, "x NaN\n" },
		{ INFINITY, "x +Inf\n" },
		{ -INFINITY, "x -Inf\n" },
	};
	CLEANUP(buf_done) struct buf out = BUF_INIT(1u << 16);
	struct exposition e = { .out = &out, .name = "x" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		buf_clear(&out);
		exposition_sample(&e, cases[i].value, NULL, 0);
		assert_string_equal(out.p, cases[i].text);
	}
}

static void test_openmetrics_names(void **state)
{
	static const struct {
		enum metric_type type;
		const char *name, *plain, *open;
	} cases[] = {
		{ METRIC_COUNTER, "a_total", "# HELP a_total h\n# TYPE a_total counter\na_total 1\n",
		  "# HELP a h\n# TYPE a counter\na_total 1\n# EOF\n" },
		{ METRIC_INFO, "a_info", "# HELP a_info h\n# TYPE a_info gauge\na_info 1\n",
		  "# HELP a h\n# TYPE a info\na_info 1\n# EOF\n" },
		{ METRIC_GAUGE, "a", "# HELP a h\n# TYPE a gauge\na 1\n", "# HELP a h\n# TYPE a gauge\na 1\n# EOF\n" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		for (int open = 0; open < 2; open++) {
			CLEANUP(buf_done) struct buf out = BUF_INIT(1u << 16);
			struct exposition e = { .out = &out, .openmetrics = open };

			exposition_family(&e, cases[i].name, cases[i].type, "h");
			exposition_sample(&e, 1, NULL, 0);
			exposition_end(&e);
			assert_string_equal(out.p, open ? cases[i].open : cases[i].plain);
		}
	}
}

static void test_histogram(void **state)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(1u << 16);
	struct exposition e = { .out = &out };
	struct histogram h = { 0 };
	str rest;
	str line;
	double before = -1;
	size_t buckets = 0;

	(void)state;
	histogram_observe(&h, 0);
	histogram_observe(&h, 1000000);
	histogram_observe(&h, UINT64_C(3600) * 1000000000);
	exposition_family(&e, "t_seconds", METRIC_HISTOGRAM, "h");
	exposition_histogram(&e, &h);
	rest = buf_str(&out);
	while (str_next_part(&rest, '\n', &line)) { /* cumulative, and +Inf holds all */
		if (!str_has_prefix(line, STR("t_seconds_bucket")))
			continue;
		double n = strtod(line.p + str_rfind(line, STR(" ")), NULL);

		assert_true(n >= before);
		before = n;
		buckets++;
	}
	assert_int_equal(buckets, HISTOGRAM_BUCKETS + 1);
	assert_non_null(strstr(out.p, "t_seconds_bucket{le=\"+Inf\"} 3\n"));
	assert_non_null(strstr(out.p, "t_seconds_sum 3600.001\n"));
	assert_non_null(strstr(out.p, "t_seconds_count 3\n"));
	for (int i = 1; i < HISTOGRAM_BUCKETS; i++)
		assert_true(histogram_bounds[i - 1] < histogram_bounds[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_escapes),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_openmetrics_names),
		cmocka_unit_test(test_histogram),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
