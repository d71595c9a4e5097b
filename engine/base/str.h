/* A slice of bytes: not NUL-terminated, NUL allowed inside, never owned. Print it with "%.*s", STR_ARG(s). */
#ifndef BASE_STR_H
#define BASE_STR_H

#include "base/defs.h"

#include <limits.h>
#include <string.h>

typedef struct str {
	const char *p;
	size_t n;
} str;

#define STR(lit) ((str){ (lit), sizeof(lit) - 1 })
/* What "%.*s" takes. It evaluates @s three times, so that @s must be the same each time. */
#define STR_ARG(s) ((s).n > INT_MAX ? INT_MAX : (int)(s).n), ((s).n ? (s).p : "")

static inline str str_from(const char *cstr)
{
	return (str){ cstr, cstr ? strlen(cstr) : 0 };
}

static inline bool str_eq(str a, str b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

/* Order by bytes, a prefix first: less than, equal to or greater than 0. */
static inline int str_cmp(str a, str b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int r = n ? memcmp(a.p, b.p, n) : 0;

	return r ? r : (a.n > b.n) - (a.n < b.n);
}

/* Bytes [from, to) of s; both are clamped to the length. */
static inline str str_sub(str s, size_t from, size_t to)
{
	if (to > s.n)
		to = s.n;
	if (from > to)
		from = to;
	return (str){ from ? s.p + from : s.p, to - from };
}

static inline bool str_has_prefix(str s, str prefix)
{
	return s.n >= prefix.n && str_eq(str_sub(s, 0, prefix.n), prefix);
}

static inline bool str_has_suffix(str s, str suffix)
{
	return s.n >= suffix.n && str_eq(str_sub(s, s.n - suffix.n, s.n), suffix);
}

/* Offset of the first occurrence of @needle, or -1. An empty needle is found at 0. */
ptrdiff_t str_find(str s, str needle);
ptrdiff_t str_rfind(str s, str needle);
ptrdiff_t str_find_byte(str s, char c);

/* The ending of a noun for @n things: "1 cluster", "2 clusters". */
static inline const char *plural_s(size_t n)
{
	return n == 1 ? "" : "s";
}

bool str_eq_nocase(str a, str b); /* ignores the case of ASCII letters */
str str_trim(str s);              /* cuts ASCII white space on both ends */

/* Whether @header, the value of a Content-Type, is of the media type @type, with any parameters.   RFC 9110, 8.3.1 */
bool str_is_media_type(str header, str type);

/* Split off the part before the first @sep and advance *rest behind it. False once *rest is used up;
 * "a,,b" gives "a", "", "b" and "" gives one empty part. Start with *rest = s; *rest.p becomes NULL at the end. */
bool str_next_part(str *rest, char sep, str *part);
/* The index of @s among the @n @words; @n: it is not among them. */
size_t str_index(str s, const char *const *words, size_t n);

/* Split off the first line, without its line end, and advance *rest behind that. Lines end where a reader of YAML
 * sees an end: at \n, \r, U+0085, U+2028 and U+2029; "\r\n" gives an additional empty line. Otherwise as
 * str_next_part. */
bool str_next_line(str *rest, str *line);

/* A NUL-terminated copy from malloc, or NULL. */
char *str_dup(str s);

#endif
