/* Widths are found as cells come, and used when all are there. */
#include "daemon/control/table.h"

#include "base/assert.h"
#include "base/printable.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#define CELL_BYTES_MAX 120
#define CELLS_BYTES_MAX ((size_t)1 << 30)
#define GAP 3

static size_t width_of(const char *cell, size_t n)
{
	size_t width = 0;

	for (size_t i = 0; i < n; i++)
		width += ((unsigned char)cell[i] & 0xC0) != 0x80;
	return width;
}

void table_add(struct table *t, str text)
{
	size_t from = t->cells.n, width, n = text.n;

	if (n > CELL_BYTES_MAX) {
		for (n = CELL_BYTES_MAX; n > 0 && ((unsigned char)text.p[n] & 0xC0) == 0x80;)
			n--;
	}
	printable_add(&t->cells, str_sub(text, 0, n), "\\n");
	if (n < text.n)
		buf_add_cstr(&t->cells, "...");
	width = t->cells.error ? 0 : width_of(t->cells.p + from, t->cells.n - from);
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
	*t = (struct table){ .n_columns = n, .cells = BUF_INIT(CELLS_BYTES_MAX) };
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
		size_t n = strlen(cell), pad = t->widths[column] + GAP - width_of(cell, n);
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
