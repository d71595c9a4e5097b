/* Finds template functions by name. */
#include "template/tmpl_functions.h"

/* Family number @i, of which the language's own is the first; NULL behind the last. */
static const struct tmpl_fn_family *family_at(const struct tmpl_functions *f, size_t i)
{
	if (i == 0)
		return &tmpl_language_functions;
	return f && i <= f->n ? f->families[i - 1] : NULL;
}

const struct tmpl_fn *tmpl_fn_find(const struct tmpl_functions *f, str name)
{
	const struct tmpl_fn_family *family;

	for (size_t at = 0; (family = family_at(f, at)); at++) {
		for (size_t i = 0; i < family->n; i++) {
			if (str_eq(str_from(family->rows[i].name), name))
				return &family->rows[i];
		}
	}
	return NULL;
}

/* The first row by name behind @last, or of all rows when that is NULL. */
static const struct tmpl_fn *next_row(const struct tmpl_functions *f, const struct tmpl_fn *last)
{
	const struct tmpl_fn_family *family;
	const struct tmpl_fn *best = NULL;

	for (size_t at = 0; (family = family_at(f, at)); at++) {
		for (size_t i = 0; i < family->n; i++) {
			const struct tmpl_fn *row = &family->rows[i];

			if ((!last || strcmp(row->name, last->name) > 0) &&
			    (!best || strcmp(row->name, best->name) < 0))
				best = row;
		}
	}
	return best;
}

/* Find the row by its rank, without a sorted copy: this is for display only. */
const struct tmpl_fn *tmpl_fn_at(const struct tmpl_functions *f, size_t n)
{
	const struct tmpl_fn *row = next_row(f, NULL);

	for (; row && n > 0; n--)
		row = next_row(f, row);
	return row;
}
