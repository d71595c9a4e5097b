/* Times as text, by a layout made of Go's reference time (2006-01-02 15:04:05). */
#ifndef GO_LAYOUT_H
#define GO_LAYOUT_H

#include "base/buf.h"
#include "go/time.h"

#define GO_RFC3339 STR("2006-01-02T15:04:05Z07:00")
#define GO_RFC3339_NANO STR("2006-01-02T15:04:05.999999999Z07:00")

/* Append Time.Format and Time.String. */
void go_time_format(const struct go_time *t, str layout, struct buf *out);
void go_time_string(const struct go_time *t, struct buf *out);

/* The time that a text says. */
struct go_stamp {
	int64_t sec; /* seconds since 1970, UTC */
	int32_t nsec;
	bool utc; /* the text names UTC */
	bool has_offset;
	int32_t offset; /* seconds east of UTC; 0 unless @has_offset */
	str zone;       /* an abbreviation, which points into the text; its offset is unknown */
};

/* time.Parse(layout, value) without a location for its zone. False: Go's text is appended to @why, which may be
 * NULL. */
bool go_stamp_parse(str layout, str value, struct go_stamp *ret, struct buf *why);
/* As go_stamp_parse with the layout of RFC 3339; fast for a text that follows it exactly. */
bool go_rfc3339_parse(str value, struct go_stamp *ret, struct buf *why);
/* Append a time as RFC 3339, with as many digits of the fraction as it needs, in a zone @offset seconds east of UTC. */
void go_rfc3339_format(int64_t unix_sec, int32_t nsec, int32_t offset, struct buf *out);

/* time.ParseInLocation(layout, value, Local): a location is made in @a for a zone that is not UTC. 0; -EBADMSG with
 * Go's text appended to @why, which may be NULL; -ENOMEM. */
CHECKED int go_time_parse(str layout, str value, struct arena *a, struct go_time *ret, struct buf *why);

#endif
