/* Reads the parameters of a page and writes them into links. */
#include "daemon/pages/pages_internal.h"

#include "base/number.h"
#include "kubeclient/kc_url.h"

#include <errno.h>

#define PAGE_MAX 1000000
#define ADDRESS_MAX 32768 /* bytes; escaped, a request can be three times as long as it was */

static int parse_page(const char *value, size_t *ret, struct err *err)
{
	int64_t n;

	if (!int64_parse(str_from(value), &n) || n < 1 || n > PAGE_MAX)
		return err_set(err, EINVAL, "page '%.40s': a number from 1 is expected", value);
	*ret = (size_t)n;
	return 0;
}

int page_query_parse(const struct http_request *q, struct page_query *ret, struct err *err)
{
	struct page_query p = { .page = 1 };
	const char *name, *value;
	size_t at = 0;

	while (http_query_each(q, &at, &name, &value)) {
		int r = 0;

		if (!*value)
			continue;
		if (strcmp(name, "page") == 0)
			r = parse_page(value, &p.page, err);
		else if (strcmp(name, "refresh") == 0)
			p.still = strcmp(value, "0") == 0;
		else if (strcmp(name, "form") == 0)
			p.filling = strcmp(value, "0") != 0;
		else
			r = finding_filter_add(&p.filter, name, value, err);
		if (r < 0)
			return r;
	}
	if (p.filter.labels.n)
		return err_set(err, EINVAL, "labels: lists of the control API are filtered by them, and no page is");
	*ret = p;
	return 0;
}

bool page_query_is_filtered(const struct page_query *q)
{
	return finding_filter_is_set(&q->filter);
}

void page_query_address(const struct page_query *q, struct buf *out)
{
	buf_add_byte(out, '/');
	finding_filter_address(&q->filter, out);
	if (q->page > 1)
		kc_url_number(out, "page", q->page);
	kc_url_query(out, "refresh", str_from(q->still ? "0" : ""));
	kc_url_query(out, "form", str_from(q->filling ? "1" : ""));
}

void page_query_link_open(struct html *h, const struct page_query *q)
{
	CLEANUP(buf_done) struct buf address = BUF_INIT(ADDRESS_MAX);

	page_query_address(q, &address);
	html_open(h, "a");
	html_attr(h, "href", buf_str(&address));
}

void page_query_link(struct html *h, const struct page_query *q, str text, str hidden)
{
	page_query_link_open(h, q);
	html_text(h, text);
	page_hidden(h, hidden);
	html_close(h, "a");
}
