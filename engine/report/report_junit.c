#include "base/utf8.h"
#include "report/report.h"

#include <stdio.h>
#include <time.h>

#define NAME_MAX_BYTES (1u << 20)

/* ---- XML as Go's encoding/xml escapes it ---- */

static bool is_xml_char(uint32_t c)
{
	return c == '\t' || c == '\n' || c == '\r' || (c >= 0x20 && c <= 0xD7FF) || (c >= 0xE000 && c <= 0xFFFD) ||
	       (c >= 0x10000 && c <= 0x10FFFF);
}

static const char *escape_of(uint32_t c)
{
	switch (c) {
	case '"':
		return "&#34;";
	case '\'':
		return "&#39;";
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '\t':
		return "&#x9;";
	case '\n':
		return "&#xA;";
	case '\r':
		return "&#xD;";
	default:
		return NULL;
	}
}

static void escape(struct buf *out, str s)
{
	while (s.n) {
		size_t n;
		uint32_t c = utf8_decode(s, &n);
		const char *e = escape_of(c);

		if (e)
			buf_add_cstr(out, e);
		else if (!is_xml_char(c) || (c == UTF8_REPLACEMENT && n == 1))
			buf_add_cstr(out, "\xEF\xBF\xBD");
		else
			buf_add(out, s.p, n);
		s = str_sub(s, n, s.n);
	}
}

/* ---- suites ---- */

struct test_case {
	str class_name;
	str name;
	str skipped; /* message; empty: not */
	str failure; /* message; empty: none */
	const char *failure_type;
	str contents;
};

struct suite {
	const char *name;
	struct buf cases; /* XML */
	size_t tests, failures, skipped;
};

static void add_case(struct suite *s, const struct test_case *c)
{
	struct buf *out = &s->cases;

	s->tests++;
	s->failures += c->failure.n > 0;
	s->skipped += !c->failure.n && c->skipped.n;
	buf_add_cstr(out, "\n\t\t<testcase classname=\"");
	escape(out, c->class_name);
	buf_add_cstr(out, "\" name=\"");
	escape(out, c->name);
	buf_add_cstr(out, "\" time=\"0\">");
	if (c->skipped.n) {
		buf_add_cstr(out, "\n\t\t\t<skipped message=\"");
		escape(out, c->skipped);
		buf_add_cstr(out, "\"></skipped>");
	}
	buf_add_cstr(out, "\n\t\t\t<properties></properties>");
	if (c->failure.n) {
		buf_add_cstr(out, "\n\t\t\t<failure message=\"");
		escape(out, c->failure);
		buf_printf(out, "\" type=\"%s\">", c->failure_type);
		escape(out, c->contents);
		buf_add_cstr(out, "</failure>");
	}
	buf_add_cstr(out, "\n\t\t</testcase>");
}

static void join(struct buf *b, const str *list, size_t n, const char *separator)
{
	for (size_t i = 0; i < n; i++) {
		if (i)
			buf_add_cstr(b, separator);
		buf_add_str(b, list[i]);
	}
}

static void add_difference(struct suite *s, const struct report_diff *d)
{
	CLEANUP(buf_done) struct buf class_name = BUF_INIT(NAME_MAX_BYTES);
	CLEANUP(buf_done) struct buf name = BUF_INIT(NAME_MAX_BYTES);
	CLEANUP(buf_done) struct buf message = BUF_INIT(NAME_MAX_BYTES);
	struct test_case c = { 0 };

	buf_printf(&class_name, "Matching Reference CR: %.*s", STR_ARG(d->template));
	buf_printf(&name, "CR: %.*s", STR_ARG(d->cr));
	if (d->output.n) {
		buf_printf(&message, "Differences found in CR: %.*s, Compared To Reference CR: %.*s", STR_ARG(d->cr),
			   STR_ARG(d->template));
		c.failure = buf_str(&message);
		c.failure_type = "Difference";
		c.contents = d->output;
	} else if (d->patched.n) {
		buf_printf(&message, "Patched with %.*s; Reasons given: ", STR_ARG(d->patched));
		join(&message, d->reasons, d->n_reasons, ", ");
		c.skipped = buf_str(&message);
	}
	c.class_name = buf_str(&class_name);
	c.name = buf_str(&name);
	add_case(s, &c);
}

static void add_failed(struct suite *s, const struct report_failure *f)
{
	CLEANUP(buf_done) struct buf class_name = BUF_INIT(NAME_MAX_BYTES);
	CLEANUP(buf_done) struct buf name = BUF_INIT(NAME_MAX_BYTES);
	struct test_case c = { .failure = STR("CR could not be compared"),
			       .failure_type = "Error",
			       .contents = f->message };

	buf_printf(&class_name, "Matching Reference CR: %.*s", STR_ARG(f->template));
	buf_printf(&name, "CR: %.*s", STR_ARG(f->cr));
	c.class_name = buf_str(&class_name);
	c.name = buf_str(&name);
	add_case(s, &c);
}

static void diff_cases(const struct report *r, struct suite *s)
{
	for (size_t i = 0; i < r->n_diffs; i++)
		add_difference(s, &r->diffs[i]);
	for (size_t i = 0; i < r->n_failures; i++)
		add_failed(s, &r->failures[i]);
}

/* An issue's class name is what they are sorted by. */
static void issue_class(const struct component_verdict *v, struct buf *out)
{
	buf_printf(out, "Part:%.*s Component: %.*s", STR_ARG(v->part->name), STR_ARG(v->component->name));
}

