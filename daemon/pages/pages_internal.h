/* What the pages are made of: frame, tables, texts, the findings of one page, the clusters. */
#ifndef DAEMON_PAGES_PAGES_INTERNAL_H
#define DAEMON_PAGES_PAGES_INTERNAL_H

#include "daemon/history/history_request.h"
#include "daemon/pages/html_out.h"
#include "daemon/serve/metrics.h"
#include "daemon/view/findings_list.h"
#include "daemon/view/kind_words.h"
#include "daemon/view/releases_list.h"
#include "daemon/view/source_words.h"

/* ---- page_text.c: what stands in several places: times, severities, objects ---- */

#define PAGE_TEXT_MAX 400 /* bytes of a text of somebody else in a list */

/* "3 h 12 min ago" with the time itself beside it; both Unix times. "never" for 0. */
void page_time(struct html *h, int64_t usec, int64_t now_usec);
/* "1,234" */
void page_count(struct html *h, size_t n);
/* <span> with the word, in its colour. */
void page_severity(struct html *h, enum severity s);
/* <span class="hidden">: for who has a link or a number read without what is around it. */
void page_hidden(struct html *h, str text);
/* A text of somebody else as it stands in a configuration: paths, values, names. */
void page_code(struct html *h, str s);
/* A text of several lines. */
void page_lines(struct html *h, str s);
/* <a href="address">text</a> */
void page_link(struct html *h, str address, str text);
/* The same, and @hidden for who hears it. */
void page_link_of(struct html *h, str address, str text, str hidden);
/* <h2 id="id">heading</h2>, and a section that is called so. */
void page_heading(struct html *h, str id, str heading);
void page_section_open(struct html *h, str id, str heading);
void page_section_close(struct html *h);
/* "Deployment" and "shop/web", or what else the finding is about. */
void page_object(struct html *h, const struct finding *x);
/* What stands in its title: "Deployment shop/web". */
void page_object_text(const struct finding *x, struct buf *out);
/* What is special about its state: "flapping", "held", "unconfirmed"; nothing when nothing is. */
void page_marks(struct html *h, const struct finding *x, uint64_t now_ns);

/* ---- page_table.c: tables that keep their meaning for a screen reader when a narrow screen shows their rows as cards:
 * the style takes the display of a table away, and browsers then take the roles away unless they are said ---- */

/* A column; @order, if it has an address, is where the rows are in the order of the column. */
struct page_column {
	str heading;
	str order;
	const char *sorted; /* the rows are in that order: aria-sort; NULL: they are not */
};

/* Up to the first row. @caption has nothing open. */
void page_table_open(struct html *h, const struct html *caption, const str *headings, size_t n);
void page_table_open_columns(struct html *h, const struct html *caption, const struct page_column *columns, size_t n);
void page_table_close(struct html *h);
void page_row_open(struct html *h);
void page_row_close(struct html *h);
/* What the row is about. */
void page_row_heading_open(struct html *h);
void page_row_heading_close(struct html *h);
/* @heading: of its column. */
void page_cell_open(struct html *h, str heading);
void page_cell_close(struct html *h);
/* The same around what the calls of @content write. */
#define page_row_heading(h, content) (page_row_heading_open(h), (content), page_row_heading_close(h))
#define page_cell(h, heading, content) (page_cell_open((h), (heading)), (content), page_cell_close(h))

/* ---- page_frame.c: what is around every page ---- */

#define PAGE_REFRESH_SECONDS "30"

/* Content type, and headers that let a browser load nothing but our style and icon, run nothing, keep nothing. */
void page_response(struct http_response *r);

struct page_frame {
	str title;
	const char *metrics_path;
	const char *json; /* the path of the same content as JSON */
	bool refreshes;
};

/* Up to the beginning of <main>, which stays open. */
void page_begin(struct html *h, const struct page_frame *f);
/* From the end of <main>. @note: into the footer. */
void page_end(struct html *h, const struct html *note);

/* A whole page that says why there is no other. */
void page_fail(struct http_response *r, const char *metrics_path, unsigned status, const char *message);

/* ---- page_query.c: what the address of the overview asks for, and addresses that ask for something else ---- */

#define PAGE_ROWS 500 /* a phone can show that many */

/* Texts of the request. */
struct page_query {
	struct finding_filter filter;
	size_t page;  /* from 1 */
	bool still;   /* ?refresh=0: the page does not refresh itself; what other pages are asked for keeps that */
	bool filling; /* ?form=1: the form of the filters is shown, which a refresh would empty */
};

