/* Searches and cuts slices of text. */
#include "base/str.h"

#include <strings.h>

ptrdiff_t str_find(str s, str needle)
{
	const char *at;

	if (needle.n == 0)
		return 0;
	if (needle.n > s.n)
		return -1;
	at = memmem(s.p, s.n, needle.p, needle.n);
	return at ? at - s.p : -1;
}

ptrdiff_t str_rfind(str s, str needle)
{
	if (needle.n > s.n)
		return -1;
	for (size_t i = s.n - needle.n + 1; i-- > 0;) {
		if (needle.n == 0 || memcmp(s.p + i, needle.p, needle.n) == 0)
			return (ptrdiff_t)i;
	}
	return -1;
}

ptrdiff_t str_find_byte(str s, char c)
{
	const char *at = s.n ? memchr(s.p, c, s.n) : NULL;

	return at ? at - s.p : -1;
}

bool str_eq_nocase(str a, str b)
{
	return a.n == b.n && (a.n == 0 || strncasecmp(a.p, b.p, a.n) == 0);
}

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

str str_trim(str s)
{
	while (s.n > 0 && is_space(s.p[0])) {
		s.p++;
		s.n--;
	}
	while (s.n > 0 && is_space(s.p[s.n - 1]))
		s.n--;
	return s;
}

bool str_is_media_type(str header, str type)
{
	ptrdiff_t end = str_find_byte(header, ';');

	return str_eq_nocase(str_trim(str_sub(header, 0, end < 0 ? header.n : (size_t)end)), type);
}

size_t str_index(str s, const char *const *words, size_t n)
{
	size_t i = 0;

	while (i < n && !str_eq(s, str_from(words[i])))
		i++;
	return i;
}

bool str_next_part(str *rest, char sep, str *part)
{
	ptrdiff_t at;

	if (!rest->p)
		return false;
	at = str_find_byte(*rest, sep);
	if (at < 0) {
		*part = *rest;
		*rest = (str){ NULL, 0 };
		return true;
	}
	*part = str_sub(*rest, 0, (size_t)at);
	*rest = str_sub(*rest, (size_t)at + 1, rest->n);
	return true;
}

/* The number of bytes of the line end with which @s begins; 0: it begins with none. */
static size_t line_end(str s)
{
	if (s.p[0] == '\n' || s.p[0] == '\r')
		return 1;
	if (str_has_prefix(s, STR("\xC2\x85")))
		return 2;
	return str_has_prefix(s, STR("\xE2\x80\xA8")) || str_has_prefix(s, STR("\xE2\x80\xA9")) ? 3 : 0;
}

bool str_next_line(str *rest, str *line)
{
	if (!rest->p)
		return false;
	for (size_t at = 0; at < rest->n; at++) {
		size_t end = line_end(str_sub(*rest, at, rest->n));

		if (end) {
			*line = str_sub(*rest, 0, at);
			*rest = str_sub(*rest, at + end, rest->n);
			return true;
		}
	}
	*line = *rest;
	*rest = (str){ NULL, 0 };
	return true;
}

char *str_dup(str s)
{
	char *p = malloc(s.n + 1);

	if (!p)
		return NULL;
	if (s.n)
		memcpy(p, s.p, s.n);
	p[s.n] = '\0';
	return p;
}
