/* The paths of event rules: dots stand between segments, "*" is any segment, "{a, b}" is one of several, "@"
 * precedes the segment that an event is about, and "!" at the end excludes what lies below. See
 * spec/event-rules.source.txt, "RulePath". As an extension, a segment or an option may stand in double quotes, in
 * which only \" and \\ are special. */
#ifndef RULES_EVENT_PATH_H
#define RULES_EVENT_PATH_H

#include "base/arena.h"
#include "base/err.h"

struct event_segment {
	str text;  /* the segment as it is written, without the spaces outside quotes */
	str shape; /* the text with a quote in the place of each byte from quote to quote */
	bool anchor, wildcard, quoted;
	const str *options; /* the texts that the segment accepts, without quotes; without braces it is one */
	size_t n_options;
	const char *mistake; /* what is wrong with the quotes; NULL: nothing */
};

/* Any text is a path; event_path_check says whether it is a valid one. */
struct event_path {
	str text; /* without spaces and the final "!" */
	const struct event_segment *segments;
	size_t n;
	size_t wildcards;
	bool exact, anchored;
};

/* Read a path. The result and a copy of @text live in @a. Fails: ENOMEM. */
CHECKED int event_path_read(str text, struct arena *a, struct event_path *ret, struct err *err);
/* Check that a path is valid. Fails: EINVAL, in the words of the original. */
CHECKED int event_path_check(const struct event_path *p, struct err *err);

/* Whether @p matches a change at these segments, or at a place above it. */
bool event_path_matches(const struct event_path *p, const str *segments, size_t n);
/* The number of segments up to the anchor of @p; @n when @p has no anchor, or when what is before it does not match. */
size_t event_path_anchor(const struct event_path *p, const str *segments, size_t n);

/* The segments of @path, which are divided by dots, in @a; at least one. {NULL, 0} without memory. */
struct event_segments {
	const str *p;
	size_t n;
};
struct event_segments event_segments(str path, struct arena *a);

#endif
