/* Writes the report as JUnit's XML. */
#include "base/utf8.h"
#include "go/layout.h"
#include "report/report.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>
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
	str skipped; /* the message; empty: the case was not skipped */
	str failure; /* the message; empty: the case did not fail */
	const char *failure_type;
	str contents;
};

struct suite {
	const char *name;
	struct arena *arena; /* texts that only one test case needs */
	struct buf cases;    /* the XML of the cases; its error is that of the suite */
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

/* Return @text, which was made in the arena, and note when there was no memory for it. */
static str made(struct suite *s, str text)
{
	if (!text.p)
		s->cases.error = -ENOMEM;
	return text;
}

static str class_of(struct suite *s, str template)
{
	return made(s, arena_printf(s->arena, "Matching Reference CR: %.*s", STR_ARG(template)));
}

static str name_of(struct suite *s, str cr)
{
	return made(s, arena_printf(s->arena, "CR: %.*s", STR_ARG(cr)));
}

static str patched_text(struct suite *s, const struct report_diff *d)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(s->cases.max);

	buf_printf(&text, "Patched with %.*s; Reasons given: ", STR_ARG(d->patched));
	for (size_t i = 0; i < d->n_reasons; i++) {
		buf_add_cstr(&text, i ? ", " : "");
		buf_add_str(&text, d->reasons[i]);
	}
	return made(s, text.error ? (str){ 0 } : arena_str(s->arena, buf_str(&text)));
}

static void add_difference(struct suite *s, const struct report_diff *d)
{
	struct test_case c = { .class_name = class_of(s, d->template), .name = name_of(s, d->cr) };

	if (d->output.n) {
		c.failure =
			made(s, arena_printf(s->arena, "Differences found in CR: %.*s, Compared To Reference CR: %.*s",
					     STR_ARG(d->cr), STR_ARG(d->template)));
		c.failure_type = "Difference";
		c.contents = d->output;
	} else if (d->accepted.n) {
		c.skipped = made(s, arena_printf(s->arena, "Accepted: %.*s", STR_ARG(d->accepted)));
	} else if (d->patched.n) {
		c.skipped = patched_text(s, d);
	}
	add_case(s, &c);
}

static void add_failed(struct suite *s, const struct report_failure *f)
{
	struct test_case c = { .class_name = class_of(s, f->template),
			       .name = name_of(s, f->cr),
			       .failure = STR("CR could not be compared"),
			       .failure_type = "Error",
			       .contents = f->message };

	add_case(s, &c);
}

static void add_unread(struct suite *s, const struct report_unread *u)
{
	struct test_case c = { .class_name = STR("Reading Cluster CRs"),
			       .name = u->source,
			       .failure = STR("Input could not be read"),
			       .failure_type = "Error",
			       .contents = u->message };

	add_case(s, &c);
}

static void diff_cases(const struct report *r, struct suite *s)
{
	for (size_t i = 0; i < r->n_diffs; i++)
		add_difference(s, &r->diffs[i]);
	for (size_t i = 0; i < r->n_failures; i++)
		add_failed(s, &r->failures[i]);
	for (size_t i = 0; i < r->n_unread; i++)
		add_unread(s, &r->unread[i]);
}

/* An issue, with the class name by which issues are sorted. */
struct issue {
	str class_name;
	const struct component_verdict *verdict;
};

static int by_class(const void *a, const void *b)
{
	return str_cmp(((const struct issue *)a)->class_name, ((const struct issue *)b)->class_name);
}

static str issue_text(struct suite *s, const struct component_verdict *v)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(s->cases.max);

	buf_printf(&text, "%s: ", component_problem_text(v->problem));
	for (size_t i = 0; i < v->n_templates; i++) {
		buf_add_cstr(&text, i ? "," : "");
		buf_add_str(&text, v->templates[i]->path);
	}
	return made(s, text.error ? (str){ 0 } : arena_str(s->arena, buf_str(&text)));
}

static void add_issue(struct suite *s, const struct issue *i)
{
	bool unknown = i->verdict->problem == COMPONENT_UNKNOWN;
	struct test_case c = { .class_name = i->class_name,
			       .name = unknown ? STR("Component could not be judged")
					       : STR("Reference validation failure"),
			       .failure = issue_text(s, i->verdict),
			       .failure_type = unknown ? "Error" : "Validation Issue" };

	add_case(s, &c);
}

