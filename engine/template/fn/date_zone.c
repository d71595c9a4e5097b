/* Time zones: TZif files (RFC 8536) and the POSIX TZ rules at their ends. */
#include "template/fn/date.h"

#include "base/file.h"

#include <errno.h>
#include <stdio.h>

#define ZONE_FILE_MAX (1u << 20)
#define ZONE_NAME_MAX 255

const struct go_location go_utc = { .name = { "UTC", 3 } };
const struct go_location go_local = { .name = { "UTC", 3 } };

const struct go_location *go_zone_fixed(struct arena *a, str name, int32_t offset)
{
	struct go_location *loc = arena_zalloc(a, sizeof(*loc));
	struct zone_kind *kind = arena_zalloc(a, sizeof(*kind));
	struct zone_era *era = arena_zalloc(a, sizeof(*era));
	str copy = arena_str(a, name);

	if (!loc || !kind || !era || !copy.p)
		return NULL;
	*kind = (struct zone_kind){ .offset = offset, .name = copy };
	*era = (struct zone_era){ .from = INT64_MIN };
	*loc = (struct go_location){ .name = copy, .kinds = kind, .n_kinds = 1, .eras = era, .n_eras = 1 };
	return loc;
}

/* ---- looking up ---- */

/* The zone in force before the first era: standard time, which files put first. */
static size_t first_kind(const struct go_location *loc)
{
	bool used = false;

	for (size_t i = 0; i < loc->n_eras && !used; i++)
		used = loc->eras[i].index == 0;
	if (!used)
		return 0;
	if (loc->n_eras && loc->kinds[loc->eras[0].index].dst)
		for (size_t i = loc->eras[0].index; i > 0; i--)
			if (!loc->kinds[i - 1].dst)
				return i - 1;
	for (size_t i = 0; i < loc->n_kinds; i++)
		if (!loc->kinds[i].dst)
			return i;
	return 0;
}

struct zone_kind go_zone_at(const struct go_location *loc, int64_t unix_sec)
{
	struct zone_kind zone;
	size_t lo = 0;
	size_t hi;

	if (!loc || !loc->n_kinds)
		return (struct zone_kind){ .name = STR("UTC") };
	if (!loc->n_eras || unix_sec < loc->eras[0].from)
		return loc->kinds[first_kind(loc)];
	hi = loc->n_eras;
	while (hi - lo > 1) {
		size_t mid = lo + (hi - lo) / 2;

		if (unix_sec < loc->eras[mid].from)
			hi = mid;
		else
			lo = mid;
	}
	if (lo == loc->n_eras - 1 && loc->extend.n && go_zone_rule_at(loc->extend, unix_sec, &zone))
		return zone;
	return loc->kinds[loc->eras[lo].index];
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
	int time; /* seconds */
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

