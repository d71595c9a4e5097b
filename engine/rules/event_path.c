/* Reads, matches and checks paths as the event package of the requirement does. */
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

/* A text and its shape, which has the same length, and a quote in the place of each byte from quote to quote.
 * Reserved characters are looked for in the shape. */
struct spelling {
	str text, shape;
};

static struct spelling spelling_sub(struct spelling s, size_t from, size_t to)
{
	return (struct spelling){ str_sub(s.text, from, to), str_sub(s.shape, from, to) };
}

/* Split @s at @separator into at least one part. NULL without memory. */
static struct spelling *split(struct spelling s, char separator, struct arena *a, size_t *ret_n)
{
	size_t n = count_byte(s.shape, separator) + 1, from = 0;
	struct spelling *parts = arena_array(a, n, sizeof(*parts));

	for (size_t i = 0; parts && i < n; i++) {
		size_t to = from;

		while (to < s.shape.n && s.shape.p[to] != separator)
			to++;
		parts[i] = spelling_sub(s, from, to);
		from = to + 1;
	}
	*ret_n = n;
	return parts;
}

struct event_segments event_segments(str path, struct arena *a)
{
	size_t n = 0;
	struct spelling *parts = split((struct spelling){ path, path }, '.', a, &n);
	str *texts = parts ? arena_array(a, n, sizeof(*texts)) : NULL;

	for (size_t i = 0; texts && i < n; i++)
		texts[i] = parts[i].text;
	return (struct event_segments){ texts, texts ? n : 0 };
}

/* Read @path without the spaces outside quotes. False without memory. */
static bool read_spelling(str path, struct arena *a, struct spelling *ret)
{
	char *text = arena_alloc(a, path.n + 1), *shape = arena_alloc(a, path.n + 1);
	bool quoted = false;
	size_t n = 0;

	for (size_t i = 0; text && shape && i < path.n; i++) {
		char c = path.p[i];

		if (c == ' ' && !quoted)
			continue;
		text[n] = c;
		shape[n++] = quoted ? '"' : c;
		if (c == '"') {
			quoted = !quoted;
		} else if (c == '\\' && quoted && i + 1 < path.n) {
			text[n] = path.p[++i];
			shape[n++] = '"';
		}
	}
	*ret = (struct spelling){ { text, n }, { shape, n } };
	return text && shape;
}

static bool begins(str s, char c)
{
	return s.n && s.p[0] == c;
}

static bool ends(str s, char c)
{
	return s.n && s.p[s.n - 1] == c;
}

/* The name in a segment or an option: the text itself, or what stands between its quotes. *mistake says what is
 * wrong with the quotes. False without memory. */
static bool unquote(str s, struct arena *a, str *ret, const char **mistake)
{
	size_t n = 0, i = 1;
	char *text;

	*ret = s;
	if (str_find_byte(s, '"') < 0)
		return true;
	text = arena_alloc(a, s.n);
	if (!text)
		return false;
	for (; i < s.n && s.p[i] != '"'; i++) {
		if (s.p[i] == '\\' && i + 1 < s.n && s.p[++i] != '"' && s.p[i] != '\\')
			*mistake = "Escape \"\\\" must precede a quote or another \"\\\"";
		text[n++] = s.p[i];
	}
	if (!begins(s, '"') || i + 1 < s.n)
		*mistake = "Quotes must enclose a whole segment or option";
	else if (i == s.n)
		*mistake = "Quote is not closed";
	else if (n == 0)
		*mistake = "Quoted text must not be empty";
	*ret = (str){ text, n };
	return true;
}

/* Read what one segment accepts. False without memory. */
static bool read_options(struct spelling s, struct arena *a, struct event_segment *ret)
{
	struct spelling *parts = &s;
	str *options;

	ret->n_options = 1;
	if (begins(s.shape, '{') && ends(s.shape, '}'))
		parts = split(spelling_sub(s, 1, s.shape.n - 1), ',', a, &ret->n_options);
	options = parts ? arena_array(a, ret->n_options, sizeof(*options)) : NULL;
	for (size_t i = 0; options && i < ret->n_options; i++) {
		if (!unquote(parts[i].text, a, &options[i], &ret->mistake))
			return false;
	}
	ret->options = options;
	return options;
}

/* Read one segment. False without memory. */
static bool read_segment(struct spelling in, struct arena *a, struct event_segment *ret)
{
	struct event_segment s = { .text = in.text, .shape = in.shape, .anchor = begins(in.shape, '@') };
	struct spelling rest = spelling_sub(in, s.anchor, in.text.n);

	s.quoted = str_find_byte(in.shape, '"') >= 0;
	s.wildcard = str_eq(rest.shape, STR("*")) || (s.anchor && !rest.shape.n);
	*ret = s;
	return read_options(rest, a, ret);
}

int event_path_read(str text, struct arena *a, struct event_path *ret, struct err *err)
{
	struct event_path p = { 0 };
	struct event_segment *segments;
	struct spelling all, *parts;
	size_t n = 0;

	if (!read_spelling(text, a, &all))
		return err_nomem(err);
	p.exact = ends(all.shape, '!');
	all = spelling_sub(all, 0, all.shape.n - p.exact);
	p.text = all.text;
	parts = split(all, '.', a, &n);
	segments = parts ? arena_array(a, n, sizeof(*segments)) : NULL;
	if (!segments)
		return err_nomem(err);
	for (p.n = 0; p.n < n; p.n++) {
		if (!read_segment(parts[p.n], a, &segments[p.n]))
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
	if (s->wildcard || (!s->quoted && str_eq(s->text, text)))
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

/* What is wrong with the braces and commas of a segment; NULL: nothing. */
static const char *options_mistake(const struct event_segment *s)
{
	str t = s->shape;
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
	if (s->mistake)
		return s->mistake;
	if (last_byte(s->shape, '@') > 0)
		return "Only a single anchor \"@\" is allowed, and it must be at start";
	if (str_find_byte(s->shape, '*') >= 0 && !s->wildcard)
		return "Wildcard \"*\" can only be prefixed with an anchor \"@\"";
	if (str_find_byte(s->shape, '!') >= 0)
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
