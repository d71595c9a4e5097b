/* Columns for people, as kubectl prints them. */
#ifndef DAEMON_CONTROL_TABLE_H
#define DAEMON_CONTROL_TABLE_H

#include "base/buf.h"
#include "base/vec.h"

#define TABLE_COLUMNS_MAX 16

struct table {
	size_t n_columns, column; /* where the next cell goes */
	struct buf cells;         /* the cells one after the other, each ended by a NUL */
	size_t cell_max;          /* bytes of a text that are shown; may be set after table_init */
	size_t widths[TABLE_COLUMNS_MAX];
};

/* @headings: as many as there are columns. */
void table_init(struct table *t, const char *const *headings, size_t n);
void table_done(struct table *t);
/* Add the next cell, from left to right and top to bottom. Texts come from clusters: unprintable characters are
 * escaped, and long ones are cut. Lack of memory shows in table_print. */
void table_add(struct table *t, str text);
void table_addf(struct table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Append all rows, the last of which must be full; the first line, the headings, only with @headings. Fails: ENOMEM. */
CHECKED int table_print(const struct table *t, bool headings, struct buf *out, struct err *err);

/* An age as kubectl shows it: "45s", "12m", "3h12m", "4d6h". */
void age_text(int64_t seconds, char ret[32]);

#endif
