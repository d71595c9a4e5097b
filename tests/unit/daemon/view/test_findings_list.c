/* Which findings a list has, and in which order, while they come and go. */
#include "daemon/view/findings_list.h"

#include "support/findings_set.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>

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

static void report(struct findings_set *x, const struct finding_report *r)
{
	struct err err;

	assert_int_equal(findings_report(x->findings, r, &err), 0);
}

/* The names that pass, in order. */
static void expect(struct findings_set *x, const struct finding_filter *filter, const char *names)
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

static void fill(struct findings_set *x)
{
	struct finding_report all[] = {
		about("a", SEVERITY_WARNING, FINDING_DRIFT),
		about("b", SEVERITY_CRITICAL, FINDING_DRIFT),
		about("c", SEVERITY_INFO, FINDING_VALIDATION),
		about("d", SEVERITY_WARNING, FINDING_ERROR),
	};

	static const struct finding_path a = { .path = { "spec.a.b", 8 } }, list = { .path = { "spec.list[0]", 12 } };

	all[0].paths = &a;
	all[2].paths = all[3].paths = &list;
	all[0].n_paths = all[2].n_paths = all[3].n_paths = 1;
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
	struct findings_set *x = *state;
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
		{ { .severities = 1u << SEVERITY_CRITICAL }, "b " },
		{ { .severities = 1u << SEVERITY_WARNING }, "a d " },
		{ { .severities = 1u << SEVERITY_CRITICAL | 1u << SEVERITY_WARNING }, "b a d " },
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
		{ { .kind = { "pods,deployments", 16 } }, "b a d c " },
		{ { .kind = { "pods,nodes", 10 } }, "" },
		{ { .name = { "*", 1 } }, "b a d c " },
		{ { .name = { "b*", 2 } }, "b " },
		{ { .manager = { "kubectl*", 8 } }, "b a d c " },
		{ { .manager = { "kubectl", 7 } }, "" },
		{ { .field = { "spec", 4 } }, "a d c " },
		{ { .field = { "spec.a", 6 } }, "a " },
		{ { .field = { "spec.ab", 7 } }, "" },
		{ { .field = { "spec.*[0]", 9 } }, "d c " },
		{ { .field = { "spec.list", 9 } }, "d c " },
		{ { .field = { "sp", 2 } }, "" },
		{ { .since_usec = 1 }, "b a d c " },
		{ { .since_usec = INT64_MAX }, "" },
		{ { .order = ORDER_NAME }, "a b c d " },
		{ { .order = ORDER_FIELD }, "b a d c " },
	};

	fill(*state);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		expect(*state, &cases[i].filter, cases[i].names);
}

static void test_what_ends_meanwhile_is_left_out(void **state)
{
	struct findings_set *x = *state;
	struct finding_report a = about("a", SEVERITY_WARNING, FINDING_DRIFT);
	struct finding_report late = about("late", SEVERITY_CRITICAL, FINDING_DRIFT);
	struct findings_cursor *c;
	struct err err;

	fill(x);
	assert_int_equal(findings_cursor_new(x->findings, &(struct finding_filter){ 0 }, &c, &err), 0);
	assert_int_equal(findings_cursor_count(c), 4);
	assert_true(str_eq(findings_cursor_next(c)->subject.name, STR("b")));
	findings_clear(x->findings, FINDING_DRIFT, &a.subject, END_REPAIRED);
	report(x, &late);
	assert_true(str_eq(findings_cursor_next(c)->subject.name, STR("d")));
	assert_true(str_eq(findings_cursor_next(c)->subject.name, STR("c")));
	assert_null(findings_cursor_next(c));
	findings_cursor_free(c);
}

static void report_many(struct findings_set *x, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		char name[16];
		struct finding_report r;

		(void)snprintf(name, sizeof(name), "%05zu", i * 7919 % 100000);
		r = about(name, i % 3 ? SEVERITY_WARNING : SEVERITY_ERROR, FINDING_DRIFT);
		report(x, &r);
	}
}

static void clear_many(struct findings_set *x, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		char name[16];
		struct finding_report r;

		(void)snprintf(name, sizeof(name), "%05zu", i * 7919 % 100000);
		r = about(name, SEVERITY_WARNING, FINDING_DRIFT);
		findings_clear(x->findings, FINDING_DRIFT, &r.subject, END_REPAIRED);
	}
}

#define MANY 3000
#define LOOKS_OF_A_SLICE 128 /* LOOKS_AT_ONCE of findings_list.c */

