/* Timestamps and durations: Go's text forms, and the civil calendar. No clock. */
#include "cel/cel_func.h"
#include "text/duration.h"

#include <errno.h>
#include <stdio.h>

#define MIN_SECONDS (-62135596800)
#define MAX_SECONDS 253402300799

struct cursor {
	str s;
	bool bad;
};

static int take_digits(struct cursor *c, size_t n)
{
	int v = 0;

	if (c->s.n < n) {
		c->bad = true;
		return 0;
	}
	for (size_t i = 0; i < n; i++) {
		if (c->s.p[i] < '0' || c->s.p[i] > '9')
			c->bad = true;
		v = v * 10 + (c->s.p[i] - '0');
	}
	c->s = str_sub(c->s, n, c->s.n);
	return v;
}

static void take_byte(struct cursor *c, char a, char b)
{
	if (c->s.n == 0 || (c->s.p[0] != a && c->s.p[0] != b))
		c->bad = true;
	c->s = str_sub(c->s, 1, c->s.n);
}

/* Days since 1970-01-01 of a date of the proleptic Gregorian calendar. */
static int64_t days_of(int64_t y, int m, int d)
{
	int64_t era, year_of_era, day_of_year;

	y -= m <= 2;
	era = (y >= 0 ? y : y - 399) / 400;
	year_of_era = y - era * 400;
	day_of_year = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1;
	return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719468;
}

static int days_in(int y, int m)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };

	return m == 2 && (y % 4 == 0 && (y % 100 != 0 || y % 400 == 0)) ? 29 : days[m - 1];
}

static int64_t take_date(struct cursor *c)
{
	int y = take_digits(c, 4), m, d;

	take_byte(c, '-', '-');
	m = take_digits(c, 2);
	take_byte(c, '-', '-');
	d = take_digits(c, 2);
	if (c->bad || m < 1 || m > 12 || d < 1 || d > days_in(y, m)) {
		c->bad = true;
		return 0;
	}
	return days_of(y, m, d) * 86400;
}

bool cel_date_parse(str s, int64_t *seconds)
{
	struct cursor c = { s, false };

	*seconds = take_date(&c);
	return !c.bad && c.s.n == 0;
}

static uint32_t take_fraction(struct cursor *c)
{
	uint32_t ns = 0, digits = 0;

	take_byte(c, '.', ',');
	while (c->s.n && c->s.p[0] >= '0' && c->s.p[0] <= '9') {
		if (digits < 9)
			ns = ns * 10 + (uint32_t)(c->s.p[0] - '0');
		digits++;
		c->s = str_sub(c->s, 1, c->s.n);
	}
	if (digits == 0)
		c->bad = true;
	for (; digits < 9; digits++)
		ns *= 10;
	return ns;
}

/* RFC 3339 as Go's time.Parse reads it. */
bool cel_timestamp_parse(str s, cv *ret)
{
	struct cursor c = { s, false };
	int64_t t = take_date(&c);
	int h, m, sec, sign;
	uint32_t ns;

	take_byte(&c, 'T', 'T');
	h = take_digits(&c, 2);
	take_byte(&c, ':', ':');
	m = take_digits(&c, 2);
	take_byte(&c, ':', ':');
	sec = take_digits(&c, 2);
	ns = !c.bad && c.s.n && (c.s.p[0] == '.' || c.s.p[0] == ',') ? take_fraction(&c) : 0;
	if (c.bad || h > 23 || m > 59 || sec > 59)
		return false;
	t += h * 3600 + m * 60 + sec;
	if (c.s.n == 1 && c.s.p[0] == 'Z') {
		*ret = cv_timestamp(t, ns);
		return true;
	}
	sign = c.s.n && c.s.p[0] == '-' ? -1 : 1;
	take_byte(&c, '+', '-');
	h = take_digits(&c, 2);
	take_byte(&c, ':', ':');
	m = take_digits(&c, 2);
	if (c.bad || c.s.n || h > 24 || m > 60)
		return false;
	*ret = cv_timestamp(t - sign * (h * 3600 + m * 60), ns);
	ret->zone = (int16_t)(sign * (h * 60 + m));
	return true;
}

cv cel_parse_timestamp(struct cel_ctx *c, str s)
{
	cv t;

	if (!cel_timestamp_parse(s, &t) || t.i < MIN_SECONDS || t.i > MAX_SECONDS)
		return cel_fail(c, "parsing time \"%.*s\": invalid timestamp", STR_ARG(s));
	return t;
}

