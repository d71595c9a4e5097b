/* Encodes and decodes base32 as Go does. */
#include "go/base32.h"

#include <errno.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

void go_base32_encode(struct buf *out, str s)
{
	for (size_t i = 0; i < s.n; i += 5) {
		size_t left = s.n - i < 5 ? s.n - i : 5, n = (left * 8 + 4) / 5;
		uint64_t group = 0;

		for (size_t k = 0; k < 5; k++)
			group = group << 8 | (k < left ? (unsigned char)s.p[i + k] : 0);
		for (size_t k = 0; k < 8; k++)
			buf_add_byte(out, k < n ? digits[group >> (35 - 5 * k) & 31] : '=');
	}
}

/* Check the padding at s.p[at], behind @have digits of a group: it must fill the group and end the text, and the
 * digits must make whole bytes. SIZE_MAX, or the offset of the first wrong byte. */
static size_t check_padding(str s, size_t at, size_t have)
{
	size_t pads = 8 - have;

	if (s.n - at < pads)
		return s.n;
	for (size_t k = 1; k < pads; k++) {
		if (s.p[at + k] != '=')
			return at + k - 1;
	}
	return have == 3 || have == 6 ? at : SIZE_MAX;
}

/* Decode one group of up to eight digits, whose bytes go to out[0..*n). *i moves behind it. SIZE_MAX, or the offset
 * of the first wrong byte. */
static size_t take_group(str s, size_t *i, unsigned char *out, size_t *n)
{
	static const unsigned char bytes_of[] = { 0, 0, 1, 0, 2, 3, 0, 4, 5 };
	uint64_t group = 0;
	size_t have = 0;

	for (; have < 8; have++) {
		const char *digit;

		if (*i == s.n)
			return s.n - have;
		if (s.p[*i] == '=' && have >= 2 && s.n - *i - 1 < 8) {
			size_t bad = check_padding(s, *i, have);

			if (bad != SIZE_MAX)
				return bad;
			*i = s.n;
			break;
		}
		digit = s.p[*i] ? strchr(digits, s.p[*i]) : NULL;
		if (!digit)
			return *i;
		group = group << 5 | (uint64_t)(digit - digits);
		++*i;
	}
	*n = bytes_of[have];
	for (size_t k = 0; k < *n; k++)
		out[k] = (unsigned char)(group << (5 * (8 - have)) >> (32 - 8 * k));
	return SIZE_MAX;
}

int go_base32_decode(str s, struct arena *a, str *ret, size_t *bad)
{
	char *text = arena_alloc(a, s.n);
	unsigned char *out = arena_alloc(a, s.n / 8 * 5 + 5);
	size_t n_text = 0, n = 0, i = 0;

	if (!text || !out)
		return -ENOMEM;
	for (size_t k = 0; k < s.n; k++) {
		if (s.p[k] != '\n' && s.p[k] != '\r')
			text[n_text++] = s.p[k];
	}
	while (i < n_text) {
		size_t more = 0, wrong = take_group((str){ text, n_text }, &i, out + n, &more);

		if (wrong != SIZE_MAX) {
			*bad = wrong;
			return -EBADMSG;
		}
		n += more;
	}
	*ret = (str){ (char *)out, n };
	return 0;
}
