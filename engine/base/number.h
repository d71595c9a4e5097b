/* Converts text to numbers and back, exactly. */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include "base/str.h"

#define DOUBLE_DIGITS_MAX 17

/* The shortest decimal digits that read back as @d (of those, the nearest to it), as strconv's shortest format finds
 * them: d = 0.DIGITS x 10^exponent. @d is finite; its sign is ignored; zero gives "0" with exponent 1. Returns the
 * number of digits. @digits is NUL-terminated. */
size_t double_digits(double d, char digits[DOUBLE_DIGITS_MAX + 2], int *exponent);

/* The double nearest to the decimal text @s, which is [+-]digits[.digits][e[+-]digits] and nothing else: the caller
 * has checked that. False without memory (long texts are copied). Overflow gives an infinity. */
bool double_parse(str s, double *ret);

/* The integer that @s spells ([+-]digits); false when it spells none, or one that does not fit. */
bool int64_parse(str s, int64_t *ret);

/* The value of the first @n characters of @s (@n at most 15) as digits of @base, which is at most 16; -1 when they
 * are no digits, or fewer. */
int64_t digits_parse(str s, size_t n, int base);

#endif