struct civil {
	int64_t year;
	int month, day, hour, minute, second; /* month and day from 1 */
	int weekday, year_day;                /* from 0 (Sunday) */
};

static struct civil civil_of(int64_t t)
{
	int64_t days = t / 86400, rest = t % 86400, z, era, doe, yoe, doy, mp;
	struct civil r;

	if (rest < 0) {
		rest += 86400;
		days--;
	}
	z = days + 719468;
	era = (z >= 0 ? z : z - 146096) / 146097;
	doe = z - era * 146097;
	yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
	doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
	mp = (5 * doy + 2) / 153;
	r.day = (int)(doy - (153 * mp + 2) / 5 + 1);
	r.month = (int)(mp < 10 ? mp + 3 : mp - 9);
	r.year = yoe + era * 400 + (r.month <= 2);
	r.hour = (int)(rest / 3600);
	r.minute = (int)(rest / 60 % 60);
	r.second = (int)(rest % 60);
	r.weekday = (int)(((days % 7) + 11) % 7);
	r.year_day = (int)(days - days_of(r.year, 1, 1));
	return r;
}

static void add_fraction(uint32_t ns, struct buf *out)
{
	char digits[16];
	int n = 9;

	if (ns == 0)
		return;
	(void)snprintf(digits, sizeof(digits), "%09u", ns % 1000000000u);
	while (digits[n - 1] == '0')
		n--;
	buf_add_byte(out, '.');
	buf_add(out, digits, (size_t)n);
}

/* In the zone that it was written with, as Go keeps it. */
void cel_timestamp_format(cv v, struct buf *out)
{
	struct civil t = civil_of(v.i + v.zone * 60);
	int zone = v.zone < 0 ? -v.zone : v.zone;

	buf_printf(out, "%04lld-%02d-%02dT%02d:%02d:%02d", (long long)t.year, t.month, t.day, t.hour, t.minute,
		   t.second);
	add_fraction(v.n, out);
	if (zone == 0)
		buf_add_byte(out, 'Z');
	else
		buf_printf(out, "%c%02d:%02d", v.zone < 0 ? '-' : '+', zone / 60, zone % 60);
}

/* "-1.5s" */
void cel_duration_format(int64_t ns, struct buf *out)
{
	uint64_t magnitude = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;

	buf_printf(out, "%s%llu", ns < 0 ? "-" : "", (unsigned long long)(magnitude / 1000000000));
	add_fraction((uint32_t)(magnitude % 1000000000), out);
	buf_add_byte(out, 's');
}

/* ---- durations ---- */

cv cel_parse_duration(struct cel_ctx *c, str s)
{
	int64_t ns;

	if (!duration_parse(s, &ns))
		return cel_fail(c, "time: invalid duration \"%.*s\"", STR_ARG(s));
	return cv_duration(ns);
}

/* ---- zones ---- */

static int64_t be(const char *p, size_t n)
{
	uint64_t v = n == 8 || !((unsigned char)p[0] & 0x80) ? 0 : ~(uint64_t)0;

	for (size_t i = 0; i < n; i++)
		v = v << 8 | (unsigned char)p[i];
	return (int64_t)v;
}

/* A rule of the footer: Mm.w.d[/time], Jn or n; seconds from the start of @year in local time. */
static int64_t rule_time(struct cursor *c, int year)
{
	int64_t jan1 = days_of(year, 1, 1), day, time = 7200, sign = 1;
	int field[3] = { 0, 0, 0 }, n = 0;
	char kind = c->s.n ? c->s.p[0] : 0;

	if (kind == 'M' || kind == 'J')
		c->s = str_sub(c->s, 1, c->s.n);
	for (; n < 3; n++) {
		for (; c->s.n && c->s.p[0] >= '0' && c->s.p[0] <= '9'; c->s = str_sub(c->s, 1, c->s.n))
			field[n] = (field[n] * 10 + (c->s.p[0] - '0')) % 10000;
		if (kind != 'M' || !c->s.n || c->s.p[0] != '.')
			break;
		c->s = str_sub(c->s, 1, c->s.n);
	}
	if (kind == 'M') {
		int m = field[0] >= 1 && field[0] <= 12 ? field[0] : 1;
		int64_t first = days_of(year, m, 1);
		int weekday = (int)(((first % 7) + 11) % 7), offset = (field[2] - weekday + 7) % 7 + (field[1] - 1) * 7;

		if (offset >= days_in(year, m))
			offset -= 7;
		day = first + offset - jan1;
	} else {
		day = field[0];
		if (kind == 'J')
			day += (field[0] >= 60 && days_in(year, 2) == 29) - 1;
	}
	if (c->s.n && c->s.p[0] == '/') {
		int64_t unit = 3600;

		time = 0;
		do {
			int v = 0;

			c->s = str_sub(c->s, 1, c->s.n);
			if (c->s.n && (c->s.p[0] == '-' || c->s.p[0] == '+')) {
				sign = c->s.p[0] == '-' ? -1 : 1;
				c->s = str_sub(c->s, 1, c->s.n);
			}
			for (; c->s.n && c->s.p[0] >= '0' && c->s.p[0] <= '9'; c->s = str_sub(c->s, 1, c->s.n))
				v = (v * 10 + (c->s.p[0] - '0')) % 10000;
			time += v * unit;
			unit /= 60;
		} while (unit && c->s.n && c->s.p[0] == ':');
		time *= sign;
	}
	return (jan1 + day) * 86400 + time;
}

