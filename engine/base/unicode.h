/* Character classes and simple case mappings of Unicode, as Go's package unicode names them. Independent of the locale. */
#ifndef BASE_UNICODE_H
#define BASE_UNICODE_H

#include <stdbool.h>
#include <stdint.h>

bool unicode_is_letter(uint32_t c); /* L */
bool unicode_is_digit(uint32_t c);  /* Nd */
bool unicode_is_number(uint32_t c); /* N */
bool unicode_is_print(uint32_t c);  /* L, M, N, P, S and the ASCII space */
bool unicode_is_space(uint32_t c);  /* White_Space */
bool unicode_is_upper(uint32_t c);
bool unicode_is_lower(uint32_t c);
bool unicode_is_title(uint32_t c);

/* One character to one character; what has no such mapping stays. */
uint32_t unicode_to_upper(uint32_t c);
uint32_t unicode_to_lower(uint32_t c);
uint32_t unicode_to_title(uint32_t c);

#endif
