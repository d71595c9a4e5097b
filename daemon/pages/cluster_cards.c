/* Writes a card for each cluster, and a table of watches for each. */

#include "daemon/findings/clock.h"
#include "daemon/pages/pages_internal.h"

#define WHY_MAX 4096     /* bytes */
#define CAPTION_MAX 4096 /* bytes */
#define WATCHES_MAX 200  /* watches in the table of a cluster */

/* The open findings of the cluster by severity, of any type, except accepted ones. */
static size_t open_of(const struct finding_counters *c, size_t ret[8])
{
	size_t total = 0;

	for (int s = 0; s < 8; s++) {
		ret[s] = 0;
		for (int kind = 0; c && kind < FINDING_KINDS; kind++)
			ret[s] += kind == FINDING_ACCEPTED ? 0 : c->open[kind][s];
		total += ret[s];
	}
	return total;
}

void cluster_totals(const struct metrics_view *view, struct cluster_totals *ret)
{
	*ret = (struct cluster_totals){ .blind = view->cfg->n_clusters - view->n_clusters,
					.absent = sources_absent(view->sources, view->n_sources) };
	for (size_t i = 0; i < view->n_clusters; i++) {
		const struct cluster *c = view->clusters[i];
		const struct finding_counters *counters = findings_counters(view->findings, cluster_name(c));
		size_t open[8];

		ret->n_open += open_of(counters, open);
		ret->n_accepted += counters ? findings_open(counters, FINDING_ACCEPTED) : 0;
		ret->blind += cluster_state(c) != CLUSTER_SYNCED;
		for (int s = 0; s < 8; s++)
			ret->open[s] += open[s];
	}
}

/* ---- cards ---- */

static void add_state(struct html *h, const struct cluster *c)
{
	/* ORDER enum cluster_state */
	static const str classes[] = {
		{ "state unreachable", 17 }, { "state syncing", 13 }, { "state blind", 11 }, { "state synced", 12 }
	};

	_Static_assert(ARRAY_LEN(classes) == CLUSTER_STATES, "a class for each state");
	html_open(h, "span");
	html_attr(h, "class", classes[cluster_state(c)]);
	html_text(h, str_from(cluster_state_name(cluster_state(c))));
	html_close(h, "span");
}

static void add_why(struct html *h, const struct cluster *c)
{
	CLEANUP(buf_done) struct buf why = BUF_INIT(WHY_MAX);

	cluster_state_why(c, &why);
	html_with_class(h, "p", "why", html_cut(h, buf_str(&why), PAGE_TEXT_MAX));
}

static void add_accepted(struct html *h, size_t n, const struct page_query *of, str whose)
{
	struct page_query to = *of;

	to.filter.types = 1u << FINDING_ACCEPTED;
	html_open_term(h, STR("Accepted deviations"));
	page_query_link_open(h, &to);
	page_count(h, n);
	page_hidden(h, STR(" accepted deviations"));
	page_hidden(h, whose);
	html_close(h, "a");
	html_close_term(h);
}

static void add_figures(struct html *h, const struct cluster *c, int64_t now_usec)
{
	html_term(h, cluster_state(c) == CLUSTER_SYNCED ? STR("Unbroken since") : STR("Since"),
		  page_time(h, cluster_state_since(c), now_usec));
	if (cluster_state(c) != CLUSTER_SYNCED)
		html_term(h, STR("Last synced"), page_time(h, cluster_last_seen(c), now_usec));
	html_open_term(h, STR("Objects"));
	page_count(h, cluster_objects(c));
	if (cluster_queue_length(c)) {
		html_say(h, ", to be judged: ");
		page_count(h, cluster_queue_length(c));
	}
	html_close_term(h);
}

/* Add the numbers of open findings of the cluster, each with a link to them. */
static void add_open(struct html *h, const struct metrics_view *view, const struct cluster *c,
		     const struct page_query *of, int64_t now_usec)
{
	CLEANUP(buf_done) struct buf whose = BUF_INIT(CAPTION_MAX);
	const struct finding_counters *counters = findings_counters(view->findings, cluster_name(c));
	size_t accepted = counters ? findings_open(counters, FINDING_ACCEPTED) : 0, open[8];

	(void)open_of(counters, open);
	buf_printf(&whose, " of %.*s", STR_ARG(cluster_name(c)));
	if (!cfg_nothing(view->cfg))
		html_with(h, "p", page_severities(h, open, of, accepted > 0, buf_str(&whose)));
	html_open(h, "dl");
	if (accepted)
		add_accepted(h, accepted, of, buf_str(&whose));
	add_figures(h, c, now_usec);
	html_close(h, "dl");
}

static void add_card(struct html *h, const struct metrics_view *view, const struct cluster *c,
		     const struct page_query *q, int64_t now_usec)
{
	const struct page_query of = { .page = 1, .still = q->still, .filter.cluster = cluster_name(c) };

	html_open(h, "li");
	html_open(h, "h3");
	page_query_link_open(h, &of);
	html_cut(h, cluster_name(c), PAGE_TEXT_MAX);
	html_close(h, "a");
	html_say(h, " ");
	add_state(h, c);
	html_close(h, "h3");
	add_why(h, c);
	add_open(h, view, c, &of, now_usec);
	html_close(h, "li");
	html_newline(h);
}