/* Made in slices that have no time at all, while findings come and go, a list has what was open when it was asked for
 * and still is, in its order. */
static void test_in_slices(void **state)
{
	static const struct {
		struct finding_filter filter;
		size_t first, n;
	} cases[] = {
		{ { .worst = 0 }, 0, SIZE_MAX },         { { .order = ORDER_NAME }, 0, SIZE_MAX },
		{ { .order = ORDER_NAME }, 0, 100 },     { { .order = ORDER_NAME, .worst = SEVERITY_ERROR }, 500, 100 },
		{ { .order = ORDER_SINCE }, 2000, 500 }, { { .cause = { "0", 1 } }, 0, 10 }
	};
	struct findings_set *x = *state;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct findings_cursor *c, *at_once;
		const struct finding *f;
		size_t slices = 0;
		struct err err;
		int r;

		clear_many(x, 0, 4 * MANY);
		report_many(x, 0, MANY);
		assert_int_equal(
			findings_cursor_begin(x->findings, &cases[i].filter, cases[i].first, cases[i].n, &c, &err), 0);
		while ((r = findings_cursor_make(c, 0, &err)) > 0) {
			size_t at = MANY + slices++;

			report_many(x, at, at + 1); /* later than the list */
			if (slices == 1)            /* all that it has seen, and all that it has not, but these */
				clear_many(x, 0, 10);
			if (slices == 2)
				clear_many(x, MANY - 10, MANY);
		}
		assert_int_equal(r, 0);
		assert_in_range(slices, MANY / LOOKS_OF_A_SLICE - 1, SIZE_MAX);
		clear_many(x, MANY, 4 * MANY);
		assert_int_equal(
			findings_cursor_page(x->findings, &cases[i].filter, cases[i].first, cases[i].n, &at_once, &err),
			0);
		/* Of a part the beginning is elsewhere where what has ended since was before it. */
		while (cases[i].n == SIZE_MAX && (f = findings_cursor_next(at_once)))
			assert_ptr_equal(findings_cursor_next(c), f);
		for (size_t n = 0; cases[i].n != SIZE_MAX && (f = findings_cursor_next(c)); n++)
			assert_in_range(n, 0, cases[i].n - 1);
		assert_null(findings_cursor_next(c));
		findings_cursor_free(at_once);
		findings_cursor_free(c);
	}
}

/* Given up, whatever was done. */
static void test_given_up(void **state)
{
	const struct finding_filter by_name = { .order = ORDER_NAME };
	struct findings_set *x = *state;
	struct err err;

	report_many(x, 0, MANY);
	for (size_t slices = 0; slices < 40; slices++) {
		struct findings_cursor *c;
		struct findings_groups g;
		int r = 1;

		assert_int_equal(findings_cursor_begin(x->findings, &by_name, 0, SIZE_MAX, &c, &err), 0);
		assert_int_equal(findings_groups_begin(&g, x->findings, &by_name, &err), 0);
		for (size_t i = 0; i < slices && r > 0; i++)
			r = findings_cursor_make(c, 0, &err);
		for (size_t i = 0, k = 1; i < slices && k; i++)
			k = findings_groups_make(&g, 0, &err) > 0;
		findings_cursor_free(c);
		findings_groups_done(&g);
	}
}

/* A list of a set that another took the place of would be neither's. */
static void test_replaced_meanwhile(void **state)
{
	struct findings_set *x = *state;
	struct findings_cursor *c;
	struct err err;

	report_many(x, 0, MANY);
	assert_int_equal(findings_cursor_begin(x->findings, &(struct finding_filter){ 0 }, 0, 10, &c, &err), 0);
	assert_int_equal(findings_cursor_make(c, 0, &err), 1);
	findings_free(x->findings);
	x->findings = NULL;
	assert_int_equal(findings_cursor_make(c, 0, &err), -ESTALE);
	findings_cursor_free(c);
}

