/* The page at "/history": how many findings were open over time, and what began and ended; or the story of one
 * object. */
#include "base/assert.h"
#include "daemon/findings/clock.h"
#include "daemon/findings/finding_record.h"
#include "daemon/pages/pages.h"
#include "daemon/pages/pages_internal.h"

#include "kubeclient/kc_url.h"

#include <inttypes.h>

#define PART_BYTES ((size_t)32 << 10) /* bytes of a part of the stream, about */
#define ROWS 100                      /* rows of one page */
#define ADDRESS_MAX 32768
#define TITLE_MAX 4096
#define SPANS_SHOWN 20 /* spans of a cluster that are listed as text */

/* The number of buckets, which take a quarter of an hour, an hour and six hours. ORDER enum history_range */
static const size_t buckets_of[RANGES] = { 96, 168, 364 };
static const char *const range_words[RANGES] = { "the last day", "the last week", "the last quarter" };

/* The state of a page while it is sent. */
struct history_page {
	struct html html; /* with <main> open */
	size_t main_depth;
	struct history_answer *answer;
	size_t cluster, item; /* the next ones to be written */
	bool table_open, trusted, story, clustered;
	int64_t now_usec;
	struct buf older; /* the address of the rows behind the last one; empty: there are none */
	struct buf note;
};

static const str headings[] = { { "Began", 5 },  { "Ended", 5 }, { "Lasted", 6 }, { "Severity", 8 },
				{ "Object", 6 }, { "By", 2 },    { "Message", 7 } };
static const str story_headings[] = { { "Time", 4 },   { "Event", 5 }, { "Lasted", 6 }, { "Severity", 8 },
				      { "Object", 6 }, { "By", 2 },    { "Message", 7 } };

/* ---- the ranges ---- */

static void range_address(const struct history_request *r, enum history_range range, struct buf *out)
{
	struct history_request other = *r;

	other.ranged = true;
	other.range = range;
	buf_add_cstr(out, "/history");
	history_request_address(&other, out);
}

static void add_ranges(struct html *h, const struct history_request *r)
{
	static const char *const words[RANGES] = { "Day", "Week", "Quarter" };

	html_open_class(h, "nav", "ranges");
	html_attr(h, "aria-label", STR("How far back"));
	html_open(h, "ul");
	for (int i = 0; i < RANGES; i++) {
		CLEANUP(buf_done) struct buf address = BUF_INIT(ADDRESS_MAX);

		range_address(r, (enum history_range)i, &address);
		html_open(h, "li");
		html_open(h, "a");
		html_attr(h, "href", buf_str(&address));
		if (r->ranged && r->range == (enum history_range)i)
			html_attr(h, "aria-current", STR("true"));
		html_text(h, str_from(words[i]));
		html_close(h, "a");
		html_close(h, "li");
	}
	html_close(h, "ul");
	html_close(h, "nav");
}

/* ---- above the pictures ---- */

static void add_sums(struct html *h, const struct history_page *p)
{
	const struct timeline *t = &p->answer->timeline;
	uint64_t began = 0, ended = 0;
	size_t blind = 0;

	for (size_t i = 0; i < t->n_clusters; i++) {
		began += t->clusters[i].began;
		ended += t->clusters[i].ended;
		blind += t->clusters[i].blind_usec > 0;
	}
	html_open_class(h, "p", "lead");
	html_textf(h, "%" PRIu64 " began, %" PRIu64 " ended. ", began, ended);
	if (blind)
		html_textf(h, "%zu cluster%s not synced all the time: what happened then may be missing. ", blind,
			   blind == 1 ? " was" : "s were");
	html_say(h, "Times are UTC.");
	html_close(h, "p");
	if (p->answer->oldest_usec > t->since_usec) {
		html_open_class(h, "p", "note");
		html_say(h, "Of the time before nothing is kept: the oldest line is of ");
		page_time(h, p->answer->oldest_usec, p->now_usec);
		html_close(h, "p");
	}
	html_newline(h);
}

