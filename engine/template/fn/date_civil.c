#include "template/fn/date.h"

#include <time.h>

#define DAY_SECONDS INT64_C(86400)
#define UNIX_TO_INTERNAL INT64_C(62135596800) /* from 1 January of year 1 to 1970 */
/* Go counts days from 1 March of this year, far enough back that no int64 of seconds since 1970 lies before it by more
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

struct civil go_civil_of_unix(int64_t unix_sec)
{
	uint64_t abs = (uint64_t)unix_sec + ABSOLUTE_TO_UNIX;
	uint64_t days = abs / (uint64_t)DAY_SECONDS;
	int in_day = (int)(abs % (uint64_t)DAY_SECONDS);
	uint64_t era = days / 146097; /* 400 years */
	unsigned doe = (unsigned)(days % 146097);
	unsigned yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
	unsigned doy = doe - (365 * yoe + yoe / 4 - yoe / 100); /* from 1 March */
	unsigned mp = (5 * doy + 2) / 153;
	struct civil c = { 0 };

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

struct civil go_civil_of(const struct go_time *t, str *zone_name, int32_t *offset)
{
	int64_t unix_sec = go_time_to_unix(t);
	struct zone_kind zone = go_zone_at(t->loc, unix_sec);

	if (zone_name)
		*zone_name = zone.name;
	if (offset)
		*offset = zone.offset;
	return go_civil_of_unix((int64_t)((uint64_t)unix_sec + (uint64_t)(int64_t)zone.offset));
}

/* Move whole multiples of @base from *low to *high, so that 0 <= *low < base. */
static void carry(int64_t *high, int64_t *low, int64_t base)
{
	int64_t n = *low / base - (*low % base < 0);

	*high = (int64_t)((uint64_t)*high + (uint64_t)n);
	*low = (int64_t)((uint64_t)*low - (uint64_t)n * (uint64_t)base);
}

/* Days from 1970 to 1 January of @year; wraps. */
static uint64_t days_to_year(int64_t year)
{
	uint64_t y = (uint64_t)year - (uint64_t)ABSOLUTE_YEAR - 1; /* whole years since January of ABSOLUTE_YEAR + 1 */
	uint64_t days = y * 365 + y / 4 - y / 100 + y / 400;

	/* ABSOLUTE_YEAR is a multiple of 400, so leap days fall in the 4th, 8th … year after it; 306 days reach from
	 * March. */
	return days + 306 - ABSOLUTE_TO_UNIX / (uint64_t)DAY_SECONDS;
}

int64_t go_unix_of_civil(int64_t year, int64_t month, int64_t day, int64_t hour, int64_t min, int64_t sec)
{
	uint64_t days;

	month = (int64_t)((uint64_t)month - 1);
	carry(&year, &month, 12);
	carry(&min, &sec, 60);
	carry(&hour, &min, 60);
	carry(&day, &hour, 24);
	days = days_to_year(year) + (uint64_t)go_days_before_month((int)month + 1) +
	       (month >= 2 && go_year_is_leap(year)) + (uint64_t)day - 1;
	return (int64_t)(days * (uint64_t)DAY_SECONDS + (uint64_t)(hour * 3600 + min * 60 + sec));
}

struct go_time go_time_unix(int64_t sec, int32_t nsec, const struct go_location *loc)
{
	return (struct go_time){ .sec = (int64_t)((uint64_t)sec + (uint64_t)UNIX_TO_INTERNAL),
				 .nsec = nsec,
				 .loc = loc };
}

int64_t go_time_to_unix(const struct go_time *t)
{
	return (int64_t)((uint64_t)t->sec - (uint64_t)UNIX_TO_INTERNAL);
}

struct go_time go_time_in(struct go_time t, const struct go_location *loc)
{
	t.has_mono = false;
	t.mono = 0;
	t.loc = loc == &go_utc ? NULL : loc;
	return t;
}

struct go_time go_time_add(struct go_time t, int64_t ns)
{
	int64_t seconds = ns / GO_SECOND;
	int64_t nsec = t.nsec + ns % GO_SECOND;

	carry(&seconds, &nsec, GO_SECOND);
	t.nsec = (int32_t)nsec;
	if (__builtin_add_overflow(t.sec, seconds, &t.sec))
		t.sec = seconds > 0 ? INT64_MAX : -INT64_MAX;
	if (t.has_mono && __builtin_add_overflow(t.mono, ns, &t.mono))
		t = go_time_in(t, t.loc);
	return t;
}

int go_time_cmp(const struct go_time *t, const struct go_time *u)
{
	if (t->has_mono && u->has_mono)
		return (t->mono > u->mono) - (t->mono < u->mono);
	if (t->sec != u->sec)
		return t->sec > u->sec ? 1 : -1;
	return (t->nsec > u->nsec) - (t->nsec < u->nsec);
}

int64_t go_time_sub(const struct go_time *t, const struct go_time *u)
{
	int64_t seconds = 0;
	int64_t d = 0;
	bool over;

	if (t->has_mono && u->has_mono)
		over = __builtin_sub_overflow(t->mono, u->mono, &d);
	else
		over = __builtin_sub_overflow(t->sec, u->sec, &seconds) ||
		       __builtin_mul_overflow(seconds, GO_SECOND, &d) ||
		       __builtin_add_overflow(d, t->nsec - u->nsec, &d);
	if (!over)
		return d;
	return go_time_cmp(t, u) < 0 ? INT64_MIN : INT64_MAX;
}

struct go_time go_time_date(int64_t year, int64_t month, int64_t day, int64_t hour, int64_t min, int64_t sec,
			    int64_t nsec, const struct go_location *loc)
{
	int64_t local;
	struct zone_kind zone;

	carry(&sec, &nsec, GO_SECOND);
	local = go_unix_of_civil(year, month, day, hour, min, sec);
	/* The offset at that clock reading taken as UTC is nearly always right; when it is not, the one at the instant
	 * is. */
	zone = go_zone_at(loc, local);
	if (zone.offset) {
		struct zone_kind there = go_zone_at(loc, (int64_t)((uint64_t)local - (uint64_t)(int64_t)zone.offset));

		if (there.offset != zone.offset)
			zone = there;
		local = (int64_t)((uint64_t)local - (uint64_t)(int64_t)zone.offset);
	}
	return go_time_in(go_time_unix(local, (int32_t)nsec, NULL), loc);
}

struct go_time go_time_now(struct tmpl_call *c)
{
	struct timespec wall = { 0 };
	struct timespec mono = { 0 };
	struct go_time t;

	if (c->env->now) {
		int32_t nsec = 0;
		int64_t sec = c->env->now(c->env->ctx, &nsec);

		t = go_time_unix(sec, nsec, &go_local);
	} else {
		(void)clock_gettime(CLOCK_REALTIME, &wall);
		(void)clock_gettime(CLOCK_MONOTONIC, &mono);
		t = go_time_unix(wall.tv_sec, (int32_t)wall.tv_nsec, &go_local);
	}
	t.has_mono = true;
	/* With a given clock the two may not drift apart: "ago" of now is then exact. */
	if (c->env->now) {
		if (__builtin_mul_overflow(go_time_to_unix(&t), GO_SECOND, &t.mono) ||
		    __builtin_add_overflow(t.mono, t.nsec, &t.mono))
			t.has_mono = false;
	} else {
		t.mono = (int64_t)mono.tv_sec * GO_SECOND + mono.tv_nsec;
	}
	return t;
}
