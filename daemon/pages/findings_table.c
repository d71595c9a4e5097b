/* Writes rows, filters and page numbers of the table of findings. */

#include "daemon/pages/pages_internal.h"

#include "kubeclient/kc_url.h"

#define PATHS_SHOWN 3
#define ADDRESS_MAX 32768 /* bytes, as page_query.c has it */
#define RULE_SHOWN 160    /* bytes */
#define CAPTION_MAX 4096  /* bytes */

/* The page to show: the last one, when there are fewer pages. */
static size_t page_of(const struct findings_page *p, size_t page)
{
	size_t last = p->count ? (p->count + PAGE_ROWS - 1) / PAGE_ROWS : 1;

	return page < last ? page : last;
}

static void keep_address(struct findings_page *p)
{
	struct page_query one_by_one = { .page = 1, .still = p->query.still, .filter = p->query.filter };

	one_by_one.filter.grouped = false;
	one_by_one.filter.cause = (str){ NULL, 0 };
	page_query_address(&one_by_one, &p->one_by_one);
}

/* Begin the cursor over the rows of the requested page. */
static int begin_cursor(struct findings_page *p, struct err *err)
{
	p->first = (p->query.page - 1) * PAGE_ROWS;
	return findings_cursor_begin(p->findings, &p->filter, p->first, PAGE_ROWS, &p->cursor, err);
}

static int make_groups(struct findings_page *p, uint64_t until_ns, struct err *err)
{
	int r = findings_groups_make(&p->groups, until_ns, err);

	if (r != 0)
		return r;
	keep_address(p);
	p->count = p->groups.list.n;
	p->query.page = page_of(p, p->query.page);
	p->next = p->first = (p->query.page - 1) * PAGE_ROWS;
	return 0;
}

/* Make the cursor; when there are fewer pages, then that of the last one. */
static int make_cursor(struct findings_page *p, uint64_t until_ns, struct err *err)
{
	int r = findings_cursor_make(p->cursor, until_ns, err);

	if (r != 0)
		return r;
	p->count = findings_cursor_count(p->cursor);
	if (p->count > p->first || p->query.page == 1)
		return 0;
	findings_cursor_free(TAKE(p->cursor));
	p->query.page = page_of(p, p->query.page);
	r = begin_cursor(p, err);
	return r < 0 ? r : 1;
}

int findings_page_init(struct findings_page *p, struct findings *f, const struct finding_filter *filter,
		       const struct page_query *q, struct err *err)
{
	*p = (struct findings_page){
		.findings = f, .filter = *filter, .query = *q, .one_by_one = BUF_INIT(ADDRESS_MAX)
	};
	return filter->grouped ? findings_groups_begin(&p->groups, f, filter, err) : begin_cursor(p, err);
}

int findings_page_make(struct findings_page *p, uint64_t until_ns, struct err *err)
{
	return p->filter.grouped ? make_groups(p, until_ns, err) : make_cursor(p, until_ns, err);
}

void findings_page_done(struct findings_page *p)
{
	findings_cursor_free(p->cursor);
	findings_groups_done(&p->groups);
	buf_done(&p->one_by_one);
}

/* ---- filters ---- */

static void add_active(struct html *h, const char *name, str value)
{
	if (!value.n)
		return;
	html_open_class(h, "span", "mark");
	html_textf(h, "%s ", name);
	page_code(h, value);
	html_close(h, "span");
	html_say(h, " ");
}

