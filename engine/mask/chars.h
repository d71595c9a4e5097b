/* Classes of characters for engine/mask, whatever the locale. Only for files in this folder. */
#ifndef MASK_CHARS_H
#define MASK_CHARS_H

#include "base/ascii.h"

static inline char lower(char c)
{
	return ascii_is_upper(c) ? (char)(c + ('a' - 'A')) : c;
}

static inline bool is_base64url(char c)
{
	return ascii_is_alnum(c) || c == '-' || c == '_';
}

/* Whether the character may be part of a name; every byte beyond ASCII may. */
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

static inline bool is_blank(char c)
{
	return is_space(c) || is_end(c);
}

static inline bool is_quote(char c)
{
	return c == '"' || c == '\'' || c == '\\' || c == '`';
}

/* Whether the character may stand between a name and what gives it a value. */
static inline bool is_gap(char c)
{
	return is_space(c) || is_quote(c);
}

#endif
