/* Reads times by a layout, with Go's errors. */
#include "base/ascii.h"
#include "go/duration.h"
#include "go/layout_internal.h"
#include "go/strconv.h"

#include <errno.h>

/* The parts that have been read so far; -1: not yet. */
struct partial {
	int64_t year;
	int month, day, yday;
	int hour, min, sec;
	int64_t nsec;
	bool am, pm;
	bool utc;
	bool has_offset;
	int32_t offset;
	str zone_name;
};

enum outcome {
	READ_OK,
	READ_BAD,   /* the text does not look like the item */
	READ_RANGE, /* the text looks like the item, but the value is out of range */
};

struct parser {
	str layout, value; /* the whole texts, for errors */
	str rest;          /* the rest of the value */
	str layout_rest;
	const char *range;
	struct partial t;
};

static bool is_digit_at(str s, size_t i)
{
	return i < s.n && ascii_is_digit(s.p[i]);
}

static enum outcome range(struct parser *p, const char *what)
{
	p->range = what;
	return READ_RANGE;
}

static enum outcome take_digits(struct parser *p, size_t n, int *ret)
{
	*ret = 0;
	for (size_t i = 0; i < n; i++)
		*ret = *ret * 10 + (p->rest.p[i] - '0');
	p->rest = str_sub(p->rest, n, p->rest.n);
	return READ_OK;
}

/* Read one or two digits; exactly two when @fixed. */
static enum outcome number(struct parser *p, bool fixed, int *ret)
{
	*ret = 0;
	if (!is_digit_at(p->rest, 0) || (fixed && !is_digit_at(p->rest, 1)))
		return READ_BAD;
	return take_digits(p, is_digit_at(p->rest, 1) ? 2 : 1, ret);
}

static enum outcome bounded(struct parser *p, bool fixed, int low, int high, const char *what, int *ret)
{
	enum outcome r = number(p, fixed, ret);

	if (r == READ_OK && (*ret < low || *ret > high))
		return range(p, what);
	return r;
}

static enum outcome year_day(struct parser *p, bool fixed)
{
	size_t n = 0;

	for (int i = 0; i < 2; i++)
		if (!fixed && p->rest.n && p->rest.p[0] == ' ')
			p->rest = str_sub(p->rest, 1, p->rest.n);
	while (n < 3 && is_digit_at(p->rest, n))
		n++;
	if (n == 0 || (fixed && n != 3))
		return READ_BAD;
	return take_digits(p, n, &p->t.yday);
}

/* Go's atoi over the whole of @s, a sign included. */
static bool small_integer(str s, int *ret)
{
	int64_t v;

	if (!go_parse_int(s, 10, &v) || v > INT32_MAX || v < INT32_MIN)
		return false;
	*ret = (int)v;
	return true;
}

static enum outcome short_year(struct parser *p)
{
	int year;

	if (p->rest.n < 2 || !small_integer(str_sub(p->rest, 0, 2), &year))
		return READ_BAD;
	p->rest = str_sub(p->rest, 2, p->rest.n);
	p->t.year = year + (year >= 69 ? 1900 : 2000);
	return READ_OK;
}

static enum outcome long_year(struct parser *p)
{
	int year;

	if (p->rest.n < 4 || !is_digit_at(p->rest, 0) || !small_integer(str_sub(p->rest, 0, 4), &year))
		return READ_BAD;
	p->rest = str_sub(p->rest, 4, p->rest.n);
	p->t.year = year;
	return READ_OK;
}

/* Read one of @names, or its first @length bytes, in letters of any case. */
static enum outcome name(struct parser *p, const char *const *names, size_t n, size_t length, int *ret)
{
	for (size_t i = 0; i < n; i++) {
		str want = str_sub(str_from(names[i]), 0, length);

		if (p->rest.n >= want.n && str_eq_nocase(str_sub(p->rest, 0, want.n), want)) {
			p->rest = str_sub(p->rest, want.n, p->rest.n);
			*ret = (int)i + 1;
			return READ_OK;
		}
	}
	return READ_BAD;
}

/* Read the nanoseconds of ".digits", @n bytes. */
static enum outcome fraction(struct parser *p, size_t n)
{
	int64_t ns = 0;
	size_t used = n < 10 ? n : 10;
	str digits = str_sub(p->rest, 1, used);