/* Add the filters, and the links to other filters. */
static void add_filters(struct html *h, const struct page_query *q)
{
	struct page_query form = { .filter = q->filter, .page = 1, .still = q->still, .filling = true };
	struct page_query all = { .page = 1, .still = q->still };
	struct page_query other = { .filter = q->filter, .page = 1, .still = q->still };
	const struct finding_filter *f = &q->filter;

	html_open_class(h, "p", "filters");
	if (f->worst)
		add_active(h, "at least", str_from(severity_name(f->worst)));
	for (int s = SEVERITY_CRITICAL; s <= SEVERITY_INFO; s++) {
		if (f->severities & 1u << s)
			add_active(h, "severity", str_from(severity_name((enum severity)s)));
	}
	for (int kind = 0; kind < FINDING_KINDS; kind++) {
		if (f->types & 1u << kind)
			add_active(h, "type", str_from(finding_type((enum finding_kind)kind)));
	}
	add_active(h, "cluster", f->cluster);
	add_active(h, "namespace", f->namespace);
	add_active(h, "kind", f->kind);
	add_active(h, "name", f->name);
	add_active(h, "reference", f->reference);
	add_active(h, "component", f->component);
	add_active(h, "action", f->action);
	add_active(h, "field", f->field);
	add_active(h, "written by", f->manager);
	add_active(h, "cause", f->cause);
	other.filter.grouped = !f->grouped;
	other.filter.cause = f->grouped ? f->cause : (str){ NULL, 0 };
	page_query_link(h, &other, f->grouped ? STR("One by one") : STR("By cause"), STR(": open findings"));
	html_say(h, " ");
	page_query_link(h, &form, page_query_is_filtered(q) ? STR("Change the filter") : STR("Filter"),
			STR(" of open findings"));
	if (page_query_is_filtered(q)) {
		html_say(h, " ");
		page_query_link(h, &all, STR("Show all"), STR(" open findings"));
	}
	html_close(h, "p");
	html_newline(h);
}

static void open_field(struct html *h, str name, str label)
{
	html_open(h, "p");
	html_open(h, "label");
	html_attr(h, "for", name);
	html_text(h, label);
	html_close(h, "label");
}

static void add_input(struct html *h, str name, str label, str value)
{
	open_field(h, name, label);
	html_void(h, "input");
	html_attr(h, "id", name);
	html_attr(h, "name", name);
	html_attr(h, "value", value);
	html_attr(h, "autocomplete", STR("off"));
	html_close(h, "p");
}

static void open_choice(struct html *h, str name, str label)
{
	open_field(h, name, label);
	html_open(h, "select");
	html_attr(h, "id", name);
	html_attr(h, "name", name);
	html_open(h, "option");
	html_attr(h, "value", STR(""));
	html_say(h, "any");
	html_close(h, "option");
}

static void add_option(struct html *h, str value, bool chosen)
{
	html_open(h, "option");
	html_attr(h, "value", value);
	if (chosen)
		html_flag(h, "selected");
	html_text(h, value);
	html_close(h, "option");
}

static void close_choice(struct html *h)
{
	html_close(h, "select");
	html_close(h, "p");
}

static void add_hidden(struct html *h, str name, str value)
{
	if (!value.n)
		return;
	html_void(h, "input");
	html_attr(h, "type", STR("hidden"));
	html_attr(h, "name", name);
	html_attr(h, "value", value);
}

static void add_choices(struct html *h, const struct metrics_view *view, const struct finding_filter *f)
{
	open_choice(h, STR("cluster"), STR("Cluster"));
	for (size_t i = 0; i < view->cfg->n_clusters; i++)
		add_option(h, view->cfg->clusters[i].name, str_eq(f->cluster, view->cfg->clusters[i].name));
	close_choice(h);
	open_choice(h, STR("reference"), STR("Reference"));
	for (size_t i = 0; i < view->cfg->n_references; i++)
		add_option(h, view->cfg->references[i].name, str_eq(f->reference, view->cfg->references[i].name));
	close_choice(h);
	open_choice(h, STR("severity"), STR("At least as bad as"));
	for (int s = SEVERITY_CRITICAL; s <= SEVERITY_INFO; s++)
		add_option(h, str_from(severity_name((enum severity)s)), f->worst == (enum severity)s);
	close_choice(h);
	open_choice(h, STR("type"), STR("Type"));
	for (int kind = 0; kind < FINDING_KINDS; kind++)
		add_option(h, str_from(finding_type((enum finding_kind)kind)), f->types & 1u << kind);
	close_choice(h);
}

