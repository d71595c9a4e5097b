/* Reads and writes timestamps and durations. It uses no clock. */
#include "cel/cel_time.h"

#include "cel/cel_func.h"
#include "go/duration.h"
#include "go/layout.h"
#include "go/quote.h"
#include "go/strconv.h"
#include "go/zone.h"

#include <errno.h>

bool cel_date_parse(str s, int64_t *seconds)
{
	struct go_stamp t;

	if (!go_stamp_parse(STR("2006-01-02"), s, &t, NULL))
		return false;
	*seconds = t.sec;
	return true;
}

bool cel_timestamp_parse(str s, cv *ret)
{
	struct go_stamp t;

	if (!go_rfc3339_parse(s, &t, NULL))
		return false;
	*ret = cv_timestamp(t.sec, (uint32_t)t.nsec);
	ret->zone = (int16_t)(t.offset / 60);
	return true;
}

cv cel_parse_timestamp(struct cel_ctx *c, str s)
{
	cv t;

	if (!cel_timestamp_parse(s, &t)) {
		CLEANUP(buf_done) struct buf quoted = BUF_INIT(1024);

		go_quote(&quoted, s);
		return cel_fail(c, "invalid RFC 3339 timestamp %.*s", STR_ARG(buf_str(&quoted)));
	}
	if (t.i < CEL_TIMESTAMP_MIN || t.i > CEL_TIMESTAMP_MAX)
		return cel_fail(c, "timestamp overflow");
	return t;
}

void cel_timestamp_format(cv v, struct buf *out)
{
	go_rfc3339_format(v.i, (int32_t)v.n, v.zone * 60, out);
}

void cel_duration_format(int64_t ns, struct buf *out)
{
	/* the result of Go's Seconds() */
	double seconds = (double)(ns / GO_SECOND) + (double)(ns % GO_SECOND) / GO_SECOND;

	go_format_float(out, seconds, 'f', -1);
	buf_add_byte(out, 's');
}

cv cel_parse_duration(struct cel_ctx *c, str s)
{
	int64_t ns;

	if (!go_duration_parse(s, &ns, NULL))
		return cel_fail(c, "type conversion error from 'string' to 'google.protobuf.Duration'");
	return cv_duration(ns);
}

/* ---- zones ---- */

/* Read an offset such as "+01:30", "-08:00", "01:00", "1:00". */
static bool fixed_offset(str zone, int32_t *offset)
{
	size_t sign = zone.n && (zone.p[0] == '+' || zone.p[0] == '-'), colon = sign;
	int part[2] = { 0, 0 };

	while (colon < zone.n && zone.p[colon] != ':')
		colon++;
	if (colon == sign || colon > sign + 2 || zone.n != colon + 3)
		return false;
	for (size_t i = sign; i < zone.n; i++) {
		if (i == colon)
			continue;
		if (zone.p[i] < '0' || zone.p[i] > '9')
			return false;
		part[i > colon] = part[i > colon] * 10 + (zone.p[i] - '0');
	}
	if (part[0] > 23 || part[1] > 59)
		return false;
	*offset = (part[0] * 60 + part[1]) * 60 * (zone.p[0] == '-' ? -1 : 1);
	return true;
}

/* The number of seconds that local time in @zone is ahead of UTC at @t; false with an error value when there is no
 * such zone. */
static bool zone_offset(struct cel_ctx *c, str zone, int64_t t, int32_t *offset, cv *error)
{
	const struct go_location *loc;
	int r;

	*offset = 0;
	if (fixed_offset(zone, offset))
		return true;
	r = go_zone_load(c->zones, zone, c->arena, &loc);
	if (r < 0) {
		*error = r == -ENOMEM ? cel_nomem(c) : cel_fail(c, "unknown time zone %.*s", STR_ARG(zone));
		return false;
	}
	*offset = go_zone_at(loc, t).offset;
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
	if (seconds < CEL_TIMESTAMP_MIN || seconds > CEL_TIMESTAMP_MAX)
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
		return cel_fail(c, "integer overflow");
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
			return cel_fail(c, "integer overflow");
		return cv_duration(d);
	}
	ns = (int64_t)a[0].n - (int64_t)a[1].n;
	if (__builtin_mul_overflow(a[0].i - a[1].i, 1000000000, &d) || __builtin_add_overflow(d, ns, &d))
		return cel_fail(c, "integer overflow");
	return cv_duration(d);
}

static cv negate_duration(struct cel_ctx *c, const cv *a, uint32_t n)
{
	(void)n;
	return a[0].i == INT64_MIN ? cel_fail(c, "integer overflow") : cv_duration(-a[0].i);
}

/* The civil time of args[0] in zone args[1]; false with the error. */
static bool local_time(struct cel_ctx *c, const cv *a, uint32_t n, struct go_civil *ret, cv *error)
{
	int32_t offset = 0;

	if (n > 1 && !zone_offset(c, cv_str(a[1]), a[0].i, &offset, error))
		return false;
	*ret = go_civil_of_unix(a[0].i + offset);
	return true;
}

#define GETTER(name, expression)                                                                                       \
	static cv name(struct cel_ctx *c, const cv *a, uint32_t n)                                                     \
	{                                                                                                              \
		struct go_civil t;                                                                                     \
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
GETTER(day_of_year, t.yday - 1)
GETTER(hours, t.hour)
GETTER(minutes, t.min)
GETTER(seconds_, t.sec)
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
	{ .name = "-_", .id = "negate_duration", .types = "D:D", .fn = negate_duration, .undeclared = true },
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
