/* Reading, matching and checking paths as the event package of the requirement does. */
#include "rules/event_path.h"

#include <errno.h>

/* ---- reading ---- */

static size_t count_byte(str s, char c)
{
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++)
		n += s.p[i] == c;
	return n;
}

/* The parts between @separator, at least one. */
static struct event_segments split(str s, char separator, struct arena *a)
{
	size_t n = count_byte(s, separator) + 1, from = 0;
	str *parts = arena_array(a, n, sizeof(*parts));

	if (!parts)
		return (struct event_segments){ NULL, 0 };
	for (size_t i = 0; i < n; i++) {
		size_t to = from;

		while (to < s.n && s.p[to] != separator)
			to++;
		parts[i] = str_sub(s, from, to);
		from = to + 1;
	}
	return (struct event_segments){ parts, n };
}

struct event_segments event_segments(str path, struct arena *a)
{
	return split(path, '.', a);
}

static str without_spaces(str text, struct arena *a)
{
	char *p = arena_alloc(a, text.n + 1);
	size_t n = 0;

	for (size_t i = 0; p && i < text.n; i++) {
		if (text.p[i] != ' ')
			p[n++] = text.p[i];
	}
	return (str){ p, n };
}

static bool begins(str s, char c)
{
	return s.n && s.p[0] == c;
}

static bool ends(str s, char c)
{
	return s.n && s.p[s.n - 1] == c;
}

/* False without memory. */
static bool read_segment(str text, struct arena *a, struct event_segment *ret)
{
	struct event_segment s = { .text = text, .anchor = begins(text, '@') };
	str rest = s.anchor ? str_sub(text, 1, text.n) : text;
	struct event_segments options;

	s.wildcard = str_eq(rest, STR("*")) || (s.anchor && !rest.n);
	if (begins(rest, '{') && ends(rest, '}')) {
		options = split(str_sub(rest, 1, rest.n - 1), ',', a);
	} else {
		str *one = arena_array(a, 1, sizeof(*one));

		if (one)
			*one = rest;
		options = (struct event_segments){ one, 1 };
	}
	s.options = options.p;
	s.n_options = options.n;
	*ret = s;
	return s.options;
}

int event_path_read(str text, struct arena *a, struct event_path *ret, struct err *err)
{
	struct event_path p = { .text = without_spaces(text, a) };
	struct event_segment *segments;
	struct event_segments texts;

	if (!p.text.p)
		return err_nomem(err);
	p.exact = ends(p.text, '!');
	p.text.n -= p.exact;
	texts = event_segments(p.text, a);
	segments = texts.p ? arena_array(a, texts.n, sizeof(*segments)) : NULL;
	if (!segments)
		return err_nomem(err);
	for (p.n = 0; p.n < texts.n; p.n++) {
		if (!read_segment(texts.p[p.n], a, &segments[p.n]))
			return err_nomem(err);
		p.wildcards += segments[p.n].wildcard;
		p.anchored |= segments[p.n].anchor;
	}
	p.segments = segments;
	*ret = p;
	return 0;
}

/* ---- matching ---- */

static bool segment_matches(const struct event_segment *s, str text)
{
	if (s->wildcard || str_eq(s->text, text))
		return true;
	for (size_t i = 0; i < s->n_options; i++) {
		if (str_eq(s->options[i], text))
			return true;
	}
	return false;
}

bool event_path_matches(const struct event_path *p, const str *segments, size_t n)
{
	if (n < p->n || (p->exact && n != p->n))
		return false;
	for (size_t i = 0; i < p->n; i++) {
		if (!segment_matches(&p->segments[i], segments[i]))
			return false;
	}
	return true;
}

size_t event_path_anchor(const struct event_path *p, const str *segments, size_t n)
{
	for (size_t i = 0; p->anchored && i < p->n && i < n; i++) {
		if (!segment_matches(&p->segments[i], segments[i]))
			return n;
		if (p->segments[i].anchor)
			return i + 1;
	}
	return n;
}

/* ---- checking ---- */

static ptrdiff_t last_byte(str s, char c)
{
	ptrdiff_t i = (ptrdiff_t)s.n - 1;

	while (i >= 0 && s.p[i] != c)
		i--;
	return i;
}

static bool has_empty_option(const struct event_segment *s)
{
	for (size_t i = 0; i < s->n_options; i++) {
		if (!s->options[i].n)
			return true;
	}
	return false;
}

/* What is wrong with the braces and commas; NULL: nothing. */
static const char *options_mistake(const struct event_segment *s)
{
	str t = s->text;
	ptrdiff_t open = str_find_byte(t, '{'), close = str_find_byte(t, '}');

	if (open < 0 && close >= 0)
		return "Option prefix \"{\" is missing";
	if (open >= 0 && close < 0)
		return "Option suffix \"}\" is missing";
	if (open > close)
		return "Option prefix \"{\" must precede its suffix \"}\"";
	if (count_byte(t, '{') > 1)
		return "Multiple option prefixes \"{\" are not allowed";
	if (count_byte(t, '}') > 1)
		return "Multiple option suffixes \"}\" are not allowed";
	if (close >= 0 && !ends(t, '}'))
		return "Option suffix \"}\" must terminate the segment";
	if (last_byte(t, ',') >= 0 && (open < 0 || str_find_byte(t, ',') < open))
		return "Separator \",\" is only allowed inside an option block";
	return open >= 0 && has_empty_option(s) ? "Options must not be empty" : NULL;
}

static const char *segment_mistake(const struct event_segment *s)
{
	if (!s->text.n)
		return "Segment must not be empty";
	if (last_byte(s->text, '@') > 0)
		return "Only a single anchor \"@\" is allowed, and it must be at start";
	if (str_find_byte(s->text, '*') >= 0 && !s->wildcard)
		return "Wildcard \"*\" can only be prefixed with an anchor \"@\"";
	if (str_find_byte(s->text, '!') >= 0)
		return "Path terminator \"!\" is only allowed at the end of last segment";
	return options_mistake(s);
}

int event_path_check(const struct event_path *p, struct err *err)
{
	size_t anchors = 0;

	if (!p->text.n)
		return err_set(err, EINVAL, "Rule path \"\": Path must not be empty");
	for (size_t i = 0; i < p->n; i++) {
		const char *mistake = segment_mistake(&p->segments[i]);

		if (mistake)
			return err_set(err, EINVAL, "Rule path \"%.*s\": Rule path segment \"%.*s\": %s",
				       STR_ARG(p->text), STR_ARG(p->segments[i].text), mistake);
		anchors += p->segments[i].anchor;
	}
	if (anchors > 1)
		return err_set(err, EINVAL, "Rule path \"%.*s\": Only one anchor \"@\" is allowed in a rule path",
			       STR_ARG(p->text));
	return 0;
}
