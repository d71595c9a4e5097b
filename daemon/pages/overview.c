/* The page at "/": the state of everything, and the open findings. */
#include "daemon/alertmanager/alertmanager_status.h"
#include "daemon/findings/clock.h"
#include "daemon/pages/pages.h"
#include "daemon/pages/pages_internal.h"

#include <errno.h>

#define PART_BYTES ((size_t)32 << 10) /* bytes of a part of the stream, about */
#define REST_MAX ((size_t)16 << 20)   /* bytes of the part after the table */
#define GAPS_SHOWN 50
#define ADDRESS_MAX 32768

/*   asked for --> its rows are found, on many turns --> the page begins --> it is sent */
struct overview {
	struct buf kinds;  /* what words of the filter mean; of rows */
	struct err failed; /* with a code: the rows could not be found */
	struct html html;  /* with <main> and the table open */
	size_t main_depth;
	struct findings_page rows;
	/* the part after the table, and the foot, both as they were when the page was requested */
	struct buf rest, note;
};

/* ---- how everything is ---- */

static void add_headline(struct html *h, const struct metrics_view *view, const struct cluster_totals *t)
{
	html_open(h, "h1");
	if (cfg_nothing(view->cfg)) {
		html_say(h, "Nothing is watched");
	} else if (t->n_open == 0) {
		html_text(h, t->blind || t->absent ? STR("Nothing is known to be wrong")
						   : STR("Everything is as it should be"));
	} else {
		page_count(h, t->n_open);
		html_text(h, t->n_open == 1 ? STR(" open finding") : STR(" open findings"));
		if (t->open[SEVERITY_CRITICAL]) {
			html_say(h, ", ");
			page_count(h, t->open[SEVERITY_CRITICAL]);
			html_say(h, " critical");
		}
	}
	html_close(h, "h1");
}

static void add_trust(struct html *h, const struct metrics_view *view, const struct cluster_totals *t)
{
	const char *nothing = cfg_nothing(view->cfg);

	html_open(h, "p");
	html_attr(h, "class", t->blind || t->absent || nothing ? STR("lead blind") : STR("lead"));
	if (nothing)
		html_text(h, str_from(nothing));
	else if (t->blind)
		html_textf(h, "%zu of %zu clusters %s not synced: what is wrong there may be missing below.", t->blind,
			   view->cfg->n_clusters, t->blind == 1 ? "is" : "are");
	else
		html_textf(h, view->cfg->n_clusters == 1 ? "The cluster is synced." : "All %zu clusters are synced.",
			   view->cfg->n_clusters);
	if (t->absent)
		html_textf(h, " Of %zu reference%s no revision is in force yet: no object is compared with %s.",
			   t->absent, plural_s(t->absent), t->absent == 1 ? "it" : "them");
	html_close(h, "p");
	html_newline(h);
}

static void add_beginning(struct html *h, const struct cfg *cfg)
{
	CLEANUP(buf_done) struct buf beginning = BUF_INIT(65536);
	str lines, line;

	cfg_add_beginning(cfg, &beginning);
	lines = buf_str(&beginning);
	if (!lines.n || !str_next_part(&lines, '\n', &line))
		return;
	html_element(h, "p", line);
	html_open_class(h, "pre", "lines");
	while (lines.n && str_next_part(&lines, '\n', &line)) {
		html_text(h, line);
		html_newline(h);
	}
	html_close(h, "pre");
}

static void add_alert(struct html *h, str heading, str lines)
{
	html_open_class(h, "div", "alert");
	html_element(h, "strong", heading);
	html_with(h, "p", page_lines(h, lines));
	html_close(h, "div");
	html_newline(h);
}

static void add_alerts(struct html *h, const struct metrics_view *view)
{
	const struct writer_status *w = view->writer;

	if (view->configuration.mistakes)
		add_alert(h, STR("The last reload was refused; the configuration before it stays in force"),
			  str_from(view->configuration.mistakes));
	for (int i = 0; i < STORE_STEPS; i++) {
		struct err why;

		step_why_stuck(&w->steps[i], (enum store_step)i, clock_ns(), &why);
		if (why.code)
			add_alert(h, str_from(step_gap((enum store_step)i)), str_from(why.msg));
	}
}

/* ---- gaps ---- */

static void add_gap(struct html *h, const struct finding *x, int64_t now_usec)
{
	CLEANUP(buf_done) struct buf address = BUF_INIT(64);

	buf_printf(&address, "/findings/%s", x->id);
	html_open(h, "li");
	page_severity(h, x->severity);
	html_say(h, " ");
	html_open(h, "a");
	html_attr(h, "href", buf_str(&address));
	page_object(h, x);
	html_close(h, "a");
	if (x->subject.kind.n || x->subject.resource.n) {
		html_say(h, " of ");
		html_cut(h, x->subject.cluster, PAGE_TEXT_MAX);
	}
	html_say(h, ", ");
	page_time(h, x->first_seen_usec, now_usec);
	html_close(h, "li");
}

