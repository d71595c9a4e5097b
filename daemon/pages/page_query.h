/* What the address of the overview asks for, and addresses that ask for something else. */
#ifndef DAEMON_PAGES_PAGE_QUERY_H
#define DAEMON_PAGES_PAGE_QUERY_H

#include "daemon/view/findings_list.h"

#define PAGE_ROWS 500 /* a phone can show that many */

/* Texts of the request. */
struct page_query {
	struct finding_filter filter;
	size_t page;  /* from 1 */
	bool still;   /* ?refresh=0: the page does not refresh itself */
	bool filling; /* ?form=1: the form of the filters is shown, which a refresh would empty */
};

/* Empty parameters are those of a form that were not filled in. Fails: EINVAL. */
CHECKED int page_query_parse(const struct http_request *q, struct page_query *ret, struct err *err);
bool page_query_is_filtered(const struct page_query *q);
/* Append "/?page=2&cluster=prod". */
void page_query_address(const struct page_query *q, struct buf *out);

#endif
