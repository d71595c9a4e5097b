/* The references that are published elsewhere: the state of each, and its revision in force. */
#include "daemon/pages/pages_internal.h"

#include "base/assert.h"
#include "mask/foreign.h"

#define TEXT_MAX ((size_t)64 << 10)
#define PROBLEM_LINES 10

/* The state in words for people who do not know its name. */
static const char *words_of(const struct source_state *v)
{
	/* ORDER enum source_standing */
	static const char *const words[] = {
		"nothing is in force yet",   "what was fetched last is in force",
		"a new revision is checked", "a new revision waits for driftd reference accept",
		"a new revision is refused", "pinned to a revision by an administrator",
	};

	_Static_assert(ARRAY_LEN(words) == SOURCE_STANDINGS, "words for each standing");
	ASSERT(v->standing < SOURCE_STANDINGS);
	return words[v->standing];
}

static void add_name(struct html *h, const struct source_state *v, const struct page_query *q)
{
	const struct page_query of = { .page = 1, .still = q->still, .filter.reference = v->source->name };
	CLEANUP(buf_done) struct buf url = BUF_INIT(TEXT_MAX);

	source_show_url(v->source, &url);
	page_row_heading_open(h);
	page_query_link(h, &of, v->source->name, (str){ NULL, 0 });
	html_say(h, " ");
	html_with_class(h, "span", "quiet", html_cut(h, buf_str(&url), PAGE_TEXT_MAX));
	page_row_heading_close(h);
}

static void add_standing(struct html *h, const struct source_state *v, int64_t now_usec)
{
	page_cell_open(h, STR("State"));
	html_text(h, str_from(words_of(v)));
	html_say(h, ", since ");
	page_time(h, v->since * 1000000, now_usec);
	page_cell_close(h);
}

static void add_revision(struct html *h, const struct source_state *v)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(TEXT_MAX), title = BUF_INIT(TEXT_MAX);

	page_cell_open(h, STR("Revision"));
	source_show_revision(v->revision ? v->revision->revision : str_from(v->in_force), &text);
	if (text.n)
		page_code(h, buf_str(&text));
	else
		html_element_class(h, "span", "quiet", STR("none"));
	if (v->revision && v->revision->title.n) {
		foreign_quote(foreign_bytes(v->revision->title), SOURCE_TEXT_MAX, &title);
		html_say(h, " ");
		html_cut(h, buf_str(&title), PAGE_TEXT_MAX);
	}
	page_cell_close(h);
}

/* The first lines of @text; *left: how many others there are. */
static str first_lines(str text, size_t *left)
{
	str rest = text, line;
	size_t n = 0, end = 0;

	while (rest.n && str_next_part(&rest, '\n', &line)) {
		if (n++ < PROBLEM_LINES)
			end = (size_t)(line.p + line.n - text.p);
	}
	*left = n > PROBLEM_LINES ? n - PROBLEM_LINES : 0;
	return str_sub(text, 0, end);
}

static void add_problem(struct html *h, const struct source_state *v, int64_t now_usec)
{
	CLEANUP(buf_done) struct buf problem = BUF_INIT(TEXT_MAX);
	size_t left;

	source_problem(v, now_usec / 1000000, &problem);
	page_cell_open(h, STR("Problem"));
	page_lines(h, first_lines(buf_str(&problem), &left));
	if (left) {
		html_void(h, "br");
		html_textf(h, "and %zu more: 'driftd reference show'", left);
	}
	page_cell_close(h);
}

static void add_source(struct html *h, const struct source_state *v, const struct page_query *q, int64_t now_usec)
{
	page_row_open(h);
	add_name(h, v, q);
	add_standing(h, v, now_usec);
	add_revision(h, v);
	page_cell(h, STR("Fetched"), page_time(h, v->status ? v->status->succeeded * 1000000 : 0, now_usec));
	add_problem(h, v, now_usec);
	page_row_close(h);
}

void sources_card(struct html *h, const struct metrics_view *view, const struct page_query *q, int64_t now_usec)
{
	static const str headings[] = {
		{ "Reference", 9 }, { "State", 5 }, { "Revision", 8 }, { "Fetched", 7 }, { "Problem", 7 }
	};
	CLEANUP(buf_done) struct buf text = BUF_INIT(64);
	struct html caption = HTML_INIT(&text);

	if (!view->n_sources)
		return;
	html_say(&caption, "References that are followed");
	page_section_open(h, STR("references"), STR("References"));
	page_table_open(h, &caption, headings, ARRAY_LEN(headings));
	for (size_t i = 0; i < view->n_sources; i++)
		add_source(h, &view->sources[i], q, now_usec);
	page_table_close(h);
	page_section_close(h);
}
