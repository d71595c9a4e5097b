/* Splits layouts into their items, and writes times by them. */
#include "base/ascii.h"
#include "base/assert.h"
#include "go/duration.h"
#include "go/layout_internal.h"

/* ---- layouts ---- */

struct fixed_item {
	const char *text;
	enum layout_item item;
	bool not_before_lower; /* not before a small letter: "Jan" in "Janet" is text */
};

/* Longer texts come before their prefixes. */
static const struct fixed_item fixed_items[] = {
	{ "January", LAYOUT_LONG_MONTH, false },
	{ "Jan", LAYOUT_MONTH, true },
	{ "Monday", LAYOUT_LONG_WEEKDAY, false },
	{ "Mon", LAYOUT_WEEKDAY, true },
	{ "MST", LAYOUT_TZ, false },
	{ "01", LAYOUT_ZERO_MONTH, false },
	{ "02", LAYOUT_ZERO_DAY, false },
	{ "03", LAYOUT_ZERO_HOUR12, false },
	{ "04", LAYOUT_ZERO_MINUTE, false },
	{ "05", LAYOUT_ZERO_SECOND, false },
	{ "06", LAYOUT_YEAR, false },
	{ "002", LAYOUT_ZERO_YDAY, false },
	{ "15", LAYOUT_HOUR, false },
	{ "1", LAYOUT_NUM_MONTH, false },
	{ "2006", LAYOUT_LONG_YEAR, false },
	{ "2", LAYOUT_DAY, false },
	{ "_2", LAYOUT_UNDER_DAY, false },
	{ "__2", LAYOUT_UNDER_YDAY, false },
	{ "3", LAYOUT_HOUR12, false },
	{ "4", LAYOUT_MINUTE, false },
	{ "5", LAYOUT_SECOND, false },
	{ "PM", LAYOUT_PM, false },
	{ "pm", LAYOUT_pm, false },
};

static const struct {
	const char *digits; /* the digits behind '-' or 'Z' */
	bool colon, short_form, seconds;
} offset_items[] = {
	{ "070000", false, false, true }, { "07:00:00", true, false, true }, { "0700", false, false, false },
	{ "07:00", true, false, false },  { "07", false, true, false },
};

static bool fixed_item_at(str s, struct layout_chunk *chunk)
{
	for (size_t i = 0; i < ARRAY_LEN(fixed_items); i++) {
		const struct fixed_item *f = &fixed_items[i];
		str text = str_from(f->text);

		if (!str_has_prefix(s, text))
			continue;
		if (f->not_before_lower && s.n > text.n && s.p[text.n] >= 'a' && s.p[text.n] <= 'z')
			continue;
		chunk->item = f->item;
		chunk->text = str_sub(s, 0, text.n);
		return true;
	}
	return false;
}

static bool offset_item_at(str s, struct layout_chunk *chunk)
{
	str rest = str_sub(s, 1, s.n);

	for (size_t i = 0; i < ARRAY_LEN(offset_items); i++) {
		str digits = str_from(offset_items[i].digits);

		if (!str_has_prefix(rest, digits))
			continue;
		chunk->item = LAYOUT_OFFSET;
		chunk->zulu = s.p[0] == 'Z';
		chunk->colon = offset_items[i].colon;
		chunk->short_form = offset_items[i].short_form;
		chunk->seconds = offset_items[i].seconds;
		chunk->text = str_sub(s, 0, digits.n + 1);
		return true;
	}
	return false;
}

/* Read a fraction: a point or comma, then only zeros or only nines, then no digit. */
static bool fraction_at(str s, struct layout_chunk *chunk)
{
	size_t n = 2;

	if (s.n < 2 || (s.p[1] != '0' && s.p[1] != '9'))
		return false;
	while (n < s.n && s.p[n] == s.p[1])
		n++;
	if (n < s.n && ascii_is_digit(s.p[n]))
		return false;
	chunk->item = s.p[1] == '0' ? LAYOUT_FRACTION_0 : LAYOUT_FRACTION_9;
	chunk->digits = n - 1;
	chunk->text = str_sub(s, 0, n);
	return true;
}

