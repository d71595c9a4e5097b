/* Converts text to numbers and back, exactly. */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include "base/str.h"

#define DOUBLE_DIGITS_MAX 17

/* The shortest decimal digits that read back as @d (of those, the nearest to it), as strconv's shortest format finds
 * them: d = 0.DIGITS x 10^exponent. @d is finite; its sign is ignored; zero gives "0" with exponent 1. Returns their
 * number.
 * @digits is NUL-terminated. */
size_t double_digits(double d, char digits[DOUBLE_DIGITS_MAX + 2], int *exponent);

/* The double nearest to the decimal text @s ([+-]digits[.digits][e[+-]digits], nothing else: the caller has checked).
 * False without memory (long texts are copied). Overflow gives an infinity. */
bool double_parse(str s, double *ret);

/* The integer @s spells ([+-]digits); false when it is none or does not fit. */
bool int64_parse(str s, int64_t *ret);

/* What the first @n characters of @s, 15 at most, are as digits of @base, 16 at most; -1 when they are none, or fewer.
 */
int64_t digits_parse(str s, size_t n, int base);

#endif
