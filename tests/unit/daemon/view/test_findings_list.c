/* Which findings a list has, and in which order, while they come and go. */
#include "daemon/view/findings_list.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void ignore(void *ctx, const struct telling *t)
{
	(void)ctx;
	(void)t;
}

struct fixture {
	struct sink *sink;
	struct findings *findings;
};

static int setup(void **state)
{
	struct sink_taker taker = { .take = ignore };
	struct fixture *x = calloc(1, sizeof(*x));
	struct err err;

	*state = x;
	if (!x || !(x->sink = sink_new(&taker)))
		return -1;
	return findings_new(x->sink, &x->findings, &err);
}

static int teardown(void **state)
{
	struct fixture *x = *state;

	findings_free(x->findings);
	sink_free(x->sink);
	free(x);
	return 0;
}

static struct finding_report about(const char *name, enum severity severity, enum finding_kind kind)
{
	return (struct finding_report){
		.kind = kind,
		.severity = severity,
		.subject = { .cluster = STR("c"),
			     .reference = STR("r"),
			     .api_version = STR("apps/v1"),
			     .kind = STR("Deployment"),
			     .resource = STR("deployments.apps"),
			     .namespace = STR("prod"),
			     .name = str_from(name) },
		.what = STR("w"),
		.state = STR("s"),
		.blame = { .manager = STR("kubectl\"edit") },
	};
}

static void report(struct fixture *x, const struct finding_report *r)
{
	struct err err;

	assert_int_equal(findings_report(x->findings, r, &err), 0);
}

/* The names that pass, in order. */
static void expect(struct fixture *x, const struct finding_filter *filter, const char *names)
{
	CLEANUP(buf_done) struct buf got = BUF_INIT(1024);
	struct findings_cursor *c;
	const struct finding *f;
	struct err err;

	assert_int_equal(findings_cursor_new(x->findings, filter, &c, &err), 0);
	while ((f = findings_cursor_next(c)))
		buf_printf(&got, "%.*s ", STR_ARG(f->subject.name));
	findings_cursor_free(c);
	assert_string_equal(got.n ? got.p : "", names);
}

static void fill(struct fixture *x)
{
	const struct finding_report all[] = {
		about("a", SEVERITY_WARNING, FINDING_DRIFT),
		about("b", SEVERITY_CRITICAL, FINDING_DRIFT),
		about("c", SEVERITY_INFO, FINDING_VALIDATION),
		about("d", SEVERITY_WARNING, FINDING_ERROR),
	};

	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		report(x, &all[i]);
}

static void test_worst_and_oldest_first(void **state)
{
	fill(*state);
	expect(*state, &(struct finding_filter){ 0 }, "b a d c ");
}

/* Whatever part is asked for is that part of the whole order. */
static void test_pages(void **state)
{
	static const enum severity severities[] = { SEVERITY_WARNING, SEVERITY_CRITICAL, SEVERITY_INFO };
	const struct finding_filter all = { 0 };
	const struct finding *order[100];
	struct findings_cursor *c;
	struct fixture *x = *state;
	struct err err;

	for (size_t i = 0; i < ARRAY_LEN(order); i++) {
		struct finding_report r;
		char name[8];

		(void)snprintf(name, sizeof(name), "%zu", i * 37 % ARRAY_LEN(order));
		r = about(name, severities[i * i % 7 % 3], FINDING_DRIFT);
		report(x, &r);
	}
	assert_int_equal(findings_cursor_new(x->findings, &all, &c, &err), 0);
	for (size_t i = 0; i < ARRAY_LEN(order); i++)
		assert_non_null(order[i] = findings_cursor_next(c));
	assert_null(findings_cursor_next(c));
	findings_cursor_free(c);
	for (size_t first = 0; first <= ARRAY_LEN(order) + 1; first++) {
		for (size_t n = 0; n <= ARRAY_LEN(order) + 1; n += 1 + n / 3) {
			size_t end = first + n < ARRAY_LEN(order) ? first + n : ARRAY_LEN(order);

			assert_int_equal(findings_cursor_page(x->findings, &all, first, n, &c, &err), 0);
			assert_int_equal(findings_cursor_count(c), ARRAY_LEN(order));
			for (size_t i = first; i < end; i++)
				assert_ptr_equal(findings_cursor_next(c), order[i]);
			assert_null(findings_cursor_next(c));
			findings_cursor_free(c);
		}
	}
}

static void test_filters(void **state)
{
	static const struct {
		struct finding_filter filter;
		const char *names;
	} cases[] = {
		{ { .types = 1u << FINDING_DRIFT }, "b a " },
		{ { .types = 1u << FINDING_ERROR | 1u << FINDING_VALIDATION }, "d c " },
		{ { .worst = SEVERITY_WARNING }, "b a d " },
		{ { .worst = SEVERITY_CRITICAL }, "b " },
		{ { .name = { "a", 1 } }, "a " },
		{ { .name = { "A", 1 } }, "" },
		{ { .cluster = { "d", 1 } }, "" },
		{ { .cluster = { "c", 1 }, .namespace = { "prod", 4 }, .reference = { "r", 1 } }, "b a d c " },
		{ { .namespace = { "", 0 } }, "" },
		{ { .kind = { "deployment", 10 } }, "b a d c " },
		{ { .kind = { "DEPLOYMENTS", 11 } }, "b a d c " },
		{ { .kind = { "deployments.apps", 16 } }, "b a d c " },
		{ { .kind = { "deploy", 6 } }, "" },
		{ { .kind = { "deployments.", 12 } }, "" },
	};

	fill(*state);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		expect(*state, &cases[i].filter, cases[i].names);
}

static void test_what_ends_meanwhile_is_left_out(void **state)
{
	struct fixture *x = *state;
	struct finding_report a = about("a", SEVERITY_WARNING, FINDING_DRIFT);
	struct finding_report late = about("late", SEVERITY_CRITICAL, FINDING_DRIFT);
	struct findings_cursor *c;
	struct err err;

	fill(x);
	assert_int_equal(findings_cursor_new(x->findings, &(struct finding_filter){ 0 }, &c, &err), 0);
	assert_int_equal(findings_cursor_count(c), 4);
	assert_string_equal(findings_cursor_next(c)->subject.name.p, "b");
	assert_true(findings_cursor_is_first(c));
	findings_clear(x->findings, FINDING_DRIFT, &a.subject, END_REPAIRED);
	report(x, &late);
	assert_string_equal(findings_cursor_next(c)->subject.name.p, "d");
	assert_false(findings_cursor_is_first(c));
	assert_string_equal(findings_cursor_next(c)->subject.name.p, "c");
	assert_null(findings_cursor_next(c));
	findings_cursor_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_worst_and_oldest_first, setup, teardown),
		cmocka_unit_test_setup_teardown(test_pages, setup, teardown),
		cmocka_unit_test_setup_teardown(test_filters, setup, teardown),
		cmocka_unit_test_setup_teardown(test_what_ends_meanwhile_is_left_out, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
