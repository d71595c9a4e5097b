/* Reads the place of a failed rule with the help of the object that it is in. */
#include "rules/rule_path.h"

#include "topology/list_pairs.h"

#include <ctype.h>
#include <errno.h>

#define SEGMENTS_MAX 256

/* The last member of @map whose key does not sort behind @text; map.n: there is none. */
static uint32_t last_not_behind(val map, str text)
{
	uint32_t lo = 0, hi = map.n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (str_cmp(key_str(map.members[mid].key), text) <= 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo ? lo - 1 : map.n;
}

static bool may_end(str rest, size_t n, bool bracket)
{
	if (bracket)
		return n < rest.n && rest.p[n] == ']';
	return n == rest.n || rest.p[n] == '.' || rest.p[n] == '[';
}

/* The length of the longest key of @map that @rest begins with and after which a key may end; 0: none. Members are
 * in order of their keys: such a key is the last one that does not sort behind @rest, or it is no longer than what
 * that one has in common with @rest. */
static size_t known_key(val map, str rest, bool bracket)
{
	str seek = rest;

	while (val_is_map(map) && seek.n) {
		uint32_t at = last_not_behind(map, seek);
		str key = at < map.n ? key_str(map.members[at].key) : (str){ "", 0 };
		size_t same = 0;

		while (same < key.n && same < seek.n && key.p[same] == seek.p[same])
			same++;
		if (same == key.n && same && may_end(rest, same, bracket))
			return same;
		seek.n = same == key.n && same ? same - 1 : same;
	}
	return 0;
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

/* Copy the segments of @where, with room for @more behind them. False without memory. */
static bool extend(const struct cel_where *where, size_t more, struct arena *a, struct path_segment **at,
		   uint32_t **ends)
{
	size_t n = where->at.n;

	*at = arena_array(a, n + more, sizeof(**at));
	*ends = arena_array(a, n + more, sizeof(**ends));
	if (!*at || !*ends)
		return false;
	if (n) {
		memcpy(*at, where->at.segments, n * sizeof(**at));
		memcpy(*ends, where->ends, n * sizeof(**ends));
	}
	return true;
}

bool rule_path_below(struct cel_where *where, str text, val value, struct arena *a)
{
	str whole = arena_printf(a, "%.*s%.*s", STR_ARG(where->text), STR_ARG(text)), rest = text;
	size_t n = where->at.n, most = n + SEGMENTS_MAX;
	struct path_segment *at;
	uint32_t *ends;

	if (!whole.p || !extend(where, SEGMENTS_MAX, a, &at, &ends))
		return false;
	for (; rest.n && n < most; n++) {
		at[n] = take_segment(&rest, value);
		ends[n] = (uint32_t)(whole.n - rest.n);
		value = at[n].kind == PATH_INDEX ? val_at(value, at[n].index) : val_get(value, at[n].text);
	}
	*where = (struct cel_where){ whole, { at, n }, ends };
	return true;
}

/* ---- places that stay ---- */

/* Call the element by its keys instead of its number. False without memory. */
static bool call(struct path_segment *s, val list, const struct topo *type, struct arena *a)
{
	struct list_element e;
	struct list_keys keys;

	topo_list_keys(type, list, &keys);
	if (!keys.sure || s->index >= val_count(list))
		return true;
	if (!list_element_at(list, &keys, s->index, a, &e))
		return false;
	*s = list_element_segment(&keys, &e, val_at(list, s->index), s->index, a);
	return s->text.p;
}

/* The path as text. Each segment keeps its part of the text, unless the element is called by its keys. */
static str place_text(const struct cel_where *where, struct path p, struct arena *a)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(1u << 20);
	size_t from = 0;

	for (size_t i = 0; i < p.n; i++) {
		if (p.segments[i].kind == PATH_NAME || p.segments[i].kind == PATH_KEYS)
			path_format((struct path){ &p.segments[i], 1 }, &out);
		else
			buf_add_str(&out, str_sub(where->text, from, where->ends[i]));
		from = where->ends[i];
	}
	buf_add_str(&out, str_sub(where->text, from, where->text.n));
	return out.error == -ENOMEM ? (str){ NULL, 0 } : out.error ? where->text : arena_str(a, buf_str(&out));
}

bool rule_place(const struct cel_where *where, val object, const struct topo *type,
		bool (*spend)(void *ctx, uint64_t n), void *ctx, struct arena *a, str *text, struct path *ret)
{
	struct path p = where->at;
	struct path_segment *segments = arena_array(a, p.n, sizeof(*segments));
	struct topo at = *type;
	val here = object;
	bool called = false;

	if (!segments)
		return false;
	for (size_t i = 0; i < p.n; i++) {
		bool index = p.segments[i].kind == PATH_INDEX;

		segments[i] = p.segments[i];
		if (index && (!spend(ctx, segments[i].index) || !call(&segments[i], here, &at, a)))
			return false;
		called |= index && segments[i].kind != PATH_INDEX;
		here = index ? val_at(here, p.segments[i].index) : val_get(here, p.segments[i].text);
		at = index ? topo_element(&at) : topo_member(&at, p.segments[i].text);
	}
	*ret = (struct path){ segments, p.n };
	*text = called ? place_text(where, *ret, a) : where->text;
	return text->p;
}
