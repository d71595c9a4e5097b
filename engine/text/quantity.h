/* Kubernetes resource quantities ("100m", "1.5Gi", "2e3"), as resource.Quantity of apimachinery 0.34 computes with
 * them: exact decimals; the suffix family of the text (its format) is kept; printing is canonical.
 *
 * Small values are an int64 with a power of ten, as in the original, because its accessors show the difference:
 * Value() and MilliValue() overflow silently, each form in its own way. All others have as many digits as they need,
 * up to QUANTITY_DIGITS_MAX. Digits and text of a quantity live in the arena of the call that made it. */
#ifndef TEXT_QUANTITY_H
#define TEXT_QUANTITY_H

#include "base/arena.h"
#include "base/buf.h"

#define QUANTITY_DIGITS_MAX 100000

/* ORDER quantity_format */
enum quantity_format { QUANTITY_DECIMAL_SI, QUANTITY_BINARY_SI, QUANTITY_DECIMAL_EXPONENT, QUANTITY_FORMATS };

struct quantity {
	enum quantity_format format;
	bool big;
	int64_t value; /* not big: value x 10^exponent */
	int64_t exponent;
	bool negative; /* big: digits x 10^exponent, no leading zeros; "" is zero */
	str digits;
	str text; /* the text it was read from, when that is canonical enough for String(); else empty */
};

/* Read a quantity. Fails: EBADMSG with Kubernetes' text; E2BIG: more digits than the limit; ENOMEM. */
CHECKED int quantity_parse(str s, struct arena *a, struct quantity *ret, struct err *err);
struct quantity quantity_from_int(int64_t i);

/* "DecimalSI", "BinarySI" or "DecimalExponent" */
const char *quantity_format_name(enum quantity_format f);

void quantity_string(const struct quantity *q, struct arena *a, struct buf *out); /* String() */
void quantity_dec_string(const struct quantity *q, struct buf *out);              /* AsDec().String() */

int quantity_sign(const struct quantity *q);
int64_t quantity_value(const struct quantity *q);             /* rounded away from zero; overflow as in Go */
int64_t quantity_milli_value(const struct quantity *q);       /* quantity_value for the thousandfold */
bool quantity_as_int(const struct quantity *q, int64_t *ret); /* AsInt64: false when it is no int64, or is big */
double quantity_as_float(const struct quantity *q);           /* AsApproximateFloat64 */
int quantity_compare(const struct quantity *a, const struct quantity *b);

/* The sum and the difference of two quantities; the format is that of @x unless it is zero. Fails: E2BIG, ENOMEM. */
CHECKED int quantity_add(const struct quantity *x, const struct quantity *y, struct arena *a, struct quantity *ret,
			 struct err *err);
CHECKED int quantity_sub(const struct quantity *x, const struct quantity *y, struct arena *a, struct quantity *ret,
			 struct err *err);

#endif
