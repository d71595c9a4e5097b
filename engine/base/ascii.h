/* Classes of ASCII characters, independent of the locale. Any other character, also the -1 of a read past the end,
 * belongs to none. */
#ifndef BASE_ASCII_H
#define BASE_ASCII_H

#include "base/defs.h"

static inline bool ascii_is_digit(int c)
{
	return c >= '0' && c <= '9';
}

static inline bool ascii_is_lower(int c)
{
	return c >= 'a' && c <= 'z';
}

static inline bool ascii_is_upper(int c)
{
	return c >= 'A' && c <= 'Z';
}

static inline bool ascii_is_letter(int c)
{
	return ascii_is_lower(c) || ascii_is_upper(c);
}

static inline bool ascii_is_alnum(int c)
{
	return ascii_is_letter(c) || ascii_is_digit(c);
}

static inline char ascii_to_lower(char c)
{
	return ascii_is_upper(c) ? (char)(c + ('a' - 'A')) : c;
}

/* The value of the hexadecimal digit @c, of either case; -1: it is none. */
static inline int ascii_hex_value(int c)
{
	if (ascii_is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static inline bool ascii_is_hex(int c)
{
	return ascii_hex_value(c) >= 0;
}

#endif
