#include "base/unicode.h"

#include "base/defs.h"

struct unicode_range {
	uint32_t first, last;
};

/* Every @step-th character from first to last maps to itself + delta. */
struct unicode_case {
	uint32_t first, last;
	int32_t delta;
	uint32_t step;
};

#include "base/unicode_data.h"

static bool in_ranges(const struct unicode_range *r, size_t n, uint32_t c)
{
	size_t from = 0, to = n;

	while (from < to) {
		size_t mid = from + (to - from) / 2;

		if (c > r[mid].last)
			from = mid + 1;
		else
			to = mid;
	}
	return from < n && c >= r[from].first && c <= r[from].last;
}

static uint32_t map_case(const struct unicode_case *t, size_t n, uint32_t c)
{
	size_t from = 0, to = n;

	while (from < to) {
		size_t mid = from + (to - from) / 2;

		if (c > t[mid].last)
			from = mid + 1;
		else
			to = mid;
	}
	/* Rows with step 2 may enclose a row for the characters between. */
	for (; from < n && t[from].first <= c; from++) {
		if (c <= t[from].last && (c - t[from].first) % t[from].step == 0)
			return (uint32_t)((int64_t)c + t[from].delta);
	}
	return c;
}

#define IN(table) in_ranges(table, ARRAY_LEN(table), c)

bool unicode_is_letter(uint32_t c)
{
	if (c < 0x80)
		return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
	return IN(letters);
}

bool unicode_is_digit(uint32_t c)
{
	if (c < 0x80)
		return c >= '0' && c <= '9';
	return IN(digits);
}

bool unicode_is_number(uint32_t c)
{
	return IN(numbers);
}

bool unicode_is_print(uint32_t c)
{
	if (c < 0x7f)
		return c >= ' ';
	return IN(printable);
}

bool unicode_is_space(uint32_t c)
{
	switch (c) {
	case '\t':
	case '\n':
	case '\v':
	case '\f':
	case '\r':
	case ' ':
	case 0x85:
	case 0xa0:
		return true;
	default:
		return c > 0xff && IN(spaces);
	}
}

bool unicode_is_upper(uint32_t c)
{
	return IN(uppers);
}

bool unicode_is_lower(uint32_t c)
{
	return IN(lowers);
}

bool unicode_is_title(uint32_t c)
{
	return IN(titles);
}

uint32_t unicode_to_upper(uint32_t c)
{
	if (c < 0x80)
		return c >= 'a' && c <= 'z' ? c - 32 : c;
	return map_case(to_upper, ARRAY_LEN(to_upper), c);
}

uint32_t unicode_to_lower(uint32_t c)
{
	if (c < 0x80)
		return c >= 'A' && c <= 'Z' ? c + 32 : c;
	return map_case(to_lower, ARRAY_LEN(to_lower), c);
}

uint32_t unicode_to_title(uint32_t c)
{
	if (c < 0x80)
		return c >= 'a' && c <= 'z' ? c - 32 : c;
	return map_case(to_title, ARRAY_LEN(to_title), c);
}