/* Empty parameters are those of a form that were not filled in. Fails: EINVAL. */
CHECKED int page_query_parse(const struct http_request *q, struct page_query *ret, struct err *err);
bool page_query_is_filtered(const struct page_query *q);
/* Append "/?page=2&cluster=prod". */
void page_query_address(const struct page_query *q, struct buf *out);
/* <a> with what the calls of the caller write, to what @q asks for; to be closed. */
void page_query_link_open(struct html *h, const struct page_query *q);
/* A link to what @q asks for: @text is seen, @hidden is heard behind it. */
void page_query_link(struct html *h, const struct page_query *q, str text, str hidden);
/* What is open of something, of which @q asks for the findings: how many there are of each severity that there is, each
 * with a link to those; "nothing open" when there are none. @accepted: there are such, which are not counted here.
 * @whose: " of prod", heard behind each. */
void page_severities(struct html *h, const size_t counts[8], const struct page_query *q, bool accepted, str whose);

/* ---- findings_table.c: the open findings of one page of the overview, a row each, streamed, with what is around them:
 * the filters and the ways to the other pages ---- */

struct findings_page {
	struct findings *findings;
	struct finding_filter filter;   /* while it is made */
	struct findings_cursor *cursor; /* NULL: they are in groups, */
	struct findings_groups groups;
	size_t next;  /* the next of which is this one */
	size_t count; /* the number of findings on all pages */
	size_t first; /* the index of the first finding on this page, from 0 */
	int64_t now_usec;
	bool trusted;            /* to see values */
	bool clustered;          /* there are several: a column says which */
	struct page_query query; /* which is shown; its texts are the request's, which rows outlive */
	struct buf one_by_one;   /* where what the groups have is listed */
};

/* Begin to find what passes @filter, that of @q as kind_words_filter has it, whose texts are borrowed until that is
 * made. findings_page_done is due whatever comes of it. Fails: ENOMEM. */
CHECKED int findings_page_init(struct findings_page *p, struct findings *f, const struct finding_filter *filter,
			       const struct page_query *q, struct err *err);
/* Some of it, until about @until_ns. 1: there is more to do; 0: it is made, and the page of the query is put right when
 * there are not that many. Fails: ENOMEM. */
CHECKED int findings_page_make(struct findings_page *p, uint64_t until_ns, struct err *err);
void findings_page_done(struct findings_page *p);

/* Up to the rows. The section and its table stay open. */
void findings_page_begin(struct html *h, const struct findings_page *p, const struct metrics_view *view);
/* The next row. False: there is none. */
bool findings_page_row(struct html *h, struct findings_page *p);
/* Append what follows the table to @after, which has nothing open. */
void findings_page_after(struct html *after, const struct findings_page *p);

/* ---- releases_card.c ---- */

/* Nothing where no reference is about releases of Helm. Fails: ENOMEM. */
CHECKED int releases_card(struct html *h, const struct metrics_view *view, const struct page_query *q, int64_t now_usec,
			  struct err *err);

/* ---- timeline_svg.c ---- */

/* The most that were open at one time. */
size_t timeline_highest(const struct timeline *t, const struct timeline_cluster *c);
/* A picture of the cluster with that index. The legend, once on the page, has the patterns that it uses. */
void timeline_svg(struct html *h, const struct timeline *t, size_t which);
void timeline_legend(struct html *h);

/* ---- sources_card.c ---- */

/* Nothing where no reference is published elsewhere. */
void sources_card(struct html *h, const struct metrics_view *view, const struct page_query *q, int64_t now_usec);

/* ---- cluster_cards.c: the clusters: how each is watched, and what is open there ---- */

/* All of them in sums. */
struct cluster_totals {
	size_t open[8]; /* by severity */
	size_t n_open, n_accepted;
	size_t blind;  /* clusters that are not synced */
	size_t absent; /* references of which nothing is in force yet */
};

void cluster_totals(const struct metrics_view *view, struct cluster_totals *ret);
void cluster_cards(struct html *h, const struct metrics_view *view, const struct page_query *q, int64_t now_usec);
/* The watches of the clusters: a table for each cluster, folded. Watches that do not work come first. */
void cluster_watches(struct html *h, const struct metrics_view *view, int64_t now_usec);

#endif
