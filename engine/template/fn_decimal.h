/* The decimal arithmetic of shopspring/decimal 1.4, as far as Sprig's addf, subf, mulf and divf use it: values made from doubles by
 * their shortest decimal text, exact sums and products, quotients rounded half away from zero at the 16th place. */
#ifndef TEMPLATE_FN_DECIMAL_H
#define TEMPLATE_FN_DECIMAL_H

#include "template/fn.h"

#include <openssl/bn.h>

/* value x 10^exp. Zeroed is "not initialised"; released by decimal_done. */
struct decimal {
	BIGNUM *value;
	int64_t exp;
};

void decimal_done(struct decimal *d);

/* Fail with the text of Go's panic: for NaN and infinities. */
CHECKED int decimal_from_double(struct tmpl_call *c, double v, struct decimal *ret);
CHECKED int decimal_to_double(struct tmpl_call *c, const struct decimal *d, double *ret);

/* *a = *a op *b. */
CHECKED int decimal_add(struct tmpl_call *c, struct decimal *a, const struct decimal *b);
CHECKED int decimal_sub(struct tmpl_call *c, struct decimal *a, const struct decimal *b);
CHECKED int decimal_mul(struct tmpl_call *c, struct decimal *a, const struct decimal *b);
CHECKED int decimal_div(struct tmpl_call *c, struct decimal *a, const struct decimal *b);

#endif
