/* Looks code points up in the tables of ranges. */
#include "base/unicode.h"

#include "base/unicode_tables.h"
#include "base/utf8.h"

#include <string.h>

/* General category, two letters such as "Lu"; "Cn" for an unassigned code point. */
static const char *unicode_category(uint32_t c)
{
	size_t from = 0, to = unicode_n_category_ranges;

	while (from < to) {
		size_t mid = from + (to - from) / 2;

		if (c > unicode_categories[mid].hi)
			from = mid + 1;
		else
			to = mid;
	}
	if (from == unicode_n_category_ranges || c < unicode_categories[from].lo)
		return "Cn";
	return unicode_category_names[unicode_categories[from].tag];
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
	for (; from < n && t[from].first <= c; from++) {
		if (c <= t[from].last && (c - t[from].first) % t[from].step == 0)
			return (uint32_t)((int64_t)c + t[from].delta);
	}
	return c;
}

static bool has_category(uint32_t c, const char *category)
{
	return strcmp(unicode_category(c), category) == 0;
}

bool unicode_is_letter(uint32_t c)
{
	if (c < 0x80)
		return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
	return unicode_category(c)[0] == 'L';
}

bool unicode_is_digit(uint32_t c)
{
	if (c < 0x80)
		return c >= '0' && c <= '9';
	return has_category(c, "Nd");
}

bool unicode_is_number(uint32_t c)
{
	return unicode_category(c)[0] == 'N';
}

bool unicode_is_punct(uint32_t c)
{
	return unicode_category(c)[0] == 'P';
}

bool unicode_is_print(uint32_t c)
{
	if (c < 0x7f)
		return c >= ' ';
	return strchr("LMNPS", unicode_category(c)[0]) != NULL;
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
		return c > 0xff && unicode_category(c)[0] == 'Z';
	}
}

str unicode_trim(str s)
{
	size_t n;

	while (s.n && unicode_is_space(utf8_decode(s, &n)))
		s = str_sub(s, n, s.n);
	while (s.n) {
		size_t last = utf8_last_length(s);

		if (!unicode_is_space(utf8_decode(str_sub(s, s.n - last, s.n), &n)))
			break;
		s.n -= last;
	}
	return s;
}

bool unicode_is_upper(uint32_t c)
{
	return has_category(c, "Lu");
}

bool unicode_is_lower(uint32_t c)
{
	return has_category(c, "Ll");
}

bool unicode_is_title(uint32_t c)
{
	return has_category(c, "Lt");
}

uint32_t unicode_to_upper(uint32_t c)
{
	if (c < 0x80)
		return c >= 'a' && c <= 'z' ? c - 32 : c;
	return map_case(unicode_to_upper_rows, unicode_n_to_upper, c);
}

uint32_t unicode_to_lower(uint32_t c)
{
	if (c < 0x80)
		return c >= 'A' && c <= 'Z' ? c + 32 : c;
	return map_case(unicode_to_lower_rows, unicode_n_to_lower, c);
}

uint32_t unicode_to_title(uint32_t c)
{
	if (c < 0x80)
		return unicode_to_upper(c);
	return map_case(unicode_to_title_rows, unicode_n_to_title, c);
}

size_t unicode_fold_from(uint32_t c)
{
	size_t from = 0, to = unicode_n_folds;

	while (from < to) {
		size_t mid = from + (to - from) / 2;

		if (c > unicode_folds[mid].code)
			from = mid + 1;
		else
			to = mid;
	}
	return from;
}

uint32_t unicode_simple_fold(uint32_t c)
{
	size_t i = unicode_fold_from(c);

	return i < unicode_n_folds && unicode_folds[i].code == c ? unicode_folds[i].next : c;
}