static int by_class(const void *a, const void *b)
{
	CLEANUP(buf_done) struct buf x = BUF_INIT(NAME_MAX_BYTES);
	CLEANUP(buf_done) struct buf y = BUF_INIT(NAME_MAX_BYTES);

	issue_class(*(const struct component_verdict *const *)a, &x);
	issue_class(*(const struct component_verdict *const *)b, &y);
	return str_cmp(buf_str(&x), buf_str(&y));
}

static void add_issue(struct suite *s, const struct component_verdict *v)
{
	CLEANUP(buf_done) struct buf class_name = BUF_INIT(NAME_MAX_BYTES);
	CLEANUP(buf_done) struct buf message = BUF_INIT(s->cases.max);
	struct test_case c = { .name = STR("Reference validation failure"), .failure_type = "Validation Issue" };

	issue_class(v, &class_name);
	buf_printf(&message, "%s: ", component_problem_text(v->problem));
	for (size_t i = 0; i < v->n_templates; i++) {
		if (i)
			buf_add_byte(&message, ',');
		buf_add_str(&message, v->templates[i]->path);
	}
	c.class_name = buf_str(&class_name);
	c.failure = buf_str(&message);
	add_case(s, &c);
}

static int issue_cases(const struct report *r, struct suite *s, struct err *err)
{
	CLEANUP(freep) const struct component_verdict **issues = calloc(r->n_issues + 1, sizeof(*issues));
	struct test_case fine = { .name = STR(
					  "No reference validation issues: All expected CRs exist in the cluster") };
	size_t n;

	if (!issues)
		return err_nomem(err);
	n = report_sort_issues(r, issues);
	if (n)
		qsort(issues, n, sizeof(*issues), by_class);
	for (size_t i = 0; i < n; i++)
		add_issue(s, issues[i]);
	if (n == 0)
		add_case(s, &fine);
	return 0;
}

static void unmatched_cases(const struct report *r, struct suite *s)
{
	struct test_case fine = { .name = STR("All Cluster CRs are matched to reference CRs ") };

	for (size_t i = 0; i < r->n_unmatched; i++) {
		CLEANUP(buf_done) struct buf message = BUF_INIT(NAME_MAX_BYTES);
		struct test_case c = { .name = r->unmatched[i], .failure_type = "Unmatched CR" };

		buf_printf(&message, "Cluster resource '%.*s' is unmatched.", STR_ARG(r->unmatched[i]));
		c.failure = buf_str(&message);
		add_case(s, &c);
	}
	if (r->n_unmatched == 0)
		add_case(s, &fine);
}

/* ---- the document ---- */

static void add_suite(const struct report *r, const struct suite *s, const char *timestamp, struct buf *out)
{
	buf_printf(out,
		   "\n\t<testsuite tests=\"%zu\" failures=\"%zu\" skipped=\"%zu\" time=\"0\" name=\"%s\" "
		   "timestamp=\"%s\">",
		   s->tests, s->failures, s->skipped, s->name, timestamp);
	buf_printf(out,
		   "\n\t\t<properties>\n\t\t\t<property name=\"MetadataHash\" value=\"%s\"></property>"
		   "\n\t\t\t<property name=\"TotalCRs\" value=\"%zu\"></property>\n\t\t</properties>",
		   r->hash, r->n_total);
	buf_add_str(out, buf_str(&s->cases));
	buf_add_cstr(out, "\n\t</testsuite>");
}

/* RFC 3339 in the local time zone. */
static void format_time(int64_t now, char *out, size_t n)
{
	time_t t = (time_t)now;
	struct tm tm;
	size_t used;
	long minutes;

	if (!localtime_r(&t, &tm) || !(used = strftime(out, n, "%Y-%m-%dT%H:%M:%S", &tm))) {
		snprintf(out, n, "1970-01-01T00:00:00Z");
		return;
	}
	minutes = tm.tm_gmtoff / 60;
	if (minutes == 0)
		snprintf(out + used, n - used, "Z");
	else
		snprintf(out + used, n - used, "%c%02ld:%02ld", minutes < 0 ? '-' : '+', labs(minutes) / 60,
			 labs(minutes) % 60);
}

int report_junit(const struct report *r, int64_t now, struct buf *out, struct err *err)
{
	struct suite suites[] = {
		{ .name = "Detected Differences Between Cluster CRs and Expected CRs", .cases = BUF_INIT(out->max) },
		{ .name = "Reference validation", .cases = BUF_INIT(out->max) },
		{ .name = "Unmatched Cluster Resources", .cases = BUF_INIT(out->max) },
	};
	size_t tests = 0, failures = 0, skipped = 0;
	char timestamp[48];
	int rc;

	format_time(now, timestamp, sizeof(timestamp));
	diff_cases(r, &suites[0]);
	rc = issue_cases(r, &suites[1], err);
	unmatched_cases(r, &suites[2]);
	for (size_t i = 0; i < ARRAY_LEN(suites); i++) {
		tests += suites[i].tests;
		failures += suites[i].failures;
		skipped += suites[i].skipped;
	}
	buf_printf(out,
		   "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"Comparison results of known valid "
		   "reference "
		   "configuration and a set of specific cluster CRs\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" "
		   "skipped=\"%zu\" "
		   "time=\"0\">",
		   tests, failures, skipped);
	for (size_t i = 0; i < ARRAY_LEN(suites); i++) {
		add_suite(r, &suites[i], timestamp, out);
		if (rc == 0)
			rc = buf_error(&suites[i].cases, "report", err);
		buf_done(&suites[i].cases);
	}
	buf_add_cstr(out, "\n</testsuites>\n");
	return rc < 0 ? rc : buf_error(out, "report", err);
}
