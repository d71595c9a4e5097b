/* Durations as Go writes them: "1h15m30.918s". */
#ifndef TEXT_DURATION_H
#define TEXT_DURATION_H

#include "base/str.h"

/* Go's time.ParseDuration: decimal numbers, each with a unit (ns, us, µs, ms, s, m, h), behind an optional sign; or 0.
 * False: @s is none, or does not fit. */
bool duration_parse(str s, int64_t *ns);

#endif
