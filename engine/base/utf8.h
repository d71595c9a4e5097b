/* UTF-8 according to RFC 3629: no surrogates, no overlong forms, nothing above U+10FFFF. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include "base/str.h"

#define UTF8_REPLACEMENT 0xFFFDu
#define UTF8_MAX_BYTES 4

/* Offset of the first byte that does not belong to a valid sequence; s.n when there is none. */
size_t utf8_valid_prefix(str s);
static inline bool utf8_valid(str s)
{
	return utf8_valid_prefix(s) == s.n;
}

/* The number of bytes of the last character of @s, which is not empty; an invalid byte is a character of its own. */
size_t utf8_last_length(str s);

/* The code point at s.p[0] and its length in *len (1 to 4). An invalid byte gives U+FFFD with *len 1, as Go's range
 * does; an empty slice gives U+FFFD with *len 0. */
uint32_t utf8_decode(str s, size_t *len);

/* Write the 1 to 4 bytes of @c, and return how many. A surrogate or a value out of range is written as U+FFFD. */
size_t utf8_encode(uint32_t c, char out[UTF8_MAX_BYTES]);

/* Number of code points; each invalid byte counts as one. */
size_t utf8_count(str s);

/* The first @max bytes of @s, cut on a character boundary. */
str utf8_cut(str s, size_t max);
/* The last @max bytes of @s, cut on a character boundary. */
str utf8_tail(str s, size_t max);

#endif