static void add_form(struct html *h, const struct metrics_view *view, const struct page_query *q)
{
	const struct finding_filter *f = &q->filter;

	html_open(h, "form");
	html_attr(h, "method", STR("get"));
	html_attr(h, "action", STR("/"));
	html_attr(h, "aria-label", STR("Filter"));
	add_choices(h, view, f);
	add_input(h, STR("namespace"), STR("Namespace"), f->namespace);
	add_input(h, STR("kind"), STR("Kind"), f->kind);
	add_input(h, STR("name"), STR("Name"), f->name);
	add_input(h, STR("field"), STR("Field"), f->field);
	add_input(h, STR("manager"), STR("Written by"), f->manager);
	for (int s = SEVERITY_CRITICAL; s <= SEVERITY_INFO; s++)
		add_hidden(h, STR("severity_is"),
			   str_from(f->severities & 1u << s ? severity_name((enum severity)s) : ""));
	add_hidden(h, STR("component"), f->component);
	add_hidden(h, STR("action"), f->action);
	add_hidden(h, STR("cause"), f->cause);
	add_hidden(h, STR("group"), f->grouped ? STR("cause") : STR(""));
	add_hidden(h, STR("sort"), f->order ? str_from(findings_order_name(f->order)) : STR(""));
	add_hidden(h, STR("refresh"), q->still ? STR("0") : STR(""));
	html_open(h, "p");
	html_element(h, "button", STR("Show"));
	html_say(h, " ");
	page_query_link(h, &(struct page_query){ .page = 1, .still = q->still }, STR("Show all"),
			STR(" open findings"));
	html_close(h, "p");
	html_close(h, "form");
	html_newline(h);
}

/* ---- rows ---- */

static void add_paths(struct html *h, str paths)
{
	str rest = paths, path;
	size_t n = 0;

	while (rest.n && str_next_part(&rest, '\n', &path)) {
		if (n++ >= PATHS_SHOWN)
			continue;
		if (n > 1)
			html_void(h, "br");
		page_code(h, path);
	}
	if (n > PATHS_SHOWN) {
		html_void(h, "br");
		html_textf(h, "and %zu more", n - PATHS_SHOWN);
	}
}

static void add_rule(struct html *h, const struct finding_subject *s)
{
	if (!s->rule.n)
		return;
	html_say(h, " ");
	html_with(h, "code", html_cut(h, s->rule, RULE_SHOWN));
}

/* Add the summary of a finding or, where that may contain a value that must not be shown, the field or the rule. */
static void add_what(struct html *h, const struct finding *x, bool trusted)
{
	const struct finding_subject *s = &x->subject;
	str summary = finding_listed_summary(x, trusted);

	if (summary.n) {
		html_cut(h, summary, FINDING_SUMMARY_MAX);
		return;
	}

	switch (x->kind) {
	case FINDING_DRIFT:
		add_paths(h, x->paths);
		break;
	case FINDING_ACCEPTED:
		html_say(h, "accepted ");
		add_paths(h, x->paths);
		break;
	case FINDING_VALIDATION:
		html_say(h, "not valid ");
		if (!str_eq(s->rule_path, STR(".")))
			page_code(h, s->rule_path);
		add_rule(h, s);
		break;
	case FINDING_INSPECTION:
		html_say(h, "inspection failed ");
		add_rule(h, s);
		break;
	case FINDING_COMPONENT:
		html_say(h, "not as the reference has it");
		break;
	case FINDING_ERROR:
		html_say(h, "cannot be judged");
		add_rule(h, s);
		break;
	default:
		html_say(h, "cannot be watched");
	}
}

/* Add the object. @clustered: the cluster has to be named, because nothing else on the page does. */
static void add_object(struct html *h, const struct finding *x, bool clustered)
{
	CLEANUP(buf_done) struct buf address = BUF_INIT(64);

	buf_printf(&address, "/findings/%s", x->id);
	html_open(h, "a");
	html_attr(h, "href", buf_str(&address));
	page_object(h, x);
	html_close(h, "a");
	html_open_class(h, "span", "sub");
	html_text(h, str_from(finding_type(x->kind)));
	if (clustered) {
		html_say(h, " in ");
		html_cut(h, x->subject.cluster, PAGE_TEXT_MAX);
	}
	page_marks(h, x, uv_hrtime());
	html_close(h, "span");
}

