/* Writes the elements of tables with their roles. */
#include "daemon/pages/pages_internal.h"

static void open_table(struct html *h, const struct html *caption)
{
	html_open(h, "table");
	html_attr(h, "role", STR("table"));
	html_open(h, "caption");
	html_append(h, caption);
	html_close(h, "caption");
	html_open(h, "thead");
	html_attr(h, "role", STR("rowgroup"));
	html_open(h, "tr");
	html_attr(h, "role", STR("row"));
}

static void add_column(struct html *h, const struct page_column *c)
{
	html_open(h, "th");
	html_attr(h, "scope", STR("col"));
	html_attr(h, "role", STR("columnheader"));
	if (c->sorted)
		html_attr(h, "aria-sort", str_from(c->sorted));
	if (c->order.n)
		page_link(h, c->order, c->heading);
	else
		html_text(h, c->heading);
	html_close(h, "th");
}

static void open_rows(struct html *h)
{
	html_close(h, "tr");
	html_close(h, "thead");
	html_newline(h);
	html_open(h, "tbody");
	html_attr(h, "role", STR("rowgroup"));
}

void page_table_open_columns(struct html *h, const struct html *caption, const struct page_column *columns, size_t n)
{
	open_table(h, caption);
	for (size_t i = 0; i < n; i++)
		add_column(h, &columns[i]);
	open_rows(h);
}

void page_table_open(struct html *h, const struct html *caption, const str *headings, size_t n)
{
	open_table(h, caption);
	for (size_t i = 0; i < n; i++)
		add_column(h, &(struct page_column){ .heading = headings[i] });
	open_rows(h);
}

void page_table_close(struct html *h)
{
	html_close(h, "tbody");
	html_close(h, "table");
	html_newline(h);
}

void page_row_open(struct html *h)
{
	html_open(h, "tr");
	html_attr(h, "role", STR("row"));
}

void page_row_close(struct html *h)
{
	html_close(h, "tr");
	html_newline(h);
}

void page_row_heading_open(struct html *h)
{
	html_open(h, "th");
	html_attr(h, "scope", STR("row"));
	html_attr(h, "role", STR("rowheader"));
}

void page_row_heading_close(struct html *h)
{
	html_close(h, "th");
}

void page_cell_open(struct html *h, str heading)
{
	html_open(h, "td");
	html_attr(h, "role", STR("cell"));
	html_attr(h, "data-is", heading);
}

void page_cell_close(struct html *h)
{
	html_close(h, "td");
}
