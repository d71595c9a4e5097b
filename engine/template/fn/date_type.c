/* The types of package time that templates meet, with their methods. */
#include "template/fn/date.h"

#include "base/assert.h"
#include "go/duration.h"
#include "go/layout.h"

/* A copy of a value in the arena, because methods get and return the types of this file by pointer. */
static void *boxed(struct arena *a, const void *p, size_t n)
{
	void *copy = arena_alloc(a, n);

	if (copy)
		memcpy(copy, p, n);
	return copy;
}

int ret_time(struct tmpl_call *c, struct go_time t, tval *ret)
{
	const struct go_time *copy = boxed(&c->mem->arena, &t, sizeof(t));

	if (!copy)
		return tmpl_nomem(c);
	*ret = (tval){ .type = &tt_time, .p = copy };
	return 0;
}

/* ---- *time.Location ---- */

static const struct go_location *location_of(tval v)
{
	return v.p ? v.p : &go_utc;
}

static void location_text(struct tmem *m, tval v, struct buf *out)
{
	(void)m;
	buf_add_str(out, location_of(v)->name);
}

static int location_string(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)n;
	return tmpl_ret_str(c, location_of(args[0])->name, ret);
}

static const struct tmpl_fn location_methods[] = {
	{ "String", location_string, { NULL }, false, &tt_string, "the name of the zone" },
};

static const struct ttype location_struct = { .name = "time.Location", .kind = TK_STRUCT };
const struct ttype tt_location = {
	.name = "*time.Location",
	.kind = TK_PTR,
	.elem = &location_struct,
	.methods = location_methods,
	.n_methods = ARRAY_LEN(location_methods),
	.text = location_text,
};

/* ---- time.Month, time.Weekday ---- */

static void enum_text(tval v, const char *const *names, int64_t first, int64_t last, const char *type, struct buf *out)
{
	if (v.i >= first && v.i <= last)
		buf_add_cstr(out, names[v.i - first]);
	else
		buf_printf(out, "%%!%s(%llu)", type, (unsigned long long)v.i);
}

static void month_text(struct tmem *m, tval v, struct buf *out)
{
	(void)m;
	enum_text(v, go_month_names, 1, 12, "Month", out);
}

static void weekday_text(struct tmem *m, tval v, struct buf *out)
{
	(void)m;
	enum_text(v, go_weekday_names, 0, 6, "Weekday", out);
}

/* String() of a type that has a text. */
static int text_string(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	CLEANUP(buf_done) struct buf out = tmpl_buf(c);

	(void)n;
	args[0].type->text(c->mem, args[0], &out);
	return tmpl_ret_buf(c, &out, ret);
}

static const struct tmpl_fn enum_methods[] = {
	{ "String", text_string, { NULL }, false, &tt_string, "the English name" },
};

const struct ttype tt_month = { .name = "time.Month",
				.kind = TK_INT,
				.methods = enum_methods,
				.n_methods = ARRAY_LEN(enum_methods),
				.text = month_text };
const struct ttype tt_weekday = { .name = "time.Weekday",
				  .kind = TK_INT,
				  .methods = enum_methods,
				  .n_methods = ARRAY_LEN(enum_methods),
				  .text = weekday_text };

/* ---- time.Duration ---- */

static void duration_text(struct tmem *m, tval v, struct buf *out)
{
	(void)m;
	go_duration_string(v.i, out);
}

static int duration_abs(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)c;
	(void)n;
	*ret = tval_duration(args[0].i == INT64_MIN ? INT64_MAX : args[0].i < 0 ? -args[0].i : args[0].i);
	return 0;
}

static int ret_units(const tval *args, int64_t unit, tval *ret)
{
	int64_t whole = args[0].i / unit;

	*ret = tval_float((double)whole + (double)(args[0].i % unit) / (double)unit);
	return 0;
}

static int duration_hours(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)c;
	(void)n;
	return ret_units(args, GO_HOUR, ret);
}

