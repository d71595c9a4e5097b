/* The pages for browsers: HTML and CSS, no script. docs/web.md describes them. */
#ifndef DAEMON_PAGES_PAGES_H
#define DAEMON_PAGES_PAGES_H

#include "daemon/serve/http.h"
#include "daemon/serve/metrics.h"

/* GET /: clusters, open findings (PAGE_ROWS of them, streamed), watches, the last reload. No value of an object. */
void pages_overview(const struct metrics_view *view, const struct http_request *q, struct http_response *r);
/* GET /findings/{id}: one of them, with values, diff and history for who is trusted. */
void pages_finding(const struct metrics_view *view, const struct http_request *q, struct http_response *r);
/* GET /history: how many were open when, drawn, and what began and ended; messages for who is trusted. */
void pages_history(const struct metrics_view *view, const struct http_request *q, struct http_response *r);
/* GET /runbook: docs/guide/runbook.md, a section for each alert. */
void pages_runbook(const struct metrics_view *view, const struct http_request *q, struct http_response *r);
/* GET /style.css, GET /icon.svg: the same for every page, so that they need not be sent with each. Nothing is at @ctx.
 */
void pages_style(void *ctx, const struct http_request *q, struct http_response *r);
void pages_icon(void *ctx, const struct http_request *q, struct http_response *r);

#endif