static void add_gap_list(struct html *h, struct findings_cursor *gaps, int64_t now_usec)
{
	size_t shown = 0;
	const struct finding *x;

	html_open_class(h, "section", "gaps");
	html_attr(h, "aria-labelledby", STR("gaps"));
	page_heading(h, STR("gaps"), STR("Not watched"));
	html_open(h, "ul");
	for (; (x = findings_cursor_next(gaps)); shown++)
		add_gap(h, x, now_usec);
	html_close(h, "ul");
	if (findings_cursor_count(gaps) > GAPS_SHOWN)
		html_elementf(h, "p", "and %zu more: they are open findings of type gap",
			      findings_cursor_count(gaps) - shown);
	page_section_close(h);
}

static int add_gaps(struct html *h, const struct metrics_view *view, int64_t now_usec, struct err *err)
{
	const struct finding_filter only = { .types = 1u << FINDING_GAP };
	struct findings_cursor *gaps;
	int r = findings_cursor_page(view->findings, &only, 0, GAPS_SHOWN, &gaps, err);

	if (r < 0)
		return r;
	if (findings_cursor_count(gaps))
		add_gap_list(h, gaps, now_usec);
	findings_cursor_free(gaps);
	return 0;
}

/* ---- below the findings ---- */

static void add_configuration(struct html *h, const struct metrics_view *view, int64_t now_usec)
{
	page_section_open(h, STR("configuration"), STR("Configuration"));
	html_open(h, "p");
	html_textf(h, "%zu cluster%s, %zu reference%s, loaded ", view->cfg->n_clusters, plural_s(view->cfg->n_clusters),
		   view->cfg->n_references, plural_s(view->cfg->n_references));
	page_time(h, (int64_t)(view->configuration.at * 1e6), now_usec);
	html_say(h, ". ");
	html_text(h, view->configuration.accepted ? STR("The last reload was accepted.")
						  : STR("The last reload was refused."));
	html_close(h, "p");
	html_elementf(h, "p", "Records that wait to be written: %zu; of a flood, deferred: %zu.",
		      (size_t)view->writer->waiting, (size_t)view->writer->deferred);
	page_section_close(h);
}

static void add_leader(struct html *h, const struct leader_status *s)
{
	page_section_open(h, STR("leader"), STR("Leader election"));
	html_open(h, "p");
	if (s->reports)
		html_textf(h, "This host, %s, is the leader and reports what is found.", s->name);
	else if (*s->holder && s->state == ELECTION_FOLLOWS)
		html_textf(h,
			   "%s is the leader; this host, %s, watches and would take its place. The ids of "
			   "findings on this page are its own until then.",
			   s->holder, s->name);
	else
		html_textf(h, "This host, %s, reports nothing now, and no leader is known.", s->name);
	html_close(h, "p");
	if (s->error.code)
		html_elementf(h, "p", "etcd: %s", s->error.msg);
	page_section_close(h);
}

static void add_alertmanager(struct html *h, const struct alertmanager_status *v, int64_t now_usec)
{
	html_open(h, "p");
	html_textf(h, "%.*s: ", STR_ARG(v->url));
	if (*v->why)
		html_textf(h, "cannot be posted to: %s; ", v->why);
	html_textf(h, "it has %zu of the open findings, and has not received %zu changes; ", v->alerts, v->undelivered);
	if (v->last_success_usec) {
		html_say(h, "it last answered well ");
		page_time(h, v->last_success_usec, now_usec);
	} else {
		html_say(h, "it never answered well");
	}
	html_say(h, ".");
	html_close(h, "p");
}

static void add_alertmanagers(struct html *h, const struct metrics_view *view, int64_t now_usec)
{
	if (!view->n_alerts)
		return;
	page_section_open(h, STR("alertmanagers"), STR("Alertmanagers"));
	for (size_t i = 0; i < view->n_alerts; i++)
		add_alertmanager(h, &view->alerts[i], now_usec);
	page_section_close(h);
}

static void add_note(struct html *h, const struct metrics_view *view, const struct page_query *q, int64_t now_usec)
{
	CLEANUP(buf_done) struct buf address = BUF_INIT(ADDRESS_MAX);
	struct page_query other = *q;

	html_open(h, "p");
	html_say(h, "this process started ");
	page_time(h, (int64_t)(view->started_at * 1e6), now_usec);
	html_close(h, "p");
	html_open(h, "p");
	if (q->filling) {
		html_say(h, "This page does not refresh itself while the filter is filled in.");
	} else {
		other.still = !q->still;
		page_query_address(&other, &address);
		html_text(h, q->still ? STR("This page does not refresh itself. ")
				      : STR("This page refreshes itself every " PAGE_REFRESH_SECONDS " s. "));
		page_link(h, buf_str(&address), q->still ? STR("Refresh this page") : STR("Stop refreshing"));
	}
	html_close(h, "p");
}

