/* Answers with the style and the icon. */
#include "daemon/pages/page_assets.h"

#include "daemon/pages/pages.h"

/* Answer with an asset. The browser has to ask each time whether it has changed, so that a new driftd is never seen
 * with an old style. */
static void answer(const struct page_asset *a, const char *type, const struct http_request *q, struct http_response *r)
{
	const char *known = http_header(q, "If-None-Match");

	http_response_header(r, "ETag", a->tag);
	http_response_header(r, "Cache-Control", "no-cache");
	r->content_type = type;
	if (known && strcmp(known, a->tag) == 0)
		r->status = 304;
	else
		buf_add_str(&r->body, a->content);
}

void pages_style(void *ctx, const struct http_request *q, struct http_response *r)
{
	(void)ctx;
	answer(&page_asset_style_css, "text/css; charset=utf-8", q, r);
}

void pages_icon(void *ctx, const struct http_request *q, struct http_response *r)
{
	(void)ctx;
	answer(&page_asset_icon_svg, "image/svg+xml", q, r);
}