static bool item_at(str s, struct layout_chunk *chunk)
{
	switch (s.p[0]) {
	case '-':
	case 'Z':
		return offset_item_at(s, chunk);
	case '.':
	case ',':
		return fraction_at(s, chunk);
	case '_': /* the underscore of "_2006" is text */
		return !str_has_prefix(s, STR("_2006")) && fixed_item_at(s, chunk);
	default:
		return fixed_item_at(s, chunk);
	}
}

struct layout_chunk go_layout_next(str *layout)
{
	struct layout_chunk chunk = { .item = LAYOUT_END, .prefix = *layout, .text = STR("") };
	str s = *layout;

	for (size_t i = 0; i < s.n; i++) {
		if (!item_at(str_sub(s, i, s.n), &chunk))
			continue;
		chunk.prefix = str_sub(s, 0, i);
		*layout = str_sub(s, i + chunk.text.n, s.n);
		return chunk;
	}
	*layout = (str){ "", 0 };
	return chunk;
}

/* ---- times ---- */

static void add_padded(struct buf *out, int64_t v, int width)
{
	uint64_t u = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;

	buf_printf(out, "%s%0*llu", v < 0 ? "-" : "", width, (unsigned long long)u);
}

static void add_offset(struct buf *out, const struct layout_chunk *chunk, int32_t offset)
{
	int minutes = offset / 60;

	if (chunk->zulu && offset == 0) {
		buf_add_byte(out, 'Z');
		return;
	}
	/* As in Go, the sign is that of whole minutes. */
	buf_add_byte(out, minutes < 0 ? '-' : '+');
	if (minutes < 0) {
		minutes = -minutes;
		offset = -offset;
	}
	add_padded(out, minutes / 60, 2);
	if (chunk->colon)
		buf_add_byte(out, ':');
	if (!chunk->short_form)
		add_padded(out, minutes % 60, 2);
	if (chunk->seconds) {
		if (chunk->colon)
			buf_add_byte(out, ':');
		add_padded(out, offset % 60, 2);
	}
}

static void add_fraction(struct buf *out, const struct layout_chunk *chunk, int32_t nsec)
{
	size_t n = chunk->digits < 9 ? chunk->digits : 9;
	char digits[9];

	for (size_t i = 9; i > 0; i--) {
		digits[i - 1] = (char)('0' + nsec % 10);
		nsec /= 10;
	}
	if (chunk->item == LAYOUT_FRACTION_9) {
		while (n > 0 && digits[n - 1] == '0')
			n--;
		if (n == 0)
			return;
	}
	buf_add_byte(out, chunk->text.p[0]);
	buf_add(out, digits, n);
}

static void add_blank_padded(struct buf *out, int v, int width)
{
	buf_printf(out, "%*d", width, v);
}

static int hour12(int hour)
{
	return hour % 12 == 0 ? 12 : hour % 12;
}

static void add_zone_name(struct buf *out, const struct go_zone *zone)
{
	if (zone->name.n)
		buf_add_str(out, zone->name);
	else
		add_offset(out, &(struct layout_chunk){ .item = LAYOUT_OFFSET }, zone->offset);
}

