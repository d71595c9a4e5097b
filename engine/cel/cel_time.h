/* Timestamps and durations as text, and local time. */
#ifndef CEL_TIME_H
#define CEL_TIME_H

#include "cel/cel_value.h"

/* The first and the last second of the years 1 to 9999, within which timestamps must be. */
#define CEL_TIMESTAMP_MIN (-62135596800)
#define CEL_TIMESTAMP_MAX 253402300799

/* Read an RFC 3339 text; the value of *ret is a CV_TIMESTAMP of any year. */
bool cel_timestamp_parse(str s, cv *ret);
/* Read a date such as 2006-01-02 in UTC. */
bool cel_date_parse(str s, int64_t *seconds);
/* Append a timestamp in the zone that it was written with, as Go keeps it. */
void cel_timestamp_format(cv v, struct buf *out);
/* Append a duration such as "-1.5s", in the form of protocol buffers, not Go's. */
void cel_duration_format(int64_t ns, struct buf *out);

/* The results of timestamp() and duration() for a text. */
cv cel_parse_timestamp(struct cel_ctx *c, str s);
cv cel_parse_duration(struct cel_ctx *c, str s);

#endif