static void skip_abbreviation(struct cursor *c)
{
	if (c->s.n && c->s.p[0] == '<') {
		ptrdiff_t end = str_find_byte(c->s, '>');

		c->s = str_sub(c->s, end < 0 ? c->s.n : (size_t)end + 1, c->s.n);
		return;
	}
	while (c->s.n && ((c->s.p[0] | 0x20) >= 'a' && (c->s.p[0] | 0x20) <= 'z'))
		c->s = str_sub(c->s, 1, c->s.n);
}

static int32_t footer_offset(struct cursor *c)
{
	int32_t unit = 3600, total = 0, sign = 1;

	if (c->s.n && (c->s.p[0] == '-' || c->s.p[0] == '+')) {
		sign = c->s.p[0] == '-' ? -1 : 1;
		c->s = str_sub(c->s, 1, c->s.n);
	}
	for (;;) {
		int32_t v = 0;

		for (; c->s.n && c->s.p[0] >= '0' && c->s.p[0] <= '9'; c->s = str_sub(c->s, 1, c->s.n))
			v = (v * 10 + (c->s.p[0] - '0')) % 1000;
		total += v * unit;
		unit /= 60;
		if (!unit || !c->s.n || c->s.p[0] != ':')
			break;
		c->s = str_sub(c->s, 1, c->s.n);
	}
	return -sign * total; /* POSIX counts west of Greenwich */
}

/* The offset at @t by the POSIX rule behind the transitions. */
static int32_t by_footer(str footer, int64_t t)
{
	struct cursor c = { footer, false };
	int32_t standard, summer;
	int64_t from, to;
	int year = (int)civil_of(t).year;

	skip_abbreviation(&c);
	standard = footer_offset(&c);
	if (c.s.n == 0)
		return standard;
	skip_abbreviation(&c);
	summer = c.s.n && c.s.p[0] != ',' ? footer_offset(&c) : standard + 3600;
	if (!c.s.n || c.s.p[0] != ',')
		return standard;
	c.s = str_sub(c.s, 1, c.s.n);
	from = rule_time(&c, year) - standard;
	if (!c.s.n || c.s.p[0] != ',')
		return standard;
	c.s = str_sub(c.s, 1, c.s.n);
	to = rule_time(&c, year) - summer;
	if (from <= to)
		return t >= from && t < to ? summer : standard;
	return t >= from || t < to ? summer : standard;
}

/* The offset at @t from TZif data (RFC 8536, the 64-bit part). */
static bool by_data(str data, int64_t t, int32_t *offset)
{
	size_t isut, isstd, leap, times, types, chars, at, lo = 0, hi, type = 0;

	for (int part = 0; part < 2; part++) {
		size_t width = part ? 8 : 4;

		if (data.n < 44 || memcmp(data.p, "TZif", 4) != 0)
			return false;
		isut = (size_t)be(data.p + 20, 4) & 0xFFFF;
		isstd = (size_t)be(data.p + 24, 4) & 0xFFFF;
		leap = (size_t)be(data.p + 28, 4) & 0xFFFF;
		times = (size_t)be(data.p + 32, 4) & 0xFFFF;
		types = (size_t)be(data.p + 36, 4) & 0xFFFF;
		chars = (size_t)be(data.p + 40, 4) & 0xFFFF;
		at = 44 + times * width + times + types * 6 + chars + leap * (width + 4) + isstd + isut;
		if (data.n < at || types == 0)
			return false;
		if (part == 0)
			data = str_sub(data, at, data.n);
	}
	for (hi = times; lo < hi;) {
		size_t mid = lo + (hi - lo) / 2;

		if (be(data.p + 44 + mid * 8, 8) <= t)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == times && data.n > at + 2) {
		str footer = str_sub(data, at + 1, data.n - 1);

		if (footer.n) {
			*offset = by_footer(footer, t);
			return true;
		}
	}
	if (lo > 0)
		type = (unsigned char)data.p[44 + times * 8 + lo - 1];
	if (type >= types)
		return false;
	*offset = (int32_t)be(data.p + 44 + times * 9 + type * 6, 4);
	return true;
}

