/* Reading and writing UUIDs. */
#include "base/uuid.h"

#include "base/hex.h"

/* A dash is in front of these bytes. */
static bool is_group(size_t i)
{
	return i == 4 || i == 6 || i == 8 || i == 10;
}

bool uuid_read(str text, uint8_t ret[UUID_BYTES])
{
	const char *p = text.p;

	if (text.n != UUID_CHARS)
		return false;
	for (size_t i = 0; i < UUID_BYTES; i++, p += 2) {
		if (is_group(i) && *p++ != '-')
			return false;
		if (!hex_read((str){ p, 2 }, &ret[i], 1))
			return false;
	}
	return true;
}

void uuid_write(const uint8_t uuid[UUID_BYTES], char ret[UUID_CHARS])
{
	char text[2 * UUID_BYTES + 1], *p = text;

	hex_write(uuid, UUID_BYTES, text);
	for (size_t i = 0; i < UUID_BYTES; i++) {
		if (is_group(i))
			*ret++ = '-';
		*ret++ = *p++;
		*ret++ = *p++;
	}
}
