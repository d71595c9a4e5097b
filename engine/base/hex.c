/* Writes and reads bytes as hexadecimal digits. */
#include "base/hex.h"

#include "base/ascii.h"

static const char digits[] = "0123456789abcdef";

void hex_write(const void *bytes, size_t n, char *ret)
{
	const unsigned char *p = bytes;

	for (size_t i = 0; i < n; i++) {
		*ret++ = digits[p[i] >> 4];
		*ret++ = digits[p[i] & 15];
	}
	*ret = '\0';
}

void hex_add(struct buf *out, const void *bytes, size_t n)
{
	const unsigned char *p = bytes;

	for (size_t i = 0; i < n; i++) {
		char two[3];

		hex_write(p + i, 1, two);
		buf_add(out, two, 2);
	}
}

bool hex_is(str s)
{
	for (size_t i = 0; i < s.n; i++) {
		if (!ascii_is_hex(s.p[i]) || ascii_is_upper(s.p[i]))
			return false;
	}
	return true;
}

bool hex_read(str s, void *ret, size_t n)
{
	unsigned char *p = ret;

	if (s.n != 2 * n || !hex_is(s))
		return false;
	for (size_t i = 0; i < n; i++)
		p[i] = (unsigned char)(ascii_hex_value(s.p[2 * i]) << 4 | ascii_hex_value(s.p[2 * i + 1]));
	return true;
}
