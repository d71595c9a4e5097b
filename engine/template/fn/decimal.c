/* Decimals as big integers with an exponent. */
#include "template/fn/decimal.h"

#include "base/number.h"

#include <math.h>
#include <openssl/crypto.h>

#define DIVISION_PRECISION 16

DEFINE_CLEANUP(BIGNUM *, BN_free)
DEFINE_CLEANUP(BN_CTX *, BN_CTX_free)

void tmpl_decimal_done(struct tmpl_decimal *d)
{
	BN_free(d->value);
	d->value = NULL;
}

/* Count the work of multiplying or dividing numbers of these sizes. */
static int spend(struct tmpl_call *c, const BIGNUM *a, const BIGNUM *b)
{
	uint64_t words_a = (uint64_t)BN_num_bits(a) / 64 + 1;
	uint64_t words_b = (uint64_t)BN_num_bits(b) / 64 + 1;

	return tmpl_spend(c, words_a * words_b / 64 + 1);
}

static BIGNUM *power_of_ten(int64_t n, BN_CTX *ctx)
{
	CLEANUP(BN_freep) BIGNUM *ten = BN_new();
	CLEANUP(BN_freep) BIGNUM *exp = BN_new();
	CLEANUP(BN_freep) BIGNUM *r = BN_new();

	if (!ten || !exp || !r || !BN_set_word(ten, 10) || !BN_set_word(exp, (BN_ULONG)n) || !BN_exp(r, ten, exp, ctx))
		return NULL;
	return TAKE(r);
}

/* *ret = value x 10^n, a new number. */
static int scaled(struct tmpl_call *c, const BIGNUM *value, int64_t n, BN_CTX *ctx, BIGNUM **ret)
{
	CLEANUP(BN_freep) BIGNUM *power = NULL;
	CLEANUP(BN_freep) BIGNUM *r = BN_new();
	int e = tmpl_spend(c, (uint64_t)n / 64 + 1);

	if (e < 0)
		return e;
	power = power_of_ten(n, ctx);
	if (!power || !r || !BN_mul(r, value, power, ctx))
		return tmpl_nomem(c);
	*ret = TAKE(r);
	return 0;
}

int tmpl_decimal_from_double(struct tmpl_call *c, double v, struct tmpl_decimal *ret)
{
	char digits[DOUBLE_DIGITS_MAX + 2];
	BIGNUM *value = NULL;
	int exponent;
	size_t n;

	if (isnan(v) || isinf(v))
		return tmpl_fail(c, "Cannot create a Decimal from %s", isnan(v) ? "NaN" : v > 0 ? "+Inf" : "-Inf");
	n = double_digits(v, digits, &exponent);
	if (BN_dec2bn(&value, digits) == 0)
		return tmpl_nomem(c);
	BN_set_negative(value, v < 0);
	ret->value = value;
	ret->exp = v == 0 ? 0 : exponent - (int64_t)n;
	return 0;
}

static void openssl_freep(char **p)
{
	OPENSSL_free(*p);
}

int tmpl_decimal_to_double(struct tmpl_call *c, const struct tmpl_decimal *d, double *ret)
{
	CLEANUP(openssl_freep) char *digits = NULL;
	CLEANUP(buf_done) struct buf text = tmpl_buf(c);
	int r = spend(c, d->value, d->value);

	if (r < 0)
		return r;
	if (BN_is_zero(d->value)) {
		*ret = 0;
		return 0;
	}
	digits = BN_bn2dec(d->value);
	if (!digits)
		return tmpl_nomem(c);
	buf_printf(&text, "%se%lld", digits, (long long)d->exp);
	if (text.error || !double_parse(buf_str(&text), ret))
		return tmpl_nomem(c);
	return 0;
}