/* "+01:30", "-08:00", "01:00" */
static bool fixed_offset(str zone, int32_t *offset)
{
	struct cursor c = { zone, false };
	int sign = 1, h, m;

	if (c.s.n && (c.s.p[0] == '+' || c.s.p[0] == '-')) {
		sign = c.s.p[0] == '-' ? -1 : 1;
		c.s = str_sub(c.s, 1, c.s.n);
	}
	h = take_digits(&c, c.s.n >= 2 && c.s.p[1] == ':' ? 1 : 2);
	take_byte(&c, ':', ':');
	m = take_digits(&c, 2);
	if (c.bad || c.s.n || h > 23 || m > 59)
		return false;
	*offset = sign * (h * 3600 + m * 60);
	return true;
}

bool cel_zone_offset(struct cel_ctx *c, str zone, int64_t t, int32_t *offset, cv *error)
{
	str data;
	int r;

	*offset = 0;
	if (zone.n == 0 || str_eq(zone, STR("UTC")) || fixed_offset(zone, offset))
		return true;
	r = c->zones ? c->zones->load(c->zones->ctx, zone, c->arena, &data) : -ENOENT;
	if (r == -ENOMEM) {
		*error = cel_nomem(c);
		return false;
	}
	if (r < 0 || !by_data(data, t, offset)) {
		*error = cel_fail(c, "unknown time zone %.*s", STR_ARG(zone));
		return false;
	}
	return true;
}

/* ---- functions ---- */

static cv add_duration(struct cel_ctx *c, cv t, int64_t ns, bool minus)
{
	int64_t seconds = ns / 1000000000, rest = ns % 1000000000;

	if (minus) {
		seconds = -seconds;
		rest = -rest;
	}
	seconds += t.i;
	rest += t.n;
	if (rest < 0) {
		rest += 1000000000;
		seconds--;
	} else if (rest >= 1000000000) {
		rest -= 1000000000;
		seconds++;
	}
	if (seconds < MIN_SECONDS || seconds > MAX_SECONDS)
		return cel_fail(c, "timestamp overflow");
	t.i = seconds;
	t.n = (uint32_t)rest;
	return t;
}

static cv add_times(struct cel_ctx *c, const cv *a, uint32_t n)
{
	int64_t sum;

	(void)n;
	if (a[0].kind == CV_TIMESTAMP)
		return add_duration(c, a[0], a[1].i, false);
	if (a[1].kind == CV_TIMESTAMP)
		return add_duration(c, a[1], a[0].i, false);
	if (__builtin_add_overflow(a[0].i, a[1].i, &sum))
		return cel_fail(c, "duration overflow");
	return cv_duration(sum);
}

static cv subtract_times(struct cel_ctx *c, const cv *a, uint32_t n)
{
	int64_t d, ns;

	(void)n;
	if (a[0].kind == CV_TIMESTAMP && a[1].kind == CV_DURATION)
		return add_duration(c, a[0], a[1].i, true);
	if (a[0].kind == CV_DURATION) {
		if (__builtin_sub_overflow(a[0].i, a[1].i, &d))
			return cel_fail(c, "duration overflow");
		return cv_duration(d);
	}
	ns = (int64_t)a[0].n - (int64_t)a[1].n;
	if (__builtin_mul_overflow(a[0].i - a[1].i, 1000000000, &d) || __builtin_add_overflow(d, ns, &d))
		return cel_fail(c, "duration overflow");
	return cv_duration(d);
}

static cv negate_duration(struct cel_ctx *c, const cv *a, uint32_t n)
{
	(void)n;
	return a[0].i == INT64_MIN ? cel_fail(c, "duration overflow") : cv_duration(-a[0].i);
}

/* Civil time of args[0] in zone args[1]; false with the error. */
static bool local_time(struct cel_ctx *c, const cv *a, uint32_t n, struct civil *ret, cv *error)
{
	int32_t offset = 0;

	if (n > 1 && !cel_zone_offset(c, cv_str(a[1]), a[0].i, &offset, error))
		return false;
	*ret = civil_of(a[0].i + offset);
	return true;
}

