/* Adds, multiplies, divides and compares decimals, digit by digit. */
#include "text/decimal.h"

#include "base/assert.h"

#include <stdio.h>

static str without_leading_zeros(str s)
{
	size_t n = 0;

	while (n < s.n && s.p[n] == '0')
		n++;
	return str_sub(s, n, s.n);
}

static char *digits_new(struct arena *a, size_t n)
{
	return n > DECIMAL_DIGITS_MAX ? NULL : arena_alloc(a, n);
}

bool decimal_from_int(int64_t i, int64_t exponent, struct arena *a, struct decimal *ret)
{
	uint64_t abs = i < 0 ? 0 - (uint64_t)i : (uint64_t)i;
	str text = arena_printf(a, "%llu", (unsigned long long)abs);

	*ret = (struct decimal){ .negative = i < 0, .digits = without_leading_zeros(text), .exponent = exponent };
	return text.p != NULL;
}

/* The digit of @d for 10^@power. */
static int digit_at(const struct decimal *d, int64_t power)
{
	int64_t from_end = power - d->exponent;

	if (from_end < 0 || from_end >= (int64_t)d->digits.n)
		return 0;
	return d->digits.p[(int64_t)d->digits.n - 1 - from_end] - '0';
}

int decimal_compare_abs(const struct decimal *x, const struct decimal *y)
{
	int64_t top_x = x->exponent + (int64_t)x->digits.n, top_y = y->exponent + (int64_t)y->digits.n;
	int64_t low = x->exponent < y->exponent ? x->exponent : y->exponent;

	if (x->digits.n == 0 || y->digits.n == 0)
		return (x->digits.n > 0) - (y->digits.n > 0);
	if (top_x != top_y)
		return top_x < top_y ? -1 : 1;
	/* The leading powers are equal: the loop compares no more digits than the longer number has. */
	for (int64_t power = top_x - 1; power >= low; power--) {
		int diff = digit_at(x, power) - digit_at(y, power);

		if (diff)
			return diff;
	}
	return 0;
}

int decimal_compare(const struct decimal *x, const struct decimal *y)
{
	int sign_x = x->digits.n == 0 ? 0 : x->negative ? -1 : 1;
	int sign_y = y->digits.n == 0 ? 0 : y->negative ? -1 : 1;

	if (sign_x != sign_y)
		return sign_x < sign_y ? -1 : 1;
	return sign_x * decimal_compare_abs(x, y);
}

bool decimal_add(const struct decimal *x, const struct decimal *y, struct arena *a, struct decimal *ret)
{
	int64_t low = x->exponent < y->exponent ? x->exponent : y->exponent;
	int64_t top_x = x->exponent + (int64_t)x->digits.n, top_y = y->exponent + (int64_t)y->digits.n;
	int64_t top = (top_x > top_y ? top_x : top_y) + 1;
	bool subtract = x->negative != y->negative;
	int carry = 0;
	char *out;

	if (subtract && decimal_compare_abs(x, y) < 0) {
		const struct decimal *swap = x;

		x = y;
		y = swap;
	}
	if (top < low)
		top = low;
	out = digits_new(a, (size_t)(top - low));
	if (!out)
		return false;
	for (int64_t power = low; power < top; power++) {
		int d = subtract ? digit_at(x, power) - digit_at(y, power) + carry
				 : digit_at(x, power) + digit_at(y, power) + carry;

		carry = d < 0 ? -1 : d / 10;
		out[top - 1 - power] = (char)('0' + (d < 0 ? d + 10 : d % 10));
	}
	*ret = (struct decimal){ .negative = x->negative, .exponent = low };
	ret->digits = without_leading_zeros((str){ out, (size_t)(top - low) });
	if (ret->digits.n == 0)
		ret->negative = false;
	return true;
}

bool decimal_round_up(const struct decimal *d, int64_t exponent, struct arena *a, struct decimal *ret)
{
	int64_t cut = exponent - d->exponent;
	size_t n = d->digits.n, keep;
	bool inexact = false;
	char *out;

	*ret = *d;
	ret->exponent = exponent;
	if (n == 0 || cut == 0)
		return true;
	if (cut < 0) {
		if (-cut > DECIMAL_DIGITS_MAX)
			return false;
		out = digits_new(a, n + (size_t)-cut);
		if (!out)
			return false;
		memcpy(out, d->digits.p, n);
		memset(out + n, '0', (size_t)-cut);
		ret->digits = (str){ out, n + (size_t)-cut };
		return true;
	}
	keep = cut >= (int64_t)n ? 0 : n - (size_t)cut;
	for (size_t i = keep; i < n; i++)
		inexact |= d->digits.p[i] != '0';
	ret->digits = str_sub(d->digits, 0, keep);
	if (inexact) {
		struct decimal one = { .negative = d->negative, .digits = STR("1"), .exponent = exponent };
		struct decimal kept = *ret;

		return decimal_add(&kept, &one, a, ret);
	}
	return true;
}

bool decimal_multiply(const struct decimal *d, uint32_t factor, struct arena *a, struct decimal *ret)
{
	size_t n = d->digits.n + 10;
	char *out = digits_new(a, n);
	uint64_t carry = 0;

	if (!out)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (i < d->digits.n)
			carry += (uint64_t)(d->digits.p[d->digits.n - 1 - i] - '0') * factor;
		out[n - 1 - i] = (char)('0' + carry % 10);
		carry /= 10;
	}
	*ret = *d;
	ret->digits = without_leading_zeros((str){ out, n });
	return true;
}

bool decimal_divide(str digits, uint32_t divisor, struct arena *a, str *quotient, uint32_t *rest)
{
	char *out = digits_new(a, digits.n);
	uint64_t left = 0;

	ASSERT(divisor > 0);
	if (!out)
		return false;
	for (size_t i = 0; i < digits.n; i++) {
		left = left * 10 + (uint64_t)(digits.p[i] - '0');
		out[i] = (char)('0' + left / divisor);
		left %= divisor;
	}
	*quotient = without_leading_zeros((str){ out, digits.n });
	*rest = (uint32_t)left;
	return true;
}

int64_t decimal_low_bits(const struct decimal *d)
{
	uint64_t n = 0;

	for (size_t i = 0; i < d->digits.n; i++)
		n = n * 10 + (uint64_t)(d->digits.p[i] - '0');
	return (int64_t)(d->negative ? 0 - n : n);
}
