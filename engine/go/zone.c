/* Reads time zones, whose data stays where it is, without a copy. */
#include "go/zone.h"

#include "base/ascii.h"
#include "go/calendar.h"

#include <errno.h>

#define ZONE_NAME_MAX 255
#define KIND_BYTES 6

const struct go_location go_utc = { .name = { "UTC", 3 } };
const struct go_location go_local = { .name = { "UTC", 3 } };

const struct go_location *go_zone_fixed(struct arena *a, str name, int32_t offset)
{
	struct go_location *loc = arena_zalloc(a, sizeof(*loc));
	str copy = arena_str(a, name);

	if (!loc || !copy.p)
		return NULL;
	*loc = (struct go_location){ .name = copy, .fixed = true, .always = { .name = copy, .offset = offset } };
	return loc;
}

bool go_location_equal(const struct go_location *a, const struct go_location *b)
{
	return a == b || (a && b && (a->fixed || a->kinds.n) && a->fixed == b->fixed && str_eq(a->name, b->name) &&
			  a->always.offset == b->always.offset && str_eq(a->times, b->times) &&
			  str_eq(a->indexes, b->indexes) && str_eq(a->kinds, b->kinds));
}

/* ---- looking up ---- */

static uint64_t big_endian(str s, size_t at, size_t n)
{
	uint64_t v = 0;

	for (size_t i = 0; i < n; i++)
		v = v << 8 | (unsigned char)s.p[at + i];
	return v;
}

/* The time when era @i begins. */
static int64_t era_from(const struct go_location *loc, size_t i)
{
	uint64_t v = big_endian(loc->times, i * loc->width, loc->width);

	return loc->width == 8 ? (int64_t)v : (int32_t)(uint32_t)v;
}

static size_t era_kind(const struct go_location *loc, size_t i)
{
	return (unsigned char)loc->indexes.p[i];
}

static bool kind_is_dst(const struct go_location *loc, size_t kind)
{
	return loc->kinds.p[kind * KIND_BYTES + 4] != 0;
}

static struct go_zone kind_at(const struct go_location *loc, size_t kind)
{
	size_t at = (unsigned char)loc->kinds.p[kind * KIND_BYTES + 5];
	str name = str_sub(loc->names, at, loc->names.n);
	ptrdiff_t end = str_find_byte(name, '\0');

	return (struct go_zone){
		.name = end < 0 ? name : str_sub(name, 0, (size_t)end),
		.offset = (int32_t)(uint32_t)big_endian(loc->kinds, kind * KIND_BYTES, 4),
		.dst = kind_is_dst(loc, kind),
	};
}

/* The kind that is in force before the first era: standard time, which files put first. */
static size_t first_kind(const struct go_location *loc)
{
	size_t first = era_kind(loc, 0);

	if (str_find_byte(loc->indexes, '\0') < 0)
		return 0;
	if (kind_is_dst(loc, first)) {
		for (size_t i = first; i > 0; i--) {
			if (!kind_is_dst(loc, i - 1))
				return i - 1;
		}
	}
	for (size_t i = 0; i < loc->kinds.n / KIND_BYTES; i++) {
		if (!kind_is_dst(loc, i))
			return i;
	}
	return 0;
}

struct go_zone go_zone_at(const struct go_location *loc, int64_t unix_sec)
{
	struct go_zone zone;
	size_t lo = 0, hi;

	if (loc && loc->fixed)
		return loc->always;
	if (!loc || !loc->kinds.n)
		return (struct go_zone){ .name = STR("UTC") };
	hi = loc->indexes.n;
	if (hi && unix_sec < era_from(loc, 0))
		return kind_at(loc, first_kind(loc));
	while (hi - lo > 1) {
		size_t mid = lo + (hi - lo) / 2;

		if (unix_sec < era_from(loc, mid))
			hi = mid;
		else
			lo = mid;
	}
	if (lo + 1 >= loc->indexes.n && loc->extend.n && go_zone_rule_at(loc->extend, unix_sec, &zone))
		return zone;
	return kind_at(loc, loc->indexes.n ? era_kind(loc, lo) : 0);
}

/* ---- rules: std offset [dst [offset] [, start [/time], end [/time]]] ---- */

enum rule_kind {
	RULE_JULIAN, /* Jn: 1 to 365, 29 February never counted */
	RULE_DAY,    /* n: 0 to 365 */
	RULE_MONTH,  /* Mm.w.d */
};

struct rule {
	enum rule_kind kind;
	int day, week, month;
	int time; /* in seconds */
};

static bool take(str *s, char c)
{
	if (!s->n || s->p[0] != c)
		return false;
	*s = str_sub(*s, 1, s->n);
	return true;
}

