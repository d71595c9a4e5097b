/* What characters become in a slug. The tables are generated: gen/slug_tables.py. */
#ifndef TEXT_SLUG_TABLES_H
#define TEXT_SLUG_TABLES_H

#include "base/defs.h"

#define SLUG_HAN_FIRST 0x4E00
#define SLUG_HAN_LAST 0x9FA5
#define SLUG_SOUND_SIZE 8

/* Only letters, digits and '-' (for everything else) appear in @text. */
struct slug_letter {
	uint16_t code;
	char text[22];
};

extern const uint8_t slug_blocks[32];           /* a bit for each block of 256 that has a table */
extern const struct slug_letter slug_letters[]; /* in order of their code */
extern const size_t slug_n_letters;
extern const char slug_sounds[][SLUG_SOUND_SIZE];
extern const uint16_t slug_han[]; /* indexes slug_sounds */

#endif
