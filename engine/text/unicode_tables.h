/* The Unicode properties that the RE2 dialect and the transliteration need: general categories, scripts, and the orbits of
 * simple case folding, as of Unicode 15.0.0 (the version of Go 1.24). The tables are generated: gen/unicode_tables.py. */
#ifndef TEXT_UNICODE_TABLES_H
#define TEXT_UNICODE_TABLES_H

#include "base/str.h"

#define UNICODE_MAX 0x10FFFFu

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

/* The next code point that folds like @c (ascending, then back to the smallest); @c itself when there is no other.
 * Go: unicode.SimpleFold. */
uint32_t unicode_simple_fold(uint32_t c);

/* Index of the first entry of unicode_folds whose code is at least @c. */
size_t unicode_fold_from(uint32_t c);

/* Two letters such as "Lu"; "Cn" for an unassigned code point. */
const char *unicode_category(uint32_t c);

#endif