#define GETTER(name, expression)                                                                                       \
	static cv name(struct cel_ctx *c, const cv *a, uint32_t n)                                                     \
	{                                                                                                              \
		struct civil t;                                                                                        \
		cv error;                                                                                              \
                                                                                                                       \
		if (!local_time(c, a, n, &t, &error))                                                                  \
			return error;                                                                                  \
		return cv_int(expression);                                                                             \
	}

GETTER(full_year, t.year)
GETTER(month, t.month - 1)
GETTER(day_of_month, t.day - 1)
GETTER(date, t.day)
GETTER(day_of_week, t.weekday)
GETTER(day_of_year, t.year_day)
GETTER(hours, t.hour)
GETTER(minutes, t.minute)
GETTER(seconds_, t.second)
GETTER(milliseconds, a[0].n / 1000000)

static cv duration_hours(struct cel_ctx *c, const cv *a, uint32_t n)
{
	(void)c;
	(void)n;
	return cv_int(a[0].i / 3600000000000);
}

static cv duration_minutes(struct cel_ctx *c, const cv *a, uint32_t n)
{
	(void)c;
	(void)n;
	return cv_int(a[0].i / 60000000000);
}

static cv duration_seconds(struct cel_ctx *c, const cv *a, uint32_t n)
{
	(void)c;
	(void)n;
	return cv_int(a[0].i / 1000000000);
}

/* Kubernetes gives the whole duration, the specification its milliseconds part. */
static cv duration_milliseconds(struct cel_ctx *c, const cv *a, uint32_t n)
{
	(void)n;
	return cv_int(c->kubernetes ? a[0].i / 1000000 : a[0].i % 1000000000 / 1000000);
}

#define TIME_GETTER(name, id, fn, help)                                                                                \
	CEL_MEMBER(name, "timestamp_to_" id, "t:i", fn, COST_ONE, help),                                               \
		CEL_MEMBER(name, "timestamp_to_" id "_with_tz", "ts:i", fn, COST_ONE, help)

static const struct cel_overload overloads[] = {
	CEL_GLOBAL("_+_", "add_timestamp_duration", "tD:t", add_times, COST_ONE, "later"),
	CEL_GLOBAL("_+_", "add_duration_timestamp", "Dt:t", add_times, COST_ONE, "later"),
	CEL_GLOBAL("_+_", "add_duration_duration", "DD:D", add_times, COST_ONE, "sum"),
	CEL_GLOBAL("_-_", "subtract_timestamp_duration", "tD:t", subtract_times, COST_ONE, "earlier"),
	CEL_GLOBAL("_-_", "subtract_timestamp_timestamp", "tt:D", subtract_times, COST_ONE, "time between"),
	CEL_GLOBAL("_-_", "subtract_duration_duration", "DD:D", subtract_times, COST_ONE, "difference"),
	CEL_GLOBAL("-_", "negate_duration", "D:D", negate_duration, COST_ONE, "negative"),
	TIME_GETTER("getFullYear", "year", full_year, "year"),
	TIME_GETTER("getMonth", "month", month, "month, from 0"),
	TIME_GETTER("getDayOfMonth", "day_of_month", day_of_month, "day of the month, from 0"),
	TIME_GETTER("getDate", "day_of_month_1_based", date, "day of the month, from 1"),
	TIME_GETTER("getDayOfWeek", "day_of_week", day_of_week, "day of the week, Sunday is 0"),
	TIME_GETTER("getDayOfYear", "day_of_year", day_of_year, "day of the year, from 0"),
	TIME_GETTER("getHours", "hours", hours, "hour"),
	TIME_GETTER("getMinutes", "minutes", minutes, "minute"),
	TIME_GETTER("getSeconds", "seconds_tz", seconds_, "second"),
	TIME_GETTER("getMilliseconds", "milliseconds", milliseconds, "milliseconds"),
	CEL_MEMBER("getHours", "duration_to_hours", "D:i", duration_hours, COST_ONE, "whole hours"),
	CEL_MEMBER("getMinutes", "duration_to_minutes", "D:i", duration_minutes, COST_ONE, "whole minutes"),
	CEL_MEMBER("getSeconds", "duration_to_seconds", "D:i", duration_seconds, COST_ONE, "whole seconds"),
	CEL_MEMBER("getMilliseconds", "duration_to_milliseconds", "D:i", duration_milliseconds, COST_ONE,
		   "milliseconds"),
};

const struct cel_library cel_lib_time = { overloads, ARRAY_LEN(overloads) };