static void add_manager(struct html *h, const struct finding *x)
{
	if (x->manager.n)
		html_cut(h, x->manager, PAGE_TEXT_MAX);
	else
		html_element_class(h, "span", "quiet", STR("unknown"));
}

enum { SEVERITY, OBJECT, CLUSTER, WHAT, WRITER, SINCE, COLUMNS };

static const struct {
	str heading;
	enum findings_order order;
	const char *sorted; /* the value of aria-sort for the column in whose order the rows are */
} columns[] = { [SEVERITY] = { { "Severity", 8 }, ORDER_SEVERITY, "descending" },
		[OBJECT] = { { "Object", 6 }, ORDER_NAME, "ascending" },
		[CLUSTER] = { { "Cluster", 7 }, ORDER_CLUSTER, "ascending" },
		[WHAT] = { { "What is wrong", 13 }, ORDER_FIELD, "ascending" },
		[WRITER] = { { "Written by", 10 }, ORDER_MANAGER, "ascending" },
		[SINCE] = { { "Since", 5 }, ORDER_SINCE, "ascending" } };

static void add_row(struct html *h, const struct finding *x, const struct findings_page *p)
{
	page_row_open(h);
	page_cell(h, columns[SEVERITY].heading, page_severity(h, x->severity));
	page_row_heading(h, add_object(h, x, false));
	if (p->clustered)
		page_cell(h, columns[CLUSTER].heading, html_cut(h, x->subject.cluster, PAGE_TEXT_MAX));
	page_cell(h, columns[WHAT].heading, add_what(h, x, p->trusted));
	page_cell(h, columns[WRITER].heading, add_manager(h, x));
	page_cell(h, columns[SINCE].heading, page_time(h, x->first_seen_usec, p->now_usec));
	page_row_close(h);
}

/* ORDER add_group */
static const str group_headings[] = { { "Severity", 8 },  { "How many", 8 },    { "What is wrong", 13 },
				      { "The first", 9 }, { "Written by", 10 }, { "Since", 5 } };

/* Add the number of findings, with a link to all of them that pass the filter. */
static void add_group_count(struct html *h, const struct findings_group *g, const struct findings_page *p)
{
	CLEANUP(buf_done) struct buf address = BUF_INIT(ADDRESS_MAX);

	buf_add_str(&address, buf_str(&p->one_by_one));
	kc_url_query(&address, "cause", str_from(g->cause));
	html_open(h, "a");
	html_attr(h, "href", buf_str(&address));
	page_count(h, g->count);
	page_hidden(h, g->count == 1 ? STR(" finding of this cause") : STR(" findings of this cause"));
	html_close(h, "a");
}

static void add_group(struct html *h, const struct findings_group *g, const struct finding *x,
		      const struct findings_page *p)
{
	page_row_open(h);
	page_cell(h, group_headings[0], page_severity(h, g->severity));
	page_cell(h, group_headings[1], add_group_count(h, g, p));
	page_row_heading(h, add_what(h, x, p->trusted));
	page_cell(h, group_headings[3], add_object(h, x, p->clustered));
	page_cell(h, group_headings[4], add_manager(h, x));
	page_cell(h, group_headings[5], page_time(h, g->since_usec, p->now_usec));
	page_row_close(h);
}

static bool add_next_group(struct html *h, struct findings_page *p)
{
	const struct finding *first;
	const struct findings_group *g =
		findings_groups_next(&p->groups, p->findings, &p->next, p->first + PAGE_ROWS, &first);

	if (g)
		add_group(h, g, first, p);
	return g;
}

bool findings_page_row(struct html *h, struct findings_page *p)
{
	const struct finding *x;

	if (!p->cursor)
		return add_next_group(h, p);
	x = findings_cursor_next(p->cursor);
	if (!x)
		return false;
	add_row(h, x, p);
	return true;
}

/* ---- around them ---- */

static size_t end_of(const struct findings_page *p)
{
	return p->count - p->first < PAGE_ROWS ? p->count : p->first + PAGE_ROWS;
}

