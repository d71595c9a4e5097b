/* Finds the shortest decimal text of doubles, and reads numbers. */
#include "base/number.h"

#include "base/ascii.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

static bool reads_back(const char *digits, int exponent, double d)
{
	char text[48];

	(void)snprintf(text, sizeof(text), "0.%se%d", digits, exponent);
	return strtod(text, NULL) == d;
}

/* Add one unit in the last place; a carry out of the front shortens the digits to "1". */
static void next_up(char *digits, size_t n, int *exponent)
{
	while (n > 0 && digits[n - 1] == '9')
		digits[--n] = '0';
	if (n > 0) {
		digits[n - 1]++;
		return;
	}
	digits[0] = '1';
	digits[1] = '\0';
	(*exponent)++;
}

/* The decimal of @precision digits nearest to @d. */
static void round_to(double d, int precision, char *digits, int *exponent)
{
	char text[48];

	(void)snprintf(text, sizeof(text), "%.*e", precision - 1, d);
	digits[0] = text[0];
	if (precision > 1)
		memcpy(digits + 1, text + 2, (size_t)precision - 1);
	digits[precision] = '\0';
	*exponent = (int)strtol(strchr(text, 'e') + 1, NULL, 10) + 1;
}

static size_t strip_zeros(char *digits)
{
	size_t n = strlen(digits);

	while (n > 1 && digits[n - 1] == '0')
		n--;
	digits[n] = '\0';
	return n;
}

size_t double_digits(double d, char digits[DOUBLE_DIGITS_MAX + 2], int *exponent)
{
	/* Any 15 digits survive in a normal double, so that a shorter text has zeros at the end; subnormals hold
	 * fewer digits. */
	int precision = fabs(d) < DBL_MIN ? 1 : DBL_DIG;

	d = fabs(d);
	if (d == 0) {
		memcpy(digits, "0", 2);
		*exponent = 1;
		return 1;
	}
	for (; precision < DOUBLE_DIGITS_MAX; precision++) {
		round_to(d, precision, digits, exponent);
		if (reads_back(digits, *exponent, d))
			return strip_zeros(digits);
		/* Below a power of two doubles lie twice as dense as above it: the nearest decimal may then read back
		 * as the neighbour below while the next one up is right. */
		next_up(digits, (size_t)precision, exponent);
		if (reads_back(digits, *exponent, d))
			return strip_zeros(digits);
	}
	round_to(d, DOUBLE_DIGITS_MAX, digits, exponent);
	return strip_zeros(digits);
}

bool double_parse(str s, double *ret)
{
	char small[64];
	char *text = s.n < sizeof(small) ? small : malloc(s.n + 1);

	if (!text)
		return false;
	memcpy(text, s.p, s.n);
	text[s.n] = '\0';
	*ret = strtod(text, NULL);
	if (text != small)
		free(text);
	return true;
}

bool int64_parse(str s, int64_t *ret)
{
	bool negative = s.n > 0 && s.p[0] == '-';
	size_t i = negative || (s.n > 0 && s.p[0] == '+') ? 1 : 0;
	int64_t v = 0;

	if (i == s.n)
		return false;
	for (; i < s.n; i++) {
		int digit = s.p[i] - '0';

		if (digit < 0 || digit > 9 || __builtin_mul_overflow(v, 10, &v))
			return false;
		if (negative ? __builtin_sub_overflow(v, digit, &v) : __builtin_add_overflow(v, digit, &v))
			return false;
	}
	*ret = v;
	return true;
}

int64_t digits_parse(str s, size_t n, int base)
{
	int64_t v = 0;

	if (s.n < n)
		return -1;
	for (size_t i = 0; i < n; i++) {
		int digit = ascii_hex_value(s.p[i]);

		if (digit < 0 || digit >= base)
			return -1;
		v = v * base + digit;
	}
	return v;
}
