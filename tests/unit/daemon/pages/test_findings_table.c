/* The pages of findings: which rows each has, and that hostile texts stay texts. */
#include "daemon/pages/pages_internal.h"

#include "support/findings_set.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void report(struct findings_set *x, str name)
{
	const struct finding_path path = { .path = STR("data[\"<b>\"]") };
	const struct finding_report r = {
		.kind = FINDING_DRIFT,
		.severity = SEVERITY_WARNING,
		.subject = { .cluster = STR("<c>"), .kind = STR("ConfigMap"), .namespace = STR("shop"), .name = name },
		.what = STR("w"),
		.state = STR("s"),
		.paths = &path,
		.n_paths = 1,
		.n_paths_total = 1,
		.blame = { .manager = STR("\"kubectl\"") },
	};
	struct err err;

	assert_int_equal(findings_report(x->findings, &r, &err), 0);
}

static void report_many(struct findings_set *x, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char name[32];

		(void)snprintf(name, sizeof(name), "map-%zu", i);
		report(x, str_from(name));
	}
}

/* The rows of page @page of all; *got is the page it became. */
static size_t rows_of(struct findings_set *x, size_t page, size_t *got, struct buf *out)
{
	struct page_query q = { .page = page };
	struct html h = HTML_INIT(out);
	struct findings_page p;
	struct err err;
	size_t n = 0;
	int more;

	assert_int_equal(findings_page_init(&p, x->findings, &q.filter, &q, &err), 0);
	while ((more = findings_page_make(&p, 0, &err)) > 0) {
	}
	assert_int_equal(more, 0);
	p.clustered = true;
	while (findings_page_row(&h, &p))
		n++;
	assert_int_equal(h.depth, 0);
	*got = p.query.page;
	findings_page_done(&p);
	return n;
}

static void test_pages(void **state)
{
	static const struct {
		size_t findings, page, got, rows;
	} cases[] = {
		{ 0, 1, 1, 0 },
		{ 1, 1, 1, 1 },
		{ PAGE_ROWS, 2, 1, PAGE_ROWS },
		{ PAGE_ROWS + 1, 1, 1, PAGE_ROWS },
		{ PAGE_ROWS + 1, 2, 2, 1 },
		{ PAGE_ROWS + 1, 1000, 2, 1 },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(buf_done) struct buf out = BUF_INIT((size_t)1 << 24);
		size_t got;

		report_many(*state, cases[i].findings);
		assert_int_equal(rows_of(*state, cases[i].page, &got, &out), cases[i].rows);
		assert_int_equal(got, cases[i].got);
	}
}

static void test_hostile(void **state)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT((size_t)1 << 20);
	size_t got;

	report(*state, STR("</tr><script>\xE2\x80\xAE"));
	assert_int_equal(rows_of(*state, 1, &got, &out), 1);
	assert_non_null(strstr(out.p, "<code>shop/&lt;/tr&gt;&lt;script&gt;\\u202e</code>"));
	assert_non_null(strstr(out.p, "data[&quot;&lt;b&gt;&quot;]"));
	assert_non_null(strstr(out.p, "data-is=\"Cluster\">&lt;c&gt;<"));
	assert_non_null(strstr(out.p, "&quot;kubectl&quot;"));
	assert_null(strstr(out.p, "<script"));
}

static void test_addresses(void **state)
{
	static const struct {
		struct page_query query;
		const char *address;
	} cases[] = {
		{ { .page = 1 }, "/" },
		{ { .page = 3 }, "/?page=3" },
		{ { .page = 1, .still = true }, "/?refresh=0" },
		{ { .page = 1, .filling = true }, "/?form=1" },
		{ { .page = 2, .filter = { .cluster = { "a&b=\"?#", 7 }, .name = { "x y", 3 } } },
		  "/?cluster=a%26b%3D%22%3F%23&name=x+y&page=2" },
		{ { .page = 1,
		    .filter = { .types = 1u << FINDING_DRIFT | 1u << FINDING_GAP, .worst = SEVERITY_ERROR } },
		  "/?type=drift&type=gap&severity=error" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(buf_done) struct buf out = BUF_INIT(1000);

		page_query_address(&cases[i].query, &out);
		assert_string_equal(out.p, cases[i].address);
		assert_int_equal(page_query_is_filtered(&cases[i].query),
				 cases[i].query.filter.cluster.n || cases[i].query.filter.types);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_pages, setup_findings, teardown_findings),
		cmocka_unit_test_setup_teardown(test_hostile, setup_findings, teardown_findings),
		cmocka_unit_test(test_addresses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