	if (!p->rest.n || (p->rest.p[0] != '.' && p->rest.p[0] != ','))
		return READ_BAD;
	/* Where the layout has digits the value may have a sign: "-5" is a number, but no fraction. */
	if (!go_parse_int(digits, 10, &ns))
		return READ_BAD;
	p->rest = str_sub(p->rest, n, p->rest.n);
	if (ns < 0)
		return range(p, "fractional second");
	for (size_t i = used; i < 10; i++)
		ns *= 10;
	p->t.nsec = ns;
	return READ_OK;
}

static size_t digits_from(str s, size_t i)
{
	while (is_digit_at(s, i))
		i++;
	return i;
}

/* Read seconds, and a fraction that the layout does not mention. */
static enum outcome second(struct parser *p, bool fixed)
{
	enum outcome r = bounded(p, fixed, 0, 59, "second", &p->t.sec);
	str layout = p->layout_rest;
	struct layout_chunk next;

	if (r != READ_OK || p->rest.n < 2 || (p->rest.p[0] != '.' && p->rest.p[0] != ',') || !is_digit_at(p->rest, 1))
		return r;
	next = go_layout_next(&layout);
	if (next.item == LAYOUT_FRACTION_0 || next.item == LAYOUT_FRACTION_9)
		return READ_OK;
	return fraction(p, digits_from(p->rest, 2));
}

static enum outcome half_day(struct parser *p, const char *am, const char *pm)
{
	if (str_has_prefix(p->rest, str_from(pm)))
		p->t.pm = true;
	else if (str_has_prefix(p->rest, str_from(am)))
		p->t.am = true;
	else
		return READ_BAD;
	p->rest = str_sub(p->rest, 2, p->rest.n);
	return READ_OK;
}

static bool two_digits(str s, size_t at, int *ret)
{
	if (!is_digit_at(s, at) || !is_digit_at(s, at + 1))
		return false;
	*ret = (s.p[at] - '0') * 10 + (s.p[at + 1] - '0');
	return true;
}

static enum outcome offset(struct parser *p, const struct layout_chunk *chunk)
{
	str s = p->rest;
	size_t step = chunk->colon ? 3 : 2;
	size_t length = chunk->short_form ? 3 : chunk->seconds ? 3 + 2 * step : 3 + step;
	int part[3] = { 0 };
	bool ok = true;

	if (chunk->zulu && str_has_prefix(s, STR("Z"))) {
		p->rest = str_sub(s, 1, s.n);
		p->t.utc = true;
		return READ_OK;
	}
	if (s.n < length || (chunk->colon && (s.p[3] != ':' || (chunk->seconds && s.p[6] != ':'))))
		return READ_BAD;
	p->rest = str_sub(s, length, s.n);
	ok = two_digits(s, 1, &part[0]);
	if (ok && !chunk->short_form)
		ok = two_digits(s, 1 + step, &part[1]);
	if (ok && chunk->seconds)
		ok = two_digits(s, 1 + 2 * step, &part[2]);
	/* When several of the three are too large, the error names the last one. */
	if (part[2] > 60)
		return range(p, "time zone offset second");
	if (part[1] > 60)
		return range(p, "time zone offset minute");
	if (part[0] > 24)
		return range(p, "time zone offset hour");
	if (!ok || (s.p[0] != '+' && s.p[0] != '-'))
		return READ_BAD;
	p->t.offset = (part[0] * 60 + part[1]) * 60 + part[2];
	if (s.p[0] == '-')
		p->t.offset = -p->t.offset;
	p->t.has_offset = p->t.offset != -1;
	return READ_OK;
}

/* The number of bytes of a sign and a number up to 23; 0 when it is not one. */
static size_t signed_hours(str s)
{
	size_t end = digits_from(s, 1);
	int64_t v;

	if (!s.n || (s.p[0] != '-' && s.p[0] != '+') || end == 1)
		return 0;
	return go_parse_int(str_sub(s, 1, end), 10, &v) && v <= 23 ? end : 0;
}

/* The number of bytes of what looks like the abbreviation of a zone: three capitals, four or five with a T at the
 * end, GMT and hours, or just a sign and hours. */