static int duration_minutes(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)c;
	(void)n;
	return ret_units(args, GO_MINUTE, ret);
}

static int duration_seconds(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)c;
	(void)n;
	return ret_units(args, GO_SECOND, ret);
}

static int duration_milliseconds(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)c;
	(void)n;
	*ret = tval_int64(args[0].i / 1000000);
	return 0;
}

static int duration_microseconds(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)c;
	(void)n;
	*ret = tval_int64(args[0].i / 1000);
	return 0;
}

static int duration_nanoseconds(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)c;
	(void)n;
	*ret = tval_int64(args[0].i);
	return 0;
}

static int duration_method_round(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)c;
	(void)n;
	*ret = tval_duration(go_duration_round(args[0].i, args[1].i));
	return 0;
}

static int duration_truncate(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)c;
	(void)n;
	*ret = tval_duration(args[1].i <= 0 ? args[0].i : args[0].i - args[0].i % args[1].i);
	return 0;
}

static const struct tmpl_fn duration_methods[] = {
	{ "Abs", duration_abs, { NULL }, false, &tt_duration, "without its sign" },
	{ "Hours", duration_hours, { NULL }, false, &tt_float64, "in hours" },
	{ "Microseconds", duration_microseconds, { NULL }, false, &tt_int64, "in microseconds" },
	{ "Milliseconds", duration_milliseconds, { NULL }, false, &tt_int64, "in milliseconds" },
	{ "Minutes", duration_minutes, { NULL }, false, &tt_float64, "in minutes" },
	{ "Nanoseconds", duration_nanoseconds, { NULL }, false, &tt_int64, "in nanoseconds" },
	{ "Round", duration_method_round, { &tt_duration }, false, &tt_duration, "rounded to a multiple" },
	{ "Seconds", duration_seconds, { NULL }, false, &tt_float64, "in seconds" },
	{ "String", text_string, { NULL }, false, &tt_string, "as text: 1h2m3s" },
	{ "Truncate", duration_truncate, { &tt_duration }, false, &tt_duration, "cut to a multiple" },
};

const struct ttype tt_duration = { .name = "time.Duration",
				   .kind = TK_INT64,
				   .methods = duration_methods,
				   .n_methods = ARRAY_LEN(duration_methods),
				   .text = duration_text };

/* ---- time.Time ---- */

static void time_text(struct tmem *m, tval v, struct buf *out)
{
	(void)m;
	go_time_string(tmpl_time_of(v), out);
}

static void time_go_text(struct tmem *m, tval v, struct buf *out)
{
	const struct go_time *t = tmpl_time_of(v);
	struct go_civil c = go_civil_of(t, NULL);

	(void)m;
	ASSERT(c.month >= 1 && c.month <= 12);
	buf_printf(out, "time.Date(%lld, time.%s, %d, %d, %d, %d, %d, ", (long long)c.year, go_month_names[c.month - 1],
		   c.day, c.hour, c.min, c.sec, t->nsec);
	if (!t->loc) {
		buf_add_cstr(out, "time.UTC)");
	} else if (t->loc == &go_local) {
		buf_add_cstr(out, "time.Local)");
	} else {
		buf_add_cstr(out, "time.Location(");
		go_time_quote(out, t->loc->name);
		buf_add_cstr(out, "))");
	}
}

static val time_json(struct tmem *m, tval v)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(256);
	str text;

	go_time_format(tmpl_time_of(v), GO_RFC3339_NANO, &out);
	text = arena_str(&m->arena, buf_str(&out));
	return out.error || !text.p ? (val){ 0 } : val_string(text);
}

static bool time_equal(tval a, tval b)
{
	const struct go_time *t = tmpl_time_of(a);
	const struct go_time *u = tmpl_time_of(b);

	return t->sec == u->sec && t->nsec == u->nsec && t->has_mono == u->has_mono && t->mono == u->mono &&
	       go_location_equal(t->loc, u->loc);
}

