/* Writes and reads bytes as hexadecimal digits of lower case. */
#ifndef BASE_HEX_H
#define BASE_HEX_H

#include "base/buf.h"

/* Write @n bytes as 2 * @n digits and a NUL to @ret. */
void hex_write(const void *bytes, size_t n, char *ret);
/* As hex_write, but append the digits to @out, without the NUL. */
void hex_add(struct buf *out, const void *bytes, size_t n);
/* Whether @s consists of lower-case hexadecimal digits only. */
bool hex_is(str s);
/* Read the @n bytes that @s spells into @ret. False: @s is not 2
 *
 * @n such digits; @ret may be changed. */
CHECKED bool hex_read(str s, void *ret, size_t n);

#endif
