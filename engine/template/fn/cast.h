/* Conversions to numbers with the meaning of spf13/cast 1.7, which Sprig's arithmetic applies to its arguments. A
 * value that is not a number gives 0, without an error. */
#ifndef TEMPLATE_FN_CAST_H
#define TEMPLATE_FN_CAST_H

#include "template/tmpl_value.h"

struct tmpl_call;

/* cast.ToInt64 (and ToInt, which is the same on 64 bits): integers of any kind wrap, floats are cut as amd64 cuts them,
 * strings are read as Go literals ("0x10", "010" is 8, "1_0", "5.00"), true is 1. */
int64_t cast_int64(tval v);
/* cast.ToFloat64: strings as strconv.ParseFloat reads them, also "inf", "0x1p4", "1_000.5". Fails: ENOMEM. */
CHECKED int cast_float64(struct tmpl_call *c, tval v, double *ret);

#endif