static size_t zone_length(str s)
{
	size_t capitals = 0;

	if (s.n < 3)
		return 0;
	if (str_has_prefix(s, STR("ChST")) || str_has_prefix(s, STR("MeST")))
		return 4;
	if (str_has_prefix(s, STR("GMT")))
		return 3 + signed_hours(str_sub(s, 3, s.n));
	if (s.p[0] == '+' || s.p[0] == '-')
		return signed_hours(s);
	while (capitals < 6 && capitals < s.n && s.p[capitals] >= 'A' && s.p[capitals] <= 'Z')
		capitals++;
	if (capitals == 5)
		return s.p[4] == 'T' ? 5 : 0;
	if (capitals == 4)
		return s.p[3] == 'T' || str_has_prefix(s, STR("WITA")) ? 4 : 0;
	return capitals == 3 ? 3 : 0;
}

static enum outcome zone(struct parser *p)
{
	size_t n;

	if (str_has_prefix(p->rest, STR("UTC"))) {
		p->rest = str_sub(p->rest, 3, p->rest.n);
		p->t.utc = true;
		return READ_OK;
	}
	n = zone_length(p->rest);
	if (!n)
		return READ_BAD;
	p->t.zone_name = str_sub(p->rest, 0, n);
	p->rest = str_sub(p->rest, n, p->rest.n);
	return READ_OK;
}

/* Read one item of the layout: a dispatch switch. */
static enum outcome item(struct parser *p, const struct layout_chunk *chunk)
{
	struct partial *t = &p->t;
	int ignored;

	switch (chunk->item) {
	case LAYOUT_YEAR:
		return short_year(p);
	case LAYOUT_LONG_YEAR:
		return long_year(p);
	case LAYOUT_MONTH:
		return name(p, go_month_names, 12, 3, &t->month);
	case LAYOUT_LONG_MONTH:
		return name(p, go_month_names, 12, SIZE_MAX, &t->month);
	case LAYOUT_NUM_MONTH:
	case LAYOUT_ZERO_MONTH:
		return bounded(p, chunk->item == LAYOUT_ZERO_MONTH, 1, 12, "month", &t->month);
	case LAYOUT_WEEKDAY:
		return name(p, go_weekday_names, 7, 3, &ignored);
	case LAYOUT_LONG_WEEKDAY:
		return name(p, go_weekday_names, 7, SIZE_MAX, &ignored);
	case LAYOUT_UNDER_DAY:
		if (p->rest.n && p->rest.p[0] == ' ')
			p->rest = str_sub(p->rest, 1, p->rest.n);
		return number(p, false, &t->day);
	case LAYOUT_DAY:
	case LAYOUT_ZERO_DAY:
		return number(p, chunk->item == LAYOUT_ZERO_DAY, &t->day);
	case LAYOUT_UNDER_YDAY:
	case LAYOUT_ZERO_YDAY:
		return year_day(p, chunk->item == LAYOUT_ZERO_YDAY);
	case LAYOUT_HOUR:
		return bounded(p, false, 0, 23, "hour", &t->hour);
	case LAYOUT_HOUR12:
	case LAYOUT_ZERO_HOUR12:
		return bounded(p, chunk->item == LAYOUT_ZERO_HOUR12, 0, 12, "hour", &t->hour);
	case LAYOUT_MINUTE:
	case LAYOUT_ZERO_MINUTE:
		return bounded(p, chunk->item == LAYOUT_ZERO_MINUTE, 0, 59, "minute", &t->min);
	case LAYOUT_SECOND:
	case LAYOUT_ZERO_SECOND:
		return second(p, chunk->item == LAYOUT_ZERO_SECOND);
	case LAYOUT_PM:
		return half_day(p, "AM", "PM");
	case LAYOUT_pm:
		return half_day(p, "am", "pm");
	case LAYOUT_TZ:
		return zone(p);
	case LAYOUT_OFFSET:
		return offset(p, chunk);
	case LAYOUT_FRACTION_0:
		return p->rest.n < chunk->digits + 1 ? READ_BAD : fraction(p, chunk->digits + 1);
	case LAYOUT_FRACTION_9:
		if (p->rest.n < 2 || (p->rest.p[0] != '.' && p->rest.p[0] != ',') || !is_digit_at(p->rest, 1))
			return READ_OK;
		return fraction(p, digits_from(p->rest, 1));
	case LAYOUT_END:
		break;
	}
	return READ_OK;
}

