/* One list of a collection, page by page: asked for, decoded, reported.
 *
 * What a list can mend itself stays in here: a page that is too large is asked for again as two, and a list that took
 * longer than the server keeps history starts over, the second time in one piece. A list that would never end is
 * refused: one that comes back to a continue token, and one of more than tuning->pages pages. However large a page is,
 * it is read in slices of the loop's time. An answer that is no list of the kind (kc_list_answer.h) is none; where only
 * its name is not the expected one, the kind's definition is asked what its lists are called. */
#ifndef KUBECLIENT_KC_LIST_H
#define KUBECLIENT_KC_LIST_H

#include "kubeclient/kc_call.h"
#include "kubeclient/kc_page.h"

/* The owner fills the first part and keeps what it points to. */
struct kc_list {
	struct kc_http *http;
	struct kc_report *report;
	/* The end, from the loop; code 0: all is reported, and report->version is where a watch may begin. Not called
	 * once the report is stopped. */
	void (*done)(void *ctx, const struct kc_result *result);
	void *ctx;

	struct kc_req *req;      /* NULL: none is under way */
	struct buf body;         /* the body of one page, as it comes */
	struct kc_page *reading; /* the page that is being reported; NULL: none */
	struct kc_result answer; /* the result that the page came with */
	struct kc_job read_on;
	struct kc_call definition; /* asked while @reading waits, with */
	struct err odd;            /* the failure to report for the page unless something else explains it */
	char *next;                /* continue token; NULL: from the start */
	uint32_t page;             /* objects; 0: all at once */
	uint32_t page_max;         /* the page size to which the list grows again after large objects */
	uint32_t n_pages;          /* pages that came since the start, or since the list had to start over */
	uint32_t kept_at;          /* how many had come when @kept was kept */
	char *kept;                /* an earlier continue token, to recognise one that comes again; NULL: none */
	unsigned expired;          /* times that it had to start over */
};

void kc_list_init(struct kc_list *l); /* the second part */

/* Ask for the first @page objects (0: for all) as a new round of the report, @fresh: on a new connection; no callback
 * runs in here. Not while one is under way. Fails: ENOMEM, E2BIG (the URL). */
CHECKED int kc_list_begin(struct kc_list *l, uint32_t page, bool fresh, struct err *err);
/* End it without a callback, if one is under way, and release all it holds; also from a callback of the report. */
void kc_list_stop(struct kc_list *l);

#endif
