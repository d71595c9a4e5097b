/* The releases of Helm: how many are in which state, and a folded table of them, which begins with those that need
 * attention. */
#include "daemon/pages/pages_internal.h"

#define RELEASES_MAX 200 /* releases in the table */
#define PROBLEM_MAX 4096 /* bytes */

/* The options of the table, and the parameters that its links keep. */
struct table {
	const struct release_list *list;
	const struct page_query *query;
	bool clusters; /* the cluster is named, because there are several */
	int64_t now_usec;
};

static bool is_well(const struct release_item *x)
{
	return !x->n_open && x->component && !x->is->suspended;
}

static struct page_query findings_of(const struct release_item *x, const struct table *t)
{
	size_t n;

	return (struct page_query){ .page = 1,
				    .still = t->query->still,
				    .filter = { .cluster = cluster_name(x->cluster),
						.reference = cluster_judges(x->cluster, &n)[x->judge].reference->name,
						.component = x->is->name } };
}

static void add_name(struct html *h, const struct release_item *x, const struct table *t)
{
	const struct page_query q = findings_of(x, t);

	page_row_heading_open(h);
	if (x->n_open)
		page_query_link(h, &q, x->is->name, (str){ NULL, 0 });
	else
		html_cut(h, x->is->name, PAGE_TEXT_MAX);
	if (t->clusters) {
		html_say(h, " of ");
		html_cut(h, cluster_name(x->cluster), PAGE_TEXT_MAX);
	}
	page_row_heading_close(h);
}

static void add_state(struct html *h, const struct release_item *x)
{
	CLEANUP(buf_done) struct buf why = BUF_INIT(PROBLEM_MAX);

	release_problem(x->is, &why);
	page_cell_open(h, STR("State"));
	html_text(h, str_from(release_state(x)));
	if (x->is->opened)
		html_textf(h, ": revision %u", x->is->opened);
	if (why.n) {
		html_say(h, "; ");
		html_cut(h, buf_str(&why), PAGE_TEXT_MAX);
	}
	page_cell_close(h);
}

static void add_open(struct html *h, const struct release_item *x, const struct table *t)
{
	CLEANUP(buf_done) struct buf whose = BUF_INIT(PROBLEM_MAX);
	const struct page_query q = findings_of(x, t);

	buf_printf(&whose, " of %.*s", STR_ARG(x->is->name));
	page_cell(h, STR("Open"), page_severities(h, x->open, &q, true, buf_str(&whose)));
}

static void add_release(struct html *h, const struct release_item *x, const struct table *t)
{
	page_row_open(h);
	add_name(h, x, t);
	page_cell_open(h, STR("Revision"));
	html_textf(h, "%u, %s ", x->is->newest.number, helm_status_name(x->is->newest.status));
	page_time(h, x->is->newest.changed_sec * 1000000, t->now_usec);
	page_cell_close(h);
	add_state(h, x);
	page_cell(h, STR("Objects"), page_count(h, x->objects));
	add_open(h, x, t);
	page_row_close(h);
}

/* Add the releases without problems, or the others, at most @room. Returns how many. */
static size_t add_releases(struct html *h, const struct table *t, bool well, size_t room)
{
	const struct release_list *l = t->list;
	size_t shown = 0;

	for (size_t i = 0; i < l->items.n && shown < room; i++) {
		if (is_well(&l->items.p[i]) != well)
			continue;
		add_release(h, &l->items.p[i], t);
		shown++;
	}
	return shown;
}

static void add_table(struct html *h, const struct table *t)
{
	static const str headings[] = {
		{ "Release", 7 }, { "Revision", 8 }, { "State", 5 }, { "Objects", 7 }, { "Open", 4 }
	};
	CLEANUP(buf_done) struct buf text = BUF_INIT(64);
	struct html caption = HTML_INIT(&text);
	size_t shown;

	html_say(&caption, "Releases of Helm");
	page_table_open(h, &caption, headings, ARRAY_LEN(headings));
	shown = add_releases(h, t, false, RELEASES_MAX);
	(void)add_releases(h, t, true, RELEASES_MAX - shown);
	page_table_close(h);
}

static void add_summary(struct html *h, const struct release_list *l)
{
	size_t well = 0, changing = 0, open = 0;

	for (size_t i = 0; i < l->items.n; i++) {
		well += is_well(&l->items.p[i]);
		changing += l->items.p[i].is->suspended;
		open += l->items.p[i].n_open > 0;
	}
	html_textf(h, "%zu of %zu releases are as they were deployed; %zu with open findings, %zu being changed", well,
		   l->items.n, open, changing);
	if (l->n_unknown)
		html_textf(h, "; of %zu cluster%s not all are known", l->n_unknown, plural_s(l->n_unknown));
}

int releases_card(struct html *h, const struct metrics_view *view, const struct page_query *q, int64_t now_usec,
		  struct err *err)
{
	const struct release_filter all = { 0 };
	struct release_list l;
	const struct table table = { &l, q, view->cfg->n_clusters > 1, now_usec };
	int r = release_list_make(view, &all, &l, err);

	if (r < 0)
		return r;
	if (l.n_references) {
		page_section_open(h, STR("releases"), STR("Helm releases"));
		html_open(h, "details");
		html_with(h, "summary", add_summary(h, &l));
		add_table(h, &table);
		if (l.items.n > RELEASES_MAX)
			html_elementf(h, "p", "%zu are shown; 'driftd helm list' has all.", (size_t)RELEASES_MAX);
		html_close(h, "details");
		page_section_close(h);
	}
	release_list_done(&l);
	return 0;
}
