/* Reading a rule's place by the object that it is in. */
#include "daemon/watch/rule_path.h"

#include <ctype.h>

#define SEGMENTS_MAX 256

/* Length of the longest key of @map that @rest begins with and @end may follow; 0: none. */
static size_t known_key(val map, str rest, bool bracket)
{
	size_t best = 0;

	for (uint32_t i = 0; val_is_map(map) && i < map.n; i++) {
		str key = key_str(map.members[i].key);
		bool ends;

		if (key.n <= best || !str_has_prefix(rest, key))
			continue;
		ends = bracket ? key.n < rest.n && rest.p[key.n] == ']'
			       : key.n == rest.n || rest.p[key.n] == '.' || rest.p[key.n] == '[';
		if (ends)
			best = key.n;
	}
	return best;
}

static size_t plain_key(str rest, bool bracket)
{
	size_t n = 0;

	while (n < rest.n && (bracket ? rest.p[n] != ']' : rest.p[n] != '.' && rest.p[n] != '['))
		n++;
	return n;
}

static bool index_of(str text, uint32_t *ret)
{
	uint64_t n = 0;

	for (size_t i = 0; i < text.n; i++) {
		if (!isdigit((unsigned char)text.p[i]) || n > UINT32_MAX)
			return false;
		n = n * 10 + (unsigned)(text.p[i] - '0');
	}
	*ret = (uint32_t)n;
	return text.n > 0 && n <= UINT32_MAX;
}

static str unquoted(str s)
{
	bool quoted = s.n >= 2 && (s.p[0] == '\'' || s.p[0] == '"') && s.p[s.n - 1] == s.p[0];

	return quoted ? str_sub(s, 1, s.n - 1) : s;
}

static struct path_segment take_segment(str *rest, val here)
{
	struct path_segment s = { .kind = PATH_KEY };
	bool bracket = rest->p[0] == '[';
	size_t n;

	if (bracket || rest->p[0] == '.')
		*rest = str_sub(*rest, 1, rest->n);
	n = known_key(here, *rest, bracket);
	if (n == 0)
		n = plain_key(*rest, bracket);
	s.text = str_sub(*rest, 0, n);
	*rest = str_sub(*rest, n + bracket, rest->n);
	if (bracket && !val_is_map(here) && index_of(s.text, &s.index)) {
		s.kind = PATH_INDEX;
		s.text = (str){ "", 0 };
	} else if (bracket) {
		s.text = unquoted(s.text);
	}
	return s;
}

struct path rule_path(str text, val object, struct arena *a)
{
	struct path_segment *segments = arena_array(a, SEGMENTS_MAX, sizeof(*segments));
	size_t n = 0;
	val here = object;

	while (segments && text.n && n < SEGMENTS_MAX) {
		segments[n] = take_segment(&text, here);
		here = segments[n].kind == PATH_INDEX ? val_at(here, segments[n].index)
						      : val_get(here, segments[n].text);
		n++;
	}
	return (struct path){ segments, segments ? n : 0 };
}
