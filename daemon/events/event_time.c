/* Parses times as options contain them. */
#include "daemon/events/event_time.h"

#include "base/ascii.h"
#include "base/number.h"
#include "go/calendar.h"

#include <errno.h>
#include <time.h>

#define USEC INT64_C(1000000)
#define TIME_MAX_USEC (INT64_C(253402300800) * USEC) /* the year 10000 */

/* ---- parts ---- */

static size_t count_digits(str s)
{
	size_t n = 0;

	while (n < s.n && ascii_is_digit(s.p[n]))
		n++;
	return n;
}

static bool take(str *s, char c)
{
	if (s->n == 0 || s->p[0] != c)
		return false;
	*s = str_sub(*s, 1, s->n);
	return true;
}

/* Take a number of exactly @n digits off *s. */
static bool take_number(str *s, size_t n, int *ret)
{
	int64_t value;

	if (count_digits(*s) < n || !int64_parse(str_sub(*s, 0, n), &value))
		return false;
	*s = str_sub(*s, n, s->n);
	*ret = (int)value;
	return true;
}

/* Take a decimal number such as "12.5", in units of @unit usec, off *s. */
static bool take_decimal(str *s, int64_t unit, int64_t *ret)
{
	size_t n = count_digits(*s);
	int64_t whole, part = 0;

	if (n == 0 || !int64_parse(str_sub(*s, 0, n), &whole) || __builtin_mul_overflow(whole, unit, &whole))
		return false;
	*s = str_sub(*s, n, s->n);
	if (take(s, '.')) {
		n = count_digits(*s);
		if (n == 0)
			return false;
		for (size_t i = 0; i < n && unit; i++) {
			part += (s->p[i] - '0') * (unit / 10);
			unit /= 10;
		}
		*s = str_sub(*s, n, s->n);
	}
	return !__builtin_add_overflow(whole, part, ret);
}

/* ---- spans ---- */

static int64_t unit_of(str name)
{
	static const struct {
		const char *name;
		int64_t usec;
	} units[] = {
		{ "us", 1 },
		{ "usec", 1 },
		{ "ms", 1000 },
		{ "msec", 1000 },
		{ "", USEC },
		{ "s", USEC },
		{ "sec", USEC },
		{ "second", USEC },
		{ "seconds", USEC },
		{ "m", 60 * USEC },
		{ "min", 60 * USEC },
		{ "minute", 60 * USEC },
		{ "minutes", 60 * USEC },
		{ "h", 3600 * USEC },
		{ "hr", 3600 * USEC },
		{ "hour", 3600 * USEC },
		{ "hours", 3600 * USEC },
		{ "d", 86400 * USEC },
		{ "day", 86400 * USEC },
		{ "days", 86400 * USEC },
		{ "w", 604800 * USEC },
		{ "week", 604800 * USEC },
		{ "weeks", 604800 * USEC },
		{ "M", 2629800 * USEC },
		{ "month", 2629800 * USEC },
		{ "months", 2629800 * USEC },
		{ "y", 31557600 * USEC },
		{ "year", 31557600 * USEC },
		{ "years", 31557600 * USEC },
	};

	for (size_t i = 0; i < ARRAY_LEN(units); i++) {
		if (str_eq(name, str_from(units[i].name)))
			return units[i].usec;
	}
	return 0;
}

/* Take a number and its unit off *s. */
static bool take_span(str *s, int64_t *ret)
{
	str number = *s, unit;
	size_t n = 0, from;

	while (n < s->n && (ascii_is_digit(s->p[n]) || s->p[n] == '.'))
		n++;
	number.n = n;
	while (n < s->n && s->p[n] == ' ')
		n++;
	from = n;
	while (n < s->n && ((s->p[n] >= 'a' && s->p[n] <= 'z') || s->p[n] == 'M'))
		n++;
	unit = str_sub(*s, from, n);
	*s = str_trim(str_sub(*s, n, s->n));
	return unit_of(unit) && take_decimal(&number, unit_of(unit), ret) && number.n == 0;
}

/* Parse a span such as "1h 30min". */
static bool parse_span(str s, int64_t *ret)
{
	int64_t sum = 0, part;

	s = str_trim(s);
	if (s.n == 0)
		return false;
	while (s.n) {
		if (!take_span(&s, &part) || __builtin_add_overflow(sum, part, &sum))
			return false;
	}
	*ret = sum;
	return true;
}

/* ---- dates and times of day ---- */

struct clock_text {
	int year, month, day, hour, min, sec;
	int64_t usec;
	bool has_zone;
	int64_t offset; /* seconds east of UTC */
};

static bool take_date(str *s, struct clock_text *t)
{
	return take_number(s, 4, &t->year) && take(s, '-') && take_number(s, 2, &t->month) && take(s, '-') &&
	       take_number(s, 2, &t->day) && t->month >= 1 && t->month <= 12 && t->day >= 1 &&
	       t->day <= go_days_in_month(t->month, t->year);
}

