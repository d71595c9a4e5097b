/* Character classes of versions, shared by versions and constraints. */
#ifndef TEXT_SEMVER_INTERNAL_H
#define TEXT_SEMVER_INTERNAL_H

#include "base/ascii.h"
#include "text/semver.h"

static inline bool semver_is_ident(char c)
{
	return ascii_is_digit(c) || ascii_is_letter(c) || c == '-';
}

/* The length of the longest ident("." ident)* at the start of @s; 0 when there is none. */
size_t semver_idents(str s);
/* Read @s as a number; false when it is none or does not fit. */
bool semver_number(str s, uint64_t *ret);
int semver_compare_pre(str a, str b);

#endif
