/* The calendar: days counted from 1 March, so that leap days end a year. */
#include "go/calendar.h"

#include <stddef.h>

#define DAY_SECONDS INT64_C(86400)
/* Go counts days from 1 March of this year, so far back that no int64 of seconds since 1970 is before it by more
 * than a wrap. */
#define ABSOLUTE_YEAR INT64_C(-292277022400)
#define ABSOLUTE_TO_UNIX (UINT64_C(9223371966579724800) + 62135596800 + 306 * 86400)

const char *const go_month_names[12] = { "January", "February", "March",     "April",   "May",      "June",
					 "July",    "August",   "September", "October", "November", "December" };
const char *const go_weekday_names[7] = {
	"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"
};

bool go_year_is_leap(int64_t year)
{
	return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

int go_days_before_month(int month)
{
	static const int before[] = { 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365 };

	return before[month - 1];
}

int go_days_in_month(int month, int64_t year)
{
	if (month == 2 && go_year_is_leap(year))
		return 29;
	return go_days_before_month(month + 1) - go_days_before_month(month);
}

struct go_civil go_civil_of_unix(int64_t unix_sec)
{
	uint64_t abs = (uint64_t)unix_sec + ABSOLUTE_TO_UNIX;
	uint64_t days = abs / (uint64_t)DAY_SECONDS;
	int in_day = (int)(abs % (uint64_t)DAY_SECONDS);
	uint64_t era = days / 146097; /* 400 years */
	unsigned doe = (unsigned)(days % 146097);
	unsigned yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
	unsigned doy = doe - (365 * yoe + yoe / 4 - yoe / 100); /* the day of the year, counted from 1 March */
	unsigned mp = (5 * doy + 2) / 153;
	struct go_civil c = { 0 };

	c.month = (int)(mp < 10 ? mp + 3 : mp - 9);
	c.day = (int)(doy - (153 * mp + 2) / 5 + 1);
	c.year = ABSOLUTE_YEAR + (int64_t)(era * 400 + yoe) + (c.month <= 2);
	c.yday = go_days_before_month(c.month) + c.day + (c.month > 2 && go_year_is_leap(c.year));
	c.hour = in_day / 3600;
	c.min = in_day / 60 % 60;
	c.sec = in_day % 60;
	c.weekday = (int)((days + 3) % 7); /* day 0 was a Wednesday */
	return c;
}

void go_carry(int64_t *high, int64_t *low, int64_t base)
{
	int64_t n = *low / base - (*low % base < 0);

	*high = (int64_t)((uint64_t)*high + (uint64_t)n);
	*low = (int64_t)((uint64_t)*low - (uint64_t)n * (uint64_t)base);
}

/* The number of days from 1970 to 1 January of @year; wraps. */
static uint64_t days_to_year(int64_t year)
{
	uint64_t y = (uint64_t)year - (uint64_t)ABSOLUTE_YEAR - 1; /* whole years since January of ABSOLUTE_YEAR + 1 */
	uint64_t days = y * 365 + y / 4 - y / 100 + y / 400;

	/* ABSOLUTE_YEAR is a multiple of 400, so the 4th, 8th … year after it are leap years; from March to January
	 * there are 306 days. */
	return days + 306 - ABSOLUTE_TO_UNIX / (uint64_t)DAY_SECONDS;
}

int64_t go_unix_of_civil(int64_t year, int64_t month, int64_t day, int64_t hour, int64_t min, int64_t sec)
{
	uint64_t days;

	month = (int64_t)((uint64_t)month - 1);
	go_carry(&year, &month, 12);
	days = days_to_year(year) + (uint64_t)go_days_before_month((int)month + 1) +
	       (month >= 2 && go_year_is_leap(year)) + (uint64_t)day - 1;
	return (int64_t)(days * (uint64_t)DAY_SECONDS + (uint64_t)hour * 3600 + (uint64_t)min * 60 + (uint64_t)sec);
}
