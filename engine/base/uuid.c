/* Reading and writing UUIDs. */
#include "base/uuid.h"

#include "base/ascii.h"

/* A dash is in front of these bytes. */
static bool is_group(size_t i)
{
	return i == 4 || i == 6 || i == 8 || i == 10;
}

/* Of lower case; -1: it is none. */
static int digit(char c)
{
	return ascii_is_upper(c) ? -1 : ascii_hex_value(c);
}

bool uuid_read(str text, uint8_t ret[UUID_BYTES])
{
	const char *p = text.p;

	if (text.n != UUID_CHARS)
		return false;
	for (size_t i = 0; i < UUID_BYTES; i++, p += 2) {
		int high, low;

		if (is_group(i) && *p++ != '-')
			return false;
		high = digit(p[0]);
		low = digit(p[1]);
		if (high < 0 || low < 0)
			return false;
		ret[i] = (uint8_t)(high << 4 | low);
	}
	return true;
}

void uuid_write(const uint8_t uuid[UUID_BYTES], char ret[UUID_CHARS])
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < UUID_BYTES; i++) {
		if (is_group(i))
			*ret++ = '-';
		*ret++ = digits[uuid[i] >> 4];
		*ret++ = digits[uuid[i] & 15];
	}
}
