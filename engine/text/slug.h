/* Names for files and URLs out of any text, as slug.Make of gosimple/slug 1.15 makes them: other scripts are written in
 * Latin letters, '&' and '@' as words, and what is left but letters, digits and '_' becomes '-'.
 *
 * The Latin spelling is derived from Unicode's data (gen/slug_tables.py). For Latin, Greek, Cyrillic, kana, Hangul and
 * the common Chinese characters it is the library's; rare characters of other scripts may differ. */
#ifndef TEXT_SLUG_H
#define TEXT_SLUG_H

#include "base/buf.h"

/* Append the slug of @s. Does not fail but through @out. */
void slug_make(str s, struct buf *out);

#endif
