/* The runbook as a page, made from docs/guide/runbook.md itself: a reader in a browser has no access to files of
 * this host, and no page has a link to a host that the administrator has not chosen. It supports as much of Markdown
 * as that file uses. */
#include "daemon/findings/runbook.h"
#include "daemon/pages/page_assets.h"
#include "daemon/pages/pages.h"
#include "daemon/pages/pages_internal.h"

#define CELLS_MAX 8
#define FENCE STR("```")

/* ---- within a line ---- */

/* Take the text before @end off *rest; false: there is no @end. */
static bool take_to(str *rest, const char *end, str *ret)
{
	ptrdiff_t at = str_find(*rest, str_from(end));

	if (at < 0)
		return false;
	*ret = str_sub(*rest, 0, (size_t)at);
	*rest = str_sub(*rest, (size_t)at + strlen(end), rest->n);
	return true;
}

/* Add plain text, in which a line break becomes a space. */
static void add_plain(struct html *h, str text)
{
	ptrdiff_t at;

	while ((at = str_find_byte(text, '\n')) >= 0) {
		html_text(h, str_sub(text, 0, (size_t)at));
		html_say(h, " ");
		text = str_sub(text, (size_t)at + 1, text.n);
	}
	html_text(h, text);
}

static void add_inline(struct html *h, str text);

/* Add [text](target), as a link only if that leads to this page. */
static bool add_reference(struct html *h, str *rest)
{
	str after = str_sub(*rest, 1, rest->n), text, target;

	if (!take_to(&after, "](", &text) || !take_to(&after, ")", &target))
		return false;
	if (str_has_prefix(target, STR("#"))) {
		html_open(h, "a");
		html_attr(h, "href", target);
		add_plain(h, text);
		html_close(h, "a");
	} else {
		add_plain(h, text);
	}
	*rest = after;
	return true;
}

static bool add_marked(struct html *h, str *rest)
{
	str after = str_sub(*rest, 1, rest->n), text;

	if (rest->p[0] == '[')
		return add_reference(h, rest);
	if (!take_to(&after, rest->p[0] == '`' ? "`" : "*", &text))
		return false;
	if (rest->p[0] == '`')
		html_with(h, "code", add_plain(h, text));
	else
		html_with(h, "strong", add_inline(h, text)); /* the recursion is not deep in that file */
	*rest = after;
	return true;
}

static void add_inline(struct html *h, str text)
{
	while (text.n) {
		size_t plain = 0;

		while (plain < text.n && !strchr("`*[", text.p[plain]))
			plain++;
		add_plain(h, str_sub(text, 0, plain));
		text = str_sub(text, plain, text.n);
		if (!text.n || add_marked(h, &text))
			continue;
		html_text(h, str_sub(text, 0, 1));
		text = str_sub(text, 1, text.n);
	}
}

/* ---- lines ---- */

/* The open elements of the page: a paragraph, or a list and an item of it. */
struct runbook {
	struct html *h;
	size_t depth; /* the number of open elements around the section */
	bool listing, in_table;
	str heading; /* the heading of the section */
};

static void close_block(struct runbook *b)
{
	if (b->in_table)
		page_table_close(b->h);
	html_close_to(b->h, b->depth);
	b->listing = b->in_table = false;
}

static void add_heading(struct runbook *b, str text)
{
	CLEANUP(buf_done) struct buf id = BUF_INIT(256);

	runbook_anchor(text, &id);
	b->heading = text;
	page_heading(b->h, buf_str(&id), text);
	html_newline(b->h);
}

static void add_block_of_code(struct runbook *b, str *rest)
{
	str line;

	html_open_class(b->h, "pre", "lines");
	while (rest->n && str_next_part(rest, '\n', &line) && !str_has_prefix(line, FENCE)) {
		html_text(b->h, line);
		html_newline(b->h);
	}
	html_close(b->h, "pre");
}

static size_t split_row(str line, str cells[CELLS_MAX])
{
	str rest = str_sub(line, 1, line.n), cell;
	size_t n = 0;

	while (n < CELLS_MAX && take_to(&rest, "|", &cell))
		cells[n++] = str_trim(cell);
	return n;
}

/* Add a row of a table. The first row has the headings; the caller skips the second one, which has no text. */
static void add_row(struct runbook *b, str line, str headings[CELLS_MAX])
{
	str cells[CELLS_MAX] = { 0 };
	size_t n = split_row(line, cells);

	page_row_open(b->h);
	for (size_t i = 0; i < n; i++) {
		if (i == 0)
			page_row_heading(b->h, add_inline(b->h, cells[i]));
		else
			page_cell(b->h, headings[i], add_inline(b->h, cells[i]));
	}
	page_row_close(b->h);
}

static void open_rows(struct runbook *b, str line, str headings[CELLS_MAX])
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(256);
	struct html caption = HTML_INIT(&text);

	close_block(b);
	html_text(&caption, b->heading);
	page_table_open(b->h, &caption, headings, split_row(line, headings));
	b->in_table = true;
}

static void add_item(struct runbook *b, str text)
{
	if (!b->listing)
		html_open_class(b->h, "ul", "text");
	else
		html_close(b->h, "li");
	b->listing = true;
	html_open(b->h, "li");
	add_inline(b->h, text);
}

static void add_text(struct runbook *b, str line)
{
	if (b->h->depth == b->depth)
		html_open(b->h, "p");
	else
		html_say(b->h, " ");
	add_inline(b->h, str_trim(line));
}

/* The line, joined with the next ones while emphasis or a link continues there. */
static str whole_line(str line, str *rest)
{
	str next, after = *rest;

	while (after.n && str_next_part(&after, '\n', &next) && next.n && !strchr("#-|", next.p[0]) &&
	       !str_has_prefix(next, FENCE)) {
		line.n = (size_t)(next.p + next.n - line.p);
		*rest = after;
	}
	return line;
}

static void add_line(struct runbook *b, str line, str *rest, str headings[CELLS_MAX])
{
	if (!line.n || str_has_prefix(line, STR("#")) || str_has_prefix(line, FENCE))
		close_block(b);
	if (str_has_prefix(line, STR("## ")))
		add_heading(b, str_sub(line, 3, line.n));
	else if (str_has_prefix(line, STR("# ")))
		html_element(b->h, "h1", str_sub(line, 2, line.n));
	else if (str_has_prefix(line, FENCE))
		add_block_of_code(b, rest);
	else if (str_has_prefix(line, STR("|--")))
		return;
	else if (str_has_prefix(line, STR("|")) && b->in_table)
		add_row(b, line, headings);
	else if (str_has_prefix(line, STR("|")))
		open_rows(b, line, headings);
	else if (str_has_prefix(line, STR("- ")))
		add_item(b, whole_line(str_sub(line, 2, line.n), rest));
	else if (line.n)
		add_text(b, whole_line(line, rest));
}

void pages_runbook(const struct metrics_view *view, const struct http_request *q, struct http_response *r)
{
	struct html h = HTML_INIT(&r->body);
	str rest = page_asset_runbook_md.content, line, headings[CELLS_MAX] = { 0 };
	struct runbook b = { .h = &h };

	(void)q;
	page_response(r);
	page_begin(&h, &(struct page_frame){
			       .title = STR("Runbook"), .metrics_path = view->metrics_path, .json = "/status.json" });
	b.depth = h.depth;
	while (rest.n && str_next_part(&rest, '\n', &line))
		add_line(&b, line, &rest, headings);
	close_block(&b);
	page_end(&h, NULL);
}
