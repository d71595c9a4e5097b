/* Prints a table. The widths are found as cells are added, and used when all are there. */
#include "daemon/control/table.h"

#include "base/assert.h"
#include "base/printable.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#define CELL_BYTES_MAX 120
#define CELLS_BYTES_MAX ((size_t)1 << 30)
#define GAP 3

void table_add(struct table *t, str text)
{
	str shown = utf8_cut(text, t->cell_max);
	size_t from = t->cells.n, width;

	printable_add(&t->cells, shown, "\\n");
	if (shown.n < text.n)
		buf_add_cstr(&t->cells, "...");
	width = t->cells.error ? 0 : utf8_count(str_sub(buf_str(&t->cells), from, t->cells.n));
	if (width > t->widths[t->column])
		t->widths[t->column] = width;
	buf_add_byte(&t->cells, '\0');
	t->column = (t->column + 1) % t->n_columns;
}

void table_addf(struct table *t, const char *format, ...)
{
	char text[CELL_BYTES_MAX + 1];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	table_add(t, str_from(text));
}

void table_init(struct table *t, const char *const *headings, size_t n)
{
	ASSERT(n > 0 && n <= TABLE_COLUMNS_MAX);
	*t = (struct table){ .n_columns = n, .cells = BUF_INIT(CELLS_BYTES_MAX), .cell_max = CELL_BYTES_MAX };
	for (size_t i = 0; i < n; i++)
		table_add(t, str_from(headings[i]));
}

void table_done(struct table *t)
{
	buf_done(&t->cells);
}

int table_print(const struct table *t, bool headings, struct buf *out, struct err *err)
{
	size_t column = 0, row = 0;

	ASSERT(t->column == 0);
	if (buf_error((struct buf *)&t->cells, "table", err) < 0)
		return -err->code;
	for (size_t at = 0; at < t->cells.n;) {
		const char *cell = t->cells.p + at;
		size_t n = strlen(cell), pad = t->widths[column] + GAP - utf8_count((str){ cell, n });
		bool last = column + 1 == t->n_columns;

		if (row > 0 || headings) {
			buf_add(out, cell, n);
			for (size_t i = 0; i < pad && !last; i++)
				buf_add_byte(out, ' ');
			if (last)
				buf_add_byte(out, '\n');
		}
		at += n + 1;
		row += last;
		column = last ? 0 : column + 1;
	}
	return buf_error(out, "table", err);
}

void age_text(int64_t s, char ret[32])
{
	const int64_t minute = 60, hour = 3600, day = 86400;

	if (s < 0)
		s = 0;
	if (s < 2 * minute)
		(void)snprintf(ret, 32, "%" PRId64 "s", s);
	else if (s < hour)
		(void)snprintf(ret, 32, "%" PRId64 "m", s / minute);
	else if (s < day)
		(void)snprintf(ret, 32, "%" PRId64 "h%" PRId64 "m", s / hour, s % hour / minute);
	else
		(void)snprintf(ret, 32, "%" PRId64 "d%" PRId64 "h", s / day % 1000000, s % day / hour);
}
