/* The open findings of one page of the overview, a row each, streamed, with what is around them: the filters and the
 * ways to the other pages. */
#ifndef DAEMON_PAGES_FINDINGS_TABLE_H
#define DAEMON_PAGES_FINDINGS_TABLE_H

#include "daemon/pages/html_out.h"
#include "daemon/pages/page_query.h"
#include "daemon/serve/metrics.h"

struct findings_page {
	struct findings_cursor *cursor;
	size_t count; /* of all pages */
	size_t first; /* of this one, from 0 */
	int64_t now_usec;
};

/* @q's page is put right when there are not that many. Fails: ENOMEM. */
CHECKED int findings_page_init(struct findings_page *p, const struct findings *f, struct page_query *q,
			       int64_t now_usec, struct err *err);
void findings_page_done(struct findings_page *p);

/* Up to the rows. The section and its table stay open. */
void findings_page_begin(struct html *h, const struct findings_page *p, const struct metrics_view *view,
			 const struct page_query *q);
/* The next row. False: there is none. */
bool findings_page_row(struct html *h, struct findings_page *p);
/* Append what follows the table to @after, which has nothing open. */
void findings_page_after(struct html *after, const struct findings_page *p, const struct page_query *q);

#endif