static int time_add(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)n;
	return ret_time(c, go_time_add(*tmpl_time_of(args[0]), args[1].i), ret);
}

static int time_add_date(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	const struct go_time *t = tmpl_time_of(args[0]);
	struct go_civil at = go_civil_of(t, NULL);

	(void)n;
	return ret_time(c,
			go_time_date((int64_t)((uint64_t)at.year + (uint64_t)args[1].i),
				     (int64_t)((uint64_t)at.month + (uint64_t)args[2].i),
				     (int64_t)((uint64_t)at.day + (uint64_t)args[3].i), at.hour, at.min, at.sec,
				     t->nsec, t->loc),
			ret);
}

static int time_after(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)c;
	(void)n;
	*ret = tval_bool(go_time_cmp(tmpl_time_of(args[0]), tmpl_time_of(args[1])) > 0);
	return 0;
}

static int time_before(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)c;
	(void)n;
	*ret = tval_bool(go_time_cmp(tmpl_time_of(args[0]), tmpl_time_of(args[1])) < 0);
	return 0;
}

static int time_compare(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)c;
	(void)n;
	*ret = tval_int(go_time_cmp(tmpl_time_of(args[0]), tmpl_time_of(args[1])));
	return 0;
}

static int time_same(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)c;
	(void)n;
	*ret = tval_bool(go_time_cmp(tmpl_time_of(args[0]), tmpl_time_of(args[1])) == 0);
	return 0;
}

static int time_method_format(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	CLEANUP(buf_done) struct buf out = tmpl_buf(c);

	(void)n;
	go_time_format(tmpl_time_of(args[0]), args[1].s, &out);
	return tmpl_ret_buf(c, &out, ret);
}

static int time_go_string(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	CLEANUP(buf_done) struct buf out = tmpl_buf(c);

	(void)n;
	time_go_text(c->mem, args[0], &out);
	return tmpl_ret_buf(c, &out, ret);
}

static int time_in(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)n;
	if (!args[1].p)
		return tmpl_fail(c, "time: missing Location in call to Time.In");
	return ret_time(c, go_time_in(*tmpl_time_of(args[0]), args[1].p), ret);
}

static int time_local(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)n;
	return ret_time(c, go_time_in(*tmpl_time_of(args[0]), &go_local), ret);
}

static int time_utc(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)n;
	return ret_time(c, go_time_in(*tmpl_time_of(args[0]), &go_utc), ret);
}

static int time_is_dst(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	const struct go_time *t = tmpl_time_of(args[0]);

	(void)c;
	(void)n;
	*ret = tval_bool(go_zone_at(t->loc, go_time_to_unix(t)).dst);
	return 0;
}

static int time_is_zero(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)c;
	(void)n;
	*ret = tval_bool(tmpl_time_of(args[0])->sec == 0 && tmpl_time_of(args[0])->nsec == 0);
	return 0;
}

static int time_location(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	const struct go_location *loc = tmpl_time_of(args[0])->loc;

	(void)c;
	(void)n;
	*ret = (tval){ .type = &tt_location, .p = loc ? loc : &go_utc };
	return 0;
}

static int marshal(struct tmpl_call *c, const tval *args, const char *quote, const char *method, tval *ret)
{
	CLEANUP(buf_done) struct buf out = tmpl_buf(c);
	const struct go_time *t = tmpl_time_of(args[0]);
	int64_t year = go_civil_of(t, NULL).year;
	str text;
	int r;

	if (year < 0 || year > 9999)
		return tmpl_fail(c, "Time.%s: year outside of range [0,9999]", method);
	buf_add_cstr(&out, quote);
	go_time_format(t, GO_RFC3339_NANO, &out);
	buf_add_cstr(&out, quote);
	r = tmpl_buf_str(c, &out, &text);
	if (r < 0)
		return r;
	*ret = (tval){ .type = &tt_bytes, .s = text };
	return 0;
}

