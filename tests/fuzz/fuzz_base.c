/* The bytes as text, as UTF-8, as doubles and as operations on a map. */
#include "base/number.h"
#include "base/strmap.h"
#include "base/utf8.h"

#include <math.h>
#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool ok)
{
	if (!ok)
		abort();
}

static void check_utf8(str s)
{
	size_t len, count = 0, valid = utf8_valid_prefix(s);
	char c[UTF8_MAX_BYTES];

	for (size_t i = 0; i < s.n; i += len, count++) {
		uint32_t code = utf8_decode(str_sub(s, i, s.n), &len);
		size_t n = utf8_encode(code, c);

		check(len >= 1 && len <= s.n - i);
		/* What is decoded encodes to the same bytes; what is not is one byte that is no character. */
		if (n != len || memcmp(c, s.p + i, n) != 0) {
			check(code == UTF8_REPLACEMENT && len == 1 && i >= valid);
			valid = i < valid ? i : valid;
		}
	}
	check(count == utf8_count(s));
}

static void check_double(double d)
{
	char digits[DOUBLE_DIGITS_MAX + 2], text[DOUBLE_DIGITS_MAX + 32];
	int exponent;
	size_t n;
	double back;

	if (!isfinite(d))
		return;
	n = double_digits(d, digits, &exponent);
	check(n == strlen(digits) && n >= 1 && n <= DOUBLE_DIGITS_MAX && (n == 1 || digits[n - 1] != '0'));
	(void)snprintf(text, sizeof(text), "%s0.%se%d", signbit(d) ? "-" : "", digits, exponent);
	check(double_parse(str_from(text), &back) && back == d);
}

/* Keys of one or two bytes, so that they meet again: put, remove and look up, against an array. */
static void check_strmap(str s)
{
	static char present[65536];
	struct strmap m = { 0 };
	size_t n = 0;

	memset(present, 0, sizeof(present));
	for (size_t i = 0; i + 2 < s.n; i += 3) {
		size_t at = (size_t)(unsigned char)s.p[i] << 8 | (unsigned char)s.p[i + 1];
		str key = { s.p + i, 2 };
		void *old = NULL;

		if (s.p[i + 2] & 1) {
			check(strmap_put(&m, key, &present[at], &old));
			check(old == (present[at] ? &present[at] : NULL));
			n += !present[at];
			present[at] = 1;
		} else {
			check(strmap_remove(&m, key) == (present[at] ? &present[at] : NULL));
			n -= present[at] == 1;
			present[at] = 0;
		}
		check(m.n == n);
	}
	for (size_t i = 0; i + 2 < s.n; i += 3) {
		size_t at = (size_t)(unsigned char)s.p[i] << 8 | (unsigned char)s.p[i + 1];

		check(strmap_has(&m, (str){ s.p + i, 2 }) == (present[at] == 1));
	}
	strmap_done(&m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	str s = { (const char *)data, size };
	int64_t i;

	check_utf8(s);
	check_strmap(s);
	(void)int64_parse(s, &i);
	for (size_t at = 0; at + sizeof(double) <= size && at < 1024; at += sizeof(double)) {
		double d;

		memcpy(&d, data + at, sizeof(d));
		check_double(d);
	}
	return 0;
}
