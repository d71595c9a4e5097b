/* Go's time.Time: an instant, and the location whose clocks show it. See zone.h for locations, layout.h for texts. */
#ifndef GO_TIME_H
#define GO_TIME_H

#include "go/calendar.h"
#include "go/zone.h"

struct go_time {
	int64_t sec; /* seconds since 1 January of year 1, UTC, as Go counts internally */
	int32_t nsec;
	bool has_mono; /* there is a reading of the monotonic clock beside that of the wall clock */
	int64_t mono;
	const struct go_location *loc; /* NULL: UTC */
};

struct go_time go_time_unix(int64_t sec, int32_t nsec, const struct go_location *loc);
int64_t go_time_to_unix(const struct go_time *t);
/* time.Date: fields out of range carry over. */
struct go_time go_time_date(int64_t year, int64_t month, int64_t day, int64_t hour, int64_t min, int64_t sec,
			    int64_t nsec, const struct go_location *loc);
/* setLoc: change the location, and drop the monotonic reading. */
struct go_time go_time_in(struct go_time t, const struct go_location *loc);
/* Date and clock in the time's zone, which is put into *zone; @zone may be NULL. */
struct go_civil go_civil_of(const struct go_time *t, struct go_zone *zone);

struct go_time go_time_add(struct go_time t, int64_t ns);
int64_t go_time_sub(const struct go_time *t, const struct go_time *u); /* saturates */
/* Time.Round and Time.Truncate to a multiple of @unit since year 1; they drop the monotonic reading. */
struct go_time go_time_round(struct go_time t, int64_t unit);
struct go_time go_time_truncate(struct go_time t, int64_t unit);
int go_time_cmp(const struct go_time *t, const struct go_time *u);

#endif
