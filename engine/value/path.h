/* A place in a document, and its text as kubectl users write it:
 *   spec.template.spec.containers[name="web"].image   metadata.annotations["a.b/c"]   spec.args[2]
 *   spec.ports[port=53,protocol="UDP"].nodePort   env[name="A"#2], the second of that name */
#ifndef VALUE_PATH_H
#define VALUE_PATH_H

#include "base/buf.h"
#include "value/val.h"

enum path_kind {
	PATH_KEY,  /* a member of a map */
	PATH_NAME, /* the item of a list of maps whose "name" is @text */
	PATH_KEYS, /* an item that has other keys: @text is the text in the brackets, port=53,protocol="UDP" */
	PATH_INDEX,
};

#define PATH_AGAIN_MAX 0xFFFFFFu

struct path_segment {
	enum path_kind kind : 8;
	uint32_t again : 24; /* PATH_NAME, PATH_KEYS: how many items before it have the same name or keys */
	/* PATH_INDEX: the index; PATH_KEYS: the index when the path was made, UINT32_MAX: unknown */
	uint32_t index;
	str text;
};

_Static_assert(sizeof(struct path_segment) == 24, "every change holds its path");

/* A path from the root down. It does not own its segments. */
struct path {
	const struct path_segment *segments;
	size_t n;
};

/* Append the text of @p; the empty path gives ".". */
void path_format(struct path p, struct buf *out);
/* The text of @p in @a; {NULL, 0} without memory. */
str path_text(struct path p, struct arena *a);

/* The index in @list of the item that @s means; UINT32_MAX: there is none. @s is no PATH_KEY. For PATH_KEYS the item
 * at s->index is taken if it agrees in those of the keys that it has. */
uint32_t path_item(val list, const struct path_segment *s);

/* The next key of a PATH_KEYS text and its value, a JSON scalar. False at the end, or where it is malformed. */
bool path_next_key(str *rest, str *key, str *value);

/* The value at @p in @root; VAL_ABSENT when there is none. */
val path_get(val root, struct path p);

/* Read the text form. Segments live in @a. False when it is malformed or without memory. */
bool path_parse(str text, struct arena *a, struct path *ret);

#endif