static int add_by_class(const struct component_verdict *list, size_t n_list, struct suite *s, struct err *err)
{
	CLEANUP(freep) const struct component_verdict **verdicts = calloc(n_list + 1, sizeof(*verdicts));
	CLEANUP(freep) struct issue *issues = calloc(n_list + 1, sizeof(*issues));
	size_t n;

	if (!verdicts || !issues)
		return err_nomem(err);
	n = report_sort_issues(list, n_list, verdicts);
	for (size_t i = 0; i < n; i++) {
		const struct component_verdict *v = verdicts[i];

		issues[i].verdict = v;
		issues[i].class_name = made(s, arena_printf(s->arena, "Part:%.*s Component: %.*s",
							    STR_ARG(v->part->name), STR_ARG(v->component->name)));
	}
	if (n)
		qsort(issues, n, sizeof(*issues), by_class);
	for (size_t i = 0; i < n; i++)
		add_issue(s, &issues[i]);
	return 0;
}

static void add_accepted(struct suite *s, const struct report_accepted *a)
{
	CLEANUP(buf_done) struct buf why = BUF_INIT(s->cases.max);
	struct test_case c = { .name = STR("Reference validation failure") };

	buf_add_cstr(&why, "Accepted: ");
	report_why_accepted(a, &why);
	c.skipped = made(s, why.error ? (str){ 0 } : arena_str(s->arena, buf_str(&why)));
	c.class_name =
		made(s, arena_printf(s->arena, "Part:%.*s Component: %.*s", STR_ARG(a->part), STR_ARG(a->component)));
	add_case(s, &c);
}

static int issue_cases(const struct report *r, struct suite *s, struct err *err)
{
	struct test_case fine = { .name = STR(
					  "No reference validation issues: All expected CRs exist in the cluster") };
	int rc = add_by_class(r->issues, r->n_issues, s, err);

	if (rc == 0)
		rc = add_by_class(r->unknown, r->n_unknown, s, err);
	if (!r->n_issues && !r->n_unknown)
		add_case(s, &fine);
	for (size_t i = 0; i < r->n_accepted; i++) {
		if (!r->accepted[i].cr.n)
			add_accepted(s, &r->accepted[i]);
	}
	return rc;
}

static void unmatched_cases(const struct report *r, struct suite *s)
{
	struct test_case fine = { .name = STR("All Cluster CRs are matched to reference CRs ") };

	for (size_t i = 0; i < r->n_unmatched; i++) {
		struct test_case c = { .name = r->unmatched[i], .failure_type = "Unmatched CR" };

		c.failure = made(
			s, arena_printf(s->arena, "Cluster resource '%.*s' is unmatched.", STR_ARG(r->unmatched[i])));
		add_case(s, &c);
	}
	if (r->n_unmatched == 0)
		add_case(s, &fine);
}

static void inspection_cases(const struct report *r, struct suite *s)
{
	struct test_case fine = { .name = STR("No inspection failed") };

	for (size_t i = 0; i < r->n_failed_inspections; i++) {
		const struct report_failed_inspection *f = &r->failed_inspections[i];
		struct test_case c = { .name = name_of(s, f->cr), .failure_type = "Inspection failure" };

		c.class_name = made(s, arena_printf(s->arena, "Inspection rule: %.*s", STR_ARG(f->rule)));
		c.failure = f->message.n ? f->message : STR("(no message)");
		add_case(s, &c);
	}
	if (!r->n_failed_inspections)
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

/* Append RFC 3339 in the local time zone. */
static void format_time(int64_t now, struct buf *out)
{
	time_t t = (time_t)now;
	struct tm tm;

	go_rfc3339_format(now, 0, localtime_r(&t, &tm) ? (int32_t)tm.tm_gmtoff : 0, out);
}

int report_junit(const struct report *r, int64_t now, struct buf *out, struct err *err)
{
	CLEANUP(arena_done) struct arena arena = ARENA_INIT(out->max);
	CLEANUP(buf_done) struct buf timestamp = BUF_INIT(64);
	struct suite suites[] = {
		{ .name = "Detected Differences Between Cluster CRs and Expected CRs" },
		{ .name = "Reference validation" },
		{ .name = "Unmatched Cluster Resources" },
		{ .name = "Inspection of Cluster Resources" },
	};
	const size_t n_suites = ARRAY_LEN(suites) - !r->inspects;
	size_t tests = 0, failures = 0, skipped = 0;
	int rc;

	for (size_t i = 0; i < n_suites; i++) {
		suites[i].arena = &arena;
		suites[i].cases = BUF_INIT(out->max);
	}
	format_time(now, &timestamp);
	diff_cases(r, &suites[0]);
	rc = issue_cases(r, &suites[1], err);
	unmatched_cases(r, &suites[2]);
	if (r->inspects)
		inspection_cases(r, &suites[3]);
	for (size_t i = 0; i < n_suites; i++) {
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
	for (size_t i = 0; i < n_suites; i++) {
		add_suite(r, &suites[i], buf_str(&timestamp).p, out);
		if (rc == 0)
			rc = buf_error(&suites[i].cases, "report", err);
		buf_done(&suites[i].cases);
	}
	buf_add_cstr(out, "\n</testsuites>\n");
	return rc < 0 ? rc : buf_error(out, "report", err);
}
