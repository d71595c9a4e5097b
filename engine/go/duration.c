/* Reads and writes durations as Go does. */
#include "go/duration.h"

#include "base/ascii.h"
#include "base/utf8.h"

#define DURATION_LIMIT (UINT64_C(1) << 63)

/* ---- reading ---- */

static bool is_digit_at(str s, size_t i)
{
	return i < s.n && ascii_is_digit(s.p[i]);
}

static uint64_t unit_of(str s)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {
		{ "ns", 1 },
		{ "us", 1000 },
		{ "\xc2\xb5s", 1000 },
		{ "\xce\xbcs", 1000 },
		{ "ms", 1000000 },
		{ "s", 1000000000 },
		{ "m", 60 * UINT64_C(1000000000) },
		{ "h", 3600 * UINT64_C(1000000000) },
	};

	for (size_t i = 0; i < ARRAY_LEN(units); i++)
		if (str_eq(s, str_from(units[i].name)))
			return units[i].ns;
	return 0;
}

static bool bad_duration(const char *what, str text, struct buf *why)
{
	buf_printf(why, "time: %s ", what);
	go_time_quote(why, text);
	return false;
}

/* Read the digits behind a point; those that exceed 63 bits do not count. */
static uint64_t fraction_digits(str s, size_t *i, double *scale)
{
	uint64_t v = 0;
	bool full = false;

	*scale = 1;
	for (; is_digit_at(s, *i); (*i)++) {
		uint64_t next;

		if (full || v > (DURATION_LIMIT - 1) / 10) {
			full = true;
			continue;
		}
		next = v * 10 + (uint64_t)(s.p[*i] - '0');
		if (next > DURATION_LIMIT) {
			full = true;
			continue;
		}
		v = next;
		*scale *= 10;
	}
	return v;
}

static bool whole_digits(str s, size_t *i, uint64_t *v)
{
	for (; is_digit_at(s, *i); (*i)++) {
		if (*v > DURATION_LIMIT / 10)
			return false;
		*v = *v * 10 + (uint64_t)(s.p[*i] - '0');
		if (*v > DURATION_LIMIT)
			return false;
	}
	return true;
}

/* Read a number and a unit at *i. */
static bool duration_part(str s, size_t *i, str whole, uint64_t *sum, struct buf *why)
{
	uint64_t v = 0;
	uint64_t f = 0;
	double scale = 1;
	size_t start = *i;
	size_t digits;
	size_t unit_at;
	uint64_t unit;

	if (s.p[*i] != '.' && !is_digit_at(s, *i))
		return bad_duration("invalid duration", whole, why);
	if (!whole_digits(s, i, &v))
		return bad_duration("invalid duration", whole, why);
	digits = *i - start;
	if (*i < s.n && s.p[*i] == '.') {
		size_t point = ++*i;

		f = fraction_digits(s, i, &scale);
		digits += *i - point;
	}
	if (!digits)
		return bad_duration("invalid duration", whole, why);
	unit_at = *i;
	while (*i < s.n && s.p[*i] != '.' && !is_digit_at(s, *i))
		(*i)++;
	if (*i == unit_at)
		return bad_duration("missing unit in duration", whole, why);
	unit = unit_of(str_sub(s, unit_at, *i));
	if (!unit) {
		(void)bad_duration("unknown unit", str_sub(s, unit_at, *i), why);
		buf_add_cstr(why, " in duration ");
		go_time_quote(why, whole);
		return false;
	}
	if (v > DURATION_LIMIT / unit)
		return bad_duration("invalid duration", whole, why);
	v = v * unit + (uint64_t)((double)f * ((double)unit / scale));
	if (v > DURATION_LIMIT || *sum + v > DURATION_LIMIT)
		return bad_duration("invalid duration", whole, why);
	*sum += v;
	return true;
}

bool go_duration_parse(str s, int64_t *ret, struct buf *why)
{
	struct buf ignored = BUF_INIT(0); /* a buffer that holds nothing */
	str whole = s;
	bool negative = s.n && s.p[0] == '-';
	uint64_t sum = 0;
	size_t i = 0;

	if (!why)
		why = &ignored;
	if (s.n && (s.p[0] == '-' || s.p[0] == '+'))
		s = str_sub(s, 1, s.n);
	if (str_eq(s, STR("0"))) {
		*ret = 0;
		return true;
	}
	if (!s.n)
		return bad_duration("invalid duration", whole, why);
	while (i < s.n)
		if (!duration_part(s, &i, whole, &sum, why))
			return false;
	if (sum == DURATION_LIMIT && !negative)
		return bad_duration("invalid duration", whole, why);
	*ret = (int64_t)(negative ? 0 - sum : sum);
	return true;
}

/* ---- writing ---- */

/* Digits of u / 10^precision with the fraction's trailing zeros cut. */
static void add_scaled(struct buf *out, uint64_t u, int precision)
{
	char digits[24];
	size_t n = 0;
	uint64_t scale = 1;

	for (int i = 0; i < precision; i++)
		scale *= 10;
	buf_printf(out, "%llu", (unsigned long long)(u / scale));
	for (u %= scale; u; u %= scale) {
		scale /= 10;
		digits[n++] = (char)('0' + u / scale);
	}
	if (n) {
		buf_add_byte(out, '.');
		buf_add(out, digits, n);
	}
}

void go_duration_string(int64_t ns, struct buf *out)
{
	uint64_t u = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
	uint64_t seconds = u / (uint64_t)GO_SECOND;

	if (ns < 0)
		buf_add_byte(out, '-');
	if (u == 0) {
		buf_add_cstr(out, "0s");
	} else if (u < 1000) {
		buf_printf(out, "%lluns", (unsigned long long)u);
	} else if (u < 1000000) {
		add_scaled(out, u, 3);
		buf_add_cstr(out, "\xc2\xb5s");
	} else if (!seconds) {
		add_scaled(out, u, 6);
		buf_add_cstr(out, "ms");
	} else {
		if (seconds >= 3600)
			buf_printf(out, "%lluh", (unsigned long long)(seconds / 3600));
		if (seconds >= 60)
			buf_printf(out, "%llum", (unsigned long long)(seconds / 60 % 60));
		add_scaled(out, u % (60 * (uint64_t)GO_SECOND), 9);
		buf_add_byte(out, 's');
	}
}

static bool less_than_half(int64_t x, int64_t y)
{
	return (uint64_t)x + (uint64_t)x < (uint64_t)y;
}

int64_t go_duration_round(int64_t d, int64_t unit)
{
	int64_t rest;
	int64_t up;

	if (unit <= 0)
		return d;
	rest = d % unit;
	if (d < 0) {
		if (less_than_half(-rest, unit))
			return d - rest;
		return __builtin_sub_overflow(d - rest, unit, &up) ? INT64_MIN : up;
	}
	if (less_than_half(rest, unit))
		return d - rest;
	return __builtin_add_overflow(d - rest, unit, &up) ? INT64_MAX : up;
}

void go_time_quote(struct buf *out, str s)
{
	buf_add_byte(out, '"');
	while (s.n) {
		size_t len;
		uint32_t c = utf8_decode(s, &len);

		if (c >= 0x80 || c < ' ') {
			for (size_t i = 0; i < len; i++)
				buf_printf(out, "\\x%02x", (unsigned char)s.p[i]);
		} else {
			if (c == '"' || c == '\\')
				buf_add_byte(out, '\\');
			buf_add_byte(out, (char)c);
		}
		s = str_sub(s, len, s.n);
	}
	buf_add_byte(out, '"');
}