static void add_range(struct html *h, const struct findings_page *p)
{
	if (p->count <= PAGE_ROWS) {
		page_count(h, p->count);
	} else {
		page_count(h, p->first + 1);
		html_say(h, " to ");
		page_count(h, end_of(p));
		html_say(h, " of ");
		page_count(h, p->count);
	}
}

static struct page_column column_of(size_t i, const struct page_query *q, struct buf *address)
{
	struct page_query other = *q;
	bool sorted = columns[i].order == q->filter.order;

	other.filter.order = columns[i].order;
	other.page = 1;
	if (!sorted)
		page_query_address(&other, address);
	return (struct page_column){ columns[i].heading, buf_str(address), sorted ? columns[i].sorted : NULL };
}

/* Open the columns. Each heading is a link to the rows in its order. */
static void open_columns(struct html *h, const struct html *caption, const struct findings_page *p)
{
	struct buf addresses[COLUMNS];
	struct page_column linked[COLUMNS];
	size_t n = 0;

	for (size_t i = 0; i < COLUMNS; i++) {
		addresses[i] = BUF_INIT(ADDRESS_MAX);
		if (i != CLUSTER || p->clustered)
			linked[n++] = column_of(i, &p->query, &addresses[i]);
	}
	page_table_open_columns(h, caption, linked, n);
	for (size_t i = 0; i < COLUMNS; i++)
		buf_done(&addresses[i]);
}

static void add_table(struct html *h, const struct findings_page *p)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(CAPTION_MAX);
	struct html caption = HTML_INIT(&text);
	enum findings_order order = p->query.filter.order;

	html_text(&caption, p->cursor ? STR("Open findings: ") : STR("Causes of open findings: "));
	add_range(&caption, p);
	if (p->cursor && order != ORDER_SEVERITY && order != ORDER_SINCE)
		html_textf(&caption, ", by %s", findings_order_name(order));
	else
		html_text(&caption, order == ORDER_SINCE && p->cursor ? STR(", the oldest first")
								      : STR(", the worst and then the oldest first"));
	if (p->cursor)
		open_columns(h, &caption, p);
	else
		page_table_open(h, &caption, group_headings, ARRAY_LEN(group_headings));
}

/* Why the table is empty: where nothing is watched, an empty table proves nothing. */
static str why_empty(const struct metrics_view *view, const struct page_query *q)
{
	if (cfg_nothing(view->cfg))
		return STR("Nothing is watched, so nothing is found.");
	return page_query_is_filtered(q) ? STR("Nothing that is open passes the filter.") : STR("Nothing is open.");
}

void findings_page_begin(struct html *h, const struct findings_page *p, const struct metrics_view *view)
{
	const struct page_query *q = &p->query;

	html_open(h, "section");
	html_attr(h, "aria-labelledby", STR("findings"));
	html_open_class(h, "div", "head");
	page_heading(h, STR("findings"), STR("Open findings"));
	if (!q->filling)
		add_filters(h, q);
	html_close(h, "div");
	if (q->filling)
		add_form(h, view, q);
	if (p->count)
		add_table(h, p);
	else
		html_element_class(h, "p", "quiet", why_empty(view, q));
}

static void add_page_link(struct html *h, const struct page_query *q, size_t page, str text)
{
	struct page_query other = *q;

	other.page = page;
	html_with(h, "li", page_query_link(h, &other, text, STR(" page")));
}

void findings_page_after(struct html *after, const struct findings_page *p)
{
	const struct page_query *q = &p->query;
	size_t pages = (p->count + PAGE_ROWS - 1) / PAGE_ROWS;

	if (pages <= 1)
		return;
	html_open(after, "nav");
	html_attr(after, "aria-label", STR("Pages of findings"));
	html_open_class(after, "ul", "pages");
	if (q->page > 1) {
		add_page_link(after, q, 1, STR("First"));
		add_page_link(after, q, q->page - 1, STR("Previous"));
	}
	html_elementf(after, "li", "Page %zu of %zu", q->page, pages);
	if (q->page < pages) {
		add_page_link(after, q, q->page + 1, STR("Next"));
		add_page_link(after, q, pages, STR("Last"));
	}
	html_close(after, "ul");
	html_close(after, "nav");
}
