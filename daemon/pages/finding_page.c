/* The page of one finding: what it is about, what differs, what was reported of it. */
#include "daemon/findings/clock.h"
#include "daemon/findings/runbook.h"
#include "daemon/pages/pages.h"
#include "daemon/pages/pages_internal.h"
#include "daemon/view/finding_detail.h"

#include "go/layout.h"
#include "kubeclient/kc_url.h"

#define TITLE_MAX 4096 /* bytes */
#define ID_SHOWN 8     /* digits */

/* ---- facts ---- */

static void add_fact(struct html *h, str name, str value)
{
	if (value.n)
		html_term(h, name, page_lines(h, value));
}

static void add_code_fact(struct html *h, str name, str value)
{
	if (value.n)
		html_term(h, name, html_with(h, "code", page_lines(h, value)));
}

/* RFC 3339 as the server wrote it; {NULL, 0} of another text is no time. */
static void add_written(struct html *h, str time, int64_t now_usec)
{
	struct go_stamp stamp;

	html_say(h, ", ");
	if (go_rfc3339_parse(time, &stamp, NULL))
		page_time(h, (stamp.sec - stamp.offset) * 1000000, now_usec);
	else
		html_text(h, time);
}

static void add_writer(struct html *h, const struct finding *x, const struct blame *by, int64_t now_usec)
{
	html_open_term(h, STR("Written by"));
	html_text(h, by->manager.n ? by->manager : x->manager.n ? x->manager : STR("unknown"));
	if (by->operation.n) {
		html_say(h, " (");
		html_text(h, by->operation);
		html_text(h, by->subresource.n ? STR(", ") : STR(""));
		html_text(h, by->subresource);
		html_say(h, ")");
	}
	if (by->time.n)
		add_written(h, by->time, now_usec);
	html_close_term(h);
}

/* With a link to all that is open of it. */
static void add_linked_fact(struct html *h, str name, str value, const struct page_query *of)
{
	if (!value.n)
		return;
	html_open_term(h, name);
	page_query_link_open(h, of);
	html_cut(h, value, PAGE_TEXT_MAX);
	html_close(h, "a");
	html_close_term(h);
}

static void add_object_facts(struct html *h, const struct finding_subject *s)
{
	add_linked_fact(h, STR("Cluster"), s->cluster, &(struct page_query){ .page = 1, .filter.cluster = s->cluster });
	add_code_fact(h, STR("API version"), s->api_version);
	add_code_fact(h, STR("Kind"), s->kind);
	add_code_fact(h, STR("Resource"), s->resource);
	add_code_fact(h, STR("Namespace"), s->namespace);
	add_code_fact(h, STR("Name"), s->name);
	add_code_fact(h, STR("UID"), s->uid);
}

static void add_reference_facts(struct html *h, const struct finding_subject *s, const struct finding_detail *d)
{
	add_linked_fact(h, STR("Reference"), s->reference,
			&(struct page_query){ .page = 1, .filter.reference = s->reference });
	add_fact(h, STR("Part"), s->part);
	add_fact(h, STR("Component"), s->component);
	add_code_fact(h, STR("Template"), s->template_path);
	add_code_fact(h, STR("Rule"), s->rule);
	add_code_fact(h, STR("Rule at"), s->rule_path);
	add_fact(h, STR("Rule from"), s->rule_source);
	add_fact(h, STR("Reason"), s->reason);
	add_code_fact(h, STR("Acceptance"), s->acceptance);
	add_fact(h, STR("Accepted by"), s->owner);
	add_fact(h, STR("Accepted until"), s->until);
	for (size_t i = 0; i < d->n_rule_events; i++)
		add_fact(h, STR("Event rule"), d->rule_events[i]);
	add_fact(h, STR("The rule says"), d->rule_message);
	add_code_fact(h, STR("Value before"), d->old);
}

static void add_runbook(struct html *h, const struct finding *x)
{
	CLEANUP(buf_done) struct buf address = BUF_INIT(256);
	const char *section = runbook_section(x);

	if (!section)
		return;
	runbook_address(section, &address);
	html_open_term(h, STR("What to do"));
	html_open(h, "a");
	html_attr(h, "href", buf_str(&address));
	html_textf(h, "%s in the runbook", section);
	html_close(h, "a");
	html_close_term(h);
}

