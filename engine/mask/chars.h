/* Characters as engine/mask sorts them, whatever the locale. For siblings only. */
#ifndef MASK_CHARS_H
#define MASK_CHARS_H

#include "base/defs.h"

static inline bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static inline bool is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

static inline bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool is_alnum(char c)
{
	return is_upper(c) || is_lower(c) || is_digit(c);
}

static inline bool is_hex(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static inline char lower(char c)
{
	return is_upper(c) ? (char)(c + ('a' - 'A')) : c;
}

static inline bool is_base64url(char c)
{
	return is_alnum(c) || c == '-' || c == '_';
}

/* Of a name; whatever is no ASCII belongs to some word. */
static inline bool is_name(char c)
{
	return is_base64url(c) || c == '.' || (unsigned char)c >= 0x80;
}

static inline bool is_space(char c)
{
	return c == ' ' || c == '\t';
}

static inline bool is_end(char c)
{
	return c == '\n' || c == '\r';
}

static inline bool is_quote(char c)
{
	return c == '"' || c == '\'' || c == '\\' || c == '`';
}

/* What may stand between a name and what gives it a value. */
static inline bool is_gap(char c)
{
	return is_space(c) || is_quote(c);
}

#endif