static bool take_number(str *s, int min, int max, int *ret)
{
	int v = 0;
	size_t n = 0;

	for (; n < s->n && ascii_is_digit(s->p[n]); n++) {
		v = v * 10 + (s->p[n] - '0');
		if (v > max)
			return false;
	}
	if (!n || v < min)
		return false;
	*s = str_sub(*s, n, s->n);
	*ret = v;
	return true;
}

/* Read [+-]hh[:mm[:ss]] as seconds. */
static bool take_offset(str *s, int *ret)
{
	bool negative = false;
	int hours;
	int minutes = 0;
	int seconds = 0;

	if (!take(s, '+'))
		negative = take(s, '-');
	if (!take_number(s, 0, 24 * 7, &hours))
		return false;
	if (take(s, ':')) {
		if (!take_number(s, 0, 59, &minutes))
			return false;
		if (take(s, ':') && !take_number(s, 0, 59, &seconds))
			return false;
	}
	*ret = hours * 3600 + minutes * 60 + seconds;
	if (negative)
		*ret = -*ret;
	return true;
}

/* Read a name: three or more characters up to a digit, sign or comma; or anything within <>. */
static bool take_name(str *s, str *ret)
{
	size_t n = 0;

	if (s->n && s->p[0] == '<') {
		ptrdiff_t close = str_find_byte(*s, '>');

		if (close < 0)
			return false;
		*ret = str_sub(*s, 1, (size_t)close);
		*s = str_sub(*s, (size_t)close + 1, s->n);
		return true;
	}
	while (n < s->n && s->p[n] && !strchr("0123456789,-+", s->p[n]))
		n++;
	if (n < 3)
		return false;
	*ret = str_sub(*s, 0, n);
	*s = str_sub(*s, n, s->n);
	return true;
}

static bool take_rule(str *s, struct rule *r)
{
	*r = (struct rule){ .time = 2 * 3600 };
	if (take(s, 'J')) {
		r->kind = RULE_JULIAN;
		if (!take_number(s, 1, 365, &r->day))
			return false;
	} else if (take(s, 'M')) {
		r->kind = RULE_MONTH;
		if (!take_number(s, 1, 12, &r->month) || !take(s, '.') || !take_number(s, 1, 5, &r->week) ||
		    !take(s, '.') || !take_number(s, 0, 6, &r->day))
			return false;
	} else {
		r->kind = RULE_DAY;
		if (!take_number(s, 0, 365, &r->day))
			return false;
	}
	return !take(s, '/') || take_offset(s, &r->time);
}

/* The number of seconds from the start of @year to the moment of the rule, with @offset in force before it. */
static int64_t rule_seconds(int64_t year, const struct rule *r, int32_t offset)
{
	int64_t day = r->day;

	if (r->kind == RULE_JULIAN) {
		day += (go_year_is_leap(year) && r->day >= 60) - 1;
	} else if (r->kind == RULE_MONTH) {
		int first = go_civil_of_unix(go_unix_of_civil(year, r->month, 1, 0, 0, 0)).weekday;

		day = r->day - first + (r->day < first ? 7 : 0);
		for (int i = 1; i < r->week && day + 7 < go_days_in_month(r->month, year); i++)
			day += 7;
		day += go_days_before_month(r->month) + (go_year_is_leap(year) && r->month > 2);
	}
	return day * 86400 + r->time - offset;
}

bool go_zone_rule_at(str rule, int64_t unix_sec, struct go_zone *ret)
{
	struct go_zone standard = { 0 };
	struct go_zone summer = { .dst = true };
	struct rule start;
	struct rule end;
	struct go_civil at;
	int64_t in_year;
	int64_t from;
	int64_t to;
	int offset;

	if (!take_name(&rule, &standard.name) || !take_offset(&rule, &offset))
		return false;
	standard.offset = -offset;
	if (!rule.n || rule.p[0] == ',') {
		*ret = standard;
		return true;
	}
	if (!take_name(&rule, &summer.name))
		return false;
	summer.offset = standard.offset + 3600;
	if (rule.n && rule.p[0] != ',') {
		if (!take_offset(&rule, &offset))
			return false;
		summer.offset = -offset;
	}
	if (!rule.n)
		rule = STR(",M3.2.0,M11.1.0");
	if ((!take(&rule, ',') && !take(&rule, ';')) || !take_rule(&rule, &start) || !take(&rule, ',') ||
	    !take_rule(&rule, &end) || rule.n)
		return false;
	at = go_civil_of_unix(unix_sec);
	in_year = (int64_t)(at.yday - 1) * 86400 + at.hour * 3600 + at.min * 60 + at.sec;
	from = rule_seconds(at.year, &start, standard.offset);
	to = rule_seconds(at.year, &end, summer.offset);
	if (from <= to)
		*ret = in_year >= from && in_year < to ? summer : standard;
	else
		*ret = in_year >= to && in_year < from ? standard : summer;
	return true;
}

