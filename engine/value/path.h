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
	PATH_KEYS, /* the same, which has other keys: @text is what stands in the brackets, port=53,protocol="UDP" */
	PATH_INDEX,
};

#define PATH_AGAIN_MAX 0xFFFFFFu

struct path_segment {
	enum path_kind kind : 8;
	uint32_t again : 24; /* PATH_NAME, PATH_KEYS: how many before it are called so */
	uint32_t index;      /* PATH_INDEX; PATH_KEYS: where it was, UINT32_MAX: unknown */
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

/* Where the item that @s means is in @list; UINT32_MAX: there is none. @s is no PATH_KEY. Of PATH_KEYS the one that
 * stands where it was is taken if what it has of the keys is the same. */
uint32_t path_item(val list, const struct path_segment *s);

/* The next key of a PATH_KEYS text and its value, a JSON scalar. False at the end, or where it is malformed. */
bool path_next_key(str *rest, str *key, str *value);

/* What lies at @p in @root; VAL_ABSENT when there is nothing. */
val path_get(val root, struct path p);

/* Read the text form back. Segments live in @a. False when it is malformed or without memory. */
bool path_parse(str text, struct arena *a, struct path *ret);

#endif