/* Read the text of the layout; a run of spaces matches any number of spaces, also none at the end of the value. */
static bool skip(struct parser *p, str prefix)
{
	while (prefix.n) {
		if (prefix.p[0] == ' ') {
			if (p->rest.n && p->rest.p[0] != ' ')
				return false;
			while (prefix.n && prefix.p[0] == ' ')
				prefix = str_sub(prefix, 1, prefix.n);
			while (p->rest.n && p->rest.p[0] == ' ')
				p->rest = str_sub(p->rest, 1, p->rest.n);
			continue;
		}
		if (!p->rest.n || p->rest.p[0] != prefix.p[0])
			return false;
		prefix = str_sub(prefix, 1, prefix.n);
		p->rest = str_sub(p->rest, 1, p->rest.n);
	}
	return true;
}

/* ---- errors: false, with Go's text ---- */

static bool cannot_parse(const struct parser *p, str element, str rest, struct buf *why)
{
	buf_add_cstr(why, "parsing time ");
	go_time_quote(why, p->value);
	buf_add_cstr(why, " as ");
	go_time_quote(why, p->layout);
	buf_add_cstr(why, ": cannot parse ");
	go_time_quote(why, rest);
	buf_add_cstr(why, " as ");
	go_time_quote(why, element);
	return false;
}

static bool wrong(const struct parser *p, const char *message, struct buf *why)
{
	buf_add_cstr(why, "parsing time ");
	go_time_quote(why, p->value);
	buf_printf(why, ": %s", message);
	return false;
}

static bool read_items(struct parser *p, struct buf *why)
{
	for (;;) {
		struct layout_chunk chunk = go_layout_next(&p->layout_rest);
		str hold;

		if (!skip(p, chunk.prefix))
			return cannot_parse(p, chunk.prefix, p->rest, why);
		if (chunk.item == LAYOUT_END) {
			if (!p->rest.n)
				return true;
			(void)wrong(p, "extra text: ", why);
			go_time_quote(why, p->rest);
			return false;
		}
		hold = p->rest;
		switch (item(p, &chunk)) {
		case READ_OK:
			break;
		case READ_RANGE:
			(void)wrong(p, p->range, why);
			buf_add_cstr(why, " out of range");
			return false;
		case READ_BAD:
			return cannot_parse(p, chunk.text, hold, why);
		}
	}
}

/* Set month and day from the day of the year, or check that they agree. */
static bool finish_year_day(struct parser *p, struct buf *why)
{
	struct partial *t = &p->t;
	int yday = t->yday;
	int month = 0;
	int day = 0;

	if (go_year_is_leap(t->year)) {
		if (yday == 31 + 29) {
			month = 2;
			day = 29;
		} else if (yday > 31 + 29) {
			yday--;
		}
	}
	if (yday < 1 || yday > 365)
		return wrong(p, "day-of-year out of range", why);
	if (!month) {
		month = (yday - 1) / 31 + 1;
		if (go_days_before_month(month + 1) < yday)
			month++;
		day = yday - go_days_before_month(month);
	}
	if (t->month >= 0 && t->month != month)
		return wrong(p, "day-of-year does not match month", why);
	if (t->day >= 0 && t->day != day)
		return wrong(p, "day-of-year does not match day", why);
	t->month = month;
	t->day = day;
	return true;
}

static bool finish(struct parser *p, struct buf *why)
{
	struct partial *t = &p->t;

	if (t->pm && t->hour < 12)
		t->hour += 12;
	else if (t->am && t->hour == 12)
		t->hour = 0;
	if (t->yday >= 0) {
		if (!finish_year_day(p, why))
			return false;
	} else {
		t->month = t->month < 0 ? 1 : t->month;
		t->day = t->day < 0 ? 1 : t->day;
	}
	if (t->day < 1 || t->day > go_days_in_month(t->month, t->year))
		return wrong(p, "day out of range", why);
	return true;
}

bool go_stamp_parse(str layout, str value, struct go_stamp *ret, struct buf *why)
{
	struct buf ignored = BUF_INIT(0); /* a buffer that holds nothing */
	struct parser p = { .layout = layout,
			    .value = value,
			    .rest = value,
			    .layout_rest = layout,
			    .t = { .month = -1, .day = -1, .yday = -1 } };
	const struct partial *t = &p.t;

	if (!why)
		why = &ignored;
	if (!read_items(&p, why) || !finish(&p, why))
		return false;
	*ret = (struct go_stamp){ .nsec = (int32_t)t->nsec, .utc = t->utc, .zone = t->zone_name };
	ret->sec = go_unix_of_civil(t->year, t->month, t->day, t->hour, t->min, t->sec);
	if (!t->utc && t->has_offset) {
		ret->has_offset = true;
		ret->offset = t->offset;
		ret->sec -= t->offset;
	}
	return true;
}

