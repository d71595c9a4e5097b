/* The functions for dates and durations. */
#include "template/fn/date.h"

#include "go/duration.h"
#include "go/layout.h"
#include "go/strconv.h"

#include <errno.h>
#include <time.h>

struct go_time tmpl_now(struct tmpl_call *c)
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
	/* A clock of the environment sets the monotonic time too, from which it may not differ: "ago" of now is then
	 * exact. */
	if (c->env->now) {
		if (__builtin_mul_overflow(go_time_to_unix(&t), GO_SECOND, &t.mono) ||
		    __builtin_add_overflow(t.mono, t.nsec, &t.mono))
			t.has_mono = false;
	} else {
		t.mono = (int64_t)mono.tv_sec * GO_SECOND + mono.tv_nsec;
	}
	return t;
}

/* Read what Sprig accepts as a date: a time, or seconds since 1970. Any other value means now. */
static struct go_time time_from(struct tmpl_call *c, tval v)
{
	if (tval_is(v, &tt_time))
		return *tmpl_time_of(v);
	if (tval_is(v, &tt_int64) || tval_is(v, &tt_int) || tval_is(v, &tt_int32))
		return go_time_unix(v.i, 0, &go_local);
	return tmpl_now(c);
}

/* Find a zone. As in Sprig, an unknown zone is UTC. */
static int find_zone(struct tmpl_call *c, str name, const struct go_location **ret)
{
	int r = tmpl_spend(c, 50);

	if (r < 0)
		return r;
	r = go_zone_load(c->env->zones, name, &c->mem->arena, ret);
	if (r == -ENOENT)
		*ret = &go_utc;
	return r == -ENOENT ? 0 : r < 0 ? tmpl_nomem(c) : 0;
}

static int date_in_zone(struct tmpl_call *c, str layout, tval date, str zone, tval *ret)
{
	CLEANUP(buf_done) struct buf out = tmpl_buf(c);
	const struct go_location *loc = &go_utc;
	struct go_time t = time_from(c, date);
	int r = tmpl_spend(c, layout.n / 16);

	if (r == 0)
		r = find_zone(c, zone, &loc);
	if (r < 0)
		return r;
	t = go_time_in(t, loc);
	go_time_format(&t, layout, &out);
	return tmpl_ret_buf(c, &out, ret);
}

static int run_date(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)n;
	return date_in_zone(c, args[0].s, args[1], STR("Local"), ret);
}

static int run_date_in_zone(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)n;
	return date_in_zone(c, args[0].s, args[1], args[2].s, ret);
}

static int run_html_date(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)n;
	return date_in_zone(c, STR("2006-01-02"), args[0], STR("Local"), ret);
}

static int run_html_date_in_zone(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)n;
	return date_in_zone(c, STR("2006-01-02"), args[0], args[1].s, ret);
}

static int run_now(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)args;
	(void)n;
	return ret_time(c, tmpl_now(c), ret);
}

static int modify(struct tmpl_call *c, const tval *args, bool must, tval *ret)
{
	CLEANUP(buf_done) struct buf why = tmpl_buf(c);
	struct go_time t = *tmpl_time_of(args[1]);
	int64_t d;

	if (go_duration_parse(args[0].s, &d, must ? &why : NULL))
		t = go_time_add(t, d);
	else if (must)
		return tmpl_fail_str(c, buf_str(&why));
	return ret_time(c, t, ret);
}

static int run_modify(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)n;
	return modify(c, args, false, ret);
}

static int run_must_modify(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)n;
	return modify(c, args, true, ret);
}

static int to_date(struct tmpl_call *c, const tval *args, bool must, tval *ret)
{
	CLEANUP(buf_done) struct buf why = tmpl_buf(c);
	struct go_time t = { 0 };
	int r = tmpl_spend(c, (args[0].s.n + args[1].s.n) / 16);

	if (r < 0)
		return r;
	r = go_time_parse(args[0].s, args[1].s, &c->mem->arena, &t, must ? &why : NULL);
	if (r == -ENOMEM || why.error)
		return tmpl_nomem(c);
	if (r < 0 && must)
		return tmpl_fail_str(c, buf_str(&why));
	return ret_time(c, t, ret);
}

static int run_to_date(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)n;
	return to_date(c, args, false, ret);
}

static int run_must_to_date(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)n;
	return to_date(c, args, true, ret);
}

static int run_unix_epoch(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	CLEANUP(buf_done) struct buf out = tmpl_buf(c);

	(void)n;
	buf_printf(&out, "%lld", (long long)go_time_to_unix(tmpl_time_of(args[0])));
	return tmpl_ret_buf(c, &out, ret);
}

static int64_t since(struct tmpl_call *c, const struct go_time *t)
{
	struct go_time now = tmpl_now(c);

	return go_time_sub(&now, t);
}

static int run_ago(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	CLEANUP(buf_done) struct buf out = tmpl_buf(c);
	/* The other functions of Sprig read an int32 as a date, but not this one. */
	struct go_time t = tval_is(args[0], &tt_int32) ? tmpl_now(c) : time_from(c, args[0]);

	(void)n;
	go_duration_string(go_duration_round(since(c, &t), GO_SECOND), &out);
	return tmpl_ret_buf(c, &out, ret);
}