static int time_marshal_json(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)n;
	return marshal(c, args, "\"", "MarshalJSON", ret);
}

static int time_marshal_text(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)n;
	return marshal(c, args, "", "MarshalText", ret);
}

/* A method that returns one part of the date or the clock as an int. */
#define CIVIL_METHOD(method, part)                                                                                     \
	static int time_##method(struct tmpl_call *c, const tval *args, size_t n, tval *ret)                           \
	{                                                                                                              \
		(void)c;                                                                                               \
		(void)n;                                                                                               \
		*ret = tval_int(go_civil_of(tmpl_time_of(args[0]), NULL).part);                                        \
		return 0;                                                                                              \
	}
CIVIL_METHOD(year, year)
CIVIL_METHOD(day, day)
CIVIL_METHOD(year_day, yday)
CIVIL_METHOD(hour, hour)
CIVIL_METHOD(minute, min)
CIVIL_METHOD(second, sec)

static int time_month(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)c;
	(void)n;
	*ret = (tval){ .type = &tt_month, .i = go_civil_of(tmpl_time_of(args[0]), NULL).month };
	return 0;
}

static int time_weekday(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)c;
	(void)n;
	*ret = (tval){ .type = &tt_weekday, .i = go_civil_of(tmpl_time_of(args[0]), NULL).weekday };
	return 0;
}

static int time_nanosecond(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)c;
	(void)n;
	*ret = tval_int(tmpl_time_of(args[0])->nsec);
	return 0;
}

static int time_round(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)n;
	return ret_time(c, go_time_round(*tmpl_time_of(args[0]), args[1].i), ret);
}

static int time_truncate(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)n;
	return ret_time(c, go_time_truncate(*tmpl_time_of(args[0]), args[1].i), ret);
}

static int time_sub(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)c;
	(void)n;
	*ret = tval_duration(go_time_sub(tmpl_time_of(args[0]), tmpl_time_of(args[1])));
	return 0;
}

/* Return units of 1/@per_second since 1970; wraps as Go's do. */
static int ret_unix(const tval *args, int64_t per_second, tval *ret)
{
	const struct go_time *t = tmpl_time_of(args[0]);

	*ret = tval_int64((int64_t)((uint64_t)go_time_to_unix(t) * (uint64_t)per_second +
				    (uint64_t)(t->nsec / (GO_SECOND / per_second))));
	return 0;
}

static int time_unix(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)c;
	(void)n;
	return ret_unix(args, 1, ret);
}

static int time_unix_milli(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)c;
	(void)n;
	return ret_unix(args, 1000, ret);
}

static int time_unix_micro(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)c;
	(void)n;
	return ret_unix(args, 1000000, ret);
}

static int time_unix_nano(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)c;
	(void)n;
	return ret_unix(args, GO_SECOND, ret);
}

static const struct ttype three_results = TMPL_THREE_RESULTS;
static const struct ttype and_an_int = TMPL_SECOND_RESULT("int");
static const struct ttype and_a_time = TMPL_SECOND_RESULT("time.Time");

