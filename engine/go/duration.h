/* Durations, in nanoseconds, as Go's package time reads and writes them: "1h15m30.918s". */
#ifndef GO_DURATION_H
#define GO_DURATION_H

#include "base/buf.h"

#define GO_SECOND INT64_C(1000000000)
#define GO_MINUTE (60 * GO_SECOND)
#define GO_HOUR (60 * GO_MINUTE)

/* time.ParseDuration: decimal numbers, each with a unit (ns, us, µs, ms, s, m, h), behind an optional sign; or 0.
 * False: @s is none or does not fit; Go's text is appended to @why, which may be NULL. */
bool go_duration_parse(str s, int64_t *ret, struct buf *why);
/* Append Duration.String(). */
void go_duration_string(int64_t ns, struct buf *out);
/* Duration.Round: to a multiple of @unit, half away from zero; saturates. */
int64_t go_duration_round(int64_t d, int64_t unit);

/* Append @s as the errors of package time quote it. */
void go_time_quote(struct buf *out, str s);

#endif