/* The value of strconv.ParseInt with its error ignored: the nearest int64 when out of range, 0 for a text that is no
 * number. */
static int64_t integer_or_nearest(str s)
{
	int64_t v = 0;
	size_t sign = s.n && (s.p[0] == '-' || s.p[0] == '+');

	if (go_parse_int(s, 10, &v))
		return v;
	for (size_t i = sign; i < s.n; i++)
		if (s.p[i] < '0' || s.p[i] > '9')
			return 0;
	if (s.n == sign)
		return 0;
	return s.p[0] == '-' ? INT64_MIN : INT64_MAX;
}

static int run_duration(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	CLEANUP(buf_done) struct buf out = tmpl_buf(c);
	int64_t seconds = 0;

	(void)n;
	if (tval_is(args[0], &tt_int64))
		seconds = args[0].i;
	else if (tval_is_string(args[0]))
		seconds = integer_or_nearest(args[0].s);
	go_duration_string((int64_t)((uint64_t)seconds * (uint64_t)GO_SECOND), &out);
	return tmpl_ret_buf(c, &out, ret);
}

static int run_duration_round(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	static const struct {
		uint64_t seconds;
		const char *name;
	} units[] = {
		{ 365 * 86400, "y" }, { 30 * 86400, "mo" }, { 86400, "d" }, { 3600, "h" }, { 60, "m" }, { 1, "s" }
	};
	CLEANUP(buf_done) struct buf out = tmpl_buf(c);
	int64_t d = 0;
	uint64_t u;

	(void)n;
	if (tval_is_string(args[0]))
		d = go_duration_parse(args[0].s, &d, NULL) ? d : 0;
	else if (tval_is(args[0], &tt_int64))
		d = args[0].i;
	else if (tval_is(args[0], &tt_time))
		d = since(c, tmpl_time_of(args[0]));
	u = d < 0 ? 0 - (uint64_t)d : (uint64_t)d;
	for (size_t i = 0; i < ARRAY_LEN(units) && !out.n; i++) {
		uint64_t unit = units[i].seconds * (uint64_t)GO_SECOND;

		if (u > unit) /* a full unit alone counts as 60 or 24 of the next */
			buf_printf(&out, "%llu%s", (unsigned long long)(u / unit), units[i].name);
	}
	if (!out.n)
		buf_add_cstr(&out, "0s");
	return tmpl_ret_buf(c, &out, ret);
}

static const struct tmpl_fn rows[] = {
	{ "ago", run_ago, { &tt_any }, false, &tt_string, "how long ago a date was, in whole seconds: 1h2m3s" },
	{ "date", run_date, { &tt_string, &tt_any }, false, &tt_string, "a date by a layout (2006-01-02 15:04:05)" },
	{ "dateInZone",
	  run_date_in_zone,
	  { &tt_string, &tt_any, &tt_string },
	  false,
	  &tt_string,
	  "a date by a layout in a time zone" },
	{ "dateModify", run_modify, { &tt_string, &tt_time }, false, &tt_time, "a date plus a duration such as -1.5h" },
	{ "date_in_zone",
	  run_date_in_zone,
	  { &tt_string, &tt_any, &tt_string },
	  false,
	  &tt_string,
	  "the same as dateInZone" },
	{ "date_modify", run_modify, { &tt_string, &tt_time }, false, &tt_time, "the same as dateModify" },
	{ "duration", run_duration, { &tt_any }, false, &tt_string, "seconds as a duration: 95 is 1m35s" },
	{ "durationRound", run_duration_round, { &tt_any }, false, &tt_string, "a duration in its largest unit: 2h" },
	{ "htmlDate", run_html_date, { &tt_any }, false, &tt_string, "a date as 2006-01-02" },
	{ "htmlDateInZone",
	  run_html_date_in_zone,
	  { &tt_any, &tt_string },
	  false,
	  &tt_string,
	  "a date as 2006-01-02 in a time zone" },
	{ "mustDateModify",
	  run_must_modify,
	  { &tt_string, &tt_time },
	  false,
	  &tt_time,
	  "as dateModify; a bad duration fails" },
	{ "mustToDate",
	  run_must_to_date,
	  { &tt_string, &tt_string },
	  false,
	  &tt_time,
	  "as toDate; text that is no date fails" },
	{ "must_date_modify",
	  run_must_modify,
	  { &tt_string, &tt_time },
	  false,
	  &tt_time,
	  "the same as mustDateModify" },
	{ "now", run_now, { NULL }, false, &tt_time, "the current time" },
	{ "toDate",
	  run_to_date,
	  { &tt_string, &tt_string },
	  false,
	  &tt_time,
	  "the time that a text gives by a layout" },
	{ "unixEpoch", run_unix_epoch, { &tt_time }, false, &tt_string, "seconds since 1970" },
};
TMPL_FN_FAMILY(fn_date, rows);
