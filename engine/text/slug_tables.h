/* What characters become in a slug. The tables are generated: gen/slug_tables.py. */
#ifndef TEXT_SLUG_TABLES_H
#define TEXT_SLUG_TABLES_H

#include "base/defs.h"

extern const char slug_texts[];          /* zero-terminated texts: letters, digits, '_' and, for all else, '-' */
extern const uint8_t slug_block_of[256]; /* by the high byte of a character: 1 + its block; 0: such characters vanish */
extern const uint16_t slug_blocks[][256]; /* by the low byte: where its text begins in slug_texts */

#endif
