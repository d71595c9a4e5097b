/* Character classes and simple case mappings of Unicode 15.0.0 (the version of Go 1.24), as Go's package unicode names
 * them. Independent of the locale. */
#ifndef BASE_UNICODE_H
#define BASE_UNICODE_H

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UNICODE_MAX 0x10FFFFu

bool unicode_is_letter(uint32_t c); /* L */
bool unicode_is_digit(uint32_t c);  /* Nd */
bool unicode_is_number(uint32_t c); /* N */
bool unicode_is_punct(uint32_t c);  /* P */
bool unicode_is_print(uint32_t c);  /* L, M, N, P, S and the ASCII space */
bool unicode_is_space(uint32_t c);  /* White_Space */
bool unicode_is_upper(uint32_t c);
bool unicode_is_lower(uint32_t c);
bool unicode_is_title(uint32_t c);

/* @s without the white space at both ends. */
str unicode_trim(str s);

/* Map one character to one character; a character without such a mapping stays. */
uint32_t unicode_to_upper(uint32_t c);
uint32_t unicode_to_lower(uint32_t c);
uint32_t unicode_to_title(uint32_t c);

/* The next code point that folds like @c (ascending, then back to the smallest); @c itself when there is no other.
 * Go: unicode.SimpleFold. */
uint32_t unicode_simple_fold(uint32_t c);
/* Index of the first entry of unicode_folds (unicode_tables.h) whose code is at least @c. */
size_t unicode_fold_from(uint32_t c);

#endif