/* Append one item that is a part of the date or the clock: a dispatch switch. */
static void add_item(struct buf *out, const struct layout_chunk *chunk, const struct go_civil *c,
		     const struct go_zone *zone, int32_t nsec)
{
	ASSERT(c->month >= 1 && c->month <= 12 && (unsigned)c->weekday < 7);
	switch (chunk->item) {
	case LAYOUT_LONG_MONTH:
		buf_add_cstr(out, go_month_names[c->month - 1]);
		break;
	case LAYOUT_MONTH:
		buf_add(out, go_month_names[c->month - 1], 3);
		break;
	case LAYOUT_NUM_MONTH:
		add_padded(out, c->month, 0);
		break;
	case LAYOUT_ZERO_MONTH:
		add_padded(out, c->month, 2);
		break;
	case LAYOUT_LONG_WEEKDAY:
		buf_add_cstr(out, go_weekday_names[c->weekday]);
		break;
	case LAYOUT_WEEKDAY:
		buf_add(out, go_weekday_names[c->weekday], 3);
		break;
	case LAYOUT_DAY:
		add_padded(out, c->day, 0);
		break;
	case LAYOUT_UNDER_DAY:
		add_blank_padded(out, c->day, 2);
		break;
	case LAYOUT_ZERO_DAY:
		add_padded(out, c->day, 2);
		break;
	case LAYOUT_UNDER_YDAY:
		add_blank_padded(out, c->yday, 3);
		break;
	case LAYOUT_ZERO_YDAY:
		add_padded(out, c->yday, 3);
		break;
	case LAYOUT_HOUR:
		add_padded(out, c->hour, 2);
		break;
	case LAYOUT_HOUR12:
		add_padded(out, hour12(c->hour), 0);
		break;
	case LAYOUT_ZERO_HOUR12:
		add_padded(out, hour12(c->hour), 2);
		break;
	case LAYOUT_MINUTE:
		add_padded(out, c->min, 0);
		break;
	case LAYOUT_ZERO_MINUTE:
		add_padded(out, c->min, 2);
		break;
	case LAYOUT_SECOND:
		add_padded(out, c->sec, 0);
		break;
	case LAYOUT_ZERO_SECOND:
		add_padded(out, c->sec, 2);
		break;
	case LAYOUT_LONG_YEAR:
		add_padded(out, c->year, 4);
		break;
	case LAYOUT_YEAR:
		add_padded(out, (c->year < 0 ? -c->year : c->year) % 100, 2);
		break;
	case LAYOUT_PM:
		buf_add_cstr(out, c->hour >= 12 ? "PM" : "AM");
		break;
	case LAYOUT_pm:
		buf_add_cstr(out, c->hour >= 12 ? "pm" : "am");
		break;
	case LAYOUT_TZ:
		add_zone_name(out, zone);
		break;
	case LAYOUT_OFFSET:
		add_offset(out, chunk, zone->offset);
		break;
	case LAYOUT_FRACTION_0:
	case LAYOUT_FRACTION_9:
		add_fraction(out, chunk, nsec);
		break;
	case LAYOUT_END:
		break;
	}
}

void go_time_format(const struct go_time *t, str layout, struct buf *out)
{
	struct go_zone zone;
	struct go_civil c = go_civil_of(t, &zone);

	while (layout.n && !out->error) {
		struct layout_chunk chunk = go_layout_next(&layout);

		buf_add_str(out, chunk.prefix);
		add_item(out, &chunk, &c, &zone, t->nsec);
	}
}

void go_time_string(const struct go_time *t, struct buf *out)
{
	go_time_format(t, STR("2006-01-02 15:04:05.999999999 -0700 MST"), out);
	if (t->has_mono) {
		uint64_t u = t->mono < 0 ? 0 - (uint64_t)t->mono : (uint64_t)t->mono;

		buf_printf(out, " m=%c%llu.%09llu", t->mono < 0 ? '-' : '+',
			   (unsigned long long)(u / (uint64_t)GO_SECOND),
			   (unsigned long long)(u % (uint64_t)GO_SECOND));
	}
}

void go_rfc3339_format(int64_t unix_sec, int32_t nsec, int32_t offset, struct buf *out)
{
	const struct go_location place = { .fixed = true, .always = { .offset = offset } };
	struct go_time t = go_time_unix(unix_sec, nsec, &place);

	go_time_format(&t, GO_RFC3339_NANO, out);
}
