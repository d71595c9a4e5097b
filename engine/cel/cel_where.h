/* A place as Kubernetes writes it, "spec.list[2].m[key]", and the same as data. Keys stand in the text without quotes,
 * so that the text is ambiguous: a.b[0] may be a key of that name. */
#ifndef CEL_WHERE_H
#define CEL_WHERE_H

#include "base/vec.h"
#include "value/path.h"

struct cel_where {
	str text;
	struct path at;
	const uint32_t *ends; /* of each segment: where its part of the text ends */
};

/* Going down from a place, and up again. */
struct cel_way {
	struct buf text;
	VEC(struct path_segment) at;
	VEC(uint32_t) ends;
	size_t root; /* the text of where it began */
};

/* At @from, which is copied; its keys are borrowed. False without memory; cel_way_done is due in any case. */
CHECKED bool cel_way_init(struct cel_way *w, const struct cel_where *from);
void cel_way_done(struct cel_way *w);

/* To the member @name, which is borrowed, written ".name" or "[name]"; to an item of a list. False without memory: then
 * the place is the same. */
CHECKED bool cel_way_member(struct cel_way *w, str name, bool bracket);
CHECKED bool cel_way_item(struct cel_way *w, uint32_t index);
/* As far as @below says, from here; cel_way_up then is due for each of its segments. */
CHECKED bool cel_way_add(struct cel_way *w, const struct cel_where *below);
/* One segment back. */
void cel_way_up(struct cel_way *w);

/* Where it is: valid until it goes on. */
struct cel_where cel_way_here(const struct cel_way *w);
/* As cel_way_here, copied into @a. False without memory. */
CHECKED bool cel_way_keep(const struct cel_way *w, struct arena *a, struct cel_where *ret);

#endif
