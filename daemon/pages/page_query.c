/* Parameters in and out. */
#include "daemon/pages/pages_internal.h"

#include "base/number.h"
#include "go/url.h"

#include <errno.h>

#define PAGE_MAX 1000000

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
	*ret = p;
	return 0;
}

bool page_query_is_filtered(const struct page_query *q)
{
	const struct finding_filter *f = &q->filter;

	return f->cluster.n || f->namespace.n || f->name.n || f->reference.n || f->component.n || f->kind.n ||
	       f->types || f->worst;
}

static void add(struct buf *out, const char *name, str value)
{
	if (!value.n)
		return;
	buf_printf(out, "%c%s=", str_find_byte(buf_str(out), '?') < 0 ? '?' : '&', name);
	go_url_escape(out, value, GO_URL_QUERY);
}

static void add_page(struct buf *out, size_t page)
{
	char text[24];

	if (page == 1)
		return;
	(void)snprintf(text, sizeof(text), "%zu", page);
	add(out, "page", str_from(text));
}

void page_query_address(const struct page_query *q, struct buf *out)
{
	const struct finding_filter *f = &q->filter;

	buf_add_byte(out, '/');
	add(out, "cluster", f->cluster);
	add(out, "namespace", f->namespace);
	add(out, "name", f->name);
	add(out, "reference", f->reference);
	add(out, "component", f->component);
	add(out, "kind", f->kind);
	for (int kind = 0; kind < FINDING_KINDS; kind++) {
		if (f->types & 1u << kind)
			add(out, "type", str_from(finding_type((enum finding_kind)kind)));
	}
	add(out, "severity", str_from(f->worst ? severity_name(f->worst) : ""));
	add_page(out, q->page);
	add(out, "refresh", str_from(q->still ? "0" : ""));
	add(out, "form", str_from(q->filling ? "1" : ""));
}