/* ---- data ---- */

struct reader {
	str rest;
	bool bad;
};

static str read_bytes(struct reader *r, uint64_t n)
{
	str part = { "", 0 };

	if (n > r->rest.n) {
		r->bad = true;
		return part;
	}
	part = str_sub(r->rest, 0, (size_t)n);
	r->rest = str_sub(r->rest, (size_t)n, r->rest.n);
	return part;
}

struct tzif_header {
	char version;
	uint32_t utc, standard, leap, times, kinds, chars;
};

static bool read_header(struct reader *r, struct tzif_header *h)
{
	str s = read_bytes(r, 44);

	if (r->bad || !str_has_prefix(s, STR("TZif")))
		return false;
	*h = (struct tzif_header){
		.version = s.p[4],
		.utc = (uint32_t)big_endian(s, 20, 4),
		.standard = (uint32_t)big_endian(s, 24, 4),
		.leap = (uint32_t)big_endian(s, 28, 4),
		.times = (uint32_t)big_endian(s, 32, 4),
		.kinds = (uint32_t)big_endian(s, 36, 4),
		.chars = (uint32_t)big_endian(s, 40, 4),
	};
	return true;
}

/* The number of bytes of a block's data, with times of @size bytes. */
static uint64_t block_bytes(const struct tzif_header *h, uint64_t size)
{
	return h->times * (size + 1) + (uint64_t)h->kinds * 6 + h->chars + h->leap * (size + 4) + h->standard + h->utc;
}

/* Whether every era names a kind, and every kind a name. */
static bool consistent(const struct go_location *loc)
{
	for (size_t i = 0; i < loc->indexes.n; i++) {
		if (era_kind(loc, i) >= loc->kinds.n / KIND_BYTES)
			return false;
	}
	for (size_t i = 0; i < loc->kinds.n; i += KIND_BYTES) {
		if ((unsigned char)loc->kinds.p[i + 5] >= loc->names.n)
			return false;
	}
	return loc->kinds.n > 0;
}

/* The rule in the rest of a file behind its blocks: "\nrule\n". */
static str footer(str rest)
{
	if (rest.n > 2 && rest.p[0] == '\n' && rest.p[rest.n - 1] == '\n')
		return str_sub(rest, 1, rest.n - 1);
	return (str){ "", 0 };
}

bool go_zone_parse(str data, struct go_location *ret)
{
	struct reader r = { .rest = data };
	struct go_location loc = { .width = 4 };
	struct tzif_header h;

	if (!read_header(&r, &h) || (h.version != 0 && h.version != '2' && h.version != '3'))
		return false;
	if (h.version != 0) { /* a file of a later version repeats the data with 64 bits */
		loc.width = 8;
		(void)read_bytes(&r, block_bytes(&h, 4));
		if (!read_header(&r, &h))
			return false;
	}
	loc.times = read_bytes(&r, (uint64_t)h.times * loc.width);
	loc.indexes = read_bytes(&r, h.times);
	loc.kinds = read_bytes(&r, (uint64_t)h.kinds * KIND_BYTES);
	loc.names = read_bytes(&r, h.chars);
	(void)read_bytes(&r, h.leap * (uint64_t)(loc.width + 4) + h.standard + h.utc);
	loc.extend = footer(r.rest);
	if (r.bad || !consistent(&loc))
		return false;
	*ret = loc;
	return true;
}

/* Whether a name is valid, and does not lead out of the database. */
static bool name_ok(str name)
{
	return name.n <= ZONE_NAME_MAX && name.p[0] != '/' && name.p[0] != '\\' && str_find(name, STR("..")) < 0 &&
	       str_find_byte(name, '\0') < 0;
}

int go_zone_load(const struct go_zones *zones, str name, struct arena *a, const struct go_location **ret)
{
	struct go_location *loc;
	str data;
	int r;

	if (!name.n || str_eq(name, STR("UTC")) || str_eq(name, STR("Local"))) {
		*ret = name.n && name.p[0] == 'L' ? &go_local : &go_utc;
		return 0;
	}
	if (!zones || !name_ok(name))
		return -ENOENT;
	r = zones->load(zones->ctx, name, a, &data);
	if (r < 0)
		return r;
	loc = arena_alloc(a, sizeof(*loc));
	if (!loc)
		return -ENOMEM;
	if (!go_zone_parse(data, loc))
		return -ENOENT;
	loc->name = name;
	*ret = loc;
	return 0;
}
