/* The proleptic Gregorian calendar in UTC, as Go's package time computes it. No zones, no clock. */
#ifndef GO_CALENDAR_H
#define GO_CALENDAR_H

#include <stdbool.h>
#include <stdint.h>

struct go_civil {
	int64_t year;
	int month; /* 1 to 12 */
	int day;
	int yday; /* the day of the year, from 1 */
	int hour, min, sec;
	int weekday; /* 0: Sunday */
};

/* The civil time of any int64 of seconds since 1970; wraps as Go's absolute time does. */
struct go_civil go_civil_of_unix(int64_t unix_sec);
/* Seconds since 1970; fields out of range carry over, as time.Date's do; huge ones wrap. */
int64_t go_unix_of_civil(int64_t year, int64_t month, int64_t day, int64_t hour, int64_t min, int64_t sec);

/* Move whole multiples of @base from *low to *high, so that 0 <= *low < base; wraps. */
void go_carry(int64_t *high, int64_t *low, int64_t base);

bool go_year_is_leap(int64_t year);
int go_days_before_month(int month); /* the days before a month in a common year; month 13 gives 365 */
int go_days_in_month(int month, int64_t year);

extern const char *const go_month_names[12], *const go_weekday_names[7];

#endif
