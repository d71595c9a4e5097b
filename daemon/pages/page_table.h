/* Tables that keep their meaning for a screen reader when a narrow screen shows their rows as cards: the style takes
 * the display of a table away, and browsers then take the roles away unless they are said. */
#ifndef DAEMON_PAGES_PAGE_TABLE_H
#define DAEMON_PAGES_PAGE_TABLE_H

#include "daemon/pages/html_out.h"

/* Up to the first row. @caption has nothing open. */
void page_table_open(struct html *h, const struct html *caption, const str *headings, size_t n);
void page_table_close(struct html *h);
void page_row_open(struct html *h);
void page_row_close(struct html *h);
/* What the row is about. */
void page_row_heading_open(struct html *h);
void page_row_heading_close(struct html *h);
/* @heading: of its column. */
void page_cell_open(struct html *h, str heading);
void page_cell_close(struct html *h);
/* The same around what the calls of @content write. */
#define page_row_heading(h, content) (page_row_heading_open(h), (content), page_row_heading_close(h))
#define page_cell(h, heading, content) (page_cell_open((h), (heading)), (content), page_cell_close(h))

#endif