/* Add a note about filters in the address, which the list of open findings can set. */
static void add_filter_note(struct html *h, const struct history_request *r)
{
	CLEANUP(buf_done) struct buf all = BUF_INIT(ADDRESS_MAX);
	const struct history_request none = { .ranged = true, .range = r->range };

	if (!finding_filter_is_set(&r->question.filter))
		return;
	range_address(&none, r->range, &all);
	html_open_class(h, "p", "filters");
	html_say(h, "Only some of it, as the address says. ");
	page_link(h, buf_str(&all), STR("Show all"));
	html_close(h, "p");
}

static void add_object_title(const struct history_request *r, struct buf *out)
{
	const struct finding_filter *f = &r->question.filter;

	buf_printf(out, "%.*s %.*s%s%.*s", STR_ARG(f->kind), STR_ARG(f->namespace), f->namespace.n ? "/" : "",
		   STR_ARG(f->name));
}

static void add_head(struct html *h, struct history_page *p, const struct metrics_view *view,
		     const struct history_request *r)
{
	CLEANUP(buf_done) struct buf json = BUF_INIT(ADDRESS_MAX), title = BUF_INIT(TITLE_MAX);

	buf_add_cstr(&json, "/api/v1/history");
	history_request_address(r, &json);
	if (p->story)
		add_object_title(r, &title);
	else
		buf_add_cstr(&title, "History");
	buf_add_byte(&json, '\0');
	page_begin(h, &(struct page_frame){ .title = buf_str(&title),
					    .metrics_path = view->metrics_path,
					    .json = json.error ? "/api/v1/history" : json.p });
	p->main_depth = h->depth;
	html_with_class(h, "p", "back", page_link(h, STR("/"), STR("All that is open")));
	html_open(h, "h1");
	html_say(h, "History");
	if (p->story) {
		html_say(h, " of ");
		html_element(h, "code", buf_str(&title));
	} else if (r->ranged) {
		ASSERT(r->range < ARRAY_LEN(range_words));
		html_textf(h, " of %s", range_words[r->range]);
	}
	html_close(h, "h1");
	add_ranges(h, r);
	add_filter_note(h, r);
	add_sums(h, p);
	if (p->answer->timeline.n_clusters)
		timeline_legend(h);
}

/* ---- a cluster ---- */

static void add_spans(struct html *h, const struct timeline_cluster *c)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);

	html_open_class(h, "ul", "text");
	for (size_t i = 0; i < c->n_spans && i < SPANS_SHOWN; i++) {
		const struct timeline_span *x = &c->spans[i];

		html_open(h, "li");
		html_textf(h, "%s from %.*s to %.*s, for %.*s", x->away ? "nobody watched" : "a gap",
			   STR_ARG(time_text(&a, x->from_usec)), STR_ARG(time_text(&a, x->to_usec)),
			   STR_ARG(duration_text(&a, x->to_usec - x->from_usec)));
		html_close(h, "li");
	}
	html_close(h, "ul");
	if (c->n_spans > SPANS_SHOWN)
		html_elementf(h, "p", "and %zu more", c->n_spans - SPANS_SHOWN);
}

static void add_numbers(struct html *h, const struct timeline *t, const struct timeline_cluster *c)
{
	static const str columns[] = { { "Severity", 8 }, { "Most at once", 12 }, { "Open in the end", 15 } };
	CLEANUP(buf_done) struct buf text = BUF_INIT(TITLE_MAX);
	struct html caption = HTML_INIT(&text);

	html_say(&caption, "What the picture shows, as numbers");
	page_table_open(h, &caption, columns, ARRAY_LEN(columns));
	for (int s = SEVERITY_CRITICAL; s <= SEVERITY_INFO; s++) {
		size_t most = 0;

		for (size_t b = 0; c->most[s] && b < t->n_buckets; b++)
			most = c->most[s][b] > most ? c->most[s][b] : most;
		if (!most)
			continue;
		page_row_open(h);
		page_row_heading(h, page_severity(h, (enum severity)s));
		page_cell(h, columns[1], page_count(h, most));
		page_cell(h, columns[2], page_count(h, c->open[s]));
		page_row_close(h);
	}
	page_table_close(h);
}