/* ---- sending it ---- */

static int next_part(void *state, struct buf *out)
{
	struct overview *o = state;
	struct html rest = HTML_INIT(&o->rest), note = HTML_INIT(&o->note);

	o->html.out = out;
	while (out->n < PART_BYTES) {
		if (findings_page_row(&o->html, &o->rows))
			continue;
		html_close_to(&o->html, o->main_depth);
		html_append(&o->html, &rest);
		page_end(&o->html, &note);
		return out->error ? -1 : 0;
	}
	return out->error ? -1 : 1;
}

static void overview_free(void *state)
{
	struct overview *o = state;

	findings_page_done(&o->rows);
	buf_done(&o->kinds);
	buf_done(&o->rest);
	buf_done(&o->note);
	free(o);
}

static void add_title(const struct metrics_view *view, const struct cluster_totals *t, struct buf *out)
{
	if (cfg_nothing(view->cfg))
		buf_add_cstr(out, "nothing is watched");
	else if (t->n_open)
		buf_printf(out, "%zu open", t->n_open);
	else
		buf_add_cstr(out, t->blind || t->absent ? "blind" : "all well");
}

/* Write the page up to the first row, and prepare the part after the last one. */
static int overview_begin(struct overview *o, const struct metrics_view *view, bool trusted, struct buf *body,
			  struct err *err)
{
	CLEANUP(buf_done) struct buf title = BUF_INIT(256);
	const struct page_query *query = &o->rows.query;
	struct html *h = &o->html, rest = HTML_INIT(&o->rest), note = HTML_INIT(&o->note);
	struct cluster_totals totals;
	int64_t now = clock_usec();
	int r;

	o->rows.now_usec = now;
	o->rows.trusted = trusted;
	o->rows.clustered = view->cfg->n_clusters > 1;
	cluster_totals(view, &totals);
	add_title(view, &totals, &title);
	*h = HTML_INIT(body);
	page_begin(h, &(struct page_frame){ .title = buf_str(&title),
					    .metrics_path = view->metrics_path,
					    .json = "/status.json",
					    .refreshes = !query->still && !query->filling });
	o->main_depth = h->depth;
	add_headline(h, view, &totals);
	add_trust(h, view, &totals);
	if (view->cfg->n_clusters > 1 && totals.n_open)
		html_with(h, "p",
			  page_severities(h, totals.open, &(struct page_query){ .page = 1, .still = query->still },
					  totals.n_accepted > 0, STR(" of all clusters")));
	add_beginning(h, view->cfg);
	add_alerts(h, view);
	cluster_cards(h, view, query, now);
	r = add_gaps(h, view, now, err);
	findings_page_begin(h, &o->rows, view);
	findings_page_after(&rest, &o->rows);
	sources_card(&rest, view, query, now);
	if (r == 0)
		r = releases_card(&rest, view, query, now, err);
	cluster_watches(&rest, view, now);
	add_configuration(&rest, view, now);
	if (view->leader)
		add_leader(&rest, view->leader);
	add_alertmanagers(&rest, view, now);
	add_note(&note, view, query, now);
	return r;
}

static bool find_rows(void *state, uint64_t until_ns)
{
	struct overview *o = state;

	return findings_page_make(&o->rows, until_ns, &o->failed) > 0;
}

static void fail(const struct metrics_view *view, struct http_response *r, const struct err *why)
{
	buf_clear(&r->body);
	page_fail(r, view->metrics_path, why->code == ESTALE ? 503 : 500, why->msg);
}

/* Begin to find the rows when the request arrives. */
static void ask(const struct metrics_view *view, const struct http_request *q, struct http_response *r)
{
	struct page_query query;
	struct finding_filter filter;
	struct overview *o;
	struct err err;

	if (page_query_parse(q, &query, &err) < 0) {
		page_fail(r, view->metrics_path, 400, err.msg);
		return;
	}
	o = calloc(1, sizeof(*o));
	if (!o) {
		(void)!err_nomem(&err);
		fail(view, r, &err);
		return;
	}
	o->kinds = BUF_INIT(ADDRESS_MAX);
	o->rest = o->note = BUF_INIT(REST_MAX);
	filter = kind_words_filter(view, &query.filter, &o->kinds);
	if (findings_page_init(&o->rows, view->findings, &filter, &query, &err) == 0) {
		http_work(q, o, find_rows, overview_free);
		return;
	}
	overview_free(o);
	fail(view, r, &err);
}

void pages_overview(const struct metrics_view *view, const struct http_request *q, struct http_response *r)
{
	struct overview *o = q->state;

	if (!o) {
		ask(view, q, r);
	} else if (o->failed.code || overview_begin(o, view, q->trusted, &r->body, &o->failed) < 0) {
		fail(view, r, &o->failed);
		overview_free(o);
	} else {
		page_response(r);
		r->stream = (struct http_stream){ .next = next_part, .done = overview_free, .state = o };
	}
}
