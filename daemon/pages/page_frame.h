/* What is around every page. */
#ifndef DAEMON_PAGES_PAGE_FRAME_H
#define DAEMON_PAGES_PAGE_FRAME_H

#include "daemon/pages/html_out.h"
#include "daemon/serve/http.h"

#define PAGE_REFRESH_SECONDS "30"

/* Content type, and headers that let a browser load nothing but our style and icon, run nothing, keep nothing. */
void page_response(struct http_response *r);

struct page_frame {
	str title;
	const char *metrics_path;
	const char *json; /* the same as JSON */
	bool refreshes;
};

/* Up to the beginning of <main>, which stays open. */
void page_begin(struct html *h, const struct page_frame *f);
/* From the end of <main>. @note: into the footer. */
void page_end(struct html *h, const struct html *note);

/* A whole page that says why there is no other. */
void page_fail(struct http_response *r, const char *metrics_path, unsigned status, const char *message);

#endif
