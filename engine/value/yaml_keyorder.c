/* Compares keys by their letters and numbers, and sorts them although that order is intransitive. */
#include "value/yaml_keyorder.h"

#include "base/unicode.h"
#include "base/utf8.h"

static uint32_t char_at(str s, size_t i, size_t *len)
{
	return utf8_decode(str_sub(s, i, s.n), len);
}

static bool is_letter(uint32_t c)
{
	if (c < 0x80)
		return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
	return unicode_is_letter(c);
}

static bool is_digit(uint32_t c)
{
	return c < 0x80 ? c >= '0' && c <= '9' : unicode_is_digit(c);
}

static size_t char_start(str s, size_t i)
{
	while (i > 0 && i < s.n && ((unsigned char)s.p[i] & 0xC0) == 0x80)
		i--;
	return i;
}

/* Whether the digits right before @at, all of which both keys share, begin a number that is not zero. */
static bool follows_nonzero(str s, size_t at)
{
	while (at > 0) {
		size_t len, start = char_start(s, at - 1);
		uint32_t c = char_at(s, start, &len);

		if (!is_digit(c))
			return false;
		if (c != '0')
			return true;
		at = start;
	}
	return false;
}

/* The number at @at behind a leading @value, and how many digits it has. It wraps around, as the original's does;
 * digits of other scripts count by their distance from "0". */
static int64_t number_at(str s, size_t at, uint64_t value, size_t *digits)
{
	*digits = 0;
	while (at < s.n) {
		size_t len;
		uint32_t c = char_at(s, at, &len);

		if (!is_digit(c))
			break;
		value = value * 10 + c - '0';
		at += len;
		(*digits)++;
	}
	return (int64_t)value;
}

/* Whether key @a comes before key @b: go-yaml 2's keyList.Less. It is not transitive for keys such as a1, a10, a1b. */
static bool key_less(str a, str b)
{
	size_t n = a.n < b.n ? a.n : b.n, i = 0, len, digits_a, digits_b;
	uint32_t ca, cb;
	bool letter_a, letter_b;
	int64_t na, nb;
	uint64_t lead;

	while (i < n && a.p[i] == b.p[i])
		i++;
	if (i == n)
		return a.n < b.n;
	i = char_start(a, i) < char_start(b, i) ? char_start(a, i) : char_start(b, i);
	ca = char_at(a, i, &len);
	cb = char_at(b, i, &len);
	letter_a = is_letter(ca);
	letter_b = is_letter(cb);
	if (letter_a && letter_b)
		return ca < cb;
	if (letter_a || letter_b)
		return letter_b;
	lead = (ca == '0' || cb == '0') && follows_nonzero(a, i);
	na = number_at(a, i, lead, &digits_a);
	nb = number_at(b, i, lead, &digits_b);
	if (na != nb)
		return na < nb;
	if (digits_a != digits_b)
		return digits_a < digits_b;
	return ca < cb;
}

static bool less(const struct member *a, const struct member *b)
{
	return key_less(key_str(a->key), key_str(b->key));
}

/* the limit of Go's sort: up to so many keys it decides the order even where the comparison has cycles */
#define INSERTION_MOST 12

static void insertion_sort(const struct member **p, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		for (size_t j = i; j > 0 && less(p[j], p[j - 1]); j--) {
			const struct member *t = p[j];

			p[j] = p[j - 1];
			p[j - 1] = t;
		}
	}
}

static void merge_sort(const struct member **p, size_t n, const struct member **tmp)
{
	size_t half = n / 2, i = 0, j = half, k = 0;

	if (n <= INSERTION_MOST) {
		insertion_sort(p, n);
		return;
	}
	merge_sort(p, half, tmp);
	merge_sort(p + half, n - half, tmp);
	if (!less(p[half], p[half - 1]))
		return;
	memcpy(tmp, p, half * sizeof(*p));
	while (i < half && j < n)
		p[k++] = less(p[j], tmp[i]) ? p[j++] : tmp[i++];
	memcpy(p + k, tmp + i, (half - i) * sizeof(*p));
}

void yaml_key_order(const struct member *members, uint32_t n, const struct member **order, const struct member **tmp)
{
	for (uint32_t i = 0; i < n; i++)
		order[i] = &members[i];
	merge_sort(order, n, tmp);
}
