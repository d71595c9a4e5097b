/* A place as Kubernetes writes it, "spec.list[2].m[key]", and the same as data. Keys are in the text without quotes,
 * so that the text is ambiguous: a.b[0] may be a key of that name. */
#ifndef CEL_WHERE_H
#define CEL_WHERE_H

#include "base/vec.h"
#include "value/path.h"

struct cel_where {
	str text;
	struct path at;
	const uint32_t *ends; /* for each segment, where its part of the text ends */
};

/* A position in an object, which moves down from a place and up again. */
struct cel_way {
	struct buf text;
	VEC(struct path_segment) at;
	VEC(uint32_t) ends;
	size_t root; /* the length of the text of the place where it began */
};

/* Begin at @from, which is copied; its keys are borrowed. False without memory. Call cel_way_done in any case. */
CHECKED bool cel_way_init(struct cel_way *w, const struct cel_where *from);
void cel_way_done(struct cel_way *w);

/* Move to the member @name, which is borrowed, written ".name" or "[name]"; to an item of a list. False without
 * memory: then the place is unchanged. */
CHECKED bool cel_way_member(struct cel_way *w, str name, bool bracket);
CHECKED bool cel_way_item(struct cel_way *w, uint32_t index);
/* Move down by all segments of @below. Call cel_way_up for each of them later. */
CHECKED bool cel_way_add(struct cel_way *w, const struct cel_where *below);
/* Move up by one segment. */
void cel_way_up(struct cel_way *w);

/* The current place: valid until the position moves. */
struct cel_where cel_way_here(const struct cel_way *w);
/* As cel_way_here, copied into @a. False without memory. */
CHECKED bool cel_way_keep(const struct cel_way *w, struct arena *a, struct cel_where *ret);

#endif
