/* Time as Go's package time has it (1.24), shared by the fn_date files.
 *
 * The local zone is UTC: what a template renders must not depend on the host that renders it. Zones are read from the
 * system's database for each use; there is no state. */
#ifndef TEMPLATE_FN_DATE_H
#define TEMPLATE_FN_DATE_H

#include "template/fn/fn.h"

#define GO_SECOND INT64_C(1000000000)

struct zone_era {
	int64_t from; /* Unix seconds; in force until the next era */
	uint8_t index;
};

struct zone_kind {
	int32_t offset; /* seconds east of UTC */
	bool dst;
	str name;
};

/* *time.Location. Lives in the arena of the execution, but for the two constants. */
struct go_location {
	str name;
	const struct zone_kind *kinds; /* none: UTC */
	size_t n_kinds;
	const struct zone_era *eras;
	size_t n_eras;
	str extend; /* POSIX TZ rule for the time behind the last era */
};
extern const struct go_location go_utc, go_local;

/* time.Time: an instant and the place whose clock shows it. */
struct go_time {
	int64_t sec; /* since 1 January of year 1, UTC, as Go counts inside */
	int32_t nsec;
	bool has_mono; /* made by now: a reading of the monotonic clock beside the wall clock */
	int64_t mono;
	const struct go_location *loc; /* NULL: UTC */
};

extern const struct ttype tt_time, tt_duration, tt_month, tt_weekday, tt_location;

/* The time in v; @v is of tt_time. */
static inline const struct go_time *go_time_of(tval v)
{
	return v.p;
}
CHECKED int ret_time(struct tmpl_call *c, struct go_time t, tval *ret); /* copied into the arena */
static inline tval tval_duration(int64_t ns)
{
	return (tval){ .type = &tt_duration, .i = ns };
}

/* ---- fn_date_civil.c: the calendar ---- */

struct civil {
	int64_t year;
	int month; /* 1 to 12 */
	int day;
	int yday; /* from 1 */
	int hour, min, sec;
	int weekday; /* 0: Sunday */
};
struct civil go_civil_of_unix(int64_t unix_sec); /* of any int64: wraps as Go's absolute time does */
struct civil go_civil_of(const struct go_time *t, str *zone_name,
			 int32_t *offset); /* in the time's zone; both may be NULL */
/* Unix seconds of a date in UTC; fields out of range carry over, as time.Date's do; huge ones wrap. */
int64_t go_unix_of_civil(int64_t year, int64_t month, int64_t day, int64_t hour, int64_t min, int64_t sec);
bool go_year_is_leap(int64_t year);
int go_days_before_month(int month); /* in a common year; month 13 gives 365 */
int go_days_in_month(int month, int64_t year);
extern const char *const go_month_names[12], *const go_weekday_names[7];

struct go_time go_time_unix(int64_t sec, int32_t nsec, const struct go_location *loc);
int64_t go_time_to_unix(const struct go_time *t);
struct go_time go_time_in(struct go_time t, const struct go_location *loc); /* setLoc: drops the monotonic reading */
struct go_time go_time_add(struct go_time t, int64_t ns);
int64_t go_time_sub(const struct go_time *t, const struct go_time *u); /* saturates */
int go_time_cmp(const struct go_time *t, const struct go_time *u);
struct go_time go_time_date(int64_t year, int64_t month, int64_t day, int64_t hour, int64_t min, int64_t sec,
			    int64_t nsec, const struct go_location *loc);
struct go_time go_time_now(struct tmpl_call *c);

/* ---- fn_date_format.c ---- */

enum layout_item {
	LAYOUT_END,
	LAYOUT_LONG_MONTH,
	LAYOUT_MONTH,
	LAYOUT_NUM_MONTH,
	LAYOUT_ZERO_MONTH,
	LAYOUT_LONG_WEEKDAY,
	LAYOUT_WEEKDAY,
	LAYOUT_DAY,
	LAYOUT_UNDER_DAY,
	LAYOUT_ZERO_DAY,
	LAYOUT_UNDER_YDAY,
	LAYOUT_ZERO_YDAY,
	LAYOUT_HOUR,
	LAYOUT_HOUR12,
	LAYOUT_ZERO_HOUR12,
	LAYOUT_MINUTE,
	LAYOUT_ZERO_MINUTE,
	LAYOUT_SECOND,
	LAYOUT_ZERO_SECOND,
	LAYOUT_LONG_YEAR,
	LAYOUT_YEAR,
	LAYOUT_PM,
	LAYOUT_pm,
	LAYOUT_TZ,
	LAYOUT_OFFSET,
	LAYOUT_FRACTION_0, /* as many digits as the layout has */
	LAYOUT_FRACTION_9, /* trailing zeros left out */
};

struct layout_chunk {
	str prefix; /* text in front */
	str text;   /* of the item */
	enum layout_item item;
	bool zulu, colon, short_form, seconds; /* LAYOUT_OFFSET: Z for zero; 07:00; 07; with seconds */
	size_t digits;                         /* fractions */
};
/* Cut the text up to and with the next item off *layout. */
struct layout_chunk go_layout_next(str *layout);

void go_time_format(const struct go_time *t, str layout, struct buf *out);
void go_time_string(const struct go_time *t, struct buf *out); /* Time.String() */
#define LAYOUT_RFC3339_NANO STR("2006-01-02T15:04:05.999999999Z07:00")
void go_duration_string(int64_t ns, struct buf *out);
int64_t go_duration_round(int64_t d, int64_t unit); /* Duration.Round */
void go_time_quote(struct buf *out, str s);         /* package time's own quoting, in errors */

/* ---- fn_date_parse.c ---- */

/* time.ParseInLocation(layout, value, Local): 0 and *ret, or 1 and Go's error text in @why. -ENOMEM. */
CHECKED int go_time_parse(struct tmpl_call *c, str layout, str value, struct go_time *ret, struct buf *why);
/* time.ParseDuration; false: Go's text in @why. */
bool go_duration_parse(str s, int64_t *ret, struct buf *why);

/* ---- fn_date_zone.c ---- */

/* time.LoadLocation: 0; 1 when there is no such zone; negative when the call failed. */
CHECKED int go_zone_load(struct tmpl_call *c, str name, const struct go_location **ret);
/* time.FixedZone, in the arena; NULL without memory. */
const struct go_location *go_zone_fixed(struct arena *a, str name, int32_t offset);
struct zone_kind go_zone_at(const struct go_location *loc, int64_t unix_sec);
/* The rule of POSIX TZ in force at @unix_sec; false when @rule is none. */
bool go_zone_rule_at(str rule, int64_t unix_sec, struct zone_kind *ret);

#endif