void cluster_cards(struct html *h, const struct metrics_view *view, const struct page_query *q, int64_t now_usec)
{
	if (!view->cfg->n_clusters)
		return;
	page_section_open(h, STR("clusters"), STR("Clusters"));
	if (reload_closes(view->configuration.state))
		html_element(h, "p", STR("A reload is under way: clusters that it changes are missing here."));
	html_open_class(h, "ul", "cards");
	for (size_t i = 0; i < view->n_clusters; i++)
		add_card(h, view, view->clusters[i], q, now_usec);
	html_close(h, "ul");
	page_section_close(h);
}

/* ---- watches ---- */

static bool works(const struct cluster_watch *w)
{
	return w->known != WATCH_UNKNOWN && !cluster_watch_fails(w) && !w->denied && w->state != WATCH_LISTING;
}

static void add_scope(struct html *h, const struct cluster_kind *k, const struct cluster_watch *w)
{
	page_row_heading_open(h);
	page_code(h, k->kind->resource.n ? k->kind->resource : k->kind->name);
	if (w->scope.namespace.n || w->scope.name.n) {
		html_say(h, " only ");
		page_code(h, w->scope.namespace);
		html_text(h, str_from(w->scope.namespace.n && w->scope.name.n ? "/" : ""));
		page_code(h, w->scope.name);
	}
	page_row_heading_close(h);
}

static void add_watch(struct html *h, const struct cluster_kind *k, const struct cluster_watch *w, int64_t now_usec)
{
	const struct kc_watch_counters *counters = w->watch ? cluster_watch_counters(w) : NULL;

	page_row_open(h);
	add_scope(h, k, w);
	page_cell_open(h, STR("State"));
	html_text(h, str_from(cluster_watch_state_name(w)));
	if (w->why.code && cluster_watch_fails(w)) {
		html_say(h, ": ");
		html_cut(h, str_from(w->why.msg), PAGE_TEXT_MAX);
	}
	page_cell_close(h);
	page_cell(h, STR("Events"), page_count(h, counters ? counters->events : 0));
	page_cell(h, STR("Last heard"), page_time(h, counters ? clock_usec_of(counters->last_heard_ns) : 0, now_usec));
	page_row_close(h);
}

/* Add the watches that work, or those that do not, at most @room. Returns how many. */
static size_t add_watches(struct html *h, const struct cluster *c, bool working, size_t room, int64_t now_usec)
{
	size_t n, shown = 0;
	struct cluster_kind *const *kinds = cluster_kinds(c, &n);

	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < kinds[i]->n_watches && shown < room; k++) {
			const struct cluster_watch *w = &kinds[i]->watches[k];

			if (works(w) != working)
				continue;
			add_watch(h, kinds[i], w, now_usec);
			shown++;
		}
	}
	return shown;
}

static size_t count_watches(const struct cluster *c, size_t *working)
{
	size_t n, total = 0;
	struct cluster_kind *const *kinds = cluster_kinds(c, &n);

	*working = 0;
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < kinds[i]->n_watches; k++, total++)
			*working += works(&kinds[i]->watches[k]);
	}
	return total;
}

static void add_watch_table(struct html *h, const struct cluster *c, int64_t now_usec)
{
	static const str headings[] = { { "Resource", 8 }, { "State", 5 }, { "Events", 6 }, { "Last heard", 10 } };
	CLEANUP(buf_done) struct buf text = BUF_INIT(CAPTION_MAX);
	struct html caption = HTML_INIT(&text);
	size_t shown;

	html_say(&caption, "Watches of ");
	html_cut(&caption, cluster_name(c), PAGE_TEXT_MAX);
	html_say(&caption, ", as they are since this process began to watch it");
	page_table_open(h, &caption, headings, ARRAY_LEN(headings));
	shown = add_watches(h, c, false, WATCHES_MAX, now_usec);
	(void)add_watches(h, c, true, WATCHES_MAX - shown, now_usec);
	page_table_close(h);
}

static void add_watches_of(struct html *h, const struct cluster *c, int64_t now_usec)
{
	size_t working, total = count_watches(c, &working);

	html_open(h, "details");
	html_open(h, "summary");
	html_cut(h, cluster_name(c), PAGE_TEXT_MAX);
	html_textf(h, ": %zu of %zu watches work", working, total);
	html_close(h, "summary");
	add_watch_table(h, c, now_usec);
	if (total > WATCHES_MAX)
		html_elementf(h, "p", "%zu are shown; /status.json has all.", (size_t)WATCHES_MAX);
	html_close(h, "details");
	html_newline(h);
}

void cluster_watches(struct html *h, const struct metrics_view *view, int64_t now_usec)
{
	if (!view->n_clusters)
		return;
	page_section_open(h, STR("watches"), STR("Watches"));
	for (size_t i = 0; i < view->n_clusters; i++)
		add_watches_of(h, view->clusters[i], now_usec);
	page_section_close(h);
}