/* What is alike in all that counts is one row, of which the worst finding is shown. */
static void test_groups(void **state)
{
	static const struct {
		const char *name, *summary, *manager, *template_path;
		enum severity severity;
	} all[] = {
		{ "a", "replicas 3 -> 5", "kim", "t", SEVERITY_WARNING },
		{ "b", "replicas 3 -> 5", "kim", "t", SEVERITY_ERROR },
		{ "c", "replicas 3 -> 7", "kim", "t", SEVERITY_WARNING },
		{ "d", "replicas 3 -> 5", "lee", "t", SEVERITY_WARNING },
		{ "e", "replicas 3 -> 5", "kim", "u", SEVERITY_NOTICE },
		{ "f", "replicas 3 -> 5", "kim", "t", SEVERITY_WARNING },
	};
	static const size_t counts[] = { 3, 1, 1, 1 };
	struct findings_set *x = *state;
	struct findings_groups g;
	size_t n = 0;
	struct err err;

	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		struct finding_report r = about(all[i].name, all[i].severity, FINDING_DRIFT);

		r.summary = str_from(all[i].summary);
		r.blame.manager = str_from(all[i].manager);
		r.subject.template_path = str_from(all[i].template_path);
		report(x, &r);
	}
	assert_int_equal(findings_groups_begin(&g, x->findings, &(struct finding_filter){ 0 }, &err), 0);
	assert_int_equal(findings_groups_make(&g, UINT64_MAX, &err), 0);
	assert_int_equal(g.list.n, ARRAY_LEN(counts));
	for (size_t i = 0; i < g.list.n; i++) {
		struct finding_filter filter = { .cause = str_from(g.list.p[i].cause) };
		struct findings_cursor *c;

		assert_int_equal(g.list.p[i].count, counts[i]);
		assert_int_equal(findings_cursor_new(x->findings, &filter, &c, &err), 0);
		assert_int_equal(findings_cursor_count(c), counts[i]);
		n += counts[i];
		findings_cursor_free(c);
	}
	assert_int_equal(n, g.n_findings);
	assert_true(str_eq(findings_find(x->findings, g.list.p[0].key)->subject.name, STR("b")));
	findings_groups_done(&g);
	expect(x, &(struct finding_filter){ .cause = STR("nothing") }, "");
}

/* What an address says is what was parsed. */
static void test_address(void **state)
{
	static const struct {
		const char *name, *value;
	} all[] = {
		{ "cluster", "c d" },
		{ "namespace", "n" },
		{ "name", "w*" },
		{ "reference", "r" },
		{ "component", "a/b" },
		{ "kind", "deploy,po" },
		{ "action", "page" },
		{ "field", "spec.a&b" },
		{ "manager", "k" },
		{ "cause", "12" },
		{ "type", "gap" },
		{ "severity", "error" },
		{ "severity_is", "notice" },
		{ "severity_is", "critical" },
		{ "since", "2026-05-01T10:00:00Z" },
		{ "group", "cause" },
		{ "sort", "name" },
	};
	static const struct {
		const char *name, *value;
	} wrong[] = { { "since", "yesterday" }, { "sort", "age" }, { "group", "x" },
		      { "type", "x" },          { "what", "x" },   { "severity_is", "bad" } };
	CLEANUP(buf_done) struct buf address = BUF_INIT(4096);
	struct finding_filter f = { 0 };
	struct err err;

	(void)state;
	assert_false(finding_filter_is_set(&f));
	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		assert_int_equal(finding_filter_add(&f, all[i].name, all[i].value, &err), 0);
	for (size_t i = 0; i < ARRAY_LEN(wrong); i++)
		assert_int_equal(finding_filter_add(&f, wrong[i].name, wrong[i].value, &err), -EINVAL);
	assert_true(finding_filter_is_set(&f));
	finding_filter_address(&f, &address);
	assert_string_equal(
		address.p,
		"?cluster=c+d&namespace=n&name=w%2A&reference=r&component=a%2Fb&kind=deploy%2Cpo&action=page"
		"&field=spec.a%26b&manager=k&cause=12&type=gap&severity=error&severity_is=critical&severity_is=notice"
		"&since=2026-05-01T10%3A00%3A00Z&group=cause&sort=name");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_worst_and_oldest_first, setup_findings, teardown_findings),
		cmocka_unit_test_setup_teardown(test_pages, setup_findings, teardown_findings),
		cmocka_unit_test_setup_teardown(test_filters, setup_findings, teardown_findings),
		cmocka_unit_test_setup_teardown(test_groups, setup_findings, teardown_findings),
		cmocka_unit_test_setup_teardown(test_in_slices, setup_findings, teardown_findings),
		cmocka_unit_test_setup_teardown(test_given_up, setup_findings, teardown_findings),
		cmocka_unit_test_setup_teardown(test_replaced_meanwhile, setup_findings, teardown_findings),
		cmocka_unit_test(test_address),
		cmocka_unit_test_setup_teardown(test_what_ends_meanwhile_is_left_out, setup_findings,
						teardown_findings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