static bool take_clock(str *s, struct clock_text *t)
{
	int64_t usec;

	if (!take_number(s, 2, &t->hour) || !take(s, ':') || !take_number(s, 2, &t->min) || t->hour > 23 || t->min > 59)
		return false;
	if (!take(s, ':'))
		return true;
	if (count_digits(*s) != 2 || !take_decimal(s, USEC, &usec) || usec >= 60 * USEC)
		return false;
	t->sec = (int)(usec / USEC);
	t->usec = usec % USEC;
	return true;
}

/* Take the time zone after a time off *s: "Z", " UTC", "+02:00", "+0200", or nothing. */
static bool take_zone(str *s, struct clock_text *t)
{
	int hour, min, sign;

	*s = str_trim(*s);
	t->has_zone = s->n > 0;
	if (s->n == 0)
		return true;
	if (str_eq(*s, STR("Z")) || str_eq(*s, STR("UTC"))) {
		*s = (str){ s->p, 0 };
		return true;
	}
	sign = take(s, '+') ? 1 : take(s, '-') ? -1 : 0;
	if (!sign || !take_number(s, 2, &hour))
		return false;
	(void)take(s, ':');
	if (!take_number(s, 2, &min) || hour > 23 || min > 59)
		return false;
	t->offset = (int64_t)sign * (hour * 3600 + min * 60);
	return s->n == 0;
}

/* Seconds since 1970. A local time that does not exist, because the clock was set forward, counts as one hour later. */
static int64_t unix_of(const struct clock_text *t)
{
	struct tm tm = { .tm_year = t->year - 1900,
			 .tm_mon = t->month - 1,
			 .tm_mday = t->day,
			 .tm_hour = t->hour,
			 .tm_min = t->min,
			 .tm_sec = t->sec,
			 .tm_isdst = -1 };

	if (t->has_zone)
		return go_unix_of_civil(t->year, t->month, t->day, t->hour, t->min, t->sec) - t->offset;
	return (int64_t)mktime(&tm);
}

/* Midnight of the day that is @days after today. */
static struct clock_text day_from(int64_t now_usec, int days)
{
	time_t now = (time_t)(now_usec / USEC);
	struct tm tm;

	localtime_r(&now, &tm);
	return (struct clock_text){ .year = tm.tm_year + 1900, .month = tm.tm_mon + 1, .day = tm.tm_mday + days };
}

static bool parse_clock(str s, int64_t now_usec, int64_t *ret)
{
	struct clock_text t = day_from(now_usec, 0);
	bool timed;

	if (s.n > 4 && s.p[4] == '-') {
		if (!take_date(&s, &t))
			return false;
		timed = take(&s, 'T') || (s.n > 1 && ascii_is_digit(s.p[1]) && take(&s, ' '));
		if (timed && !take_clock(&s, &t))
			return false;
	} else if (!take_clock(&s, &t)) {
		return false;
	}
	if (!take_zone(&s, &t))
		return false;
	*ret = unix_of(&t) * USEC + t.usec;
	return true;
}

/* ---- all of them ---- */

static bool parse_word(str s, int64_t now_usec, int64_t *ret)
{
	static const struct {
		const char *word;
		int days;
	} words[] = { { "yesterday", -1 }, { "today", 0 }, { "tomorrow", 1 } };

	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		if (str_eq(s, str_from(words[i].word))) {
			struct clock_text t = day_from(now_usec, words[i].days);

			*ret = unix_of(&t) * USEC;
			return true;
		}
	}
	*ret = now_usec;
	return str_eq(s, STR("now"));
}

static bool parse_relative(str s, int64_t now_usec, int64_t *ret)
{
	str ago = STR(" ago");
	int64_t span;

	if (str_has_suffix(s, ago))
		return parse_span(str_sub(s, 0, s.n - ago.n), &span) && !__builtin_sub_overflow(now_usec, span, ret);
	if (take(&s, '+'))
		return parse_span(s, &span) && !__builtin_add_overflow(now_usec, span, ret);
	return take(&s, '-') && parse_span(s, &span) && !__builtin_sub_overflow(now_usec, span, ret);
}

static bool parse_unix(str s, int64_t *ret)
{
	return take(&s, '@') && take_decimal(&s, USEC, ret) && s.n == 0;
}

int event_time_parse(str text, int64_t now_usec, int64_t *ret_usec, struct err *err)
{
	str s = str_trim(text);
	int64_t usec;

	if (!parse_word(s, now_usec, &usec) && !parse_relative(s, now_usec, &usec) && !parse_unix(s, &usec) &&
	    !parse_clock(s, now_usec, &usec))
		return err_set(err, EINVAL, "'%.*s' is not a time: try \"2026-02-03 14:05\", \"today\" or \"-1h\"",
			       STR_ARG(str_sub(text, 0, 60)));
	if (usec < 0 || usec >= TIME_MAX_USEC)
		return err_set(err, ERANGE, "'%.*s' is out of range", STR_ARG(str_sub(text, 0, 60)));
	*ret_usec = usec;
	return 0;
}

static int64_t now_usec(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec * USEC + now.tv_nsec / 1000;
}

int event_time_take(const struct given *g, void *to)
{
	struct err err;

	if (event_time_parse(str_from(g->value), now_usec(), to, &err) < 0)
		return command_line_failed(g->line, &err);
	return COMMAND_GOES_ON;
}
