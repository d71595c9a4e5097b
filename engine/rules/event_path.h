/* The paths of event rules: dots between segments, "*" for any segment, "{a, b}" for one of several, "@" before the
 * segment that an event is about, "!" at the end for no more than that. spec/event-rules.source.txt, "RulePath". Beyond
 * it, a segment or an option may stand in double quotes, in which only \" and \\ are more than themselves. */
#ifndef RULES_EVENT_PATH_H
#define RULES_EVENT_PATH_H

#include "base/arena.h"
#include "base/err.h"

struct event_segment {
	str text;  /* as written, without the spaces outside quotes */
	str shape; /* the same with a quote for each byte from quote to quote */
	bool anchor, wildcard, quoted;
	const str *options; /* one of them must be the segment, without its quotes; a text without braces is one */
	size_t n_options;
	const char *mistake; /* of the quotes; NULL: none */
};

/* Any text is a path; event_path_check says whether it is a valid one. */
struct event_path {
	str text; /* without spaces and the final "!" */
	const struct event_segment *segments;
	size_t n;
	size_t wildcards;
	bool exact, anchored;
};

/* Lives in @a, as does a copy of @text. Fails: ENOMEM. */
CHECKED int event_path_read(str text, struct arena *a, struct event_path *ret, struct err *err);
/* Fails: EINVAL, in the words of the original. */
CHECKED int event_path_check(const struct event_path *p, struct err *err);

/* Whether it matches a change at these segments, or above it. */
bool event_path_matches(const struct event_path *p, const str *segments, size_t n);
/* How many of the segments there are up to the anchor; all when there is none, or when what is before it does not
 * match. */
size_t event_path_anchor(const struct event_path *p, const str *segments, size_t n);

/* The segments of @path, which dots divide, in @a; at least one. {NULL, 0} without memory. */
struct event_segments {
	const str *p;
	size_t n;
};
struct event_segments event_segments(str path, struct arena *a);

#endif