static void add_cluster(struct html *h, const struct timeline *t, size_t which)
{
	const struct timeline_cluster *c = &t->clusters[which];
	char id[32];

	(void)snprintf(id, sizeof(id), "cluster-%zu", which);
	html_open_class(h, "section", "was");
	html_attr(h, "aria-labelledby", str_from(id));
	page_heading(h, str_from(id), c->name);
	timeline_svg(h, t, which);
	html_open(h, "details");
	html_element(h, "summary", STR("As numbers"));
	add_numbers(h, t, c);
	if (c->n_spans)
		add_spans(h, c);
	html_close(h, "details");
	page_section_close(h);
}

/* ---- rows ---- */

static void story_address(const struct history_item *x, struct buf *out)
{
	buf_add_cstr(out, "/history?range=quarter&story=true");
	kc_url_query(out, "cluster", x->cluster);
	kc_url_query(out, "kind", x->kind);
	kc_url_query(out, "namespace", x->namespace);
	kc_url_query(out, "name", x->name);
}

static void add_object(struct html *h, const struct history_page *p, const struct history_item *x)
{
	CLEANUP(buf_done) struct buf address = BUF_INIT(ADDRESS_MAX);
	bool linked = !p->story && x->kind.n && x->name.n;

	story_address(x, &address);
	if (linked) {
		html_open(h, "a");
		html_attr(h, "href", buf_str(&address));
	}
	html_open_class(h, "span", "kind");
	html_cut(h, x->kind.n ? x->kind : x->resource.n ? x->resource : x->type, PAGE_TEXT_MAX);
	html_close(h, "span");
	html_say(h, " ");
	html_open(h, "code");
	html_cut(h, x->namespace, PAGE_TEXT_MAX);
	html_text(h, x->namespace.n ? STR("/") : STR(""));
	html_cut(h, x->name, PAGE_TEXT_MAX);
	html_close(h, "code");
	if (linked)
		html_close(h, "a");
	html_open_class(h, "span", "sub");
	html_cut(h, x->type, PAGE_TEXT_MAX);
	if (p->clustered) {
		html_text(h, x->type.n ? STR(" in ") : STR(""));
		html_cut(h, x->cluster, PAGE_TEXT_MAX);
	}
	html_close(h, "span");
}

static void add_lasted(struct html *h, const struct history_item *x)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);

	if (x->lasted_usec >= 0)
		html_text(h, duration_text(&a, x->lasted_usec));
	if (!x->reason.n)
		return;
	html_open_class(h, "span", "sub");
	html_cut(h, x->reason, PAGE_TEXT_MAX);
	html_close(h, "span");
}

static void add_when(struct html *h, int64_t usec, int64_t now_usec)
{
	if (usec > 0)
		page_time(h, usec, now_usec);
}

static void add_row(struct html *h, const struct history_page *p, const struct history_item *x)
{
	page_row_open(h);
	page_row_heading(h, add_when(h, p->story ? x->at_usec : x->began_usec, p->now_usec));
	page_cell_open(h, p->story ? story_headings[1] : headings[1]);
	if (p->story)
		html_text(h, x->event);
	else
		add_when(h, x->ended_usec, p->now_usec);
	page_cell_close(h);
	page_cell(h, headings[2], add_lasted(h, x));
	page_cell_open(h, headings[3]);
	if (x->severity)
		page_severity(h, x->severity);
	page_cell_close(h);
	page_cell(h, headings[4], add_object(h, p, x));
	page_cell(h, headings[5], html_cut(h, x->manager.n ? x->manager : x->ended_by, PAGE_TEXT_MAX));
	if (p->story && p->trusted)
		page_cell(h, headings[6], page_lines(h, x->message));
	page_row_close(h);
}

