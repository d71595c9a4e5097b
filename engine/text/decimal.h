/* Decimal numbers with as many digits as they need, as text. They are slow and simple: they are for numbers that do
 * not fit into an int64. */
#ifndef TEXT_DECIMAL_H
#define TEXT_DECIMAL_H

#include "base/arena.h"

/* A number: digits x 10^exponent; the digits have no leading zeros, "" is zero. */
struct decimal {
	bool negative;
	str digits;
	int64_t exponent;
};

#define DECIMAL_DIGITS_MAX 100000

/* Functions that make digits return false without memory, or when there would be more than DECIMAL_DIGITS_MAX. */

bool decimal_from_int(int64_t i, int64_t exponent, struct arena *a, struct decimal *ret);
/* Compare absolute values: less than, equal to or greater than 0. */
int decimal_compare_abs(const struct decimal *x, const struct decimal *y);
int decimal_compare(const struct decimal *x, const struct decimal *y);
bool decimal_add(const struct decimal *x, const struct decimal *y, struct arena *a, struct decimal *ret);
/* Convert @d to exactly this @exponent: zeros are appended, or digits are cut and the rest is rounded away from
 * zero. */
bool decimal_round_up(const struct decimal *d, int64_t exponent, struct arena *a, struct decimal *ret);
bool decimal_multiply(const struct decimal *d, uint32_t factor, struct arena *a, struct decimal *ret);
/* Divide digits by @divisor; the remainder goes to the last argument. */
bool decimal_divide(str digits, uint32_t divisor, struct arena *a, str *quotient, uint32_t *rest);
/* The low 64 bits of the digits with the sign, as Go's big.Int.Int64. */
int64_t decimal_low_bits(const struct decimal *d);

#endif
