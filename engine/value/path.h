/* A place in a document, and its text as kubectl users write it:
 *   spec.template.spec.containers[name="web"].image   metadata.annotations["a.b/c"]   spec.args[2] */
#ifndef VALUE_PATH_H
#define VALUE_PATH_H

#include "base/buf.h"
#include "value/val.h"

enum path_kind {
	PATH_KEY,  /* a member of a map */
	PATH_NAME, /* the item of a list of maps whose "name" is @text */
	PATH_INDEX,
};

struct path_segment {
	enum path_kind kind;
	uint32_t index; /* PATH_INDEX */
	str text;
};

_Static_assert(sizeof(struct path_segment) == 24, "every change holds its path");

/* Views its segments; from the root down. */
struct path {
	const struct path_segment *segments;
	size_t n;
};

/* Append the text of @p; the empty path gives ".". */
void path_format(struct path p, struct buf *out);
/* The text in @a; {NULL, 0} without memory. */
str path_text(struct path p, struct arena *a);

/* What lies at @p in @root; VAL_ABSENT when there is nothing. */
val path_get(val root, struct path p);

/* Read the text form back. Segments live in @a. False when it is malformed or without memory. */
bool path_parse(str text, struct arena *a, struct path *ret);

#endif
