/* Numbers as Go's strconv reads and writes them. */
#ifndef GO_STRCONV_H
#define GO_STRCONV_H

#include "base/buf.h"

/* ParseInt(s, @base, 64). Base 0 reads a literal of Go: 0x, 0o, 0b or a leading 0, with underscores between digits.
 * False: syntax or range. */
bool go_parse_int(str s, unsigned base, int64_t *ret);
/* ParseUint: as ParseInt, but without a sign. */
bool go_parse_uint(str s, unsigned base, uint64_t *ret);

/* ParseFloat(s, 64): also "inf", "0x1p4", "1_000.5". Fails: EINVAL (syntax), ERANGE, ENOMEM (long texts are copied). */
CHECKED int go_parse_float(str s, double *ret);

/* int64(d) as Go on amd64 computes it: a number that does not fit, or NaN, gives the smallest integer. */
int64_t go_float_to_int64(double d);
uint64_t go_float_to_uint64(double d);

/* Append FormatFloat(d, @fmt, @prec, 64): @fmt is one of e E f g G x X b; @prec is the number of digits, -1: the
 * fewest that read back as @d. */
void go_format_float(struct buf *out, double d, char fmt, int prec);
/* Append FormatFloat(d, 'g', -1, 32). */
void go_format_float32(struct buf *out, double d);

#endif