static void open_table(struct html *h, struct history_page *p)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(TITLE_MAX);
	struct html caption = HTML_INIT(&text);

	p->table_open = true;
	page_section_open(h, STR("happened"), p->story ? STR("What was reported") : STR("What began and ended"));
	if (!p->answer->n_items) {
		html_element(h, "p", STR("Nothing that is known."));
		return;
	}
	html_say(&caption, "The latest first");
	page_table_open(h, &caption, p->story ? story_headings : headings, p->story && p->trusted ? 7 : 6);
}

static void end_page(struct html *h, struct history_page *p)
{
	struct html note = HTML_INIT(&p->note);

	if (p->answer->n_items)
		page_table_close(h);
	if (p->older.n)
		html_with_class(h, "p", "pages", page_link(h, buf_str(&p->older), STR("Older")));
	html_close_to(h, p->main_depth);
	page_end(h, &note);
}

/* ---- sending it ---- */

/* Write the next part, one picture or some rows, in a turn of the loop. */
static int next_part(void *state, struct buf *out)
{
	struct history_page *p = state;
	struct html *h = &p->html;

	h->out = out;
	if (p->cluster < p->answer->timeline.n_clusters) {
		add_cluster(h, &p->answer->timeline, p->cluster++);
		return out->error ? -1 : 1;
	}
	if (!p->table_open)
		open_table(h, p);
	while (p->item < p->answer->n_items && out->n < PART_BYTES)
		add_row(h, p, &p->answer->items[p->item++]);
	if (p->item < p->answer->n_items)
		return out->error ? -1 : 1;
	end_page(h, p);
	return out->error ? -1 : 0;
}

static void page_free(void *state)
{
	struct history_page *p = state;

	history_answer_free(p->answer);
	buf_done(&p->older);
	buf_done(&p->note);
	free(p);
}

static void add_older(struct history_page *p, const struct history_request *r)
{
	CLEANUP(buf_done) struct buf next = BUF_INIT(64);

	if (!p->answer->more)
		return;
	buf_add_cstr(&p->older, "/history");
	history_request_address(r, &p->older);
	history_cursor(p->answer, &next);
	kc_url_query(&p->older, "before", buf_str(&next));
}

void pages_history(const struct metrics_view *view, const struct http_request *q, struct http_response *r)
{
	CLEANUP(history_answer_freep) struct history_answer *answer = NULL;
	struct history_request asked;
	struct history_page *p;
	struct err err = { 0 };

	if (history_request_parse(q, clock_usec(), &asked, &err) < 0) {
		page_fail(r, view->metrics_path, 400, err.msg);
		return;
	}
	asked.question.limit = ROWS;
	asked.question.buckets = buckets_of[asked.range];
	if (!history_request_get(view, q, &asked, &answer, &err))
		return;
	p = answer ? calloc(1, sizeof(*p)) : NULL;
	if (!p) {
		page_fail(r, view->metrics_path, answer ? 500 : history_status(&err),
			  answer ? "out of memory" : err.msg);
		return;
	}
	*p = (struct history_page){ .answer = TAKE(answer),
				    .trusted = q->trusted,
				    .story = asked.question.story,
				    .clustered = view->cfg->n_clusters > 1,
				    .now_usec = asked.now_usec,
				    .older = BUF_INIT(ADDRESS_MAX),
				    .note = BUF_INIT(ADDRESS_MAX),
				    .html = HTML_INIT(&r->body) };
	add_older(p, &asked);
	add_head(&p->html, p, view, &asked);
	page_response(r);
	r->stream = (struct http_stream){ .next = next_part, .done = page_free, .state = p };
}
