/* Computes with instants as Go's time does. */
#include "go/time.h"

#include "go/duration.h"

#define UNIX_TO_INTERNAL INT64_C(62135596800) /* seconds from 1 January of year 1 to 1970 */

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

	go_carry(&seconds, &nsec, GO_SECOND);
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

/* The remainder of the division by @unit since year 1, in nanoseconds: 0 to below @unit. */
static int64_t rest_of(const struct go_time *t, int64_t unit)
{
	__int128 rest = ((__int128)t->sec * GO_SECOND + t->nsec) % unit;

	return (int64_t)(rest < 0 ? rest + unit : rest);
}

struct go_time go_time_round(struct go_time t, int64_t unit)
{
	int64_t rest;

	t = go_time_in(t, t.loc);
	if (unit <= 0)
		return t;
	rest = rest_of(&t, unit);
	return go_time_add(t, (uint64_t)rest * 2 < (uint64_t)unit ? -rest : unit - rest);
}

struct go_time go_time_truncate(struct go_time t, int64_t unit)
{
	t = go_time_in(t, t.loc);
	return unit <= 0 ? t : go_time_add(t, -rest_of(&t, unit));
}

struct go_time go_time_date(int64_t year, int64_t month, int64_t day, int64_t hour, int64_t min, int64_t sec,
			    int64_t nsec, const struct go_location *loc)
{
	int64_t local;
	struct go_zone zone;

	go_carry(&sec, &nsec, GO_SECOND);
	local = go_unix_of_civil(year, month, day, hour, min, sec);
	/* The offset at the instant that the clock reading would be in UTC is nearly always right; when it is not,
	 * that at the resulting instant is. */
	zone = go_zone_at(loc, local);
	if (zone.offset) {
		struct go_zone there = go_zone_at(loc, (int64_t)((uint64_t)local - (uint64_t)(int64_t)zone.offset));

		if (there.offset != zone.offset)
			zone = there;
		local = (int64_t)((uint64_t)local - (uint64_t)(int64_t)zone.offset);
	}
	return go_time_in(go_time_unix(local, (int32_t)nsec, NULL), loc);
}

struct go_civil go_civil_of(const struct go_time *t, struct go_zone *zone)
{
	int64_t unix_sec = go_time_to_unix(t);
	struct go_zone at = go_zone_at(t->loc, unix_sec);

	if (zone)
		*zone = at;
	return go_civil_of_unix((int64_t)((uint64_t)unix_sec + (uint64_t)(int64_t)at.offset));
}
