/* Writes the head, the navigation and the foot of each page. */

#include "daemon/pages/pages_internal.h"

void page_response(struct http_response *r)
{
	r->content_type = "text/html; charset=utf-8";
	http_response_header(
		r, "Content-Security-Policy",
		"default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; "
		"frame-ancestors 'none'");
	http_response_header(r, "Referrer-Policy", "no-referrer");
	http_response_header(r, "Cache-Control", "no-store");
}

static void add_meta(struct html *h, str name, str content)
{
	html_void(h, "meta");
	html_attr(h, "name", name);
	html_attr(h, "content", content);
}

static void add_resource(struct html *h, str rel, str address)
{
	html_void(h, "link");
	html_attr(h, "rel", rel);
	html_attr(h, "href", address);
}

static void add_head(struct html *h, const struct page_frame *f)
{
	html_open(h, "head");
	html_void(h, "meta");
	html_attr(h, "charset", STR("utf-8"));
	add_meta(h, STR("viewport"), STR("width=device-width, initial-scale=1"));
	add_meta(h, STR("color-scheme"), STR("light dark"));
	if (f->refreshes) {
		html_void(h, "meta");
		html_attr(h, "http-equiv", STR("refresh"));
		html_attr(h, "content", STR(PAGE_REFRESH_SECONDS));
	}
	html_open(h, "title");
	html_cut(h, f->title, 120);
	html_say(h, " · driftd");
	html_close(h, "title");
	add_resource(h, STR("stylesheet"), STR("/style.css"));
	add_resource(h, STR("icon"), STR("/icon.svg"));
	html_close(h, "head");
	html_newline(h);
}

static void add_banner(struct html *h, const struct page_frame *f)
{
	html_open(h, "header");
	html_open_class(h, "a", "brand");
	html_attr(h, "href", STR("/"));
	html_say(h, "driftd");
	html_close(h, "a");
	html_open(h, "nav");
	html_attr(h, "aria-label", STR("Other views"));
	html_open(h, "ul");
	html_with(h, "li", page_link(h, STR("/"), STR("Overview")));
	html_with(h, "li", page_link(h, STR("/history"), STR("History")));
	html_with(h, "li", page_link(h, STR("/runbook"), STR("Runbook")));
	html_with(h, "li", page_link(h, str_from(f->json), STR("JSON")));
	html_with(h, "li", page_link(h, str_from(f->metrics_path), STR("Metrics")));
	html_with(h, "li", page_link(h, STR("/-/ready"), STR("Ready")));
	html_with(h, "li", page_link(h, STR("/-/healthy"), STR("Healthy")));
	html_close(h, "ul");
	html_close(h, "nav");
	html_close(h, "header");
	html_newline(h);
}

void page_begin(struct html *h, const struct page_frame *f)
{
	buf_add_cstr(h->out, "<!DOCTYPE html>\n");
	html_open(h, "html");
	html_attr(h, "lang", STR("en"));
	add_head(h, f);
	html_open(h, "body");
	html_open_class(h, "a", "skip");
	html_attr(h, "href", STR("#main"));
	html_say(h, "Skip to the content");
	html_close(h, "a");
	add_banner(h, f);
	html_open(h, "main");
	html_attr(h, "id", STR("main"));
	html_newline(h);
}

void page_end(struct html *h, const struct html *note)
{
	html_close(h, "main");
	html_open(h, "footer");
	html_element(h, "p", STR("driftd " DRIFTD_VERSION));
	if (note)
		html_append(h, note);
	html_close(h, "footer");
	html_close(h, "body");
	html_close(h, "html");
	html_newline(h);
}

void page_fail(struct http_response *r, const char *metrics_path, unsigned status, const char *message)
{
	struct page_frame frame = { .title = STR("Not found"), .metrics_path = metrics_path, .json = "/status.json" };
	struct html h = HTML_INIT(&r->body);

	if (status != 404)
		frame.title = STR("No answer");
	r->status = status;
	page_response(r);
	page_begin(&h, &frame);
	html_element(&h, "h1", frame.title);
	html_element(&h, "p", str_from(message));
	html_with(&h, "p", page_link(&h, STR("/"), STR("To all that is open")));
	page_end(&h, NULL);
}