/* ---- RFC 3339 ---- */

/* Read the number s[at..at+n), which has only digits and is from low to high; else false. */
static bool digits_at(str s, size_t at, size_t n, int low, int high, int *ret)
{
	int v = 0;

	for (size_t i = at; i < at + n; i++) {
		if (!is_digit_at(s, i))
			return false;
		v = v * 10 + (s.p[i] - '0');
	}
	*ret = v;
	return v >= low && v <= high;
}

static bool byte_at(str s, size_t at, char c)
{
	return at < s.n && s.p[at] == c;
}

/* Read a time such as 2006-01-02T15:04:05; *at moves behind it. */
static bool strict_clock(str s, int64_t *sec, size_t *at)
{
	int year, month, day, hour, min, second;

	if (!digits_at(s, 0, 4, 0, 9999, &year) || !byte_at(s, 4, '-') || !digits_at(s, 5, 2, 1, 12, &month) ||
	    !byte_at(s, 7, '-') || !digits_at(s, 8, 2, 1, go_days_in_month(month, year), &day) ||
	    !byte_at(s, 10, 'T') || !digits_at(s, 11, 2, 0, 23, &hour) || !byte_at(s, 13, ':') ||
	    !digits_at(s, 14, 2, 0, 59, &min) || !byte_at(s, 16, ':') || !digits_at(s, 17, 2, 0, 59, &second))
		return false;
	*sec = go_unix_of_civil(year, month, day, hour, min, second);
	*at = 19;
	return true;
}

/* Read exactly what RFC 3339 allows, without a layout. */
static bool strict_rfc3339(str s, struct go_stamp *ret)
{
	struct go_stamp t = { 0 };
	int32_t unit = 100000000;
	size_t at;
	int hour, min;

	if (!strict_clock(s, &t.sec, &at))
		return false;
	if (byte_at(s, at, '.') && is_digit_at(s, at + 1)) {
		for (at++; is_digit_at(s, at); at++, unit /= 10)
			t.nsec += (s.p[at] - '0') * unit;
	}
	if (at + 1 == s.n && s.p[at] == 'Z') {
		t.utc = true;
	} else {
		if (at + 6 != s.n || (s.p[at] != '+' && s.p[at] != '-') || !digits_at(s, at + 1, 2, 0, 23, &hour) ||
		    s.p[at + 3] != ':' || !digits_at(s, at + 4, 2, 0, 59, &min))
			return false;
		t.has_offset = true;
		t.offset = (hour * 60 + min) * 60 * (s.p[at] == '-' ? -1 : 1);
		t.sec -= t.offset;
	}
	*ret = t;
	return true;
}

bool go_rfc3339_parse(str value, struct go_stamp *ret, struct buf *why)
{
	return strict_rfc3339(value, ret) || go_stamp_parse(GO_RFC3339, value, ret, why);
}

/* ---- times with their places ---- */

/* The offset that Go assumes for an abbreviation: that of "GMT+3" is in it, others are 0. */
static int32_t offset_of_name(str zone)
{
	int64_t hours;

	if (zone.n > 3 && str_has_prefix(zone, STR("GMT")) && go_parse_int(str_sub(zone, 3, zone.n), 10, &hours))
		return (int32_t)hours * 3600;
	return 0;
}

int go_time_parse(str layout, str value, struct arena *a, struct go_time *ret, struct buf *why)
{
	const struct go_location *loc = &go_utc;
	struct go_stamp t;

	if (!go_stamp_parse(layout, value, &t, why))
		return -EBADMSG;
	if (!t.utc) {
		bool named = t.zone.n && !(t.has_offset && str_eq(t.zone, STR("UTC")));

		loc = &go_local;
		if (named || t.offset)
			loc = go_zone_fixed(a, t.zone, t.has_offset ? t.offset : offset_of_name(t.zone));
		if (!loc)
			return -ENOMEM;
	}
	*ret = go_time_in(go_time_unix(t.sec, t.nsec, NULL), loc);
	return 0;
}