static void add_facts(struct html *h, const struct finding *x, const struct finding_detail *d, int64_t now_usec)
{
	html_open_class(h, "dl", "facts");
	html_open_term(h, STR("Severity"));
	page_severity(h, x->severity);
	page_marks(h, x, uv_hrtime());
	html_close_term(h);
	add_fact(h, STR("Type"), str_from(finding_type(x->kind)));
	html_term(h, STR("Since"), page_time(h, x->first_seen_usec, now_usec));
	add_writer(h, x, &d->blame, now_usec);
	add_object_facts(h, &x->subject);
	add_reference_facts(h, &x->subject, d);
	add_code_fact(h, STR("Drift id"), str_from(x->id));
	add_runbook(h, x);
	html_close(h, "dl");
	html_newline(h);
}

/* ---- what differs ---- */

static void open_captioned(struct html *h, str caption, const str *headings, size_t n)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(TITLE_MAX);
	struct html c = HTML_INIT(&text);

	html_text(&c, caption);
	page_table_open(h, &c, headings, n);
}

static void add_field(struct html *h, str path, const struct finding_path *values)
{
	page_row_open(h);
	page_row_heading(h, html_element(h, "code", path));
	if (values) {
		page_cell(h, STR("Expected"), html_with(h, "code", page_lines(h, values->expected)));
		page_cell(h, STR("Found"), html_with(h, "code", page_lines(h, values->actual)));
	}
	page_row_close(h);
}

static void add_fields(struct html *h, const struct finding *x, const struct finding_detail *d)
{
	static const str headings[] = { { "Field", 5 }, { "Expected", 8 }, { "Found", 5 } };
	bool valued = d->trusted && d->n_paths;
	size_t n = 0;
	str rest = x->paths, path;

	if (!rest.n && !valued)
		return;
	page_section_open(h, STR("fields"), STR("Fields"));
	open_captioned(h, valued ? STR("Fields that differ, as expected and as found") : STR("Fields that differ"),
		       headings, valued ? 3 : 1);
	for (; valued && n < d->n_paths; n++)
		add_field(h, d->paths[n].path, &d->paths[n]);
	for (; !valued && rest.n && str_next_part(&rest, '\n', &path); n++)
		add_field(h, path, NULL);
	page_table_close(h);
	if (d->n_paths_total > n)
		html_elementf(h, "p", "and %zu more", d->n_paths_total - n);
	page_section_close(h);
}

static str class_of_line(str line)
{
	if (str_has_prefix(line, STR("+++")) || str_has_prefix(line, STR("---")) || str_has_prefix(line, STR("@@")))
		return STR("where");
	if (str_has_prefix(line, STR("+")))
		return STR("added");
	return str_has_prefix(line, STR("-")) ? STR("removed") : STR("");
}

static void add_diff(struct html *h, str diff)
{
	str rest = diff, line;

	if (!diff.n)
		return;
	page_section_open(h, STR("diff"), STR("Diff"));
	html_element_class(h, "p", "quiet", STR("Lines with - are as expected, lines with + as found."));
	html_open_class(h, "pre", "diff");
	html_attr(h, "tabindex", STR("0"));
	html_attr(h, "aria-labelledby", STR("diff"));
	html_attr(h, "role", STR("region"));
	while (rest.n && str_next_part(&rest, '\n', &line)) {
		html_open(h, "span");
		html_attr(h, "class", class_of_line(line));
		html_text(h, line);
		html_close(h, "span");
		html_newline(h);
	}
	html_close(h, "pre");
	page_section_close(h);
}

/* ---- what was reported ---- */

static void add_reported(struct html *h, const struct finding_history_line *t, bool trusted, int64_t now_usec)
{
	enum severity s;

	page_row_open(h);
	page_row_heading(h, page_time(h, t->usec, now_usec));
	page_cell(h, STR("Event"), html_text(h, t->event));
	page_cell_open(h, STR("Severity"));
	if (severity_parse(t->severity, &s))
		page_severity(h, s);
	else
		html_text(h, t->severity);
	page_cell_close(h);
	if (trusted)
		page_cell(h, STR("Message"), page_lines(h, t->message));
	page_row_close(h);
}

static void add_history(struct html *h, const struct finding_detail *d, int64_t now_usec)
{
	static const str headings[] = { { "Time", 4 }, { "Event", 5 }, { "Severity", 8 }, { "Message", 7 } };

	if (!d->n_history)
		return;
	page_section_open(h, STR("history"), STR("History"));
	open_captioned(h, STR("Records, the latest first"), headings, d->trusted ? 4 : 3);
	for (size_t i = 0; i < d->n_history; i++)
		add_reported(h, &d->history[i], d->trusted, now_usec);
	page_table_close(h);
	page_section_close(h);
}