static const struct tmpl_fn time_methods[] = {
	{ "Add", time_add, { &tt_duration }, false, &tt_time, "the time plus a duration" },
	{ "AddDate",
	  time_add_date,
	  { &tt_int, &tt_int, &tt_int },
	  false,
	  &tt_time,
	  "the time plus years, months, days" },
	{ "After", time_after, { &tt_time }, false, &tt_bool, "whether it is later" },
	{ "Before", time_before, { &tt_time }, false, &tt_bool, "whether it is earlier" },
	{ "Clock", NULL, { NULL }, false, &three_results, "hour, minute, second: not for templates" },
	{ "Compare", time_compare, { &tt_time }, false, &tt_int, "-1, 0 or 1" },
	{ "Date", NULL, { NULL }, false, &three_results, "year, month, day: not for templates" },
	{ "Day", time_day, { NULL }, false, &tt_int, "day of the month" },
	{ "Equal", time_same, { &tt_time }, false, &tt_bool, "whether it is the same instant" },
	{ "Format", time_method_format, { &tt_string }, false, &tt_string, "as text by a layout" },
	{ "GoString", time_go_string, { NULL }, false, &tt_string, "as Go source" },
	{ "Hour", time_hour, { NULL }, false, &tt_int, "hour" },
	{ "ISOWeek", NULL, { NULL }, false, &and_an_int, "year, week: not for templates" },
	{ "In", time_in, { &tt_location }, false, &tt_time, "in another zone" },
	{ "IsDST", time_is_dst, { NULL }, false, &tt_bool, "whether daylight saving is in force" },
	{ "IsZero", time_is_zero, { NULL }, false, &tt_bool, "whether it is the zero time" },
	{ "Local", time_local, { NULL }, false, &tt_time, "in the local zone, which is UTC here" },
	{ "Location", time_location, { NULL }, false, &tt_location, "its zone" },
	{ "MarshalJSON", time_marshal_json, { NULL }, false, &tt_bytes, "as JSON" },
	{ "MarshalText", time_marshal_text, { NULL }, false, &tt_bytes, "as RFC 3339" },
	{ "Minute", time_minute, { NULL }, false, &tt_int, "minute" },
	{ "Month", time_month, { NULL }, false, &tt_month, "month" },
	{ "Nanosecond", time_nanosecond, { NULL }, false, &tt_int, "nanoseconds within the second" },
	{ "Round", time_round, { &tt_duration }, false, &tt_time, "rounded to a multiple" },
	{ "Second", time_second, { NULL }, false, &tt_int, "second" },
	{ "String", text_string, { NULL }, false, &tt_string, "as text" },
	{ "Sub", time_sub, { &tt_time }, false, &tt_duration, "the duration from another time" },
	{ "Truncate", time_truncate, { &tt_duration }, false, &tt_time, "cut to a multiple" },
	{ "UTC", time_utc, { NULL }, false, &tt_time, "in UTC" },
	{ "Unix", time_unix, { NULL }, false, &tt_int64, "seconds since 1970" },
	{ "UnixMicro", time_unix_micro, { NULL }, false, &tt_int64, "microseconds since 1970" },
	{ "UnixMilli", time_unix_milli, { NULL }, false, &tt_int64, "milliseconds since 1970" },
	{ "UnixNano", time_unix_nano, { NULL }, false, &tt_int64, "nanoseconds since 1970" },
	{ "Weekday", time_weekday, { NULL }, false, &tt_weekday, "day of the week" },
	{ "Year", time_year, { NULL }, false, &tt_int, "year" },
	{ "YearDay", time_year_day, { NULL }, false, &tt_int, "day of the year" },
	{ "Zone", NULL, { NULL }, false, &and_an_int, "name, offset: not for templates" },
	{ "ZoneBounds", NULL, { NULL }, false, &and_a_time, "start, end: not for templates" },
};

static tval field_wall(struct tmem *m, tval v)
{
	(void)m;
	return tval_uint64((uint64_t)tmpl_time_of(v)->nsec);
}

static tval field_ext(struct tmem *m, tval v)
{
	(void)m;
	return tval_int64(tmpl_time_of(v)->sec);
}

static tval field_loc(struct tmem *m, tval v)
{
	(void)m;
	return (tval){ .type = &tt_location, .p = tmpl_time_of(v)->loc };
}

static const struct tfield time_fields[] = {
	{ "wall", false, field_wall },
	{ "ext", false, field_ext },
	{ "loc", false, field_loc },
};

const struct ttype tt_time = {
	.name = "time.Time",
	.kind = TK_STRUCT,
	.fields = time_fields,
	.n_fields = ARRAY_LEN(time_fields),
	.methods = time_methods,
	.n_methods = ARRAY_LEN(time_methods),
	.text = time_text,
	.go_text = time_go_text,
	.json = time_json,
	.equal = time_equal,
};