	for (; n < s->n && s->p[n] >= '0' && s->p[n] <= '9'; n++) {
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

/* [+-]hh[:mm[:ss]] in seconds */
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

/* Three or more characters up to a digit, sign or comma; or anything within <>. */
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

/* Seconds from the start of @year to the moment of the rule, with @offset in force before it. */
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

bool go_zone_rule_at(str rule, int64_t unix_sec, struct zone_kind *ret)
{
	struct zone_kind standard = { 0 };
	struct zone_kind summer = { .dst = true };
	struct rule start;
	struct rule end;
	struct civil at;
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

/* ---- files ---- */

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

static uint64_t big_endian(str s, size_t at, size_t n)
{
	uint64_t v = 0;

	for (size_t i = 0; i < n; i++)
		v = v << 8 | (unsigned char)s.p[at + i];
	return v;
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

/* Bytes of a block's data, with times of @size bytes. */
static uint64_t block_bytes(const struct tzif_header *h, uint64_t size)
{
	return h->times * (size + 1) + (uint64_t)h->kinds * 6 + h->chars + h->leap * (size + 4) + h->standard + h->utc;
}

static bool read_kinds(struct arena *a, str data, str chars, struct zone_kind *kinds, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t at = (unsigned char)data.p[i * 6 + 5];
		str name;
		ptrdiff_t end;

		if (at >= chars.n)
			return false;
		name = str_sub(chars, at, chars.n);
		end = str_find_byte(name, '\0');
		if (end >= 0)
			name = str_sub(name, 0, (size_t)end);
		kinds[i].name = arena_str(a, name);
		kinds[i].offset = (int32_t)(uint32_t)big_endian(data, i * 6, 4);
		kinds[i].dst = data.p[i * 6 + 4] != 0;
		if (!kinds[i].name.p)
			return false;
	}
	return true;
}

static bool read_eras(str times, str indexes, size_t size, size_t n_kinds, struct zone_era *eras, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t v = big_endian(times, i * size, size);

		eras[i].from = size == 8 ? (int64_t)v : (int32_t)(uint32_t)v;
		eras[i].index = (uint8_t)indexes.p[i];
		if (eras[i].index >= n_kinds)
			return false;
	}
	return true;
}

/* The rest of a file behind its blocks: "\nrule\n". */
static str footer(str rest)
{
	if (rest.n > 2 && rest.p[0] == '\n' && rest.p[rest.n - 1] == '\n')
		return str_sub(rest, 1, rest.n - 1);
	return (str){ "", 0 };
}

static bool parse_tzif(struct arena *a, str data, struct go_location *loc)
{
	struct reader r = { .rest = data };
	struct tzif_header h;
	size_t size = 4;
	str times, indexes, kind_data, chars;
	struct zone_kind *kinds;
	struct zone_era *eras;

	if (!read_header(&r, &h) || (h.version != 0 && h.version != '2' && h.version != '3'))
		return false;
	if (h.version != 0) { /* the same again with 64 bits */
		size = 8;
		(void)read_bytes(&r, block_bytes(&h, 4));
		if (!read_header(&r, &h))
			return false;
	}
	times = read_bytes(&r, (uint64_t)h.times * size);
	indexes = read_bytes(&r, h.times);
	kind_data = read_bytes(&r, (uint64_t)h.kinds * 6);
	chars = read_bytes(&r, h.chars);
	(void)read_bytes(&r, h.leap * (uint64_t)(size + 4) + h.standard + h.utc);
	if (r.bad || h.kinds == 0 || h.kinds > 256)
		return false;
	kinds = arena_array(a, h.kinds, sizeof(*kinds));
	eras = arena_array(a, (size_t)h.times + 1, sizeof(*eras));
	loc->extend = arena_str(a, footer(r.rest));
	if (!kinds || !eras || !loc->extend.p || !read_kinds(a, kind_data, chars, kinds, h.kinds) ||
	    !read_eras(times, indexes, size, h.kinds, eras, h.times))
		return false;
	if (!h.times) /* one era for all time */
		eras[0] = (struct zone_era){ .from = INT64_MIN };
	loc->kinds = kinds;
	loc->n_kinds = h.kinds;
	loc->eras = eras;
	loc->n_eras = h.times ? h.times : 1;
	return true;
}

/* No name may lead out of the database. */
static bool name_ok(str name)
{
	return name.n <= ZONE_NAME_MAX && name.p[0] != '/' && name.p[0] != '\\' && str_find(name, STR("..")) < 0 &&
	       str_find_byte(name, '\0') < 0;
}

int go_zone_load(struct tmpl_call *c, str name, const struct go_location **ret)
{
	static const char *const roots[] = { "/usr/share/zoneinfo", "/usr/share/lib/zoneinfo", "/usr/lib/locale/TZ",
					     "/etc/zoneinfo" };
	int r;

	if (!name.n || str_eq(name, STR("UTC"))) {
		*ret = &go_utc;
		return 0;
	}
	if (str_eq(name, STR("Local"))) {
		*ret = &go_local;
		return 0;
	}
	if (!name_ok(name))
		return 1;
	r = tmpl_spend(c, 50);
	for (size_t i = 0; r == 0 && i < ARRAY_LEN(roots); i++) {
		CLEANUP(freep) char *data = NULL;
		struct go_location *loc;
		char path[ZONE_NAME_MAX + 64];
		struct err ignored;
		size_t n;

		(void)snprintf(path, sizeof(path), "%s/%.*s", roots[i], STR_ARG(name));
		if (file_read(path, ZONE_FILE_MAX, &data, &n, &ignored) < 0)
			continue;
		loc = arena_zalloc(&c->mem->arena, sizeof(*loc));
		if (!loc)
			return tmpl_nomem(c);
		if (!parse_tzif(&c->mem->arena, (str){ data, n }, loc))
			continue;
		loc->name = name;
		*ret = loc;
		return 0;
	}
	return r < 0 ? r : 1;
}