/* ---- what to do next ---- */

/* True when a shell sees no special character in @s, so that a copied command runs no text of a cluster. */
static bool is_plain(str s)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_:";

	for (size_t i = 0; i < s.n; i++) {
		if (!memchr(plain, s.p[i], sizeof(plain) - 1))
			return false;
	}
	return s.n > 0 && s.p[0] != '-';
}

/* All that was reported of the object, by whichever finding. */
static void add_story(struct html *h, const struct finding_subject *s)
{
	CLEANUP(buf_done) struct buf address = BUF_INIT(TITLE_MAX);

	if (!s->kind.n || !s->name.n)
		return;
	buf_add_cstr(&address, "/history?range=quarter&story=true");
	kc_url_query(&address, "cluster", s->cluster);
	kc_url_query(&address, "kind", s->kind);
	kc_url_query(&address, "namespace", s->namespace);
	kc_url_query(&address, "name", s->name);
	if (!address.error)
		html_with(h, "p", page_link(h, buf_str(&address), STR("The whole story of this object")));
}

static void add_kubectl(struct html *h, const struct finding_subject *s)
{
	if (!is_plain(s->resource) || !is_plain(s->name) || (s->namespace.n && !is_plain(s->namespace)))
		return;
	html_textf(h, "kubectl get %.*s %.*s", STR_ARG(s->resource), STR_ARG(s->name));
	if (s->namespace.n)
		html_textf(h, " -n %.*s", STR_ARG(s->namespace));
	html_say(h, " -o yaml --show-managed-fields");
	html_newline(h);
}

static bool may_be_accepted(const struct finding *x)
{
	return x->kind == FINDING_DRIFT || x->kind == FINDING_COMPONENT || x->kind == FINDING_VALIDATION;
}

/* To be copied; the beginning of an id is enough. */
static void add_commands(struct html *h, const struct finding *x)
{
	page_section_open(h, STR("commands"), STR("Commands"));
	html_open_class(h, "pre", "lines");
	html_textf(h, "driftd drift show %.*s", ID_SHOWN, x->id);
	html_newline(h);
	if (x->subject.name.n) {
		html_textf(h, "driftd explain %.*s", ID_SHOWN, x->id);
		html_newline(h);
	}
	if (may_be_accepted(x)) {
		html_textf(h, "driftd accept %.*s --for 30d --owner NAME --reason TEXT", ID_SHOWN, x->id);
		html_newline(h);
	}
	add_kubectl(h, &x->subject);
	html_close(h, "pre");
	page_section_close(h);
}

/* ---- the page ---- */

static void add_message(struct html *h, const struct finding_detail *d)
{
	if (d->message.n)
		html_with_class(h, "p", "lead", page_lines(h, d->message));
	if (d->missing[0])
		html_element_class(h, "p", "note", str_from(d->missing));
	if (!d->trusted)
		html_element_class(h, "p", "note",
				   STR("Values, diff and messages are not shown here: every user of this machine could "
				       "read them. The control socket (driftd drift show) has them, and so have "
				       "addresses whose web configuration knows its users."));
}

static void finding_page(const struct metrics_view *view, const struct finding *x, const struct finding_detail *d,
			 struct buf *out)
{
	CLEANUP(buf_done) struct buf title = BUF_INIT(TITLE_MAX), json = BUF_INIT(64);
	struct html h = HTML_INIT(out);
	int64_t now = clock_usec();

	page_object_text(x, &title);
	buf_printf(&json, "/api/v1/findings/%s", x->id);
	page_begin(&h, &(struct page_frame){ .title = buf_str(&title),
					     .metrics_path = view->metrics_path,
					     .json = buf_str(&json).p });
	html_with_class(&h, "p", "back", page_link(&h, STR("/"), STR("All that is open")));
	html_with(&h, "h1", page_object(&h, x));
	add_message(&h, d);
	add_facts(&h, x, d, now);
	add_fields(&h, x, d);
	add_diff(&h, d->diff);
	add_commands(&h, x);
	add_history(&h, d, now);
	add_story(&h, &x->subject);
	page_end(&h, NULL);
}

void pages_finding(const struct metrics_view *view, const struct http_request *q, struct http_response *r)
{
	struct finding_answer a;

	if (!finding_answer_get(view->findings, view->store_client, q, &a))
		return;
	if (a.status != 200) {
		page_fail(r, view->metrics_path, a.status, a.why);
	} else {
		page_response(r);
		finding_page(view, a.x, &a.detail, &r->body);
	}
	finding_answer_done(&a);
}