/* Sums are taken at the smaller of the two exponents. */
static int add(struct tmpl_call *c, struct tmpl_decimal *a, const struct tmpl_decimal *b,
	       int (*op)(BIGNUM *, const BIGNUM *, const BIGNUM *))
{
	CLEANUP(BN_CTX_freep) BN_CTX *ctx = BN_CTX_new();
	CLEANUP(BN_freep) BIGNUM *left = NULL;
	CLEANUP(BN_freep) BIGNUM *right = NULL;
	int64_t exp = a->exp < b->exp ? a->exp : b->exp;
	int r;

	if (!ctx)
		return tmpl_nomem(c);
	r = scaled(c, a->value, a->exp - exp, ctx, &left);
	if (r < 0)
		return r;
	r = scaled(c, b->value, b->exp - exp, ctx, &right);
	if (r < 0)
		return r;
	if (!op(a->value, left, right))
		return tmpl_nomem(c);
	a->exp = exp;
	return 0;
}

int tmpl_decimal_add(struct tmpl_call *c, struct tmpl_decimal *a, const struct tmpl_decimal *b)
{
	return add(c, a, b, BN_add);
}

int tmpl_decimal_sub(struct tmpl_call *c, struct tmpl_decimal *a, const struct tmpl_decimal *b)
{
	return add(c, a, b, BN_sub);
}

int tmpl_decimal_mul(struct tmpl_call *c, struct tmpl_decimal *a, const struct tmpl_decimal *b)
{
	CLEANUP(BN_CTX_freep) BN_CTX *ctx = BN_CTX_new();
	CLEANUP(BN_freep) BIGNUM *product = BN_new();
	int64_t exp = a->exp + b->exp;
	int r = spend(c, a->value, b->value);

	if (r < 0)
		return r;
	if (exp > INT32_MAX || exp < INT32_MIN)
		return tmpl_fail(c, "exponent %lld overflows an int32!", (long long)exp);
	if (!ctx || !product || !BN_mul(product, a->value, b->value, ctx))
		return tmpl_nomem(c);
	BN_free(a->value);
	a->value = TAKE(product);
	a->exp = exp;
	return 0;
}

/* quotient = a / b, rounded half away from zero. */
static bool divide_rounded(BIGNUM *quotient, const BIGNUM *a, const BIGNUM *b, BN_CTX *ctx)
{
	CLEANUP(BN_freep) BIGNUM *rest = BN_new();
	bool negative = BN_is_negative(a) != BN_is_negative(b);

	if (!rest || !BN_div(quotient, rest, a, b, ctx) || !BN_lshift1(rest, rest))
		return false;
	if (BN_ucmp(rest, b) < 0)
		return true;
	return negative ? BN_sub_word(quotient, 1) : BN_add_word(quotient, 1);
}

int tmpl_decimal_div(struct tmpl_call *c, struct tmpl_decimal *a, const struct tmpl_decimal *b)
{
	CLEANUP(BN_CTX_freep) BN_CTX *ctx = BN_CTX_new();
	CLEANUP(BN_freep) BIGNUM *top = NULL;
	CLEANUP(BN_freep) BIGNUM *bottom = NULL;
	CLEANUP(BN_freep) BIGNUM *quotient = BN_new();
	int64_t shift = a->exp - b->exp + DIVISION_PRECISION;
	int r;

	if (BN_is_zero(b->value))
		return tmpl_fail(c, "decimal division by 0");
	if (!ctx || !quotient)
		return tmpl_nomem(c);
	r = scaled(c, a->value, shift > 0 ? shift : 0, ctx, &top);
	if (r < 0)
		return r;
	r = scaled(c, b->value, shift < 0 ? -shift : 0, ctx, &bottom);
	if (r < 0)
		return r;
	r = spend(c, top, bottom);
	if (r < 0)
		return r;
	if (!divide_rounded(quotient, top, bottom, ctx))
		return tmpl_nomem(c);
	BN_free(a->value);
	a->value = TAKE(quotient);
	a->exp = -DIVISION_PRECISION;
	return 0;
}
