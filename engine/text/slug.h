/* Makes names for files and URLs out of any text, as slug.Make of gosimple/slug 1.15 does: other scripts are written in
 * Latin letters, '&' and '@' as words, and all remaining characters but letters, digits and '_' become '-'.
 *
 * The Latin spelling is derived from Unicode's data (gen/slug_tables.py). For Latin, Greek, Cyrillic, kana, Hangul
 * and the common Chinese characters it is the library's; rare characters of other scripts may differ. */
#ifndef TEXT_SLUG_H
#define TEXT_SLUG_H

#include "base/buf.h"

/* Append the slug of @s. Only @out can fail. */
void slug_make(str s, struct buf *out);

#endif
