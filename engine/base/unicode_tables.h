/* The tables behind base/unicode.h, which the RE2 dialect reads too: general categories, scripts, orbits of simple case
 * folding and simple case mappings of Unicode 15.0.0. Generated: gen/unicode_tables.py. */
#ifndef BASE_UNICODE_TABLES_H
#define BASE_UNICODE_TABLES_H

#include "base/defs.h"

#include <stddef.h>
#include <stdint.h>

/* A run of code points; @tag indexes the table of names. Ranges are in ascending order and do not overlap. */
struct unicode_range {
	uint32_t lo;
	uint32_t hi;
	uint32_t tag;
};

struct unicode_fold {
	uint32_t code;
	uint32_t next;
};

/* Every @step-th character from first to last maps to itself + delta. A row with step 2 may enclose one for characters
 * between. */
struct unicode_case {
	uint32_t first, last;
	int32_t delta;
	uint32_t step;
};

extern const char *const unicode_category_names[];
extern const size_t unicode_n_categories;
extern const struct unicode_range unicode_categories[];
extern const size_t unicode_n_category_ranges;
extern const char *const unicode_script_names[];
extern const size_t unicode_n_scripts;
extern const struct unicode_range unicode_scripts[];
extern const size_t unicode_n_script_ranges;
extern const struct unicode_fold unicode_folds[];
extern const size_t unicode_n_folds;
extern const struct unicode_case unicode_to_upper_rows[], unicode_to_lower_rows[], unicode_to_title_rows[];
extern const size_t unicode_n_to_upper, unicode_n_to_lower, unicode_n_to_title;

#endif
