/* The decimal arithmetic of shopspring/decimal 1.4, as far as Sprig's addf, subf, mulf and divf use it: values made
 * from doubles by their shortest decimal text, exact sums and products, quotients rounded half away from zero at the
 * 16th place. */
#ifndef TEMPLATE_FN_DECIMAL_H
#define TEMPLATE_FN_DECIMAL_H

#include "template/fn/fn.h"

#include <openssl/bn.h>

/* A number: value x 10^exp. Zeroed, it is "not initialised"; tmpl_decimal_done releases it. */
struct tmpl_decimal {
	BIGNUM *value;
	int64_t exp;
};

void tmpl_decimal_done(struct tmpl_decimal *d);

/* Convert a double. NaN and infinities fail with the text of Go's panic. */
CHECKED int tmpl_decimal_from_double(struct tmpl_call *c, double v, struct tmpl_decimal *ret);
CHECKED int tmpl_decimal_to_double(struct tmpl_call *c, const struct tmpl_decimal *d, double *ret);

/* *a = *a op *b. */
CHECKED int tmpl_decimal_add(struct tmpl_call *c, struct tmpl_decimal *a, const struct tmpl_decimal *b);
CHECKED int tmpl_decimal_sub(struct tmpl_call *c, struct tmpl_decimal *a, const struct tmpl_decimal *b);
CHECKED int tmpl_decimal_mul(struct tmpl_call *c, struct tmpl_decimal *a, const struct tmpl_decimal *b);
CHECKED int tmpl_decimal_div(struct tmpl_call *c, struct tmpl_decimal *a, const struct tmpl_decimal *b);

#endif
